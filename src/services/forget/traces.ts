// Computes what one conversation loses to a record of forgetting: whole messages,
// or words within those that stay. Pure.
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Conversation, ConversationMeta } from '../../domain/chat/conversation.ts';
import { textOfFile } from '../../domain/chat/files.ts';
import { cleanedFiles, memoryFileWithout } from '../../domain/chat/memory-file.ts';
import type { Message, Part, RecalledPassage } from '../../domain/chat/message.ts';
import { textOf } from '../../domain/chat/message.ts';
import { TAKEN_OUT } from '../../domain/forget/imprint.ts';
import type { Forgotten } from '../../domain/forget/sought.ts';
import { endOf, startOf } from '../../domain/text/whole-characters.ts';
import { type Occurrence, saidOf } from '../documents/cleaning.ts';
import type { ConversationChange } from '../documents/documents.ts';
import { acrossBorders } from './borders.ts';
import { createEraser, type Eraser, withoutAll } from './eraser.ts';
import type { Find } from './place.ts';
import { isUsable, type Titles } from './titles.ts';

interface Traces {
  /** True if the whole conversation goes. */
  readonly erase: boolean;
  /** Undefined if nothing or everything goes. */
  readonly change: ConversationChange | undefined;
  readonly finds: readonly Find[];
}

/** Longest excerpt of a find, in characters. */
const EXCERPT = 160;
/** Characters of an excerpt before the words. */
const BEFORE = 50;
/** Margin in ms: a move while the undo is offered does not count as a later decision. */
const MOVED_MARGIN_MS = 60_000;

/** Removes recalled passages; the rest was said by a person or a model. */
export const withoutRecalled = (message: Message): Message => ({
  ...message,
  parts: message.parts.flatMap((part): Part[] => {
    if (part.type === 'recall') return [];
    return part.type === 'tool-result' && part.recalled
      ? [{ ...part, recalled: undefined, text: '' }]
      : [part];
  }),
});

/** Removes sealed thoughts and calls of a provider, since they may contain the removed words. */
const withoutSealed = (message: Message): Message => ({
  ...message,
  parts: message.parts.map((part) =>
    part.type === 'reasoning' ? { ...part, encrypted: undefined, provider: undefined } : part,
  ),
});

/**
 * Removes the forgotten part of a message: returns null if all of it goes, the same object if nothing does. Words
 * said later stay; passages of memory beside them that were said before do not.
 */
export function remainsOf(message: Message, eraser: Eraser): Message | null {
  const { record, isGone, isLater } = eraser;
  if (isLater({ mark: message.id, at: message.createdAt })) return eraser.clean(message);
  if (isGone(message.id)) return null;
  if (record.whole && record.words.length > 0) {
    const said = withoutRecalled(message);
    if (eraser.cleanOfWords(said) !== said) return null;
  }
  const cleaned = eraser.clean(message);
  return cleaned === message ? message : withoutSealed(cleaned);
}

/** Does the same for a queued message, which has no date yet and is always meant. */
export function remainsOfQueued<T extends { readonly id: string; readonly parts: readonly Part[] }>(
  queued: T,
  eraser: Eraser,
): T | null {
  const left = remainsOf({ ...queued, createdAt: Number.NEGATIVE_INFINITY } as unknown as Message, eraser);
  return left && (left.parts === queued.parts ? queued : { ...queued, parts: left.parts });
}

/**
 * Cleans a message before it is saved, by records that arrived meanwhile; null if nothing is left. Earlier records
 * count for its passages: memory may have found them, or a person kept them on the screen, before that.
 */
export const remainsSince =
  (records: () => readonly Forgotten[]) =>
  (message: Message): Message | null => {
    const quotes = message.parts.some((part) => part.type === 'recall' || 'recalled' in part);
    return withoutAll(
      message,
      records()
        .filter(({ at }) => quotes || at >= message.createdAt)
        .map((record) => createEraser(record)),
      remainsOf,
    );
  };

/**
 * Does the same for words that a page noted at a place named after its conversation, at a time in ms since 1970: none
 * are left where the conversation is gone.
 */
export const textSince =
  (records: () => Promise<readonly Forgotten[]>) =>
  async (place: string, text: string, at: number): Promise<string> =>
    (await records())
      .filter((record) => record.at >= at)
      .map((record) => createEraser(record))
      .reduce((left, { hide, isGone }) => (place.split(/[/.:]/).some(isGone) ? '' : hide(left).text), text);

/** Does the same for messages that are read together, since words may begin in one and end in the next. */
export function remainsOfAll(
  messages: ReadonlyMap<MessageId, Message>,
  eraser: Eraser,
): ReadonlyMap<MessageId, Message | null> {
  const cut = acrossBorders(messages, eraser);
  return new Map(
    [...messages].map(([id, message]) => {
      const rest = cut.get(id);
      if (!rest) return [id, remainsOf(message, eraser)];
      const left = eraser.record.whole ? null : remainsOf(rest, eraser);
      return [id, left && withoutSealed(left)];
    }),
  );
}

