// The connection to the log's IndexedDB database: opens it in time or says why not, reopens it after the browser cut it
// off, and runs transactions that succeed as a whole or not at all.
import {
  type DBSchema,
  deleteDB,
  type IDBPDatabase,
  type IDBPTransaction,
  openDB,
  type StoreNames,
} from 'idb';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { ignore, log, orElse } from '../../domain/base/log.ts';
import type { Origin } from './conversation-log.ts';

/** Raised with each change of the stores' shape. An app that finds a higher version changes nothing. */
export const LOG_VERSION = 2;
/**
 * Key that records that the browser deleted the previous database because it was
 * damaged. The reader of the key deletes it.
 */
export const STORAGE_LOST = 'storage/lost';
/** Key of the counters' sum; the key generator begins with 1. */
export const SUM = 0;

export interface NewRow {
  id: string;
  document: string;
  origin: Origin;
  bytes: Uint8Array;
  size: number;
  /** Checksum of the bytes. Entries of earlier versions have none and are trusted. */
  sum?: number;
  at: number;
}

/** The seq is given by the key generator, which never gives one twice. */
export interface StoredEntry extends NewRow {
  seq: number;
}

interface Counters {
  entries: number;
  bytes: number;
  /** Highest seq ever used, unless it is among the entries. */
  head?: number;
}

export interface LogSchema extends DBSchema {
  entries: { key: number; value: StoredEntry; indexes: { id: string; document: [string, number, number] } };
  documents: { key: string; value: true };
  tallies: { key: number; value: Counters };
  drawer: { key: string; value: unknown };
}

interface CountsOfVersion1 extends DBSchema {
  counts: { key: string; value: Required<Counters> };
}

type Database = IDBPDatabase<LogSchema>;
export type WriteTransaction = IDBPTransaction<LogSchema, StoreNames<LogSchema>[], 'readwrite'>;
type Upgrading = IDBPTransaction<LogSchema, StoreNames<LogSchema>[], 'versionchange'>;
export type ReadTransaction = IDBPTransaction<LogSchema, StoreNames<LogSchema>[], 'readonly'>;

type Transaction<Mode extends IDBTransactionMode> = IDBPTransaction<LogSchema, StoreNames<LogSchema>[], Mode>;

interface ConnectionOptions {
  /** Name of the database. */
  readonly name: string;
  /** ms since 1970 */
  readonly now: () => number;
  /** Longest wait for other tabs to release the database, ms. */
  readonly timeout: number;
  /** Called with `newer-log` when a newer version of the app takes the database over. */
  readonly onProblem: (problem: Problem) => void;
}

