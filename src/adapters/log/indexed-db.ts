// The log and the key-value store in one IndexedDB database, for windows and workers alike. A write resolves when the
// browser has it on disk. BroadcastChannel notifies other tabs and workers: it sends ids, and they read the entries.
//
//   entries    seq → { id, document, origin, bytes, size, sum, at }   indexes: id · [document, seq, size]
//   documents  document → true, for each that has entries
//   tallies    number → { entries, bytes } that an append added; 0 → { entries, bytes, head } of all that was summed up
//   drawer     key → value
//
// Documents and tallies are written in the transaction that changes the entries, so they are exact; they and the size
// in the index key let listing, statistics, folding and forgetting do without reading a single update. An append asks
// nothing before it writes: a save then waits for one answer of the disk. What takes entries out sums the tallies up.
import type { StoreNames } from 'idb';
import { z } from 'zod';
import type { Problem } from '../../domain/base/errors.ts';
import { type DocumentId, type EntryId, newEntryId } from '../../domain/base/ids.ts';
import { joinNews } from '../../domain/threads/news.ts';
import { createAnnouncer } from './announcer.ts';
import { checksum } from './checksum.ts';
import type {
  ConversationLog,
  KeyValueChange,
  KeyValues,
  KeyValueWrite,
  LogChange,
  LogEntry,
  NewEntry,
  Store,
} from './conversation-log.ts';
import {
  isHeldAlready,
  LogConnection,
  type LogSchema,
  type NewRow,
  type ReadTransaction,
  STORAGE_LOST,
  type StoredEntry,
  SUM,
  storageLost,
  sumOfCounters,
  type WriteTransaction,
} from './idb-connection.ts';

export interface IndexedDbOptions {
  /** Name of the database, and of the channel between tabs. */
  readonly name?: string;
  /** ms since 1970 */
  readonly now?: () => number;
  /** Longest wait for other tabs to release the database, ms. */
  readonly timeout?: number;
  /**
   * Called with `storage-lost` at opening while the key-value store has STORAGE_LOST, and with `newer-log` when a newer
   * version of the app, open elsewhere, takes the database over: from then on every call throws it.
   */
  readonly onProblem?: (problem: Problem) => void;
}

/** Announcement between tabs: changed documents of the log, or changed keys of the key-value store. */
const announcement = z.union([
  z.strictObject({ documents: z.array(z.string().min(1)), seq: z.number().int().nonnegative() }),
  z.strictObject({ keys: z.array(z.string()) }),
]);
type Announcement = z.infer<typeof announcement>;

/**
 * Opens (or creates) the store.
 * @throws `newer-log` for a database of a newer app, `storage-unavailable` if the browser gives none, `storage-held`
 *   if another tab does not release it, `storage-full`, and `storage-failed` for everything else
 */
export async function openIndexedDbStore({
  name = 'recollect',
  now = Date.now,
  timeout = 20_000,
  onProblem = () => {},
}: IndexedDbOptions = {}): Promise<Store> {
  const connection = await LogConnection.open({ name, now, timeout, onProblem });
  const lost = await connection.read(['drawer'], (transaction) =>
    transaction.objectStore('drawer').get(STORAGE_LOST),
  );
  if (lost !== undefined) onProblem(storageLost().problem);
  const news = new News(`${name}:log`, connection);
  const taking = new TakenKeys(connection);
  return {
    kind: 'persistent',
    log: createLog({ connection, news, taking, now }),
    keyValues: createKeyValues({ connection, news, taking }),
  };
}

/** Announces changes to this thread and all others. */
class News {
  readonly log = createAnnouncer<LogChange>();
  readonly keyValues = createAnnouncer<KeyValueChange>();
  readonly #channel: BroadcastChannel;
  readonly #say: (change: Announcement) => void;
  readonly #connection: LogConnection;

