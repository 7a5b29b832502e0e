// The log and the drawer in one IndexedDB database, for windows and workers alike. A write resolves when the browser has it on
// disk. Other tabs and workers are told by BroadcastChannel: ids only, they read for themselves.
//
//   entries    seq → { id, document, origin, bytes, size, sum, at }   indexes: id · [document, seq, size]
//   documents  document → true, for each that has entries
//   tallies    number → { entries, bytes } that an append added; 0 → { entries, bytes, head } of all that was summed up
//   drawer     key → value
//
// Documents and tallies are written in the transaction that changes the entries, so they are exact; they and the size in the
// index key let listing, statistics, folding and forgetting do without reading a single update. An append asks nothing before it
// writes: a save then waits for one answer of the disk. What takes entries out sums the tallies up.
import {
  type DBSchema,
  deleteDB,
  type IDBPDatabase,
  type IDBPTransaction,
  openDB,
  type StoreNames,
} from 'idb';
import { z } from 'zod';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { type DocumentId, type EntryId, newEntryId } from '../../domain/base/ids.ts';
import { log, orElse } from '../../domain/base/log.ts';
import { createAnnouncer } from './announcer.ts';
import { checksum } from './checksum.ts';
import type {
  DrawerChange,
  DrawerWrite,
  LogChange,
  LogEntry,
  NewEntry,
  Origin,
  Store,
} from './conversation-log.ts';

/** Raised with each change of the stores' shape. An app that finds a higher one changes nothing. */
export const LOG_VERSION = 2;
/** Drawer key: the browser deleted the database before this one because it was damaged. Whoever has read it deletes the key. */
export const STORAGE_LOST = 'storage/lost';
/** Key of the tallies' sum; the key generator begins with 1. */
export const SUM = 0;

interface NewRow {
  id: string;
  document: string;
  origin: Origin;
  bytes: Uint8Array;
  size: number;
  /** Of the bytes. Entries of earlier versions have none and are believed. */
  sum?: number;
  at: number;
}

/** The seq is given by the key generator, which never gives one twice. */
interface Row extends NewRow {
  seq: number;
}

interface Tally {
  entries: number;
  bytes: number;
  /** Highest seq there ever was, as far as it may not be among the entries any more. */
  head?: number;
}

export interface LogSchema extends DBSchema {
  entries: { key: number; value: Row; indexes: { id: string; document: [string, number, number] } };
  documents: { key: string; value: true };
  tallies: { key: number; value: Tally };
  drawer: { key: string; value: unknown };
}

interface CountsOfVersion1 extends DBSchema {
  counts: { key: string; value: Required<Tally> };
}

type Database = IDBPDatabase<LogSchema>;
type Writing = IDBPTransaction<LogSchema, StoreNames<LogSchema>[], 'readwrite'>;
type Upgrading = IDBPTransaction<LogSchema, StoreNames<LogSchema>[], 'versionchange'>;
type Reading = IDBPTransaction<LogSchema, StoreNames<LogSchema>[], 'readonly'>;

export interface IndexedDbOptions {
  /** Name of the database, and of the channel between tabs. */
  readonly name?: string;
  /** ms since 1970 */
  readonly now?: () => number;
  /** How long opening may wait for other tabs to let go of the database, in ms. */
  readonly patience?: number;
  /**
   * Hears `storage-lost` at opening while the drawer has STORAGE_LOST, and `newer-log` when a newer version of the app, open
   * elsewhere, takes the database over: from then on every call throws it.
   */
  readonly onProblem?: (problem: Problem) => void;
}

/** What tabs tell one another: which documents of the log, or which keys of the drawer. */
const announcement = z.union([
  z.strictObject({ documents: z.array(z.string().min(1)), seq: z.number().int().nonnegative() }),
  z.strictObject({ keys: z.array(z.string()) }),
]);

/**
 * Opens (or creates) the store. Throws `newer-log` for a database of a newer app, `storage-unavailable` where the browser gives
 * none, `storage-held` where another tab does not let go of it, `storage-full`, and `storage-failed` for everything else.
 */
