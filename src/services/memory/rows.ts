// Turns a conversation into rows of the index. The privacy filter is applied here: no later step sees a secret.
import type { ConversationRow, MessageRow } from '../../adapters/index/memory-index.ts';
import type { MessageId } from '../../domain/base/ids.ts';
import { continuesAnswer } from '../../domain/chat/continuation.ts';
import { byTime, type Conversation } from '../../domain/chat/conversation.ts';
import { type Message, type Part, passagesGivenBy, textOf } from '../../domain/chat/message.ts';
import { tokensOfParts } from '../../domain/context/tokens.ts';
import { chunksOf } from '../../domain/memory/chunk.ts';
import { descriptionOf, descriptionTextsOf } from '../../domain/memory/described.ts';
import { digestOf } from '../../domain/memory/digest.ts';
import { keywordsOf } from '../../domain/memory/keywords.ts';
import { isExcluded, isSkipped } from '../../domain/memory/privacy.ts';
import { summaryOf } from '../../domain/memory/summary.ts';
import { titleOf } from '../../domain/memory/title.ts';
import { DETECTORS_VERSION } from '../../domain/privacy/detectors/index.ts';
import { cleanTail, findAcross } from '../../domain/privacy/scan.ts';
import type { Config } from '../../domain/settings/config.ts';
import { codeIn } from '../../domain/text/code.ts';
import { endsSentence, sentenceSpans } from '../../domain/text/sentences.ts';
import type { LibraryEntry } from '../documents/documents.ts';
import type { Hiding } from '../privacy/privacy-filter.ts';

/** Most characters of a message that are read to tell whether it has code, or words at all. */
const SAMPLE_LENGTH = 100_000;
/** Most messages from which keywords and summary are made: the beginning and the end of a very long conversation. */
const MAX_DESCRIBED = 400;

/** Most characters of the previous message that are read. */
const MAX_BEFORE = 4_000;

type Privacy = Config['privacy'];

/** Raise it when rows are made differently: the index is then rebuilt, and keeps vectors that still fit. */
const PIPELINE_VERSION = 28;

/** Everything that rows depend on beside the log. When it changes, rows are made again. */
export const pipelineVersionOf = (privacy: Privacy): string =>
  JSON.stringify([
    PIPELINE_VERSION,
    privacy.sensitive_keywords,
    privacy.exclude_work_dirs,
    privacy.keep_out_of_index,
    [privacy.own_names, privacy.own_addresses, privacy.own_words, privacy.own_patterns],
    // Absent while it is off, so that an unused setting causes no rebuild.
    ...(privacy.skip_sensitive_messages ? ['skip'] : []),
    // Newer detectors may find words in any row, so all rows are read again.
    ...(privacy.keep_out_of_index.length > 0 ? [{ detectors: DETECTORS_VERSION }] : []),
  ]);

/**
 * True if a conversation may be found: not in the trash, not from an excluded folder. `line`: its list
 * entry, if not all of it could be read.
 */
export const isRemembered = ({ meta }: Conversation, privacy: Privacy, line?: LibraryEntry): boolean =>
  (line ? [meta, line] : [meta]).every(
    ({ deletedAt, workDir }) => deletedAt === null && !isExcluded(workDir, privacy.exclude_work_dirs),
  );

/** A text without its private words. */
type Clean = (text: string) => string;

/** Reduces recalled passages to their names, which the calendar counts. Their words stay in their own messages. */
const recalledOf = (part: Part): unknown => ({
  type: 'recall',
  passages: passagesGivenBy(part).map(({ conversationId, messageId }) => ({ conversationId, messageId })),
});

/**
 * Recalls of a message: the only part that is needed beside its chunks. A model's own call counts as any recall does;
 * a `copy` of the result recalls nothing new.
 */
const recallsIn = (parts: readonly Part[], copy: boolean): unknown[] =>
  parts
    .filter((part) => part.type === 'recall' || (part.type === 'tool-result' && part.recalled && !copy))
    .map(recalledOf);

