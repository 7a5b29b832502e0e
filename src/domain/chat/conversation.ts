// A conversation is a tree of immutable messages with a movable head. All functions here are pure.
import { z } from 'zod';
import type { ConversationId, MessageId } from '../base/ids.ts';
import { timeSchema } from '../base/time.ts';
import { faceSchema, filedSchema, MEMORY_SCOPES, preferredModelSchema } from '../projects/project.ts';
import type { Hlc } from '../sync/hlc.ts';
import { shownName } from '../text/shown.ts';
import type { Known, Message } from './message.ts';
import type { Checkpoint, Compaction } from './records.ts';

/** Properties of a conversation beside its messages. Each key is last-writer-wins. Times in ms since 1970. */
export const conversationMetaSchema = z.looseObject({
  /** An invisible title counts as none, so that one is made from the words. */
  title: z
    .string()
    .transform((title) => (shownName(title) === '' ? '' : title))
    .default(''),
  /** A title made from the words never replaces one by `person`. */
  titleBy: z.enum(['auto', 'person', 'import']).default('auto'),
  createdAt: timeSchema.default(0),
  archived: z.boolean().default(false),
  pinned: z.boolean().default(false),
  workDir: z.string().nullable().default(null),
  /** The leaf that is shown and continued. */
  head: z.string().nullable().default(null),
  /** Set while it lies in the trash; null or absent otherwise. */
  deletedAt: timeSchema.nullable().default(null),
  /** Time of the last move into or out of archive or trash, ms since 1970; 0: never, or by an older app. */
  movedAt: timeSchema.default(0),
  /** Tool and id of its import. */
  source: z.looseObject({ tool: z.string(), id: z.string() }).nullable().default(null),
  /** Conversation and message that started it (subagents): not listed at the top level. */
  parent: z
    .looseObject({ conversationId: z.string(), messageId: z.string().nullable() })
    .nullable()
    .default(null),
  /** A made-up sample that can be removed in one click. */
  sample: z.boolean().default(false),
  /** Written by a model if the person allowed it; null: made from the words. */
  summary: z.string().nullable().default(null),
  /** Last change of the conversation that title and summary cover, ms since 1970; 0: never. */
  polished: z.number().default(0),
  /** The request in which a model named the conversation; null: none was made. */
  titleCall: z
    .looseObject({
      model: z.string(),
      at: z.number(),
      inputTokens: z.number().optional(),
      outputTokens: z.number().optional(),
    })
    .nullable()
    .default(null)
    .catch(null),
  /** System prompt in force, if one was set or imported. */
  systemPrompt: z.string().nullable().default(null),
  /** Project that it is filed in; see `projectOf`. For a project: the enclosing one. */
  projectId: filedSchema.default(null),
  /** True for a project: its messages are its files and pinned notes. The keys below are set for projects only. */
  project: z.boolean().default(false),
  face: faceSchema.nullable().default(null),
  memoryScope: z.enum(MEMORY_SCOPES).nullable().default(null),
  preferredModel: preferredModelSchema.nullable().default(null),
  workDirs: z.array(z.string()).nullable().default(null),
  /** Id of the persona that answers; its instructions stand before the conversation's own. */
  persona: z.string().nullable().default(null).catch(null),
});
export type ConversationMeta = Omit<Known<z.infer<typeof conversationMetaSchema>>, 'head'> & {
  head: MessageId | null;
};

/** Titles and flags, which two devices may change at once: the last write wins. */
export const LAST_WRITER_WINS_KEYS: ReadonlySet<string> = new Set([
  'title',
  'titleBy',
  'archived',
  'pinned',
  'deletedAt',
  'movedAt',
  'workDir',
  'systemPrompt',
  'projectId',
  'face',
  'memoryScope',
  'preferredModel',
  'workDirs',
  'persona',
] satisfies (keyof ConversationMeta)[]);