/** Keeps at most one open connection. Methods throw what `openIndexedDbStore` says. */
export class LogConnection {
  readonly #options: ConnectionOptions;
  #opening: Promise<Database> | undefined;
  /**
   * Result of `#opening`, once it is there: a write must not wait a turn for it, in which the page would draw first.
   */
  #database: Database | undefined;
  #closed = false;
  /** Settles when LevelDB has begun a new file: writes wait for it, as in `beginFreshFile`. */
  #freshFile: Promise<void> = Promise.resolve();
  #fresh = false;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  static async open(options: ConnectionOptions): Promise<LogConnection> {
    const connection = new LogConnection(options);
    await connection.#connect();
    connection.#freshFile = beginFreshFile(options.name).then(() => {
      connection.#fresh = true;
    });
    return connection;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Undefined once writes no longer have to wait. */
  get freshFile(): Promise<void> | undefined {
    return this.#fresh ? undefined : this.#freshFile;
  }

  write<T>(stores: StoreNames<LogSchema>[], work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    return this.#run(stores, 'readwrite', work);
  }

  /**
   * Makes all requests of `work` at once: the browser can then end the transaction without waiting for a busy
   * thread, and writers do not wait for it.
   */
  read<T>(stores: StoreNames<LogSchema>[], work: (transaction: ReadTransaction) => Promise<T>): Promise<T> {
    return this.#run(stores, 'readonly', (transaction) => {
      const result = work(transaction);
      transaction.commit();
      return result;
    });
  }

  /** Waits for running transactions. `closing` is called once, before they end. */
  async close(closing: () => void): Promise<void> {
    if (this.#closed) return;
    const last = this.#opening;
    this.#closed = true;
    this.#forget();
    closing();
    if (last) (await orElse(last, undefined, 'closing a log that did not open'))?.close();
  }

  #forget(): void {
    [this.#opening, this.#database] = [undefined, undefined];
  }

  /** Returns the open connection; a new one if the browser closed the last. */
  #connect(): Promise<Database> {
    if (this.#closed)
      return Promise.reject(
        new RecollectError('storage-unavailable', 'The log was closed', { retry: false }),
      );
    if (this.#opening) return this.#opening;
    const letGo = () => {
      if (this.#opening === opening) this.#forget();
    };
    const opening = open(this.#options, {
      gone: letGo,
      superseded: () => {
        letGo();
        this.#options.onProblem(newerLog().problem);
      },
    });
    this.#opening = opening;
    opening.then((opened) => {
      if (this.#opening === opening) this.#database = opened;
    }, letGo);
    return opening;
  }

  /**
   * Runs all of `work` or nothing of it, at once unless the database is opening; resolves when it is durable. Repeats
   * it on a new connection if the browser closed this one: doing it twice changes nothing.
   */
  async #run<T, Mode extends 'readonly' | 'readwrite'>(
    stores: StoreNames<LogSchema>[],
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      if (mode === 'readwrite' && !this.#fresh) await this.#freshFile;
      const opening = this.#connect();
      const opened = this.#database ?? (await opening);
      try {
        return await complete(opened.transaction(stores, mode, { durability: 'strict' }), work);
      } catch (error) {
        const lost = LOST_CONNECTION.has(nameOf(error));
        if (lost) {
          if (this.#opening === opening) this.#forget();
          opened.close();
        }
        if (!lost || attempt > 1 || this.#closed) throw translate(error);
      }
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
    // The transaction knows the cause of an abort better than its requests, except for an abort of our own.
    throw transaction.error ?? error;
  }
}

// ---------------------------------------------------------------------------------------------- opening

function open(
  { name, timeout, now }: ConnectionOptions,
  listeners: { gone: () => void; superseded: () => void },
): Promise<Database> {
  return new Promise((resolve, reject) => {
    let gaveUp = false;
    // While others upgrade or delete the database, opening waits until all of their tabs release it.
    const waiting = setTimeout(() => {
      gaveUp = true;
      reject(
        new RecollectError('storage-held', 'Another tab holds the log and does not let go of it', {
          retry: true,
        }),
      );
    }, timeout);
    const opened = async () => {
      // Reading `indexedDB` itself throws if the browser blocks storage for this site.
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
          // Chromium reports here that it found a database damaged and deleted it.
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
          if (version === null) listeners.gone();
          else listeners.superseded();
        },
        terminated: listeners.gone,
      });
    };
    opened()
      // Opening fails if the browser clears or closes the database in that very moment.
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

/** Longest wait of a write for a fresh file, ms. */
const FRESH_FILE_TIMEOUT = 3_000;

/**
 * Makes Chromium begin a new file before the first write of a session, by making and deleting a
 * database beside ours. Never rejects.
 * - Chromium keeps a site's IndexedDB in LevelDB. Killed between the two system calls that write a record, it later
 *   finds half a record at the end of its file, ignores it, and goes on writing behind it (google/leveldb issue 1287).
 *   The start after that takes the file for damaged and deletes every database of the site.
 * - Deleting a database makes LevelDB move its data into a table and begin a new file, and the half record goes with
 *   the old one.
 * Elsewhere it costs a few milliseconds, once, beside the first reads.
 */
function beginFreshFile(name: string): Promise<void> {
  return new Promise((resolve) => {
    const waiting = setTimeout(resolve, FRESH_FILE_TIMEOUT);
    const remake = async () => {
      const scratch = `${name}:scratch`;
      const database = await openDB(scratch, 1, {
        upgrade: (database) => void database.createObjectStore('scratch'),
        blocking: (_, __, event) => (event.target as IDBDatabase).close(),
      });
      database.close();
      await deleteDB(scratch);
    };
    const remade = remake().finally(() => {
      clearTimeout(waiting);
      resolve();
    });
    ignore(remade, 'beginning a new file of the database');
  });
}

// ---------------------------------------------------------------------------------------------- counters

/** Sums of entries and bytes, and the highest head; all are 0 without counters. */
export const sumOfCounters = (counters: readonly Counters[]): Required<Counters> =>
  counters.reduce<Required<Counters>>(
    (sum, { entries, bytes, head = 0 }) => ({
      entries: sum.entries + entries,
      bytes: sum.bytes + bytes,
      head: Math.max(sum.head, head),
    }),
    { entries: 0, bytes: 0, head: 0 },
  );

/** Version 1 counted in one store: by document, and for the whole log under ''. */
async function takeCounts(database: Database, transaction: Upgrading): Promise<void> {
  const before = transaction as unknown as IDBPTransaction<CountsOfVersion1, ['counts'], 'versionchange'>;
  const counts = before.objectStore('counts');
  const [keys, sum] = await Promise.all([counts.getAllKeys(), counts.get('')]);
  for (const key of keys) if (key !== '') await transaction.objectStore('documents').put(true, key);
  if (sum) await transaction.objectStore('tallies').put(sum, SUM);
  (database as unknown as IDBPDatabase<CountsOfVersion1>).deleteObjectStore('counts');
}

// ---------------------------------------------------------------------------------------------- errors

/** Errors of a connection that the browser has closed; a new one may work. */
const LOST_CONNECTION = new Set([
  'InvalidStateError',
  'UnknownError',
  'AbortError',
  'TransactionInactiveError',
]);
/** Errors of opening if the browser gives this site no storage. */
const UNAVAILABLE = new Set(['SecurityError', 'InvalidStateError', 'NotSupportedError', 'NotAllowedError']);

const nameOf = (error: unknown): string =>
  typeof error === 'object' && error !== null ? String((error as { name?: unknown }).name) : '';
/** True if the log has an entry of that id. */
export const isHeldAlready = (error: unknown): boolean =>
  error instanceof RecollectError && nameOf(error.cause) === 'ConstraintError';
const isLimit = (error: unknown): boolean => nameOf(error) === 'QuotaExceededError';

const newerLog = (cause?: unknown) =>
  new RecollectError('newer-log', 'The log was written by a newer version of this app', { cause });

/** Error `storage-lost`. */
export const storageLost = () =>
  new RecollectError('storage-lost', 'The browser found its database damaged and deleted it');

/** Translates IndexedDB's errors; `unavailable` lists those that mean "no storage here". */
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