/** Updates the titles on a message's recall cards; returns the same object if they are current. */
export function withTitles(message: Message, titles: Titles, { isLater }: Pick<Eraser, 'isLater'>): Message {
  const isSaidLater = isLater({ mark: message.id, at: message.createdAt });
  let isChanged = false;
  const named = <T extends readonly RecalledPassage[] | undefined>(passages: T): T =>
    passages?.map((passage) => {
      const known = titles.get(passage.conversationId);
      const title = isUsable(known, isSaidLater) ? known : passage.title;
      isChanged ||= title !== passage.title;
      return { ...passage, title };
    }) as unknown as T;
  const parts = message.parts.map((part): Part => {
    if (part.type === 'recall')
      return {
        ...part,
        passages: named(part.passages),
        nearMisses: named(part.nearMisses),
        ...(part.leftOut ? { leftOut: named(part.leftOut) } : {}),
      };
    if (part.type !== 'tool-result' || !part.recalled) return part;
    const { passages, nearMisses } = part.recalled;
    return {
      ...part,
      recalled: { ...part.recalled, passages: named(passages), nearMisses: named(nearMisses) },
    };
  });
  return isChanged ? { ...message, parts } : message;
}

/** Restores a deletion without messages, summaries and checkpoints that were forgotten since. */
export function withoutForgottenSince(
  change: ConversationChange,
  records: readonly Forgotten[],
): ConversationChange {
  let { restored = [], compactions = {}, checkpoints = {} } = change;
  for (const record of records) {
    const eraser = createEraser(record);
    const left = remainsOfAll(new Map(restored.map((message) => [message.id, message])), eraser);
    restored = [...left.values()].flatMap((message) => message ?? []);
    compactions = withoutNamed(compactions, eraser);
    checkpoints = withoutNamed(checkpoints, eraser);
  }
  return { ...change, restored, compactions, checkpoints };
}

const withoutNamed = <T>(values: Readonly<Record<string, T>>, { clean, hide }: Eraser): Record<string, T> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => hide(name).redacted === 0 && clean(value) === value),
  );

/** Texts of a message in which words may stand, what was said first. */
const textsOf = (message: Message): readonly string[] => [
  textOf(message),
  ...message.parts.flatMap((part): string[] => {
    if (part.type === 'file') return [part.name ?? '', textOfFile(part) ?? ''];
    return part.type === 'reasoning' || part.type === 'tool-result' ? [part.text] : [];
  }),
];

/** Returns an excerpt around the searched words, or the beginning of what was said if they do not occur. */
function excerptOf(message: Message, { hide }: Eraser): string {
  const texts = textsOf(message);
  const text = texts.find((one) => hide(one).redacted > 0) ?? texts[0] ?? '';
  const hidden = hide(text);
  const from = hidden.redacted > 0 ? hidden.text.indexOf(TAKEN_OUT) - BEFORE : 0;
  return from > 0 ? `…${startOf(endOf(text, text.length - from), EXCERPT)}` : startOf(text, EXCERPT);
}

