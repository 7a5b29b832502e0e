// How a conversation lies in a Yjs document. One document each:
//   m            message id -> message as JSON        (immutable; removed only by forget)
//   c            `id/client` -> the same message, more complete (joined by `completed`, so that no device's takes another's place)
//   meta         title, flags, head …                 (as they were at first; head: last writer wins); v: the format, where it is above 1
//   w            `key/client` -> a later title or flag and its hybrid time (the latest wins, see latest.ts)
//   checkpoints  name -> message id, or { messageId, createdAt, auto, by }
//   compactions  id -> compaction as JSON, and `id:key` -> a value of it that changed later (last writer wins, key by key)
//   x            forgotten message id -> its parent   (so that children find the next living ancestor)
// Keys and values that this version does not know are left where they are.
import * as Y from 'yjs';
import type { Origin } from '../../adapters/log/conversation-log.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { type Checkpoint, checkpointSchema } from '../../domain/chat/checkpoint.ts';
import { type Compaction, compactionSchema } from '../../domain/chat/compaction.ts';
import { completed, wordsIn } from '../../domain/chat/completed.ts';
import {
  CONVERSATION_FORMAT,
  type Conversation,
  type ConversationMeta,
  conversationMetaSchema,
  pathTo,
  TIMED,
} from '../../domain/chat/conversation.ts';
import { hasContent } from '../../domain/chat/draft.ts';
import { type Message, messageSchema } from '../../domain/chat/message.ts';
import type { ConversationChange, LibraryEntry } from './documents.ts';
import { hasGaps, withoutGaps } from './gaps.ts';
import { createLatest } from './latest.ts';

/** A Yjs document and the conversation read from it, kept in step message by message. */
export interface ConversationDocument {
  readonly doc: Y.Doc;
  /** The same object until the document changes. */
  read(): Conversation;
  /** Messages that are found by other words than they came with, as they are now: the same objects until they change. */
  grown(): readonly Message[];
  /**
   * Makes the change; returns the Yjs update that carries it, or undefined where it changed nothing. `restores`: what damage took is put
   * back as what the conversation began with, so that every title or flag with a time wins, also one that comes later.
   */
  change(change: ConversationChange, options?: { readonly restores?: boolean }): Uint8Array | undefined;
  /**
   * Throws where it does not decode; what joins on behind it is shown all the same. `origin`: where it came from, if that is known;
   * what this device wrote itself has no gaps unless it was damaged.
   */
  apply(update: Uint8Array, origin?: Origin): void;
  /** Messages in the document that no schema accepts: kept, not shown. */
  damaged(): number;
}

/**
 * Wraps a document (a new one by default). Updates made before or after through `doc` are seen as well.
 * `now`: wall clock, ms since 1970; titles and flags are stamped with it.
 */
