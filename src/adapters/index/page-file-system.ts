// PGlite's files in IndexedDB, by pages of 8 KB. Everything one statement changed becomes one strict transaction, so what is
// stored is always the state after some statement: nothing torn, nothing acknowledged lost, whenever the tab is killed.

import {
  type ChangeSet,
  type FileWrite,
  MemfsFrontendFS,
  type StorageBackend,
  type StorageEntry,
} from '@electric-sql/pglite/memfs-frontend';
import { type DBSchema, deleteDB, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb';
import { ignore, log } from '../../domain/base/log.ts';

/** As Postgres writes. */
const PAGE = 8192;
/** Pages of a file are numbered from `file id * SPAN`: room for files of 32 TB, more files than there will ever be. */
const SPAN = 2 ** 32;
/** Pages read at once while opening: 16 MB. */
const BATCH = 2048;

/** `id` 0 marks a directory. */
interface FileRow {
  readonly path: string;
  readonly id: number;
  readonly size: number;
}

interface PageStore extends DBSchema {
  files: { key: string; value: FileRow };
  /** Pages of nothing but zeros are left out, zeros at a page's end too. */
  pages: { key: number; value: Uint8Array };
}
/** Sends a request whose answer nobody waits for. */
type Ask = (request: Promise<unknown>) => void;
type Transaction = IDBPTransaction<PageStore, ['files', 'pages'], 'readwrite'>;

/** The bytes up to the last one that is not zero. */
function withoutZeros(page: Uint8Array): Uint8Array {
  let end = page.length;
  while (end > 0 && page[end - 1] === 0) end--;
  return page.subarray(0, end);
}

/** Pages of file `id` from page `first` on. */
const pagesOf = (id: number, first: number) =>
  IDBKeyRange.bound(id * SPAN + first, (id + 1) * SPAN, false, true);

/**
 * Files of one PGlite in the IndexedDB database `name`. Only one may be open at a time (the leader's).
 * `apply` throws what IndexedDB throws, `QuotaExceededError` among it; PGlite then passes the changes again with the next.
 */
class PageBackend implements StorageBackend {
  readonly #name: string;
  #database: IDBPDatabase<PageStore> | undefined;
  /** What is stored, as of the last transaction that completed. */
  #files = new Map<string, FileRow>();
  #nextId = 1;

  constructor(name: string) {
    this.#name = name;
  }

  async init(): Promise<void> {
    const database = await openDB<PageStore>(this.#name, 1, {
      upgrade: (fresh) => {
        fresh.createObjectStore('files', { keyPath: 'path' });
        fresh.createObjectStore('pages');
      },
      // Someone deletes the files, to change to another engine or to start over: stand aside.
      blocking: () => database.close(),
    });
    this.#database = database;
  }

  async *load(): AsyncGenerator<StorageEntry> {
    const database = this.#open();
    const rows = await database.getAll('files');
    this.#files = new Map(rows.map((row) => [row.path, row]));
    this.#nextId = Math.max(0, ...rows.map((row) => row.id)) + 1;
    const contents = new Map(
      rows.filter((row) => row.id > 0).map((row) => [row.id, new Uint8Array(row.size)]),
    );
    for (let from = 0; ; ) {
      const range = IDBKeyRange.lowerBound(from);
      const reading = database.transaction('pages');
      const [keys, pages] = await Promise.all([
        reading.store.getAllKeys(range, BATCH),
        reading.store.getAll(range, BATCH),
      ]);
      for (const [at, key] of keys.entries()) {
        const content = contents.get(Math.floor(key / SPAN));
        const page = pages[at];
        const start = (key % SPAN) * PAGE;
        if (content && page && start < content.length)
          content.set(page.subarray(0, content.length - start), start);
      }
      const last = keys.at(-1);
      if (last === undefined || keys.length < BATCH) break;
      from = last + 1;
    }
    // By path: a directory sorts before what is in it.
    for (const row of [...rows].sort((a, b) => (a.path < b.path ? -1 : 1)))
      yield row.id === 0
        ? { kind: 'dir', path: row.path }
        : { kind: 'file', path: row.path, data: contents.get(row.id) ?? new Uint8Array(0) };
  }

  async apply(
    { ops, files }: ChangeSet,
    { relaxedDurability }: { relaxedDurability: boolean },
  ): Promise<void> {
    const next = new Map(this.#files);
    const transaction = this.#open().transaction(['files', 'pages'], 'readwrite', {
      durability: relaxedDurability ? 'relaxed' : 'strict',
    });
    // A request that fails ends its transaction: that is where failure is heard.
    const ask: Ask = (request) => ignore(request, 'a request whose transaction reports its failure');
    ask(transaction.done);
    try {
      for (const { op, path } of ops) {
        if (op === 'remove') this.#remove(transaction, next, path, ask);
        else this.#record(transaction, next, { path, id: 0, size: 0 }, ask);
      }
      await Promise.all(
        [...files.wal, ...files.data, ...files.control].map((file) =>
          this.#write(transaction, next, file, ask),
        ),
      );
    } catch (error) {
      try {
        transaction.abort();
      } catch (over) {
        // It has ended already; its own error says more.
        log.debug('A transaction of pages had ended already', over);
        await transaction.done;
      }
      throw error;
    }
    await transaction.done;
    this.#files = next;
  }

  async close(): Promise<void> {
    this.#database?.close();
  }

  #open(): IDBPDatabase<PageStore> {
    if (!this.#database) throw new Error('The page store is not open.');
    return this.#database;
  }

  #record(transaction: Transaction, next: Map<string, FileRow>, row: FileRow, ask: Ask): void {
    next.set(row.path, row);
    ask(transaction.objectStore('files').put(row));
  }

  #remove(transaction: Transaction, next: Map<string, FileRow>, path: string, ask: Ask): void {
    for (const row of [...next.values()]) {
      if (row.path !== path && !row.path.startsWith(`${path}/`)) continue;
      next.delete(row.path);
      ask(transaction.objectStore('files').delete(row.path));
      if (row.id > 0) ask(transaction.objectStore('pages').delete(pagesOf(row.id, 0)));
    }
  }

  async #write(
    transaction: Transaction,
    next: Map<string, FileRow>,
    file: FileWrite,
    ask: Ask,
  ): Promise<void> {
    const pages = transaction.objectStore('pages');
    const found = next.get(file.path);
    const before = found && found.id > 0 ? found : { id: this.#nextId++, size: -1 };
    const { id } = before;
    if (before.size !== file.size)
      this.#record(transaction, next, { path: file.path, id, size: file.size }, ask);
    /** Bytes of the stored file that are still right where no chunk says otherwise. */
    const kept = file.full ? 0 : Math.max(0, Math.min(before.size, file.size));
    if (kept < before.size) ask(pages.delete(pagesOf(id, Math.ceil(kept / PAGE))));

    // Page number → its new bytes by position; a page that is not covered entirely is completed from what is stored.
    const changed = new Map<number, { at: number; data: Uint8Array }[]>();
    for (const { at, data } of file.chunks)
      for (let from = 0; from < data.length; ) {
        const page = Math.floor((at + from) / PAGE);
        const inPage = (at + from) % PAGE;
        const length = Math.min(PAGE - inPage, data.length - from);
        const parts = changed.get(page) ?? [];
        parts.push({ at: inPage, data: data.subarray(from, from + length) });
        changed.set(page, parts);
        from += length;
      }
    // What was cut off must read as zeros if the file grows again.
    const cut = Math.floor(kept / PAGE);
    if (kept < before.size && kept % PAGE > 0 && !changed.has(cut)) changed.set(cut, []);

    for (const [number, parts] of changed) {
      const start = number * PAGE;
      const keptHere = Math.min(PAGE, Math.max(0, kept - start));
      const covered = parts.some((part) => part.at === 0 && part.data.length >= keptHere);
      const content = new Uint8Array(PAGE);
      if (keptHere > 0 && !covered)
        content.set((await pages.get(id * SPAN + number))?.subarray(0, keptHere) ?? []);
      for (const part of parts) content.set(part.data, part.at);
      const wanted = withoutZeros(content);
      // A copy of just these bytes: IndexedDB would store all of the memory behind a view.
      ask(
        wanted.length > 0 ? pages.put(wanted.slice(), id * SPAN + number) : pages.delete(id * SPAN + number),
      );
    }
  }
}

/** PGlite's file system over pages in the IndexedDB database `name`. */
export const createPageFileSystem = (name: string): MemfsFrontendFS =>
  new MemfsFrontendFS(new PageBackend(name));

/** Whether there is a database `name`, or the browser does not tell. */
export const hasPageFileSystem = async (name: string): Promise<boolean> =>
  typeof indexedDB.databases !== 'function' ||
  (await indexedDB.databases()).some((database) => database.name === name);

/** Deletes the database `name`; a connection that is still open elsewhere stands aside. */
export const deletePageFileSystem = (name: string): Promise<void> => deleteDB(name);