/** Makes the row of a conversation. Summary and keywords stay empty, which means unchanged; `describe` writes them. */
export function conversationRow({ id, meta, messages }: Conversation, clean: Clean): ConversationRow {
  let updatedAt = meta.createdAt;
  let tokenCount = 0;
  for (const message of messages.values()) {
    updatedAt = Math.max(updatedAt, message.createdAt);
    tokenCount += tokensOf(message);
  }
  return {
    id,
    title: clean(meta.title),
    summary: '',
    keywords: [],
    described: '',
    createdAt: meta.createdAt,
    updatedAt,
    workDir: meta.workDir === null ? null : clean(meta.workDir),
    tokenCount,
    archived: meta.archived,
    pinned: meta.pinned,
  };
}

const counted = new WeakMap<Message, number>();
/** Computed once for each message: messages never change, and a long conversation is read after each new one. */
function tokensOf(message: Message): number {
  const known = counted.get(message);
  if (known !== undefined) return known;
  const tokens = tokensOfParts(message.parts);
  counted.set(message, tokens);
  return tokens;
}

/** Makes the row of a message with its chunks. */
export function messageRow(
  conversation: Conversation,
  message: Message,
  privacy: Privacy,
  clean: Clean,
): MessageRow {
  const above = beforeOf(conversation, message);
  const before = above && isSkipped(above, privacy) ? undefined : above;
  const skipped = isSkipped(message, privacy);
  const copy = originalOf(conversation, message) !== message;
  const chunks =
    copy || skipped
      ? []
      : chunksOf(withBegunSentence(conversation, message, clean), {
          redact: clean,
          // More than the end is passed on, so that a secret that is cut in two is still recognised.
          ...(before && message.role !== 'tool'
            ? { before: cleanTail(textOf(before), MAX_BEFORE, clean) }
            : {}),
        });
  const { hasCode, language } = codeIn(skipped ? '' : textOf(message).slice(0, SAMPLE_LENGTH));
  return {
    id: message.id,
    conversationId: conversation.id,
    parentId: message.parentId,
    before: chunks.length > 0 ? (before?.id ?? null) : null,
    role: message.role,
    content: skipped ? [] : recallsIn(message.parts, copy),
    tokenCount: tokensOf(message),
    createdAt: message.createdAt,
    hasCode,
    codeLanguage: language,
    chunks,
  };
}

/** Maps each answer that was cut off to the message that continues it. */
export function continuations({ messages }: Conversation): ReadonlyMap<MessageId, Message> {
  const found = new Map<MessageId, Message>();
  for (const message of messages.values()) {
    const before = message.parentId === null ? undefined : messages.get(message.parentId);
    if (before && continuesAnswer(before, message)) found.set(before.id, message);
  }
  return found;
}

/**
 * Removes private words that were split between an answer that was cut off and its continuation, since neither half
 * shows what it is. The same object if there are none.
 */
export function withoutCutWords(
  conversation: Conversation,
  { find, replace }: Pick<Hiding, 'find' | 'replace'>,
): Conversation {
  const messages = new Map(conversation.messages);
  let changed = false;
  const textAt = (message: Message | undefined, place: 'first' | 'last') => {
    const texts = (message?.parts ?? []).filter((part) => part.type === 'text');
    return texts.at(place === 'first' ? 0 : -1);
  };
  const put = (message: Message, part: Part, text: string) =>
    messages.set(message.id, {
      ...message,
      parts: message.parts.map((one) => (one === part ? ({ ...one, text } as Part) : one)),
    });
  for (const [id, { id: nextId }] of continuations(conversation)) {
    const [before, next] = [messages.get(id), messages.get(nextId)];
    const [end, beginning] = [textAt(before, 'last'), textAt(next, 'first')];
    if (!before || !next || !end || !beginning) continue;
    const [here = [], there = []] = findAcross([end.text, beginning.text], find);
    if (there[0]?.words !== '') continue;
    put(before, end, replace(end.text, here));
    put(next, beginning, replace(beginning.text, there));
    changed = true;
  }
  return changed ? { ...conversation, messages } : conversation;
}

