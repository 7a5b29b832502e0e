// Database access for the comparison with the second copy, beyond the log's own methods: counters against rows, and
// restoring rows as they were. Opens a short connection of its own for each use.
import { type IDBPDatabase, openDB } from 'idb';
import { checksum } from './checksum.ts';
import type { LogEntry } from './conversation-log.ts';
import { type LogSchema, SUM, sumOfCounters } from './idb-connection.ts';

interface LogCounts {
  /** Entries by the counters, and as found. Fewer found: the store was truncated. */
  readonly kept: number;
  readonly counted: number;
}

/** Bytes restored in one transaction. */
const SLICE_BYTES = 8 * 2 ** 20;

async function connected<T>(
  name: string,
  work: (database: IDBPDatabase<LogSchema>) => Promise<T>,
): Promise<T> {
  const database = await openDB<LogSchema>(name, undefined, {
    blocking: (_, __, event) => (event.target as IDBDatabase).close(),
  });
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/** Counts both in one transaction. */
export const countLog = (name: string): Promise<LogCounts> =>
  connected(name, async (database) => {
    const transaction = database.transaction(['entries', 'tallies']);
    const [counted, counters] = await Promise.all([
      transaction.objectStore('entries').count(),
      transaction.objectStore('tallies').getAll(),
    ]);
    return { counted, kept: sumOfCounters(counters).entries };
  });

/** Lists the seq of every entry, ascending, without reading one. */
export const seqsOfLog = (name: string): Promise<number[]> =>
  connected(name, (database) => database.getAllKeys('entries'));

/** Maps every entry's id to its seq, without reading one. */
export const idsOfLog = (name: string): Promise<Map<string, number>> =>
  connected(name, async (database) => {
    const found = new Map<string, number>();
    let cursor = await database.transaction('entries').store.index('id').openKeyCursor();
    while (cursor) {
      found.set(cursor.key, cursor.primaryKey);
      cursor = await cursor.continue();
    }
    return found;
  });

/** Reads stored values of the log's key-value store. */
export const valuesOfLog = (name: string, keys: readonly string[]): Promise<unknown[]> =>
  connected(name, (database) => {
    const { store } = database.transaction('drawer');
    return Promise.all(keys.map((key) => store.get(key)));
  });

/** Deletes entries by their seqs; the counters are right again after `recountLog`. */
export const removeRows = (name: string, seqs: readonly number[]): Promise<void> =>
  connected(name, async (database) => {
    const transaction = database.transaction(['entries', 'documents'], 'readwrite', { durability: 'strict' });
    const rows = transaction.objectStore('entries');
    for (const seq of seqs) {
      const row = await rows.get(seq);
      if (!row) continue;
      await rows.delete(seq);
      const left = await rows.index('document').getKey(IDBKeyRange.bound([row.document], [row.document, []]));
      if (left === undefined) await transaction.objectStore('documents').delete(row.document);
    }
    await transaction.done;
  });

/** Makes sure that no new entry gets a seq up to `head`. */
export const raiseHead = (name: string, head: number): Promise<void> =>
  connected(name, async (database) => {
    const transaction = database.transaction(['entries', 'tallies'], 'readwrite', { durability: 'strict' });
    const rows = transaction.objectStore('entries');
    // Only a row with that key advances the key generator.
    if (head > 0 && (await rows.get(head)) === undefined) {
      await rows.put({ ...EMPTY_ROW, seq: head });
      await rows.delete(head);
    }
    const counters = transaction.objectStore('tallies');
    const sum = sumOfCounters(await counters.getAll());
    await counters.clear();
    await counters.put({ ...sum, head: Math.max(sum.head, head) }, SUM);
    await transaction.done;
  });

const EMPTY_ROW = { id: '', document: '', origin: 'fold', bytes: new Uint8Array(0), size: 0, at: 0 } as const;

/** Recomputes the counters from the entries. The head stays: no seq is given twice. */
export const recountLog = (name: string): Promise<void> =>
  connected(name, async (database) => {
    const transaction = database.transaction(['entries', 'tallies'], 'readwrite', { durability: 'strict' });
    const counters = transaction.objectStore('tallies');
    const { head } = sumOfCounters(await counters.getAll());
    let [entries, bytes, last] = [0, 0, head];
    let cursor = await transaction.objectStore('entries').index('document').openKeyCursor();
    while (cursor) {
      entries += 1;
      bytes += cursor.key[2];
      last = Math.max(last, cursor.key[1]);
      cursor = await cursor.continue();
    }
    await counters.clear();
    await counters.put({ entries, bytes, head: last }, SUM);
    await transaction.done;
  });

/** Restores entries with their seqs; an entry with the same id or seq stays. Returns how many were restored. */
export const putBack = (name: string, entries: readonly LogEntry[]): Promise<number> =>
  connected(name, async (database) => {
    let put = 0;
    const rest = [...entries].sort((a, b) => b.seq - a.seq);
    while (rest.length > 0) {
      const slice: LogEntry[] = [];
      for (let bytes = 0; rest.length > 0 && bytes < SLICE_BYTES; ) {
        const entry = rest.pop() as LogEntry;
        bytes += entry.bytes.length;
        slice.push(entry);
      }
      put += await putSlice(database, slice);
    }
    return put;
  });

async function putSlice(database: IDBPDatabase<LogSchema>, slice: readonly LogEntry[]): Promise<number> {
  const transaction = database.transaction(['entries', 'documents', 'tallies'], 'readwrite', {
    durability: 'strict',
  });
  const rows = transaction.objectStore('entries');
  const there = await Promise.all(
    slice.map(({ id, seq }) => Promise.all([rows.index('id').getKey(id), rows.getKey(seq)])),
  );
  const missing = slice.filter((_, at) => there[at]?.every((key) => key === undefined));
  for (const entry of missing) void rows.put(rowOf(entry));
  for (const document of new Set(missing.map(({ document }) => document)))
    void transaction.objectStore('documents').put(true, document);
  if (missing.length > 0)
    void transaction.objectStore('tallies').add({
      entries: missing.length,
      bytes: missing.reduce((sum, { bytes }) => sum + bytes.length, 0),
    });
  await transaction.done;
  return missing.length;
}

/** Writes sound bytes into damaged entries. */
export const repairRows = (name: string, entries: readonly LogEntry[]): Promise<void> =>
  connected(name, async (database) => {
    const transaction = database.transaction('entries', 'readwrite', { durability: 'strict' });
    for (const entry of entries) {
      const row = await transaction.store.get(entry.seq);
      if (row?.id === entry.id) await transaction.store.put({ ...row, ...rowOf(entry), at: row.at });
    }
    await transaction.done;
  });

const rowOf = ({ seq, id, document, origin, bytes, at }: LogEntry) => {
  const own = bytes.slice();
  return { seq, id, document, origin, bytes: own, size: own.length, sum: checksum(own), at };
};