  constructor(name: string, connection: LogConnection) {
    this.#connection = connection;
    this.#channel = new BroadcastChannel(name);
    this.#say = joinNews(this.#channel, announcement, (change) => this.#notify(change, true));
  }

  announce(change: Announcement): void {
    if (!this.#connection.isClosed) this.#say(change);
    this.#notify(change, false);
  }

  close(): void {
    this.#channel.close();
  }

  #notify(change: Announcement, foreign: boolean): void {
    if ('keys' in change) this.keyValues.notify({ ...change, foreign });
    else this.log.notify({ seq: change.seq, documents: change.documents as DocumentId[], foreign });
  }
}

/** Keys that are looked up before they are deleted: a value written after the lookup must not be deleted with it. */
class TakenKeys {
  readonly #lookups = new Map<string, Promise<void>>();
  readonly #connection: LogConnection;

  constructor(connection: LogConnection) {
    this.#connection = connection;
  }

  /** Undefined if no lookup of the key is running. */
  lookupOf(key: string): Promise<void> | undefined {
    return this.#lookups.get(key);
  }

  /** True if the key exists once all earlier writes are done. */
  isThere(key: string): Promise<boolean> {
    const found = (async () => {
      // Writes wait for the fresh file, and a lookup must not overtake them, or their values would stay.
      const waiting = this.#connection.freshFile;
      if (waiting) await waiting;
      return (await readValue(this.#connection, key)) !== undefined;
    })();
    const done = () => {
      if (this.#lookups.get(key) === over) this.#lookups.delete(key);
    };
    // Waiting writers continue even after a failed lookup, and after its caller, who is called first.
    const over = found.then(done, done);
    this.#lookups.set(key, over);
    return found;
  }
}

const readValue = (connection: LogConnection, key: string): Promise<unknown> =>
  connection.read(['drawer'], (transaction) => transaction.objectStore('drawer').get(key));

interface Parts {
  readonly connection: LogConnection;
  readonly news: News;
  readonly taking: TakenKeys;
}

function createLog({
  connection,
  news,
  taking,
  now,
}: Parts & { readonly now: () => number }): ConversationLog {
  return {
    append: (entries, writes = []) => append({ connection, news, taking, now }, entries, writes),

    since: async (seq, limit) => {
      // To IndexedDB a count of 0 means "all".
      if (limit < 1) return [];
      const rows = await connection.read(['entries'], (transaction) =>
        transaction
          .objectStore('entries')
          .getAll(IDBKeyRange.lowerBound(seq, true), Number.isFinite(limit) ? limit : undefined),
      );
      return rows.map(toEntry);
    },

    read: async (document, after = 0) => {
      const rows = await connection.read(['entries'], (transaction) =>
        transaction
          .objectStore('entries')
          .index('document')
          .getAll(IDBKeyRange.bound([document, after, []], [document, []])),
      );
      return rows.map(toEntry);
    },

    replaceBySnapshot: (document, snapshot, reach, id = newEntryId()) =>
      connection.write(['entries', 'tallies'], async (transaction) => {
        const removed = await remove(transaction, upTo(document, reach));
        // Another tab has compacted further, or the document was forgotten: that result stands.
        if (removed.entries === 0) return;
        // The highest seq of its own: `reach` itself may belong to another document.
        const row: StoredEntry = {
          ...toRow({ id, document, origin: 'fold', bytes: snapshot }, now()),
          seq: removed.head,
        };
        await transaction.objectStore('entries').put(row);
        await sumUp(transaction, {
          ...removed,
          entries: removed.entries - 1,
          bytes: removed.bytes - row.size,
        });
      }),

    erase: async (document) => {
      const seq = await connection.write(['entries', 'documents', 'tallies'], async (transaction) => {
        const removed = await remove(transaction, upTo(document, Number.POSITIVE_INFINITY));
        if (removed.entries === 0) return undefined;
        await transaction.objectStore('documents').delete(document);
        await sumUp(transaction, removed);
        return headOf(transaction);
      });
      if (seq !== undefined) news.announce({ documents: [document], seq });
    },

    documents: async () => {
      const keys = await connection.read(['documents'], (transaction) =>
        transaction.objectStore('documents').getAllKeys(),
      );
      return keys as DocumentId[];
    },

    head: () => headNow(connection),
    subscribe: news.log.subscribe,

    stats: () =>
      connection.read(['tallies'], async (transaction) => {
        const { entries, bytes } = sumOfCounters(await transaction.objectStore('tallies').getAll());
        return { entries, bytes };
      }),

    close: () => connection.close(() => news.close()),
  };
}

const headNow = (connection: LogConnection) => connection.read(['entries', 'tallies'], headOf);

async function append(
  { connection, news, taking, now }: Parts & { readonly now: () => number },
  entries: readonly NewEntry[],
  writes: readonly KeyValueWrite[],
): Promise<number> {
  if (entries.length === 0 && writes.length === 0) return headNow(connection);
  for (const { key } of writes) {
    const lookup = taking.lookupOf(key);
    if (lookup) await lookup;
  }
  const stores: StoreNames<LogSchema>[] = ['entries', 'documents', 'tallies'];
  if (writes.length > 0) stores.push('drawer');
  const ids = new Set<string>();
  const named = entries.filter(({ id }) => !ids.has(id) && ids.add(id));
  const add = (fresh: readonly NewEntry[]) =>
    connection.write(stores, async (transaction) => {
      const documents = [...new Set(fresh.map((entry) => entry.document))];
      const at = now();
      // All requests are made in one go, and the last one ends the transaction: each wait for an answer is a turn
      // in which the thread may be busy.
      const answers = await inSlices(
        [
          ...writes.map((change) => () => put(transaction, change)),
          ...(fresh.length > 0 ? [() => count(transaction, fresh)] : []),
          ...documents.map((document) => () => transaction.objectStore('documents').put(true, document)),
          ...fresh.map(
            (entry) => () => transaction.objectStore('entries').add(toRow(entry, at) as StoredEntry),
          ),
        ],
        () => transaction.commit(),
      );
      return { last: fresh.length > 0 ? z.number().parse(answers.at(-1)) : undefined, documents };
    });
  const { last, documents } = await add(named).catch(async (error: unknown) => {
    if (!isHeldAlready(error)) throw error;
    // Rare: an entry came twice. Those that the log has are left out.
    const held = await keysOf(connection, named);
    return add(named.filter((_, position) => held[position] === undefined));
  });
  const seq = last ?? (await headNow(connection));
  if (documents.length > 0) news.announce({ documents, seq });
  if (writes.length > 0) news.announce({ keys: writes.map(({ key }) => key) });
  return seq;
}

/** Finds the seqs of entries that the log has, by id. */
const keysOf = (connection: LogConnection, entries: readonly NewEntry[]) =>
  connection.read(['entries'], (transaction) => {
    const ids = transaction.objectStore('entries').index('id');
    return Promise.all(entries.map(({ id }) => ids.getKey(id)));
  });

function createKeyValues({ connection, news, taking }: Parts): KeyValues {
  return {
    get: (key) => readValue(connection, key),
    set: async (key, value) => {
      const lookup = taking.lookupOf(key);
      if (lookup) await lookup;
      // A lookup costs a tenth of a write, and delays no writer.
      if (value === undefined && !(await taking.isThere(key))) return;
      await connection.write(['drawer'], async (transaction) => put(transaction, { key, value }));
      news.announce({ keys: [key] });
    },
    keys: (prefix) =>
      connection.read(['drawer'], (transaction) =>
        transaction.objectStore('drawer').getAllKeys(IDBKeyRange.bound(prefix, `${prefix}\uffff`)),
      ),
    subscribe: news.keyValues.subscribe,
  };
}

// ---------------------------------------------------------------------------------------------- rows

/** The entries of a document with a seq of at most `seq`. IndexedDB orders every number before every array. */
const upTo = (document: string, seq: number) =>
  IDBKeyRange.bound([document], Number.isFinite(seq) ? [document, seq, []] : [document, []]);

const toRow = ({ id, document, origin, bytes }: NewEntry, at: number): NewRow => ({
  id,
  document,
  origin,
  // Cloning a view would store the whole buffer behind it.
  bytes: bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice(),
  size: bytes.byteLength,
  sum: checksum(bytes),
  at,
});

/** Bytes of a damaged entry: no update is so short, so every reader recognises the damage. */
const NOTHING = new Uint8Array(0);

const toEntry = ({ seq, id, document, origin, bytes, sum, at }: StoredEntry): LogEntry => ({
  seq,
  id: id as EntryId,
  document: document as DocumentId,
  origin,
  bytes: sum === undefined || sum === checksum(bytes) ? bytes : NOTHING,
  at,
});

/** Most requests made in one go: more would delay a person who types during an import. */
const SLICE = 100;

/**
 * Makes the requests in order, a slice at a time, the first at once; `onLast` when all are made. If a request cannot
 * even be made it throws, and `onLast` is not called.
 */
async function inSlices(
  requests: readonly (() => Promise<unknown>)[],
  onLast: () => void,
): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let at = 0; ; at += SLICE) {
    const slice: Promise<unknown>[] = [];
    try {
      for (const request of requests.slice(at, at + SLICE)) slice.push(request());
    } catch (error) {
      // The requests fail with their transaction, which reports it: their own rejections say nothing new.
      void Promise.allSettled(slice);
      throw error;
    }
    const isLast = at + SLICE >= requests.length;
    if (isLast) onLast();
    answers.push(...(await Promise.all(slice)));
    if (isLast) return answers;
  }
}

interface Removed {
  readonly entries: number;
  readonly bytes: number;
  /** The highest seq among them. */
  readonly head: number;
}

/** Deletes the entries in `range`. Reads no update. */
async function remove(transaction: WriteTransaction, range: IDBKeyRange): Promise<Removed> {
  const rows = transaction.objectStore('entries');
  const keys: number[] = [];
  let bytes = 0;
  for (
    let cursor = await rows.index('document').openKeyCursor(range);
    cursor;
    cursor = await cursor.continue()
  ) {
    const [, seq, size] = cursor.key;
    keys.push(seq);
    bytes += size;
  }
  await Promise.all(keys.map((key) => rows.delete(key)));
  return { entries: keys.length, bytes, head: keys.at(-1) ?? 0 };
}

const put = (transaction: WriteTransaction, { key, value }: KeyValueWrite): Promise<unknown> =>
  value === undefined
    ? transaction.objectStore('drawer').delete(key)
    : transaction.objectStore('drawer').put(value, key);

const count = (transaction: WriteTransaction, fresh: readonly NewEntry[]): Promise<unknown> =>
  transaction.objectStore('tallies').add({
    entries: fresh.length,
    bytes: fresh.reduce((sum, entry) => sum + entry.bytes.byteLength, 0),
  });

/** Replaces all counters by one, without the removed entries. */
async function sumUp(transaction: WriteTransaction, removed: Removed): Promise<void> {
  const counters = transaction.objectStore('tallies');
  const { entries, bytes, head } = sumOfCounters(await counters.getAll());
  await counters.clear();
  await counters.put(
    {
      entries: entries - removed.entries,
      bytes: bytes - removed.bytes,
      head: Math.max(head, removed.head),
    },
    SUM,
  );
}

async function headOf(transaction: ReadTransaction | WriteTransaction): Promise<number> {
  const [last, sum] = await Promise.all([
    transaction.objectStore('entries').openKeyCursor(null, 'prev'),
    transaction.objectStore('tallies').get(SUM),
  ]);
  return Math.max(last?.key ?? 0, sum?.head ?? 0);
}