/**
 * Major version of a conversation's format (`meta.v`; 1 if absent). Within a major only new keys and values appear,
 * which older apps keep without knowing them; a higher one is read as far as possible and never changed.
 */
export const CONVERSATION_FORMAT = 1;

/** A conversation as read from its document at one moment. */
export interface Conversation {
  readonly id: ConversationId;
  /** Written in a higher format than `CONVERSATION_FORMAT`. */
  readonly newer?: true;
  readonly meta: ConversationMeta;
  /** Times of titles and flags (`LAST_WRITER_WINS_KEYS`) that were changed since the beginning. */
  readonly said?: Readonly<Record<string, Hlc>>;
  /** Without deleted ones. */
  readonly messages: ReadonlyMap<MessageId, Message>;
  readonly checkpoints: ReadonlyMap<string, Checkpoint>;
  /** By id. Undone ones included. */
  readonly compactions: ReadonlyMap<string, Compaction>;
}

/** Everything of a message that a summary may be made of: its texts, calls of tools with their results, and files. */
const wordsIn = ({ parts }: Message): readonly (string | undefined)[] =>
  parts.flatMap((part) => {
    if (part.type === 'text' || part.type === 'tool-result') return [part.text];
    if (part.type === 'tool-call') return [part.arguments];
    return part.type === 'file' ? [part.name, part.url, part.extract && JSON.stringify(part.extract)] : [];
  });

/** True if all these messages still have the words they were read with: none was deleted or forgotten. */
export const haveSameWords = (read: readonly Message[], { messages }: Conversation): boolean =>
  read.every((message) => {
    const now = messages.get(message.id);
    if (now === message) return true;
    const [then, left] = [wordsIn(message), now ? wordsIn(now) : []];
    return now !== undefined && then.length === left.length && then.every((one, at) => one === left[at]);
  });

/** Order of siblings, and of all sorted messages: createdAt, then id. */
export const byTime = (a: Message, b: Message): number =>
  a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Parent → children in order; roots under null. A child whose parent is unknown counts as a root. O(n log n). */
export function childrenOf(messages: ReadonlyMap<MessageId, Message>): Map<MessageId | null, Message[]> {
  const children = new Map<MessageId | null, Message[]>();
  for (const message of messages.values()) {
    const parent = message.parentId !== null && messages.has(message.parentId) ? message.parentId : null;
    const list = children.get(parent);
    if (list) list.push(message);
    else children.set(parent, [message]);
  }
  for (const list of children.values()) list.sort(byTime);
  return children;
}

/** Messages from the root down to `leaf`. Empty for null or an unknown id. Ends at a cycle rather than looping. */
export function pathTo(messages: ReadonlyMap<MessageId, Message>, leaf: MessageId | null): Message[] {
  const path: Message[] = [];
  const seen = new Set<MessageId>();
  for (let at = leaf; at !== null && !seen.has(at); ) {
    const message = messages.get(at);
    if (!message) break;
    seen.add(at);
    path.push(message);
    at = message.parentId;
  }
  return path.reverse();
}

/** Finds the leaf below `from` by taking the newest child each time. */
export function newestLeaf(
  children: ReadonlyMap<MessageId | null, Message[]>,
  from: MessageId | null,
): MessageId | null {
  const seen = new Set<MessageId>();
  let at = from;
  for (;;) {
    const next = children.get(at)?.at(-1);
    if (!next || seen.has(next.id)) return at;
    seen.add(next.id);
    at = next.id;
  }
}

/** Returns the head that exists: the recorded one, or else the leaf below the newest message. */
export function effectiveHead(conversation: Conversation): MessageId | null {
  const { head } = conversation.meta;
  if (head !== null && conversation.messages.has(head)) return head;
  let newest: Message | undefined;
  for (const message of conversation.messages.values())
    if (!newest || byTime(newest, message) < 0) newest = message;
  return newest?.id ?? null;
}
