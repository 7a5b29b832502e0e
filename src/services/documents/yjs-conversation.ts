// How a conversation lies in a Yjs document. One document each:
//   m            message id -> message as JSON        (immutable; removed only by forget)
//   c `id/client` -> the same message, more complete (joined by `completeMessage`, so that no device's takes another's
//   place) meta title, flags, head … (as they were at first; head: last writer wins); v: the format, if it is above 1 w
//   `key/client` -> a later title or flag and its hybrid time (the latest wins, see latest.ts) checkpoints name ->
//   message id, or { messageId, createdAt, auto, by } compactions id -> compaction as JSON, and `id:key` -> a value of
//   it that changed later (last writer wins, key by key) x forgotten message id -> its parent (so that children find
//   the next living ancestor); and a key for each rewriting r `id/client` -> what stands in for a forgotten message:
//   the same without the removed words; or a mark that it is gone: stand-ins.ts
// Keys and values that this version does not know are left where they are.
import * as Y from 'yjs';
import type { Origin } from '../../adapters/log/conversation-log.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { allWordsOf, completeMessage } from '../../domain/chat/complete-message.ts';
import {
  byTime,
  CONVERSATION_FORMAT,
  type Conversation,
  type ConversationMeta,
  conversationMetaSchema,
  LAST_WRITER_WINS_KEYS,
  pathTo,
} from '../../domain/chat/conversation.ts';
import { hasContent } from '../../domain/chat/draft.ts';
import { type Message, messageSchema, textOf } from '../../domain/chat/message.ts';
import {
  type Checkpoint,
  type Compaction,
  checkpointSchema,
  compactionSchema,
} from '../../domain/chat/records.ts';
import { PLAIN_FACE, type ProjectId, type ProjectLine } from '../../domain/projects/project.ts';
import type { ConversationChange, LibraryEntry } from './documents.ts';
import { createLastWriterWins } from './last-writer-wins.ts';
import { hasPendingStructs, withoutPendingStructs } from './pending-structs.ts';
import { StandIns } from './stand-ins.ts';

/** A Yjs document and the conversation read from it, kept in step message by message. */
export interface ConversationDocument {
  readonly doc: Y.Doc;
  /** The same object until the document changes. */
  read(): Conversation;
  /** Messages with more words than at first, as they are now: the same objects until they change. */
  grown(): readonly Message[];
  /**
   * Makes the change; returns its Yjs update, or undefined if nothing changed. `restores`: values lost to damage are
   * restored as first values, so that every title or flag with a time wins, also one that arrives later.
   */
  change(change: ConversationChange, options?: { readonly restores?: boolean }): Uint8Array | undefined;
  /**
   * Throws if it does not decode; parts that follow it are still shown. `origin`: its source, if known;
   * this device's own updates have no gaps unless they were damaged.
   */
  apply(update: Uint8Array, origin?: Origin): void;
  /** Counts messages in the document that no schema accepts: they are stored but not shown. */
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
  return new YjsConversation(id, doc, now);
}

class YjsConversation implements ConversationDocument {
  readonly #id: ConversationId;
  readonly #doc: Y.Doc;
  readonly #now: () => number;
  readonly #m;
  readonly #c;
  readonly #meta;
  readonly #lastWriterWins: ReturnType<typeof createLastWriterWins>;
  readonly #checkpoints;
  readonly #compactions;
  readonly #x;
  readonly #standIns: StandIns;
  // Messages are immutable, so each is parsed once, however often the document changes.
  readonly #parsed = new Map<string, Message | null>();
  #current: Conversation | undefined;
  // The tree is cached too: moving the head or naming a place must not walk over all messages.
  #tree: ReadonlyMap<MessageId, Message> | undefined;
  // Completed messages, also parsed once.
  readonly #whole = new Map<string, Message>();
  // Records are large, so they are read again only when one of them changed.
  #recorded: Map<string, Compaction> | undefined;
  #named: Map<string, Checkpoint> | undefined;
  /** An update did not decode. */
  #broken = false;
  /** Every update so far came from this device, so no other one can fill a gap. */
  #isOnlyLocal: boolean | undefined;
  readonly doc: ConversationDocument['doc'];

