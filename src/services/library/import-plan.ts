// Plans the changes of an imported conversation: ids, new messages, the head. Decides; writes nothing.
//
// Ids are derived from the identity in the source, not random: an export imported on two devices gives the same
// documents, which merge when the devices meet, and a message that exists already is recognised.

import { fingerprint } from '../../adapters/importers/fingerprint.ts';
import type { ImportedConversation, ImportedMessage } from '../../adapters/importers/importer.ts';
import { asConversationId, asMessageId, type ConversationId, type MessageId } from '../../domain/base/ids.ts';
import { allWordsOf, completeMessage } from '../../domain/chat/complete-message.ts';
import { continuesAnswer } from '../../domain/chat/continuation.ts';
import {
  type Conversation,
  type ConversationMeta,
  conversationMetaSchema,
  effectiveHead,
  LAST_WRITER_WINS_KEYS,
  pathTo,
} from '../../domain/chat/conversation.ts';
import { newerFiles } from '../../domain/chat/memory-file.ts';
import type { Message, Part, Role } from '../../domain/chat/message.ts';
import { type Checkpoint, type Compaction, checkpointSchema } from '../../domain/chat/records.ts';
import { type Hlc, nextHlc, readHlc } from '../../domain/sync/hlc.ts';
import { shownName } from '../../domain/text/shown.ts';
import type { ConversationChange } from '../documents/documents.ts';
import type { Later } from './library.ts';
import { createSayings, lettersIn } from './under-other-ids.ts';

export interface ImportPlan {
  readonly id: ConversationId;
  readonly state: 'added' | 'changed' | 'unchanged';
  readonly change: ConversationChange;
  /** True if the conversation is in the trash afterwards. */
  readonly trashed: boolean;
  /** New messages only. */
  readonly roles: Readonly<Record<Role, number>>;
  readonly branches: number;
  readonly attachments: number;
  /** Additions to messages and conversations that exist here already. */
  readonly later: Later;
  /** Estimated size of the change in the log, bytes. */
  readonly bytes: number;
  /** Source id → message, for messages that call tools: subagents refer to them. */
  readonly callers: ReadonlyMap<string, MessageId>;
}