export function createConversationDocument(
  id: ConversationId,
  doc: Y.Doc = new Y.Doc(),
  now: () => number = Date.now,
): ConversationDocument {
  const m = doc.getMap<unknown>('m');
  const c = doc.getMap<unknown>('c');
  const meta = doc.getMap<unknown>('meta');
  const latest = createLatest(doc, now);
  const checkpoints = doc.getMap<unknown>('checkpoints');
  const compactions = doc.getMap<unknown>('compactions');
  const x = doc.getMap<unknown>('x');

  // Messages are immutable, so each is parsed once, however often the document changes.
  const parsed = new Map<string, Message | null>();
  let current: Conversation | undefined;
  // So is the tree of them: moving the head or naming a place must not cost a walk over all.
  let tree: ReadonlyMap<MessageId, Message> | undefined;
  // And so is what they have become.
  const whole = new Map<string, Message>();
  m.observe((event) => {
    for (const key of event.keysChanged) {
      parsed.delete(key);
      whole.delete(key);
    }
    tree = undefined;
  });
  c.observe((event) => {
    for (const key of event.keysChanged) whole.delete(messageOf(key));
    tree = undefined;
  });
  x.observe(() => {
    tree = undefined;
  });
  // Records are large: they are read again only when one of them changed.
  let recorded: Map<string, Compaction> | undefined;
  compactions.observe(() => {
    recorded = undefined;
  });
  let named: Map<string, Checkpoint> | undefined;
  checkpoints.observe(() => {
    named = undefined;
  });
  doc.on('afterTransaction', (transaction: Y.Transaction) => {
    if (transaction.changed.size > 0) current = undefined;
  });

  const parse = (key: string, value: unknown): Message | null => {
    const known = parsed.get(key);
    if (known !== undefined) return known;
    const result = messageSchema.safeParse(value);
    const message = result.success && result.data.id === key ? (result.data as unknown as Message) : null;
    parsed.set(key, message);
    return message;
  };

  /** A message with all that came of it later; the order of devices is the same everywhere. */
  const wholeOf = (message: Message, rows: readonly string[]): Message => {
    let made = whole.get(message.id);
    if (!made) {
      made = message;
      for (const row of [...rows].sort()) {
        const more = messageSchema.safeParse(c.get(row));
        if (more.success) made = completed(made, more.data as unknown as Message) ?? made;
      }
      whole.set(message.id, made);
    }
    return made;
  };
  const rowsByMessage = (): ReadonlyMap<string, readonly string[]> => {
    const rows = new Map<string, string[]>();
    for (const row of c.keys()) rows.set(messageOf(row), [...(rows.get(messageOf(row)) ?? []), row]);
    return rows;
  };

  /** The next ancestor that was not forgotten. */
  const livingParent = (parentId: MessageId | null): MessageId | null => {
    const seen = new Set<string>();
    let at: string | null = parentId;
    while (at !== null && !m.has(at) && x.has(at) && !seen.has(at)) {
      seen.add(at);
      const next: unknown = x.get(at);
      at = typeof next === 'string' ? next : null;
    }
    return at as MessageId | null;
  };

  const readMessages = (): ReadonlyMap<MessageId, Message> => {
    const messages = new Map<MessageId, Message>();
    const forgotten = x.size > 0;
    const later = isEmpty(c) ? undefined : rowsByMessage();
    for (const [key, value] of m) {
      const first = parse(key, value);
      if (!first) continue;
      const rows = later?.get(key);
      const message = rows ? wholeOf(first, rows) : first;
      const parentId = forgotten ? livingParent(message.parentId) : message.parentId;
      messages.set(message.id, parentId === message.parentId ? message : { ...message, parentId });
    }
    return messages;
  };

  /** Something did not decode. */
  let broken = false;
  /** Every update came from this device. */
  let home: boolean | undefined;

  /** What waits behind a gap that damage made; what waits for other devices is a fragment until they have spoken. */
  const readAcrossGaps = (): Conversation => {
    const whole = withoutGaps(doc);
    const there = whole.getMap('m');
    // Forgotten after the damage: it waits in the document, where it cannot be taken out.
    for (const key of whole.getMap('x').keys()) there.delete(key);
    const conversation = createConversationDocument(id, whole, now).read();
    whole.destroy();
    const messages = rejoined(conversation.messages);
    // Where the newest words stand behind the gap, the head that was set with them does too, and they are the place.
    const newest = [...messages.values()].reduce<Message | undefined>(
      (a, b) => (a && a.createdAt > b.createdAt ? a : b),
      undefined,
    );
    const stale = newest !== undefined && !m.has(newest.id);
    return {
      ...conversation,
      ...(stale ? { meta: { ...conversation.meta, head: null } } : {}),
      messages,
    };
  };

  const read = (): Conversation => {
    if (current) return current;
    if (hasGaps(doc) && (broken || home === true)) {
      current = readAcrossGaps();
      return current;
    }
    tree ??= broken || home === true ? rejoined(readMessages()) : readMessages();
    recorded ??= readCompactions(compactions);
    named ??= readCheckpoints(checkpoints);
    const format = meta.get('v');
    const said = latest.times();
    current = {
      id,
      ...(Object.keys(said).length > 0 ? { said } : {}),
      ...(typeof format === 'number' && format > CONVERSATION_FORMAT ? { newer: true } : {}),
      meta: readMeta({ ...Object.fromEntries(meta.entries()), ...latest.values() }),
      messages: tree,
      checkpoints: named,
      compactions: recorded,
    };
    return current;
  };

  return {
    doc,
    read,
    grown: () => {
      const { messages } = read();
      return isEmpty(c)
        ? []
        : [...whole.keys()].flatMap((id) => {
            const [first, message] = [parsed.get(id), messages.get(id as MessageId)];
            return first && message && wordsIn(first) !== wordsIn(message) ? [message] : [];
          });
    },
    change: (change, { restores = false } = {}) => {
      let update: Uint8Array | undefined;
      const capture = (bytes: Uint8Array) => {
        update = bytes;
      };
      // What is forgotten behind a gap is not in the document yet.
      const behind = change.removed && hasGaps(doc) ? withoutGaps(doc) : undefined;
      const there = change.completed?.length ? read().messages : undefined;
      doc.on('update', capture);
      try {
        doc.transact(() => {
          // What a conversation begins with has no rival yet, and gives way to all that is said later, here or elsewhere.
          const begins = restores || (isEmpty(m) && isEmpty(meta));
          // What was forgotten stays forgotten, also when the export it came from is imported once more.
          for (const message of change.messages ?? [])
            if (!m.has(message.id) && !x.has(message.id)) m.set(message.id, plain(message));
          for (const message of change.completed ?? []) {
            const here = m.has(message.id) ? there?.get(message.id) : undefined;
            const made = here && completed(here, message);
            // Beside what other devices brought: theirs may have more than what came here of it.
            if (made) c.set(`${message.id}/${doc.clientID.toString(36)}`, plain(made));
          }
          const before = latest.values();
          const timed: [string, unknown][] = [];
          for (const [key, value] of Object.entries(change.meta ?? {})) {
            const timedAlready = key in before;
            if (value === undefined || (restores && timedAlready)) continue;
            const said = TIMED.has(key) ? change.said?.[key] : undefined;
            if (said !== undefined) {
              latest.bring(key, plain(value), said);
              continue;
            }
            if (same(timedAlready ? before[key] : meta.get(key), value)) continue;
            if (begins || !TIMED.has(key)) meta.set(key, plain(value));
            else timed.push([key, plain(value)]);
          }
          latest.set(timed);
          for (const [name, target] of Object.entries(change.checkpoints ?? {}))
            if (target === null) checkpoints.delete(name);
            else if (!same(checkpoints.get(name), target)) checkpoints.set(name, plain(target));
          // Nor does a summary come back with it that may quote what was forgotten.
          const forgotten = (change.messages ?? []).filter(({ id, parts }) => x.has(id) && hasContent(parts));
          for (const [key, compaction] of Object.entries(change.compactions ?? {})) {
            const from = compactions.has(key) ? undefined : compaction?.createdAt;
            if (from !== undefined && forgotten.some(({ createdAt }) => from >= createdAt)) continue;
            changeCompaction(compactions, key, compaction);
          }
          for (const removed of change.removed ?? []) {
            const value = m.get(removed) ?? behind?.getMap('m').get(removed);
            const message = value === undefined ? null : parse(removed, value);
            x.set(removed, message?.parentId ?? null);
            m.delete(removed);
            takeOut(c, removed);
            // A summary may quote what is forgotten: it goes too, and is made anew when there is need.
            if (message && hasContent(message.parts))
              for (const [key, made] of readCompactions(compactions))
                if (made.createdAt >= message.createdAt) changeCompaction(compactions, key, null);
          }
          for (const message of change.restored ?? []) {
            if (m.has(message.id)) continue;
            // What was read may have moved up already, below a parent that lived longer.
            const parentId = x.has(message.id) ? x.get(message.id) : message.parentId;
            m.set(message.id, plain({ ...message, parentId }));
            x.delete(message.id);
          }
          // Completed elsewhere while it was forgotten here, or the other way round.
          if (!isEmpty(x)) for (const row of c.keys()) if (x.has(messageOf(row))) c.delete(row);
        });
      } finally {
        doc.off('update', capture);
      }
      const deletion = behind && deletionOf(behind, change.removed ?? []);
      behind?.destroy();
      if (!deletion) return update;
      // It waits where the message waits: else that would come back with the missing piece, and elsewhere it would never go.
      Y.applyUpdate(doc, deletion, 'log');
      current = undefined;
      return update ? Y.mergeUpdates([update, deletion]) : deletion;
    },
    apply: (update, origin) => {
      const own = origin === 'user' || origin === 'import';
      try {
        Y.applyUpdate(doc, update, 'log');
      } catch (error) {
        broken = true;
        [current, tree] = [undefined, undefined];
        throw error;
      } finally {
        home = own && home !== false;
        // What waits changes nothing in the document.
        if (hasGaps(doc)) current = undefined;
      }
    },
    damaged: () => [...m.entries()].filter(([key, value]) => parse(key, value) === null).length,
  };
}