/** Finds what a record removes from a conversation. `isLeft`: it was forgotten but stays until the person decides. */
export function tracesIn(conversation: Conversation, eraser: Eraser, isLeft = false): Traces {
  const { record, isGone, isLater } = eraser;
  const { id, meta, messages } = conversation;
  const title = meta.title;
  const all = [...messages.values()];
  const began: Occurrence = {
    mark: id,
    at: all.length > 0 ? Math.min(...all.map(({ createdAt }) => createdAt)) : meta.createdAt,
  };
  const find = (what: Find['what'], excerpt: string, some: readonly Message[] = []): Find => ({
    place: 'conversations',
    what,
    conversation: id,
    message: what === 'conversation' ? null : (some[0]?.id ?? null),
    title,
    excerpt,
    count: Math.max(1, some.length),
    said: [began, ...some.flatMap((message) => saidOf(message) ?? [])],
  });
  const isMeant = ({ id: mark, createdAt: at }: Message) => !isLater({ mark, at });
  const isGoneWhole = isGone(id) && !isLeft && !isKeptSince(meta, eraser);
  if (isGoneWhole && all.every(isMeant))
    return {
      erase: true,
      change: undefined,
      finds: [find('conversation', all[0] ? excerptOf(all[0], eraser) : '', all)],
    };
  const finds: Find[] = [];
  const removed: MessageId[] = [];
  const rewritten: Message[] = [];
  const remains = isGoneWhole ? null : remainsOfAll(messages, eraser);
  for (const message of all) {
    const left = isMeant(message) ? (remains?.get(message.id) ?? null) : remainsOf(message, eraser);
    if (left === null) {
      removed.push(message.id);
      finds.push(find('message', excerptOf(message, eraser), [message]));
      continue;
    }
    if (left === message) continue;
    rewritten.push(left);
    const isCard =
      JSON.stringify(withoutRecalled(left)) === JSON.stringify(withoutRecalled(withoutSealed(message)));
    finds.push(
      find(isCard ? 'card' : record.words.length > 0 ? 'words' : 'quote', excerptOf(message, eraser), [
        message,
      ]),
    );
  }
  // A project also has instructions and settings, so it is never removed as a whole.
  if (removed.length > 0 && removed.length === all.length && !meta.project)
    return {
      erase: true,
      change: undefined,
      finds: [find('conversation', excerptOf(all[0] as Message, eraser), all)],
    };
  // The conversation began later, and so its title is not meant.
  if (!all.some(isMeant) && isLater(began))
    return {
      erase: false,
      change: rewritten.length > 0 ? { rewritten, takesOut: true } : undefined,
      finds,
    };
  const changed = removed.length + rewritten.length > 0;
  const files = filesWithout(
    conversation,
    all.filter(({ id: one }) => removed.includes(one)),
    eraser,
  );
  for (const _ of Object.keys(files)) finds.push(find('session-memory', ''));
  const metaChange = { ...metaOf(meta, eraser, changed, removed.length > 0), ...files };
  if (metaChange.title !== undefined && metaChange.title !== title) finds.push(find('title', title));
  if (metaChange.systemPrompt !== undefined) finds.push(find('instructions', meta.systemPrompt ?? ''));
  if (metaChange.summary === null) finds.push(find('summary', meta.summary ?? ''));
  const checkpoints: Record<
    string,
    (typeof conversation.checkpoints extends ReadonlyMap<string, infer C> ? C : never) | null
  > = {};
  for (const [name, checkpoint] of conversation.checkpoints) {
    const shown = eraser.hide(name);
    const points = removed.includes(checkpoint.messageId);
    if (shown.redacted === 0 && !points) continue;
    checkpoints[name] = null;
    if (!points) checkpoints[shown.text] = checkpoint;
    if (shown.redacted > 0) finds.push(find('title', name));
  }
  const compactions: Record<string, null> = {};
  for (const [key, made] of conversation.compactions)
    if (eraser.clean(made) !== made) {
      compactions[key] = null;
      finds.push(find('summary', ''));
    }
  const isTouched =
    changed || [metaChange, checkpoints, compactions].some((part) => Object.keys(part).length > 0);
  return {
    erase: false,
    change: isTouched
      ? { removed, rewritten, checkpoints, compactions, meta: metaChange, takesOut: true }
      : undefined,
    finds,
  };
}

/** Removes the words from the saved session memory, and quotations of forgotten messages. */
function filesWithout(
  { meta }: Pick<Conversation, 'meta'>,
  removed: readonly Message[],
  { clean }: Eraser,
): Partial<ConversationMeta> {
  const quoting = memoryFileWithout({ meta }, removed);
  return { ...quoting, ...cleanedFiles({ meta: { ...meta, ...quoting } }, clean) };
}

/** True if a person moved it to or from the trash since then: the person decides. */
const isKeptSince = ({ deletedAt, movedAt }: ConversationMeta, { record, isOwn }: Eraser): boolean =>
  Math.max(deletedAt ?? 0, movedAt) > record.at + (isOwn ? MOVED_MARGIN_MS : 0);

/** Titles and summaries made from removed messages are generated again; text by a person only loses the words. */
function metaOf(
  meta: ConversationMeta,
  { hide }: Eraser,
  changed: boolean,
  removes: boolean,
): Partial<ConversationMeta> {
  const made: Partial<ConversationMeta> = {};
  const title = hide(meta.title);
  if (meta.titleBy === 'auto' && meta.title !== '' && (removes || title.redacted > 0)) made.title = '';
  else if (title.redacted > 0) made.title = title.text;
  if (meta.summary !== null && (changed || hide(meta.summary).redacted > 0)) {
    made.summary = null;
    made.polished = 0;
  }
  for (const key of ['systemPrompt', 'workDir'] as const) {
    const text = hide(meta[key] ?? '');
    if (text.redacted > 0) made[key] = text.text;
  }
  // The id in a source may be an address or a file name.
  const source = sourceWithout(meta.source, hide);
  if (source !== meta.source) made.source = source;
  const folders = meta.workDirs?.map((folder) => hide(folder).text);
  if (folders?.some((folder, at) => folder !== meta.workDirs?.[at])) made.workDirs = folders;
  return made;
}

/**
 * Removes the words from a source; returns the same object if there are none. Later imports recognise the
 * conversation by the remaining id.
 */
export function sourceWithout<T extends { readonly id: string } | null>(source: T, hide: Eraser['hide']): T {
  const id = source && hide(source.id);
  return id && id.redacted > 0 ? { ...source, id: id.text } : source;
}

/** Adds all conversations below these, since subagents repeat what their parent was about. */
export function withChildren(
  ids: ReadonlySet<ConversationId>,
  parentOf: ReadonlyMap<ConversationId, string>,
): ReadonlySet<ConversationId> {
  const found = new Set<ConversationId>(ids);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const [id, parent] of parentOf) if (found.has(parent as ConversationId)) found.add(id);
  }
  return found;
}
