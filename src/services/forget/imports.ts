// Filters imports, so that a backup made earlier brings nothing forgotten back.
import type { ImportedConversation, Skipped } from '../../adapters/importers/importer.ts';
import type { MessageId } from '../../domain/base/ids.ts';
import type { Message } from '../../domain/chat/message.ts';
import { imprintOf, TAKEN_OUT } from '../../domain/forget/imprint.ts';
import type { Forgotten } from '../../domain/forget/sought.ts';
import type { Feedback } from '../../domain/memory/notes.ts';
import type { Documents } from '../documents/documents.ts';
import { conversationIdOf, importedMessageId, sourceKey } from '../library/import-plan.ts';
import { createEraser, type Eraser } from './eraser.ts';
import { feedbackTitled, type Titles, titlesSince } from './titles.ts';
import { remainsOf, remainsOfAll, sourceWithout, withTitles } from './traces.ts';

/** A record with the current titles of its conversations. */
export interface ForgottenBefore {
  readonly eraser: Eraser;
  readonly titles: Titles;
}

/** Returns the records that imports check. Rejects if a conversation cannot be read. */
export const forgottenBefore = (
  records: readonly Forgotten[],
  documents: Pick<Documents, 'read'>,
): Promise<readonly ForgottenBefore[]> =>
  Promise.all(
    records.map(async (record) => ({
      eraser: createEraser(record),
      titles: await titlesSince(record, documents, TAKEN_OUT),
    })),
  );

/** Filters feedback of a backup. The words themselves are removed later, when the feedback is stored. */
export const feedbackSince = (one: Feedback, before: readonly ForgottenBefore[]): Feedback =>
  before.reduce((left, { eraser, titles }) => feedbackTitled(left, titles, eraser), one);

/**
 * Yields conversations without what was forgotten, and reports omissions to `skip`. Anything said after the request
 * is imported.
 */
export async function* withoutForgotten(
  conversations: AsyncIterable<ImportedConversation>,
  before: readonly ForgottenBefore[],
  skip: (skipped: Skipped) => void,
): AsyncIterable<ImportedConversation> {
  for await (const imported of conversations) {
    let left: ImportedConversation | null = imported;
    let count = 0;
    for (const one of before) {
      const next: ReturnType<typeof without> = left && without(left, one);
      count += next ? next.changed : (left?.messages.length ?? 0);
      left = next?.imported ?? null;
    }
    if (count > 0) skip({ reason: 'forgotten', count });
    if (left) yield left;
  }
}

function without(
  imported: ImportedConversation,
  { eraser, titles }: ForgottenBefore,
): { readonly imported: ImportedConversation; readonly changed: number } | null {
  const { record, isGone } = eraser;
  const source = imprintOf(sourceKey(imported.source.tool, imported.source.id), record.id)?.hash ?? '';
  const isGoneWhole =
    isGone(conversationIdOf(imported)) ||
    isGone(imported.readingCopy?.of ?? '') ||
    record.sources.includes(source);
  /** Removed message → its parent. */
  const removed = new Map<string, string | null>();
  const messages: ImportedConversation['messages'][number][] = [];
  let changed = 0;
  // Records identify messages by the ids that they get on this device.
  const ids = new Map(imported.messages.map((message) => [message.id, importedMessageId(imported, message)]));
  const allHere = imported.messages.map((message): Message => {
    const parentId = message.parentId === null ? null : (ids.get(message.parentId) ?? message.parentId);
    return { ...message, id: ids.get(message.id), parentId } as unknown as Message;
  });
  const byId = new Map(allHere.map((message) => [message.id, message]));
  const remains = remainsOfAll(byId, eraser);
  for (const [at, message] of imported.messages.entries()) {
    const asHere = allHere[at] as Message;
    const isMeant = !eraser.isLater({ mark: asHere.id, at: message.createdAt });
    // Two messages in a file may have the same id.
    const rest = byId.get(asHere.id) === asHere ? remains.get(asHere.id) : remainsOf(asHere, eraser);
    const left = isGoneWhole && isMeant ? null : rest && withTitles(rest, titles, eraser);
    if (!left) removed.set(message.id, message.parentId);
    else {
      if (left !== asHere) changed += 1;
      const { id, parentId } = message;
      messages.push(left === asHere ? message : ({ ...left, id, parentId } as unknown as typeof message));
    }
  }
  // A project also has instructions and settings, so it is never removed as a whole.
  const isProject = imported.own?.meta.project === true;
  if (messages.length === 0 && removed.size > 0 && (isGoneWhole || !isProject)) return null;
  const living = (id: string | null): string | null => {
    const seen = new Set<string>();
    let at = id;
    // Two damaged messages in a file may be each other's parent.
    while (at !== null && removed.has(at) && !seen.has(at)) {
      seen.add(at);
      at = removed.get(at) ?? null;
    }
    return at !== null && removed.has(at) ? null : at;
  };
  const from = sourceWithout(imported.source, eraser.hide);
  // The title is generated again if it came from removed messages.
  const isUntitled = removed.size > 0 && imported.own?.meta.titleBy === 'auto';
  const cleaned = metaWithout(imported.meta, eraser);
  const meta = isUntitled ? { ...cleaned, title: '' } : cleaned;
  const points = checkpointsWithout(imported, eraser);
  // A summary of messages that changed may say what they said.
  const isSummarised = Object.values(imported.compactions ?? {}).some((one) => eraser.clean(one) !== one);
  const losesMore = isSummarised || points !== imported.checkpoints;
  if (removed.size + changed === 0 && !losesMore && meta === imported.meta && from === imported.source)
    return { imported, changed: 0 };
  const { compactions: _, ...rest } = imported;
  return {
    imported: {
      ...rest,
      ...(points ? { checkpoints: points } : {}),
      source: from,
      meta,
      head: living(imported.head),
      ...(imported.own
        ? {
            own: {
              ...imported.own,
              meta: {
                ...imported.own.meta,
                ...meta,
                summary: null,
                head: living(imported.own.meta.head) as MessageId | null,
              },
            },
          }
        : {}),
      messages: messages.map((message) => ({ ...message, parentId: living(message.parentId) })),
    },
    changed: removed.size + changed,
  };
}

/** Removes the words from names of checkpoints; returns the same object if there are none. */
function checkpointsWithout(
  { checkpoints }: Pick<ImportedConversation, 'checkpoints'>,
  { hide }: Eraser,
): ImportedConversation['checkpoints'] {
  const entries = Object.entries(checkpoints ?? {});
  return entries.some(([name]) => hide(name).redacted > 0)
    ? Object.fromEntries(entries.map(([name, point]) => [hide(name).text, point]))
    : checkpoints;
}

/** Our own backups say which tool a conversation came from. */
function metaWithout<T extends object>(meta: T, { clean, hide }: Eraser): T {
  const cleaned = clean(meta);
  const { source } = meta as { source?: { readonly id: string } | null };
  const from = source && sourceWithout(source, hide);
  return from === source ? cleaned : { ...cleaned, source: from };
}