export async function openIndexedDbStore({
  name = 'recollect',
  now = Date.now,
  patience = 20_000,
  onProblem = () => {},
}: IndexedDbOptions = {}): Promise<Store> {
  // -------------------------------------------------------------------------------------------- the connection
  let connection: Promise<Database> | undefined;
  /** What `connection` has resolved to: a write must not wait a turn for it, in which the page would draw first. */
  let database: Database | undefined;
  let closed = false;

  /** The open connection; a new one where the browser took the last away. */
  function connect(): Promise<Database> {
    if (closed)
      return Promise.reject(
        new RecollectError('storage-unavailable', 'The log was closed', { retry: false }),
      );
    if (connection) return connection;
    const letGo = () => {
      if (connection !== opening) return;
      connection = undefined;
      database = undefined;
    };
    const opening = open(
      name,
      { patience, now },
      {
        gone: letGo,
        superseded: () => {
          letGo();
          onProblem(newerLog().problem);
        },
      },
    );
    connection = opening;
    opening.then((opened) => {
      if (connection === opening) database = opened;
    }, letGo);
    return opening;
  }

  type Transaction<Mode extends IDBTransactionMode> = IDBPTransaction<
    LogSchema,
    StoreNames<LogSchema>[],
    Mode
  >;

  /**
   * All of `work` or nothing of it; resolves when the transaction has completed, that is when it is durable.
   * Where the browser cut the connection off, `work` is done once more on a new one: doing it twice is doing it once.
   * The transaction begins before this returns, unless the database is still opening.
   */
  async function run<T, Mode extends 'readonly' | 'readwrite'>(
    stores: StoreNames<LogSchema>[],
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      if (mode === 'readwrite' && !fresh) await freshFile;
      const opening = connect();
      const opened = database ?? (await opening);
      try {
        return await complete(opened.transaction(stores, mode, { durability: 'strict' }), work);
      } catch (error) {
        const lost = LOST_CONNECTION.has(nameOf(error));
        if (lost) {
          if (connection === opening) [connection, database] = [undefined, undefined];
          opened.close();
        }
        if (!lost || attempt > 1 || closed) throw translate(error);
      }
    }
  }

  async function complete<T, Mode extends IDBTransactionMode>(
    transaction: Transaction<Mode>,
    work: (transaction: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    const finished = transaction.done;
    try {
      const [result] = await Promise.all([work(transaction), finished]);
      return result;
    } catch (error) {
      try {
        transaction.abort();
      } catch (over) {
        log.debug('A transaction that failed had ended already', over);
      }
      await orElse(finished, undefined, 'the end of a transaction that failed');
      // The transaction knows better than its requests why it was aborted; of an abort of ours it knows nothing.
      throw transaction.error ?? error;
    }
  }
  const write = <T>(stores: StoreNames<LogSchema>[], work: (transaction: Writing) => Promise<T>) =>
    run(stores, 'readwrite', work);
  /** All requests of `work` are made at once: told so, the browser ends the transaction without waiting for a thread that is busy, and writers do not wait for it either. */
  const look = <T>(stores: StoreNames<LogSchema>[], work: (transaction: Reading) => Promise<T>) =>
    run(stores, 'readonly', (transaction) => {
      const result = work(transaction);
      transaction.commit();
      return result;
    });

  await connect();
  let fresh = false;
  const freshFile = beginFreshFile(name).then(() => {
    fresh = true;
  });
  const lost = await look(['drawer'], (transaction) => transaction.objectStore('drawer').get(STORAGE_LOST));
  if (lost !== undefined) onProblem(storageLost().problem);

  // -------------------------------------------------------------------------------------------- telling others
  const logListeners = createAnnouncer<LogChange>();
  const drawerListeners = createAnnouncer<DrawerChange>();
  const channel = new BroadcastChannel(`${name}:log`);
  channel.onmessage = ({ data }) => {
    const message = announcement.safeParse(data);
    if (message.success) tell(message.data, true);
  };
  const tell = (change: z.infer<typeof announcement>, foreign: boolean) => {
    if ('keys' in change) drawerListeners.tell({ ...change, foreign });
    else logListeners.tell({ seq: change.seq, documents: change.documents as DocumentId[], foreign });
  };
  const announce = (change: z.infer<typeof announcement>) => {
    if (!closed) channel.postMessage(change);
    tell(change, false);
  };

  // -------------------------------------------------------------------------------------------- the store
  const peek = (key: string): Promise<unknown> =>
    look(['drawer'], (transaction) => transaction.objectStore('drawer').get(key));
  /** Keys that are looked at before they are taken out: what is put in after that must not be taken out with it. */
  const looking = new Map<string, Promise<void>>();
  /** Whether the key is there once all that was put in before is written. */
  const isThere = (key: string): Promise<boolean> => {
    const found = (async () => {
      // Writes wait for the fresh file: looking must not overtake them, or what they put in would stay.
      if (!fresh) await freshFile;
      return (await peek(key)) !== undefined;
    })();
    const done = () => {
      if (looking.get(key) === over) looking.delete(key);
    };
    // Who waits writes whether looking failed or not, and after who looked: that one is called first.
    const over = found.then(done, done);
    looking.set(key, over);
    return found;
  };
  const keysOf = (entries: readonly NewEntry[]) =>
    look(['entries'], (transaction) => {
      const ids = transaction.objectStore('entries').index('id');
      return Promise.all(entries.map(({ id }) => ids.getKey(id)));
    });
  const head = () => look(['entries', 'tallies'], headOf);

  return {
    kind: 'persistent',
    log: {
      append: async (entries, writes = []) => {
        if (entries.length === 0 && writes.length === 0) return head();
        for (const { key } of writes) if (looking.has(key)) await looking.get(key);
        const stores: StoreNames<LogSchema>[] = ['entries', 'documents', 'tallies'];
        if (writes.length > 0) stores.push('drawer');
        const ids = new Set<string>();
        const named = entries.filter(({ id }) => !ids.has(id) && ids.add(id));
        const add = (fresh: readonly NewEntry[]) =>
          write(stores, async (transaction) => {
            const documents = [...new Set(fresh.map((entry) => entry.document))];
            const at = now();
            // Everything is asked for in one go, and the end announced with the last of it: each wait for an answer is a turn
            // in which the thread may be busy.
            const answers = await inSlices(
              [
                ...writes.map((change) => () => put(transaction, change)),
                ...(fresh.length > 0 ? [() => count(transaction, fresh)] : []),
                ...documents.map(
                  (document) => () => transaction.objectStore('documents').put(true, document),
                ),
                ...fresh.map(
                  (entry) => () => transaction.objectStore('entries').add(toRow(entry, at) as Row),
                ),
              ],
              () => transaction.commit(),
            );
            return { last: fresh.length > 0 ? z.number().parse(answers.at(-1)) : undefined, documents };
          });
        const { last, documents } = await add(named).catch(async (error: unknown) => {
          if (!isHeldAlready(error)) throw error;
          // Rare: something came twice. What the log has is left out.
          const held = await keysOf(named);
          return add(named.filter((_, position) => held[position] === undefined));
        });
        const seq = last ?? (await head());
        if (documents.length > 0) announce({ documents, seq });
        if (writes.length > 0) announce({ keys: writes.map(({ key }) => key) });
        return seq;
      },

      since: async (seq, limit) => {
        // To IndexedDB a count of 0 means "all".
        if (limit < 1) return [];
        const rows = await look(['entries'], (transaction) =>
          transaction
            .objectStore('entries')
            .getAll(IDBKeyRange.lowerBound(seq, true), Number.isFinite(limit) ? limit : undefined),
        );
        return rows.map(toEntry);
      },

      read: async (document, after = 0) => {
        const rows = await look(['entries'], (transaction) =>
          transaction
            .objectStore('entries')
            .index('document')
            .getAll(IDBKeyRange.bound([document, after, []], [document, []])),
        );
        return rows.map(toEntry);
      },

      fold: (document, snapshot, reach) =>
        write(['entries', 'tallies'], async (transaction) => {
          const removed = await remove(transaction, upTo(document, reach));
          // Someone else folded further, or the person had the document forgotten: their word stands.
          if (removed.entries === 0) return;
          // The highest seq of its own: `reach` itself may belong to another document.
          const row: Row = {
            ...toRow({ id: newEntryId(), document, origin: 'fold', bytes: snapshot }, now()),
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
        const seq = await write(['entries', 'documents', 'tallies'], async (transaction) => {
          const removed = await remove(transaction, upTo(document, Number.POSITIVE_INFINITY));
          if (removed.entries === 0) return undefined;
          await transaction.objectStore('documents').delete(document);
          await sumUp(transaction, removed);
          return headOf(transaction);
        });
        if (seq !== undefined) announce({ documents: [document], seq });
      },

      documents: async () => {
        const keys = await look(['documents'], (transaction) =>
          transaction.objectStore('documents').getAllKeys(),
        );
        return keys as DocumentId[];
      },

      head,
      subscribe: logListeners.subscribe,

      stats: () =>
        look(['tallies'], async (transaction) => {
          const { entries, bytes } = sumOf(await transaction.objectStore('tallies').getAll());
          return { entries, bytes };
        }),

      close: async () => {
        if (closed) return;
        const last = connection;
        closed = true;
        [connection, database] = [undefined, undefined];
        channel.close();
        // Closing lets the transactions that are under way finish.
        if (last) (await orElse(last, undefined, 'closing a log that did not open'))?.close();
      },
    },
    drawer: {
      get: peek,
      set: async (key, value) => {
        if (looking.has(key)) await looking.get(key);
        // Looking costs a tenth of what a write costs, and holds up nobody who writes.
        if (value === undefined && !(await isThere(key))) return;
        await write(['drawer'], async (transaction) => put(transaction, { key, value }));
        announce({ keys: [key] });
      },
      keys: (prefix) =>
        look(['drawer'], (transaction) =>
          transaction.objectStore('drawer').getAllKeys(IDBKeyRange.bound(prefix, `${prefix}\uffff`)),
        ),
      subscribe: drawerListeners.subscribe,
    },
  };
}

// ---------------------------------------------------------------------------------------------- opening

function open(
  name: string,
  { patience, now }: { patience: number; now: () => number },
  hears: { gone: () => void; superseded: () => void },
): Promise<Database> {
  return new Promise((resolve, reject) => {
    let gaveUp = false;
    // A database that others upgrade or delete may keep us waiting for as long as one of their tabs does not let go.
    const waiting = setTimeout(() => {
      gaveUp = true;
      reject(
        new RecollectError('storage-held', 'Another tab holds the log and does not let go of it', {
          retry: true,
        }),
      );
    }, patience);
    const opened = async () => {
      // Reading `indexedDB` itself throws where the browser blocks storage for this site.
      if (!globalThis.indexedDB)
        throw new RecollectError('storage-unavailable', 'This browser offers no IndexedDB');
      return openDB<LogSchema>(name, LOG_VERSION, {
        upgrade: async (database, before, _, transaction, event) => {
          clearTimeout(waiting);
          if (before === 0) {
            const entries = database.createObjectStore('entries', { keyPath: 'seq', autoIncrement: true });
            entries.createIndex('id', 'id', { unique: true });
            entries.createIndex('document', ['document', 'seq', 'size']);
            database.createObjectStore('drawer');
          }
          database.createObjectStore('documents');
          database.createObjectStore('tallies', { autoIncrement: true });
          // Chromium's own word for a database that it found damaged and deleted.
          const { dataLoss, dataLossMessage } = event as { dataLoss?: string; dataLossMessage?: string };
          if (dataLoss === 'total')
            void transaction
              .objectStore('drawer')
              .put({ at: now(), detail: dataLossMessage ?? '' }, STORAGE_LOST);
          if (before === 1) await takeCounts(database, transaction);
        },
        blocking: (_, version, event) => {
          (event.target as IDBDatabase).close();
          // No version: the database is being deleted, and the next use makes a new one.
          if (version === null) hears.gone();
          else hears.superseded();
        },
        terminated: hears.gone,
      });
    };
    opened()
      // Opening in the very moment in which the browser clears or cuts off the database is cut off with it.
      .catch((error) => (nameOf(error) === 'AbortError' && !gaveUp ? opened() : Promise.reject(error)))
      .then(
        (database) => {
          if (gaveUp) database.close();
          else resolve(database);
        },
        (error) => reject(translate(error, UNAVAILABLE)),
      )
      .finally(() => clearTimeout(waiting));
  });
}

/** How long writing waits for a fresh file at most, in ms. */
const FRESH_FILE_PATIENCE = 3_000;

/**
 * Makes Chromium begin a new file before the first write of a session, by making and deleting a database beside ours.
 *
 * Chromium keeps a site's IndexedDB in LevelDB. Killed between the two system calls in which that writes a record, it finds half
 * a record at the end of its file, ignores it, and goes on writing behind it (google/leveldb issue 1287). The start after that
 * takes the file for damaged and deletes every database of the site. Deleting a database makes LevelDB move what it has into a
 * table and begin a new file, and the half record goes with the old one. Elsewhere it costs a few milliseconds, once, beside
 * the first reads. Never rejects: it is a precaution.
 */
function beginFreshFile(name: string): Promise<void> {
  return new Promise((resolve) => {
    const waiting = setTimeout(resolve, FRESH_FILE_PATIENCE);
    const remake = async () => {
      const scratch = `${name}:scratch`;
      const database = await openDB(scratch, 1, {
        upgrade: (database) => void database.createObjectStore('scratch'),
        blocking: (_, __, event) => (event.target as IDBDatabase).close(),
      });
      database.close();
      await deleteDB(scratch);
    };
    remake()
      .catch(() => {})
      .finally(() => {
        clearTimeout(waiting);
        resolve();
      });
  });
}

// ---------------------------------------------------------------------------------------------- rows

/** The entries of a document with a seq of at most `seq`. In IndexedDB's order every number comes before every array. */
const upTo = (document: string, seq: number) =>
  IDBKeyRange.bound([document], Number.isFinite(seq) ? [document, seq, []] : [document, []]);

const toRow = ({ id, document, origin, bytes }: NewEntry, at: number): NewRow => ({
  id,
  document,
  origin,
  // Cloning a view stores all of the buffer behind it.
  bytes: bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice(),
  size: bytes.byteLength,
  sum: checksum(bytes),
  at,
});

/** What is not what was written is not handed on: no update is so short, so everyone who reads it knows it for damaged. */
const NOTHING = new Uint8Array(0);

const toEntry = ({ seq, id, document, origin, bytes, sum, at }: Row): LogEntry => ({
  seq,
  id: id as EntryId,
  document: document as DocumentId,
  origin,
  bytes: sum === undefined || sum === checksum(bytes) ? bytes : NOTHING,
  at,
});

/** Requests made in one go: copying more of an import at once would hold up a person who types. */
const SLICE = 100;

/**
 * Makes the requests in order, a slice at a time, the first at once; `onLast` when all of them are made. Where one cannot even be made it
 * throws, and `onLast` is not called.
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
      // They fail with the transaction; nobody else hears of it.
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

/** Removes the entries in `range`. Reads no update. */
async function remove(transaction: Writing, range: IDBKeyRange): Promise<Removed> {
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

const put = (transaction: Writing, { key, value }: DrawerWrite): Promise<unknown> =>
  value === undefined
    ? transaction.objectStore('drawer').delete(key)
    : transaction.objectStore('drawer').put(value, key);

const count = (transaction: Writing, fresh: readonly NewEntry[]): Promise<unknown> =>
  transaction.objectStore('tallies').add({
    entries: fresh.length,
    bytes: fresh.reduce((sum, entry) => sum + entry.bytes.byteLength, 0),
  });

export const sumOf = (tallies: readonly Tally[]): Required<Tally> =>
  tallies.reduce<Required<Tally>>(
    (sum, { entries, bytes, head = 0 }) => ({
      entries: sum.entries + entries,
      bytes: sum.bytes + bytes,
      head: Math.max(sum.head, head),
    }),
    { entries: 0, bytes: 0, head: 0 },
  );

/** Puts one tally in the place of all, without what was removed. */
async function sumUp(transaction: Writing, removed: Removed): Promise<void> {
  const tallies = transaction.objectStore('tallies');
  const { entries, bytes, head } = sumOf(await tallies.getAll());
  await tallies.clear();
  await tallies.put(
    {
      entries: entries - removed.entries,
      bytes: bytes - removed.bytes,
      head: Math.max(head, removed.head),
    },
    SUM,
  );
}

async function headOf(transaction: Reading | Writing): Promise<number> {
  const [last, sum] = await Promise.all([
    transaction.objectStore('entries').openKeyCursor(null, 'prev'),
    transaction.objectStore('tallies').get(SUM),
  ]);
  return Math.max(last?.key ?? 0, sum?.head ?? 0);
}

/** Version 1 counted in one store: what it has of each document, and of the whole log under ''. */
async function takeCounts(database: Database, transaction: Upgrading): Promise<void> {
  const before = transaction as unknown as IDBPTransaction<CountsOfVersion1, ['counts'], 'versionchange'>;
  const counts = before.objectStore('counts');
  const [keys, sum] = await Promise.all([counts.getAllKeys(), counts.get('')]);
  for (const key of keys) if (key !== '') await transaction.objectStore('documents').put(true, key);
  if (sum) await transaction.objectStore('tallies').put(sum, SUM);
  (database as unknown as IDBPDatabase<CountsOfVersion1>).deleteObjectStore('counts');
}

// ---------------------------------------------------------------------------------------------- errors

/** What a connection that the browser has cut off answers with; a new one may work. */
const LOST_CONNECTION = new Set([
  'InvalidStateError',
  'UnknownError',
  'AbortError',
  'TransactionInactiveError',
]);
/** What opening answers with where the browser gives this site no storage. */
const UNAVAILABLE = new Set(['SecurityError', 'InvalidStateError', 'NotSupportedError', 'NotAllowedError']);

const nameOf = (error: unknown): string =>
  typeof error === 'object' && error !== null ? String((error as { name?: unknown }).name) : '';
/** The log has an entry of that id. */
const isHeldAlready = (error: unknown): boolean =>
  error instanceof RecollectError && nameOf(error.cause) === 'ConstraintError';
const isLimit = (error: unknown): boolean => nameOf(error) === 'QuotaExceededError';

const newerLog = (cause?: unknown) =>
  new RecollectError('newer-log', 'The log was written by a newer version of this app', { cause });

const storageLost = () =>
  new RecollectError('storage-lost', 'The browser found its database damaged and deleted it');

/** IndexedDB's errors in the words of the house; `unavailable` lists those that mean "no storage here". */
function translate(error: unknown, unavailable: ReadonlySet<string> = new Set()): RecollectError {
  if (error instanceof RecollectError) return error;
  const name = nameOf(error);
  const detail = error instanceof Error && error.message ? error.message : name || String(error);
  if (isLimit(error))
    return new RecollectError('storage-full', 'The browser has no room left for this site', {
      retry: true,
      cause: error,
    });
  if (name === 'VersionError') return newerLog(error);
  if (unavailable.has(name))
    return new RecollectError('storage-unavailable', `This browser refuses to store: ${detail}`, {
      params: { detail },
      cause: error,
    });
  return new RecollectError('storage-failed', `Storage failed: ${detail}`, {
    params: { detail },
    retry: true,
    cause: error,
  });
}