/**
 * Joins the beginning of the sentence in which an answer was cut off to its continuation: neither half would be found
 * alone. Both are searched for secrets as one text.
 */
function withBegunSentence(
  conversation: Conversation,
  message: Message,
  clean: (text: string) => string,
): Message {
  const before = message.parentId === null ? undefined : conversation.messages.get(message.parentId);
  if (!before || !continuesAnswer(before, message)) return message;
  const end = (before.parts.findLast((part) => part.type === 'text')?.text ?? '').slice(-MAX_BEFORE);
  const said = end.trimEnd();
  const isEnded = end.slice(said.length).includes('\n') || endsSentence(said);
  const [from] = (isEnded ? undefined : sentenceSpans(end).at(-1)) ?? [];
  if (from === undefined || (from === 0 && end.length === MAX_BEFORE)) return message;
  const left = clean(end.slice(0, from));
  const at = message.parts.findIndex((part) => part.type === 'text');
  return {
    ...message,
    parts: message.parts.map((part, index) => {
      const whole = index === at && part.type === 'text' ? clean(end + part.text) : '';
      return part.type === 'text' && whole.startsWith(left) && whole !== ''
        ? { ...part, text: whole.slice(left.length) }
        : part;
    }),
  };
}

/** Most steps up to the previous message: notes, tools and answers from memory are skipped. */
const STEPS_UP = 8;

/**
 * The message with these words first: the original of a copy on another branch or of a reused answer. Only the original
 * is found, else each copy would be a hit of its own. A copy whose original was forgotten stands for itself.
 */
function originalOf(conversation: Conversation, message: Message): Message {
  let at = message;
  for (let step = 0; step < STEPS_UP; step++) {
    const above = conversation.messages.get((at.copyOf ?? at.reused ?? '') as Message['id']);
    if (!above || above === message) return at;
    at = above;
  }
  return at;
}

/** The nearest message above from a person or a model that can be found; null if none is near. */
function beforeOf(conversation: Conversation, message: Message): Message | null {
  let at = message.parentId;
  for (let step = 0; at !== null && step < STEPS_UP; step++) {
    const above = conversation.messages.get(at);
    if (!above) return null;
    const said =
      above.kind === 'message' &&
      (above.role === 'user' || above.role === 'assistant') &&
      above.dmail?.by !== 'model';
    if (said && /[\p{L}\p{N}]/u.test(textOf(above).slice(0, SAMPLE_LENGTH)))
      return originalOf(conversation, above);
    at = above.parentId;
  }
  return null;
}

/** Makes keywords and summary of a conversation. */
export function describeConversation(
  conversation: Conversation,
  privacy: Privacy,
  clean: Clean,
): Pick<ConversationRow, 'summary' | 'keywords' | 'described'> {
  const all = [...conversation.messages.values()]
    .filter((message) => !isSkipped(message, privacy))
    .sort(byTime);
  const messages =
    all.length > MAX_DESCRIBED ? [...all.slice(0, MAX_DESCRIBED / 2), ...all.slice(-MAX_DESCRIBED / 2)] : all;
  const isWhole = all.length === conversation.messages.size;
  const digest = digestOf(messages, clean);
  const written = conversation.meta.summary?.trim();
  const keywords = keywordsOf(digest);
  return {
    summary: written ? clean(written) : summaryOf(digest),
    keywords,
    // Leave out written titles and summaries if a message is left out: they may speak of it.
    described: descriptionOf([...keywords, ...(isWhole ? descriptionTextsOf(conversation).map(clean) : [])]),
  };
}

/** Makes a title from the words of a conversation without one; undefined if it has one. */
export function missingTitle(conversation: Conversation, privacy: Privacy, clean: Clean): string | undefined {
  const { title, titleBy } = conversation.meta;
  if (title !== '' || titleBy === 'person') return undefined;
  const said = [...conversation.messages.values()].filter((message) => !isSkipped(message, privacy));
  return titleOf(said.sort(byTime), clean) || undefined;
}
