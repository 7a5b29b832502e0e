// An import without what was forgotten: a backup made before brings nothing of it back.
import type { ImportedConversation, Skipped } from '../../adapters/importers/importer.ts';
import type { MessageId } from '../../domain/base/ids.ts';
import type { Message } from '../../domain/chat/message.ts';
import { imprintOf } from '../../domain/forget/imprint.ts';
import type { Forgotten } from '../../domain/forget/sought.ts';
import type { Notes } from '../documents/notes.ts';
import { conversationIdOf, sourceKey } from '../library/import-plan.ts';
import { createEraser, type Eraser } from './eraser.ts';
import { withoutRecalled } from './traces.ts';

/** Conversations without what was forgotten; `skip` is told of it. What was said after that is another thing, and comes in. */
export async function* withoutForgotten(
  conversations: AsyncIterable<ImportedConversation>,
  records: readonly Forgotten[],
  skip: (skipped: Skipped) => void,
): AsyncIterable<ImportedConversation> {
  const erasers = records.map((record) => createEraser(record));
  for await (const imported of conversations) {
    let left: ImportedConversation | null = imported;
    let count = 0;
    for (const eraser of erasers) {
      const next: ReturnType<typeof without> = left && without(left, eraser);
      count += next ? next.changed : (left?.messages.length ?? 0);
      left = next?.imported ?? null;
    }
    if (count > 0) skip({ reason: 'forgotten', count });
    if (left) yield left;
  }
}

type Brought = Parameters<Notes['bring']>[0];

/** Notes and feedback of a backup without what was forgotten. */
export function broughtWithoutForgotten(brought: Brought, records: readonly Forgotten[]): Brought {
  const erasers = records.map((record) => createEraser(record));
  return {
    notes: brought.notes.filter(({ source, text, updatedAt }) =>
      erasers.every(
        ({ record, isGone, hide }) =>
          updatedAt > record.at ||
          !(
            hide(text).redacted > 0 ||
            (source && (isGone(source.conversationId) || isGone(source.messageId)))
          ),
      ),
    ),
    feedback: brought.feedback.filter(({ conversationId, messageId, passage, title, query, at }) =>
      erasers.every(
        ({ record, isGone, hide }) =>
          at > record.at ||
          !(
            isGone(conversationId) ||
            isGone(messageId) ||
            [passage, title, query ?? ''].some((text) => hide(text).redacted > 0)
          ),
      ),
    ),
  };
}

function without(
  imported: ImportedConversation,
  eraser: Eraser,
): { readonly imported: ImportedConversation; readonly changed: number } | null {
  const { record, isGone } = eraser;
  const isNew = ({ createdAt }: Pick<Message, 'createdAt'>) => createdAt > record.at;
  const source = imprintOf(sourceKey(imported.source.tool, imported.source.id), record.id)?.hash ?? '';
  const isGoneWhole = isGone(conversationIdOf(imported)) || record.sources.includes(source);
  /** Removed message → what it hung on. */
  const removed = new Map<string, string | null>();
  const messages: ImportedConversation['messages'][number][] = [];
  let changed = 0;
  for (const message of imported.messages) {
    const said = withoutRecalled(message as unknown as Message);
    const isNamed = record.whole && eraser.cleanOfWords(said) !== said;
    if (!isNew(message) && (isGoneWhole || isGone(message.id) || isNamed)) {
      removed.set(message.id, message.parentId);
      continue;
    }
    const cleaned = isNew(message) ? message : eraser.clean(message);
    if (cleaned !== message) changed += 1;
    messages.push(cleaned);
  }
  if (messages.length === 0 && removed.size > 0) return null;
  const living = (id: string | null): string | null => {
    let at = id;
    while (at !== null && removed.has(at)) at = removed.get(at) ?? null;
    return at;
  };
  const meta = eraser.clean(imported.meta);
  if (removed.size + changed === 0 && meta === imported.meta) return { imported, changed: 0 };
  const { compactions: _, ...rest } = imported;
  return {
    imported: {
      ...rest,
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