/** Makes a UUID of version 7: its time is the thing's own, the rest a hash of its identity. */
function derivedId(at: number, ...identity: readonly string[]): string {
  const time = Math.round(Math.max(0, Math.min(Number.isFinite(at) ? at : 0, 2 ** 48 - 1)))
    .toString(16)
    .padStart(12, '0');
  const hash = fingerprint(...identity);
  const variant = '89ab'[Number.parseInt(hash.slice(3, 4), 16) % 4];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** Id that a new conversation gets. */
export const conversationIdOf = ({ own, source, meta }: ImportedConversation): ConversationId =>
  own?.id ?? asConversationId(derivedId(meta.createdAt ?? 0, source.tool, source.id));

/** Id that a new message gets. */
export const importedMessageId = (
  { own, source }: ImportedConversation,
  message: ImportedMessage,
): MessageId =>
  asMessageId(own ? message.id : derivedId(message.createdAt, source.tool, source.id, keyOf(message)));

/** Joins a conversation's identity in its source into one key. */
export const sourceKey = (tool: string, id: string): string => `${tool}\n${id}`;

/** Planned changes as the documents want them. */
export const asChanges = (changes: ReadonlyMap<ConversationId, ConversationChange>) =>
  [...changes].map(([id, change]) => ({ id, change }));

/**
 * Plans one conversation. `existing` is the present one, whose changes by the person stay; `parent` started it.
 * `again`: the same import has met it before, in no known order, so the head moves only along its own branch.
 */
export function planImport(
  imported: ImportedConversation,
  {
    id,
    existing,
    parent,
    again = false,
  }: {
    id: ConversationId;
    existing?: Conversation | undefined;
    parent: ConversationMeta['parent'];
    again?: boolean;
  },
): ImportPlan {
  const identified = identify(imported, existing);
  const { fresh, more, toReal, messages } = identified;
  const compactions = compactionsOf(imported, existing);
  const head = toReal(imported.head);
  const metaChange =
    existing && !existing.newer ? metaChangeFrom(imported, existing, again) : { meta: {}, said: {} };
  const { own, source } = imported;
  const figures = {
    id,
    trashed: { ...(existing?.meta ?? own?.meta), ...metaChange.meta }.deletedAt != null,
    ...figuresOf(imported, existing, identified, compactions, metaChange.meta),
  };
  if (!existing) {
    const meta: Partial<ConversationMeta> = own
      ? own.meta
      : { ...imported.meta, head, parent, source: { ...source, ...marksOf(imported) } };
    return {
      ...figures,
      state: 'added',
      change: {
        messages,
        meta,
        checkpoints: checkpointsOf(imported, toReal, () => true),
        ...named(compactions),
        ...(own?.said ? { said: own.said } : {}),
      },
    };
  }

  const added = new Set<string>(messages.map((message) => message.id));
  // Our own backup is complete, so its checkpoints on older messages count too. Another tool's are taken over once.
  const checkpoints = checkpointsOf(
    imported,
    toReal,
    (name, target) =>
      (added.has(target) || (own !== undefined && existing.messages.has(target))) &&
      !existing.checkpoints.has(name),
  );
  const isOlder = again || (own === undefined && isOlderThan(imported, existing));
  const mark = isOlder ? undefined : (existing.meta.source as { head?: unknown } | null)?.head;
  const moves = fresh.length > 0 && mayMoveHead(existing, messages, head, mark);
  const meta: Partial<ConversationMeta> = {
    ...metaChange.meta,
    ...(moves ? { head } : {}),
    ...(fresh.length + Object.keys(metaChange.meta).length === 0 ||
    own ||
    !existing.meta.source ||
    (isOlder && !moves)
      ? {}
      : { source: { ...existing.meta.source, ...marksOf(imported) } }),
  };
  const changes = [checkpoints, compactions, meta].some((part) => Object.keys(part).length > 0);
  if (fresh.length + more.size === 0 && !changes) return { ...figures, state: 'unchanged', change: {} };
  return {
    ...figures,
    state: 'changed',
    change: {
      messages,
      meta,
      checkpoints,
      ...named(compactions),
      ...(more.size > 0 ? { completed: [...more.values()] } : {}),
      ...(Object.keys(metaChange.said).length > 0 ? { said: metaChange.said } : {}),
    },
  };
}

/** Messages of the file by whether they exist here, and the ids of the new ones. */
interface Identified {
  /** Id in the file → id here. */
  readonly ids: ReadonlyMap<string, MessageId>;
  /** New messages, as the file has them. */
  readonly fresh: readonly ImportedMessage[];
  /** New messages, as they are stored. */
  readonly messages: readonly Message[];
  /** Existing messages for which the file has more. */
  readonly more: ReadonlyMap<MessageId, Message>;
  readonly toReal: (local: string | null) => MessageId | null;
}

function identify(imported: ImportedConversation, existing: Conversation | undefined): Identified {
  const { own } = imported;
  const known = new Map<string, MessageId>();
  for (const message of existing?.messages.values() ?? []) {
    const key = own ? message.id : message.sourceId;
    // A copy made here by sending back names the same source.
    if (key !== undefined && !(message.copyOf !== undefined && known.has(key))) known.set(key, message.id);
  }
  const ids = new Map<string, MessageId>();
  const fresh: ImportedMessage[] = [];
  const more = new Map<MessageId, Message>();
  const answersTo = existing && byParent(existing.messages);
  const named = new Set(imported.messages.flatMap((message) => [keyOf(message), message.formerly ?? '']));
  const sayings = existing && !own ? createSayings(existing, (sourceId) => named.has(sourceId)) : undefined;
  const take = (message: ImportedMessage, there: MessageId | undefined) => {
    const real = there ?? importedMessageId(imported, message);
    ids.set(message.id, real);
    if (there !== undefined) return;
    known.set(own ? message.id : keyOf(message), real);
    fresh.push(message);
  };
  for (const message of imported.messages) {
    const same = known.get(own ? message.id : keyOf(message));
    const there = same ?? known.get(message.formerly ?? '') ?? sayings?.take(message);
    const here = there && (more.get(there) ?? existing?.messages.get(there));
    const isOpen = here && answersTo && !existing.newer;
    const whole = isOpen ? wholeOf(here, message, answersTo.get(here.id) ?? [], own) : undefined;
    if (whole && there) more.set(there, whole);
    if (isOpen && !own && !whole && same && isRewritten(here, message)) {
      const sourceId = `${keyOf(message)}~${fingerprint(wordsIn(message))}`;
      take({ ...message, sourceId }, known.get(sourceId));
    } else take(message, there);
  }
  const toReal = (local: string | null): MessageId | null =>
    local === null ? null : (ids.get(local) ?? (own ? asMessageId(local) : null));
  const messages = fresh.map(({ formerly, ...message }): Message => {
    const created = { ...message, id: ids.get(message.id) as MessageId, parentId: toReal(message.parentId) };
    return own ? created : { ...created, sourceId: keyOf(message) };
  });
  return { ids, fresh, messages, more, toReal };
}

/** Computes the report's figures, the size, and which message called which tool. */
function figuresOf(
  imported: ImportedConversation,
  existing: Conversation | undefined,
  { ids, fresh, more }: Identified,
  compactions: ReturnType<typeof compactionsOf>,
  meta: Partial<ConversationMeta>,
): Pick<ImportPlan, 'roles' | 'branches' | 'attachments' | 'later' | 'bytes' | 'callers'> {
  const roles: Record<Role, number> = { system: 0, user: 0, assistant: 0, tool: 0 };
  const siblings = new Map<string | null, number>();
  for (const message of imported.messages)
    siblings.set(message.parentId, (siblings.get(message.parentId) ?? 0) + 1);
  const beginnings = new Map<string | null, number>();
  let [branches, attachments, bytes] = [0, 0, 500];
  for (const message of fresh) {
    roles[message.role] += 1;
    beginnings.set(message.parentId, (beginnings.get(message.parentId) ?? 0) + 1);
    for (const part of message.parts) {
      if (part.type === 'file' && part.url !== undefined) attachments += 1;
      bytes += sizeOf(part);
    }
    bytes += 300;
  }
  // The first of several siblings continues the branch, unless it existed before.
  for (const [parent, begun] of beginnings) branches += Math.min(begun, (siblings.get(parent) ?? 1) - 1);
  const later = { attachments: 0, answers: 0, titles: 0 };
  for (const message of more.values()) {
    const here = existing?.messages.get(message.id);
    later.attachments += bytesIn(message) - bytesIn(here);
    if (here && allWordsOf(here) !== allWordsOf(message)) later.answers += 1;
    for (const part of message.parts) bytes += sizeOf(part);
  }
  for (const compaction of Object.values(compactions)) bytes += JSON.stringify(compaction).length;
  const callers = new Map<string, MessageId>();
  for (const message of imported.messages)
    if (message.parts.some((part) => part.type === 'tool-call'))
      callers.set(keyOf(message), ids.get(message.id) as MessageId);
  if (Object.entries(meta).some(([key, value]) => value !== existing?.meta[key as keyof ConversationMeta]))
    later.titles = 1;
  return { roles, branches, attachments, later, bytes, callers };
}

/** Picks `wanted` checkpoints whose message is here, with its id here. */
const checkpointsOf = (
  imported: ImportedConversation,
  toReal: Identified['toReal'],
  wanted: (name: string, target: MessageId) => boolean,
) =>
  Object.fromEntries(
    Object.entries(imported.checkpoints ?? {}).flatMap(([name, checkpoint]) => {
      const real = toReal(targetOf(checkpoint));
      return real !== null && wanted(name, real) ? [[name, retargeted(checkpoint, real)]] : [];
    }),
  );

/**
 * Completes an existing message with what was missing: undefined if nothing was. An answer that was continued here
 * keeps its words, since the continuation was written after them.
 */
function wholeOf(
  here: Message,
  now: ImportedMessage,
  below: readonly Message[],
  own: ImportedConversation['own'],
): Message | undefined {
  const whole = own || here.copyOf === undefined ? completeMessage(here, now) : undefined;
  if (!whole) return undefined;
  const goneOn = below.some(
    (message) =>
      (own || message.copyOf !== undefined || message.sourceId === undefined) &&
      continuesAnswer(here, message),
  );
  return goneOn ? completeMessage(here, now, false) : whole;
}

/** Groups messages by the one that they follow. */
function byParent(messages: Conversation['messages']): ReadonlyMap<MessageId, readonly Message[]> {
  const below = new Map<MessageId, Message[]>();
  for (const message of messages.values()) {
    if (message.parentId === null) continue;
    const list = below.get(message.parentId);
    if (list) list.push(message);
    else below.set(message.parentId, [message]);
  }
  return below;
}

const wordsIn = ({ parts }: Pick<Message, 'parts'>): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
/** So many first letters tell two answers apart. */
const TELLING = 24;

/**
 * True for a message that has other words now than here, of which neither holds the other: some apps keep the id of a
 * message that was edited. Both are kept, side by side.
 */
function isRewritten(here: Message, now: ImportedMessage): boolean {
  const [was, is] = [wordsIn(here), wordsIn(now)];
  if (was === is || was === '' || is === '' || here.role !== now.role || here.copyOf !== undefined)
    return false;
  const [before, after] = [lettersIn(was), lettersIn(is)];
  if (before.includes(after) || after.includes(before)) return false;
  // An answer that differs further on may only have been read otherwise.
  return (
    here.role === 'user' ||
    (here.role === 'assistant' && before.slice(0, TELLING) !== after.slice(0, TELLING))
  );
}

/**
 * Picks newer titles and flags of the source: the last write wins, as between devices. Our own backup has the time of
 * each. Another tool does not: a newer export of it renames only a conversation that still has the tool's own title.
 */
function metaChangeFrom(
  imported: ImportedConversation,
  existing: Conversation,
  again: boolean,
): Required<Pick<ConversationChange, 'meta' | 'said'>> {
  const { own, source, meta } = imported;
  const metaChange: Partial<Record<string, unknown>> = {};
  const said: Record<string, Hlc> = {};
  const here = existing.meta;
  const now: Readonly<Record<string, unknown>> = own?.meta ?? meta;
  for (const [field, time] of Object.entries(own?.said ?? {})) {
    if (!LAST_WRITER_WINS_KEYS.has(field) || time <= (existing.said?.[field] ?? '')) continue;
    // A generated title does not win over any other.
    if (/^title/.test(field) && now.titleBy === 'auto' && here.titleBy !== 'auto') continue;
    // A conversation that was continued here after it was thrown away there stays.
    if (
      typeof now.deletedAt === 'number' &&
      field === 'deletedAt' &&
      now.deletedAt < endOf(existing.messages.values())
    )
      continue;
    metaChange[field] = now[field];
    said[field] = time;
  }
  // Takes the source's saved session memory if it is newer.
  if (own) Object.assign(metaChange, newerFiles(here, own.meta));
  const before = existing.said?.title;
  const isTheirs = here.titleBy === 'import' && (before === undefined || readHlc(before)?.time === 0);
  const isOlder = again || isOlderThan(imported, existing);
  if (
    !own &&
    meta.titleBy === 'import' &&
    meta.title !== undefined &&
    shownName(meta.title) &&
    meta.title !== here.title &&
    isTheirs &&
    !isOlder
  ) {
    metaChange.title = meta.title;
    // After the tool's own earlier write, before any write of a person.
    said.title = nextHlc(0, source.tool, before ?? null);
  }
  return { meta: metaChange as Partial<ConversationMeta>, said };
}

const cameFromSource = ({ sourceId, copyOf }: Message): boolean =>
  sourceId !== undefined && copyOf === undefined;

/** Time of the newest of these messages, ms since 1970. */
function endOf(messages: Iterable<Pick<Message, 'createdAt'>>): number {
  let end = 0;
  for (const { createdAt } of messages) end = Math.max(end, createdAt);
  return end;
}

const targetOf = (checkpoint: string | Checkpoint): string =>
  typeof checkpoint === 'string' ? checkpoint : checkpoint.messageId;
const retargeted = (checkpoint: string | Checkpoint, messageId: MessageId): MessageId | Checkpoint =>
  typeof checkpoint === 'string' ? messageId : { ...checkpoint, messageId };

/** Picks new compactions; the person decides over existing ones. */
function compactionsOf(
  { compactions, own }: ImportedConversation,
  existing: Conversation | undefined,
): Readonly<Record<string, Compaction>> {
  if (!compactions || !own) return {};
  return Object.fromEntries(Object.entries(compactions).filter(([id]) => !existing?.compactions.has(id)));
}

const named = (compactions: Readonly<Record<string, Compaction>>): Pick<ConversationChange, 'compactions'> =>
  Object.keys(compactions).length > 0 ? { compactions } : {};

const keyOf = (message: ImportedMessage): string =>
  message.sourceId ?? fingerprint(message.parentId ?? '', message.role, JSON.stringify(message.parts));

/**
 * Remembers the source's head, so that the next import notices if a person has moved it since, and the source's last
 * change.
 */
function marksOf(imported: ImportedConversation): { head?: string; updatedAt?: number } {
  const leaf = imported.messages.find((message) => message.id === imported.head);
  const { updatedAt } = imported;
  return { ...(leaf ? { head: keyOf(leaf) } : {}), ...(updatedAt === undefined ? {} : { updatedAt }) };
}

/** True if the conversation that is here came from a newer export: by the source's last change, else its messages. */
function isOlderThan({ updatedAt, messages }: ImportedConversation, existing: Conversation): boolean {
  const here = (existing.meta.source as { updatedAt?: unknown } | null)?.updatedAt;
  return updatedAt !== undefined && typeof here === 'number' && here !== updatedAt
    ? updatedAt < here
    : endOf(messages) < endOf([...existing.messages.values()].filter(cameFromSource));
}

/**
 * True if the head still stands where the source had left it (`mark`), or above its
 * new place: then it follows the source.
 */
function mayMoveHead(
  existing: Conversation,
  added: readonly Message[],
  head: MessageId | null,
  mark: unknown,
): boolean {
  if (head === null) return false;
  const current = effectiveHead(existing);
  if (current === null) return true;
  const at = existing.messages.get(current);
  if (mark !== undefined && at?.sourceId === mark) return true;
  const all = new Map(existing.messages);
  for (const message of added) all.set(message.id, message);
  return pathTo(all, head).some((message) => message.id === current);
}

/** Merges two changes of one conversation; the later one wins. */
export function mergeChanges(
  before: ConversationChange | undefined,
  change: ConversationChange,
): ConversationChange {
  if (!before) return change;
  const messages = new Map((before.messages ?? []).map((message) => [message.id, message]));
  for (const message of change.messages ?? []) messages.set(message.id, message);
  const more = new Map((before.completed ?? []).map((message) => [message.id, message]));
  for (const message of change.completed ?? [])
    (messages.has(message.id) ? messages : more).set(message.id, message);
  return {
    messages: [...messages.values()],
    completed: [...more.values()],
    meta: { ...before.meta, ...change.meta },
    said: { ...before.said, ...change.said },
    checkpoints: { ...before.checkpoints, ...change.checkpoints },
    compactions: { ...before.compactions, ...change.compactions },
  };
}

/** Returns the conversation as it will be after a planned change. */
export function applyChange(
  id: ConversationId,
  existing: Conversation | undefined,
  change: ConversationChange,
): Conversation {
  const messages = new Map(existing?.messages);
  for (const message of [...(change.messages ?? []), ...(change.completed ?? [])])
    messages.set(message.id, message);
  const checkpoints = new Map(existing?.checkpoints);
  for (const [name, checkpoint] of Object.entries(change.checkpoints ?? {}))
    checkpoints.set(name, checkpointSchema.parse(checkpoint) as Checkpoint);
  const compactions = new Map(existing?.compactions);
  for (const [key, compaction] of Object.entries(change.compactions ?? {}))
    compactions.set(key, compaction as Compaction);
  const meta = existing?.meta ?? (conversationMetaSchema.parse({}) as ConversationMeta);
  const said = { ...existing?.said, ...change.said };
  return { ...existing, id, meta: { ...meta, ...change.meta }, said, messages, checkpoints, compactions };
}

const bytesIn = (message: Message | undefined): number =>
  message?.parts.filter((part) => part.type === 'file' && part.url !== undefined).length ?? 0;

function sizeOf(part: Part): number {
  let size = 60;
  for (const value of Object.values(part)) {
    if (typeof value === 'string') size += value.length * (isAscii(value) ? 1 : 2);
    else if (typeof value === 'object' && value !== null) size += JSON.stringify(value).length;
  }
  return size;
}

/** Judged by its first characters, since this is an estimate. */
const isAscii = (text: string): boolean => {
  for (let at = 0; at < Math.min(text.length, 64); at += 1) if (text.charCodeAt(at) > 127) return false;
  return true;
};