/** The update that takes these messages out of a document; undefined where it has none of them. */
function deletionOf(doc: Y.Doc, removed: readonly MessageId[]): Uint8Array | undefined {
  const messages = doc.getMap('m');
  let update: Uint8Array | undefined;
  doc.once('update', (bytes: Uint8Array) => {
    update = bytes;
  });
  doc.transact(() => {
    for (const id of removed) {
      messages.delete(id);
      takeOut(doc.getMap('c'), id);
    }
  });
  return update;
}

/** A message whose parent was lost hangs on what was said last before it, so that the conversation still reads as one. */
function rejoined(messages: Conversation['messages']): Conversation['messages'] {
  const lost = ({ parentId }: Message) => parentId !== null && !messages.has(parentId);
  const all = [...messages.values()];
  if (!all.some(lost)) return messages;
  const inOrder = all.sort((a, b) => a.createdAt - b.createdAt);
  const joined = new Map(messages);
  let before: Message | undefined;
  let latest: Message | undefined;
  for (const message of inOrder) {
    if (!latest || latest.createdAt < message.createdAt) before = latest;
    latest = message;
    if (!lost(message)) continue;
    // Strange clocks: nothing may hang on what hangs on it.
    const ring = before && pathTo(joined, before.id).some(({ id }) => id === message.id);
    joined.set(message.id, { ...message, parentId: before && !ring ? before.id : null });
  }
  return joined;
}