  constructor(id: ConversationId, doc: Y.Doc = new Y.Doc(), now: () => number = Date.now) {
    this.#id = id;
    this.#doc = doc;
    this.#now = now;
    this.#m = doc.getMap<unknown>('m');
    this.#c = doc.getMap<unknown>('c');
    this.#meta = doc.getMap<unknown>('meta');
    this.#lastWriterWins = createLastWriterWins(doc, now);
    this.#checkpoints = doc.getMap<unknown>('checkpoints');
    this.#compactions = doc.getMap<unknown>('compactions');
    this.#x = doc.getMap<unknown>('x');
    this.#m.observe((event) => {
      for (const key of event.keysChanged) {
        this.#parsed.delete(key);
        this.#whole.delete(key);
      }
      this.#tree = undefined;
    });
    this.#c.observe((event) => {
      for (const key of event.keysChanged) this.#whole.delete(messageOf(key));
      this.#tree = undefined;
    });
    this.#x.observe(() => {
      this.#tree = undefined;
    });
    this.#standIns = new StandIns(doc, () => {
      this.#tree = undefined;
    });
    this.#compactions.observe(() => {
      this.#recorded = undefined;
    });
    this.#checkpoints.observe(() => {
      this.#named = undefined;
    });
    doc.on('afterTransaction', (transaction: Y.Transaction) => {
      if (transaction.changed.size > 0) this.#current = undefined;
    });
    this.doc = doc;
  }

  readonly read: ConversationDocument['read'] = (): Conversation => {
    if (this.#current) return this.#current;
    if (hasPendingStructs(this.#doc) && (this.#broken || this.#isOnlyLocal === true)) {
      this.#current = this.#readAcrossGaps();
      return this.#current;
    }
    this.#tree ??=
      this.#broken || this.#isOnlyLocal === true ? rejoined(this.#readMessages()) : this.#readMessages();
    this.#recorded ??= readCompactions(this.#compactions);
    this.#named ??= readCheckpoints(this.#checkpoints);
    const format = this.#meta.get('v');
    const said = this.#lastWriterWins.times();
    this.#current = {
      id: this.#id,
      ...(Object.keys(said).length > 0 ? { said } : {}),
      ...(typeof format === 'number' && format > CONVERSATION_FORMAT ? { newer: true } : {}),
      meta: readMeta({ ...Object.fromEntries(this.#meta.entries()), ...this.#lastWriterWins.values() }),
      messages: this.#tree,
      checkpoints: this.#named,
      compactions: this.#recorded,
    };
    return this.#current;
  };

  grown(): readonly Message[] {
    const { messages } = this.read();
    const completedOnes = isEmpty(this.#c)
      ? []
      : [...this.#whole.keys()].flatMap((id) => {
          const [first, message] = [this.#parsed.get(id), messages.get(id as MessageId)];
          return first && message && allWordsOf(first) !== allWordsOf(message) ? [message] : [];
        });
    const rewritten = [...this.#standIns.all().values()].flatMap(({ id }) => messages.get(id) ?? []);
    return [...completedOnes, ...rewritten];
  }

  change(
    change: ConversationChange,
    { restores = false }: { readonly restores?: boolean } = {},
  ): Uint8Array | undefined {
    let update: Uint8Array | undefined;
    const capture = (bytes: Uint8Array) => {
      update = bytes;
    };
    const forgets = [
      ...(change.removed ?? []).map((id) => ({ id, standIn: undefined })),
      ...(change.rewritten ?? []).map((message) => ({ id: message.id, standIn: message })),
    ];
    const standing = forgets.length > 0 ? this.#standIns.all() : undefined;
    // Forgotten messages behind a gap are not in the document yet.
    const behind =
      forgets.length > 0 && hasPendingStructs(this.#doc) ? withoutPendingStructs(this.#doc) : undefined;
    const there = change.completed?.length ? this.read().messages : undefined;
    this.#doc.on('update', capture);
    try {
      this.#doc.transact(() => {
        // First values lose to all later ones, here or elsewhere, and compete with none yet.
        const begins = restores || (isEmpty(this.#m) && isEmpty(this.#meta));
        // Keep forgotten messages out, also when their export is imported once more.
        for (const message of change.messages ?? [])
          if (!this.#m.has(message.id) && !this.#x.has(message.id)) this.#m.set(message.id, plain(message));
        for (const message of change.completed ?? []) {
          const here = this.#m.has(message.id) ? there?.get(message.id) : undefined;
          const made = here && completeMessage(here, message);
          // Beside the additions of other devices, which may have more of it.
          if (made) this.#c.set(`${message.id}/${this.#doc.clientID.toString(36)}`, plain(made));
        }
        const before = this.#lastWriterWins.values();
        const timed: [string, unknown][] = [];
        for (const [key, value] of Object.entries(change.meta ?? {})) {
          const timedAlready = key in before;
          if (value === undefined || (restores && timedAlready)) continue;
          const said = LAST_WRITER_WINS_KEYS.has(key) ? change.said?.[key] : undefined;
          if (said !== undefined) {
            this.#lastWriterWins.bring(key, plain(value), said);
            continue;
          }
          if (same(timedAlready ? before[key] : this.#meta.get(key), value)) continue;
          if (begins || !LAST_WRITER_WINS_KEYS.has(key)) this.#meta.set(key, plain(value));
          else timed.push([key, plain(value)]);
        }
        this.#lastWriterWins.set(timed);
        for (const [name, target] of Object.entries(change.checkpoints ?? {}))
          if (target === null) this.#checkpoints.delete(name);
          else if (!same(this.#checkpoints.get(name), target)) this.#checkpoints.set(name, plain(target));
        // A summary that may quote forgotten words must not return with it.
        const forgotten = (change.messages ?? []).filter(
          ({ id, parts }) => this.#x.has(id) && hasContent(parts),
        );
        for (const [key, compaction] of Object.entries(change.compactions ?? {})) {
          const from = this.#compactions.has(key) ? undefined : compaction?.createdAt;
          if (from !== undefined && forgotten.some(({ createdAt }) => from >= createdAt)) continue;
          changeCompaction(this.#compactions, key, compaction);
        }
        for (const { id: removed, standIn } of forgets) {
          const value = this.#m.get(removed) ?? behind?.getMap('m').get(removed);
          const message = value === undefined ? standing?.get(removed) : this.#parse(removed, value);
          if (!this.#x.has(removed) || message) this.#x.set(removed, message?.parentId ?? null);
          this.#m.delete(removed);
          takeOut(this.#c, removed);
          if (!standIn) this.#standIns.removeWhole(removed, change.takesOut === true);
          else if (message) {
            this.#standIns.set(standIn);
            // Counted with the forgotten messages, so that a room that still has the words is rebuilt.
            this.#x.set(`${removed}/${this.#doc.clientID.toString(36)}/${this.#x.size}`, null);
          }
          // A summary may quote forgotten content, so it is removed too, and made again when needed.
          if (message && hasContent(message.parts))
            for (const [key, made] of readCompactions(this.#compactions))
              if (made.createdAt >= message.createdAt) changeCompaction(this.#compactions, key, null);
        }
        for (const message of change.restored ?? []) {
          if (this.#m.has(message.id) || !this.#standIns.restore(message.id)) continue;
          // The message may already stand below an older living parent than the one it names.
          const parentId = this.#x.has(message.id) ? this.#x.get(message.id) : message.parentId;
          this.#m.set(message.id, plain({ ...message, parentId }));
          this.#x.delete(message.id);
        }
        // Completed elsewhere while it was forgotten here, or the other way round.
        if (!isEmpty(this.#x))
          for (const row of this.#c.keys()) if (this.#x.has(messageOf(row))) this.#c.delete(row);
        this.#standIns.removeForgotten();
        // Yjs keeps a title's first value beside later ones.
        if (change.takesOut)
          for (const [key, value] of Object.entries(change.meta ?? {}))
            if (value !== undefined && !same(this.#meta.get(key), value)) this.#meta.set(key, plain(value));
      });
    } finally {
      this.#doc.off('update', capture);
    }
    const deletion =
      behind &&
      deletionOf(
        behind,
        forgets.map(({ id }) => id),
      );
    behind?.destroy();
    if (!deletion) return update;
    // The deletion waits with the message: otherwise the message would return with the missing
    // piece, and never be deleted elsewhere.
    Y.applyUpdate(this.#doc, deletion, 'log');
    this.#current = undefined;
    return update ? Y.mergeUpdates([update, deletion]) : deletion;
  }

  apply(update: Uint8Array, origin?: Origin): void {
    const own = origin === 'user' || origin === 'import';
    try {
      Y.applyUpdate(this.#doc, update, 'log');
    } catch (error) {
      this.#broken = true;
      [this.#current, this.#tree] = [undefined, undefined];
      throw error;
    } finally {
      this.#isOnlyLocal = own && this.#isOnlyLocal !== false;
      // Pending changes alter nothing in the document.
      if (hasPendingStructs(this.#doc)) this.#current = undefined;
    }
  }

  damaged(): number {
    return [...this.#m.entries()].filter(([key, value]) => this.#parse(key, value) === null).length;
  }

  #parse(key: string, value: unknown): Message | null {
    const known = this.#parsed.get(key);
    if (known !== undefined) return known;
    const result = messageSchema.safeParse(value);
    const message = result.success && result.data.id === key ? (result.data as unknown as Message) : null;
    this.#parsed.set(key, message);
    return message;
  }

  /** Joins a message with all its additions, in an order that all devices share. */
  #wholeOf(message: Message, rows: readonly string[]): Message {
    let made = this.#whole.get(message.id);
    if (!made) {
      made = message;
      for (const row of [...rows].sort()) {
        const more = messageSchema.safeParse(this.#c.get(row));
        if (more.success) made = completeMessage(made, more.data as unknown as Message) ?? made;
      }
      this.#whole.set(message.id, made);
    }
    return made;
  }

  #rowsByMessage(): ReadonlyMap<string, readonly string[]> {
    const rows = new Map<string, string[]>();
    for (const row of this.#c.keys()) rows.set(messageOf(row), [...(rows.get(messageOf(row)) ?? []), row]);
    return rows;
  }

  /** The nearest ancestor that was not forgotten. */
  #livingParent(parentId: MessageId | null, standing: ReadonlyMap<string, Message>): MessageId | null {
    const seen = new Set<string>();
    let at: string | null = parentId;
    while (at !== null && !this.#m.has(at) && this.#x.has(at) && !standing.has(at) && !seen.has(at)) {
      seen.add(at);
      const next: unknown = this.#x.get(at);
      at = typeof next === 'string' ? next : null;
    }
    return at as MessageId | null;
  }

  #readMessages(): ReadonlyMap<MessageId, Message> {
    const messages = new Map<MessageId, Message>();
    const forgotten = this.#x.size > 0;
    const later = isEmpty(this.#c) ? undefined : this.#rowsByMessage();
    const standing = this.#standIns.all();
    const add = (message: Message) => {
      const parentId = forgotten ? this.#livingParent(message.parentId, standing) : message.parentId;
      messages.set(message.id, parentId === message.parentId ? message : { ...message, parentId });
    };
    for (const [key, value] of this.#m) {
      const first = this.#parse(key, value);
      if (!first) continue;
      const rows = later?.get(key);
      add(rows ? this.#wholeOf(first, rows) : first);
    }
    for (const message of standing.values()) add(message);
    return messages;
  }

  /**
   * Reads parts behind a gap made by damage; parts that wait for other devices stay hidden until those have sent them.
   */
  #readAcrossGaps(): Conversation {
    const whole = withoutPendingStructs(this.#doc);
    const there = whole.getMap('m');
    // Forgotten after the damage: the message waits in the document and cannot be removed there.
    for (const key of whole.getMap('x').keys()) there.delete(key);
    const conversation = createConversationDocument(this.#id, whole, this.#now).read();
    whole.destroy();
    const messages = rejoined(conversation.messages);
    // If the newest words are behind the gap, so is their head: show those words.
    const newest = [...messages.values()].reduce<Message | undefined>(
      (a, b) => (a && a.createdAt > b.createdAt ? a : b),
      undefined,
    );
    const stale = newest !== undefined && !this.#m.has(newest.id);
    return {
      ...conversation,
      ...(stale ? { meta: { ...conversation.meta, head: null } } : {}),
      messages,
    };
  }
}

/** Makes the update that removes these messages from a document; undefined if it has none of them. */
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
      takeOut(doc.getMap('r'), id);
    }
  });
  return update;
}

/**
 * Attaches a message whose parent was lost to the last message before it, so that the conversation still reads as one.
 */
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
    // With wrong clocks the earlier message may descend from this one.
    const ring = before && pathTo(joined, before.id).some(({ id }) => id === message.id);
    joined.set(message.id, { ...message, parentId: before && !ring ? before.id : null });
  }
  return joined;
}

/** Reads meta key by key, so that a damaged value costs only itself. */
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

/** A record is written once; each later change is a small entry of its own. */
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
    // Skip a compaction that no schema would read again.
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

/** Removes all additions to a message. */
function takeOut(rows: Y.Map<unknown>, id: MessageId): void {
  for (const row of [...rows.keys()]) if (messageOf(row) === id) rows.delete(row);
}

/** A map's `size` would list all its entries. */
const isEmpty = (map: Y.Map<unknown>): boolean => map.keys().next().done === true;

/** JSON as Yjs stores it: no undefined, nothing shared with the caller. */
const plain = (value: unknown): unknown =>
  value === null || typeof value !== 'object' ? value : JSON.parse(JSON.stringify(value));

const same = (a: unknown, b: unknown): boolean =>
  a === b || (typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));

/** Cached by tree, which stays the same when the conversation's title or head changes. */
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

/** Makes the conversation's entry in the sidebar. */
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
    // The list knows if that project exists.
    projectId: meta.projectId === '' ? null : (meta.projectId as ProjectId | null),
    filed: meta.projectId,
    project: meta.project ? projectLineOf(conversation) : null,
  };
}

function projectLineOf({ meta, messages }: Conversation): ProjectLine {
  const kept = [...messages.values()].sort(byTime);
  return {
    face: meta.face ?? PLAIN_FACE,
    scope: meta.memoryScope ?? 'first',
    model: meta.preferredModel,
    workDirs: meta.workDirs ?? [],
    instructions: meta.systemPrompt ?? '',
    notes: kept
      .filter(({ parts }) => !hasFile(parts))
      .map(({ id, parts }) => ({ id, text: textOf({ parts }) })),
    files: kept.filter(({ parts }) => hasFile(parts)).length,
  };
}
const hasFile = (parts: Message['parts']): boolean => parts.some(({ type }) => type === 'file');