/** Key by key, so that one damaged value costs only itself. */
function readMeta(raw: Record<string, unknown>): ConversationMeta {
  const whole = conversationMetaSchema.safeParse(raw);
  if (whole.success) return whole.data as ConversationMeta;
  for (const issue of whole.error.issues) if (issue.path[0] !== undefined) delete raw[String(issue.path[0])];
  const rest = conversationMetaSchema.safeParse(raw);
  return (rest.success ? rest.data : conversationMetaSchema.parse({})) as ConversationMeta;
}

function readCheckpoints(checkpoints: Y.Map<unknown>): Map<string, Checkpoint> {
  const names = new Map<string, Checkpoint>();
  for (const [name, value] of checkpoints) {
    const checkpoint = checkpointSchema.safeParse(value);
    if (checkpoint.success) names.set(name, checkpoint.data as Checkpoint);
  }
  return names;
}

function readCompactions(compactions: Y.Map<unknown>): Map<string, Compaction> {
  const found = new Map<string, Compaction>();
  if (compactions.size === 0) return found;
  const changes = new Map<string, Record<string, unknown>>();
  for (const [key, value] of compactions) {
    const colon = key.indexOf(':');
    if (colon < 0) continue;
    const id = key.slice(0, colon);
    changes.set(id, { ...changes.get(id), [key.slice(colon + 1)]: value });
  }
  for (const [id, value] of compactions) {
    if (id.includes(':')) continue;
    const change = changes.get(id);
    const compaction = compactionSchema.safeParse(
      change && typeof value === 'object' ? { ...value, ...change } : value,
    );
    if (compaction.success && compaction.data.id === id)
      found.set(id, compaction.data as unknown as Compaction);
  }
  return found;
}

/** A record is written once; what changes later is a small entry of its own. */
function changeCompaction(
  compactions: Y.Map<unknown>,
  id: string,
  compaction: Partial<Compaction> | null,
): void {
  if (compaction === null) {
    for (const key of [...compactions.keys()])
      if (key === id || key.startsWith(`${id}:`)) compactions.delete(key);
    return;
  }
  const known = compactions.get(id);
  if (known === undefined) {
    // What no schema would read again is not written.
    if (compactionSchema.safeParse(compaction).success && compaction.id === id)
      compactions.set(id, plain(compaction));
    return;
  }
  for (const [key, value] of Object.entries(compaction)) {
    const now = compactions.get(`${id}:${key}`) ?? (known as Record<string, unknown>)[key];
    if (value !== undefined && !same(now, value)) compactions.set(`${id}:${key}`, plain(value));
  }
}

const messageOf = (row: string): string => row.slice(0, row.lastIndexOf('/'));

/** Takes out what came of a message later. */
function takeOut(rows: Y.Map<unknown>, id: MessageId): void {
  for (const row of [...rows.keys()]) if (messageOf(row) === id) rows.delete(row);
}

/** A map's `size` makes a list of all that is in it. */
const isEmpty = (map: Y.Map<unknown>): boolean => map.keys().next().done === true;

/** JSON as Yjs stores it: no undefined, nothing shared with the caller. */
const plain = (value: unknown): unknown =>
  value === null || typeof value !== 'object' ? value : JSON.parse(JSON.stringify(value));

const same = (a: unknown, b: unknown): boolean =>
  a === b || (typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

/** The same tree is counted once, however often its conversation's title or head changes. */
const counted = new WeakMap<object, { readonly newest: number; readonly count: number }>();

function figuresOf(messages: Conversation['messages']): { readonly newest: number; readonly count: number } {
  const known = counted.get(messages);
  if (known) return known;
  let [newest, count] = [0, 0];
  for (const message of messages.values()) {
    if (message.createdAt > newest) newest = message.createdAt;
    if (message.kind !== 'note') count += 1;
  }
  const figures = { newest, count };
  counted.set(messages, figures);
  return figures;
}

/** The line of the sidebar that a conversation deserves. */
export function toLibraryEntry(conversation: Conversation): LibraryEntry {
  const { meta } = conversation;
  const { newest, count: messageCount } = figuresOf(conversation.messages);
  const updatedAt = Math.max(meta.createdAt, newest);
  return {
    id: conversation.id,
    title: meta.title,
    createdAt: meta.createdAt,
    updatedAt,
    messageCount,
    pinned: meta.pinned,
    archived: meta.archived,
    workDir: meta.workDir,
    deletedAt: meta.deletedAt,
    movedAt: meta.movedAt,
    source: meta.source ? { tool: meta.source.tool, id: meta.source.id } : null,
    child: meta.parent !== null,
    sample: meta.sample,
  };
}
