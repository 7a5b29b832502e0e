// PGlite's files in IndexedDB, by pages of 8 KB. Everything one statement changed becomes one transaction, so what is stored is always the
// state after some statement: never half-written, and nothing acknowledged is lost when the tab or the browser is killed. After a power cut the last
// statements may be lost; the log still has their source. On a locked device each page is sealed, bound to its file and number; names,
// sizes and the number of pages stay readable.

import {
  type ChangeSet,
  type FileWrite,
  MemfsFrontendFS,
  type StorageBackend,
  type StorageEntry,
} from '@electric-sql/pglite/memfs-frontend';
import { type DBSchema, type IDBPDatabase, type IDBPTransaction, wrap } from 'idb';
import { ignore, log } from '../../domain/base/log.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import { placeOfPages } from './page-place.ts';

/** Page size of Postgres, in bytes. */
const PAGE = 8192;
/** Pages of a file are numbered from `file id * SPAN`: room for files of 32 TB. */
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
  /** Pages of zeros are left out, and zeros at a page's end too. Sealed on a locked device. */
  pages: { key: number; value: Uint8Array };
}
/** Sends a request whose result is not awaited. */
type Ask = (request: Promise<unknown>) => void;
type Transaction = IDBPTransaction<PageStore, ['files', 'pages'], 'readwrite'>;
/** Requests to make within the transaction, in this order. */
type Request = (transaction: Transaction) => Promise<unknown>;

/** Place that a page is bound to. */
const placeOf = (name: string, key: number) => `recollect/page/1|${name}|${key}`;

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
 * Files of one PGlite in the IndexedDB database `name`. Only the leader may open it. `apply` throws IndexedDB's
 * errors, such as `QuotaExceededError`; PGlite then passes the changes again with the next ones.
 */
class PageBackend implements StorageBackend {
  readonly #name: string;
  readonly #cipher: RecordCipher | null;
  #database: IDBPDatabase<PageStore> | undefined;
  /** Stored files, as of the last transaction that completed. */
  #files = new Map<string, FileRow>();
  #nextId = 1;

  constructor(name: string, cipher: RecordCipher | null) {
    this.#name = name;
    this.#cipher = cipher;
  }

  async init(): Promise<void> {
    const opening = (await placeOfPages(this.#name)).open(this.#name, 1);
    opening.addEventListener('upgradeneeded', () => {
      opening.result.createObjectStore('files', { keyPath: 'path' });
      opening.result.createObjectStore('pages');
    });
    await wrap(opening);
    const database = opening.result;
    // Another thread deletes the files, to change the engine or to start over: close ours.
    database.addEventListener('versionchange', () => database.close());
    this.#database = wrap(database) as IDBPDatabase<PageStore>;
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
      const opened = await Promise.all(pages.map((page, at) => this.#opened(keys[at] ?? -1, page)));
      for (const [at, key] of keys.entries()) {
        const content = contents.get(Math.floor(key / SPAN));
        const page = opened[at];
        const start = (key % SPAN) * PAGE;
        if (content && page && start < content.length)
          content.set(page.subarray(0, content.length - start), start);
      }
      const last = keys.at(-1);
      if (last === undefined || keys.length < BATCH) break;
      from = last + 1;
    }
    // Sorted by path, so that a directory comes before its content.
    for (const row of [...rows].sort((a, b) => (a.path < b.path ? -1 : 1)))
      yield row.id === 0
        ? { kind: 'dir', path: row.path }
        : { kind: 'file', path: row.path, data: contents.get(row.id) ?? new Uint8Array(0) };
  }

  async apply({ ops, files }: ChangeSet): Promise<void> {
    const next = new Map(this.#files);
    const requests: Request[] = [];
    for (const { op, path } of ops) {
      if (op === 'remove') this.#remove(requests, next, path);
      else this.#record(requests, next, { path, id: 0, size: 0 });
    }
    // Read and seal everything before the transaction begins: it would end during any other wait.
    for (const file of [...files.wal, ...files.data, ...files.control])
      await this.#write(requests, next, file);
    // Relaxed durability does not wait for the disk, which would delay the log's saves.
    const transaction = this.#open().transaction(['files', 'pages'], 'readwrite', { durability: 'relaxed' });
    // A failed request aborts its transaction, which reports the error.
    const ask: Ask = (request) => ignore(request, 'a request whose transaction reports its failure');
    ask(transaction.done);
    try {
      for (const request of requests) ask(request(transaction));
    } catch (error) {
      try {
        transaction.abort();
      } catch (over) {
        // The transaction has already ended; its own error says more.
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

  /** Returns the plain bytes of a page. Throws if they cannot be opened; the index is then made again. */
  async #opened(key: number, page: Uint8Array): Promise<Uint8Array> {
    if (!this.#cipher) return page;
    const plain = await this.#cipher.open(placeOf(this.#name, key), page);
    if (!plain) throw new Error('A page of the index does not open with the key of this device.');
    return plain;
  }

  #record(requests: Request[], next: Map<string, FileRow>, row: FileRow): void {
    next.set(row.path, row);
    requests.push((transaction) => transaction.objectStore('files').put(row));
  }

  #remove(requests: Request[], next: Map<string, FileRow>, path: string): void {
    for (const row of [...next.values()]) {
      if (row.path !== path && !row.path.startsWith(`${path}/`)) continue;
      next.delete(row.path);
      requests.push((transaction) => transaction.objectStore('files').delete(row.path));
      if (row.id > 0)
        requests.push((transaction) => transaction.objectStore('pages').delete(pagesOf(row.id, 0)));
    }
  }

  async #write(requests: Request[], next: Map<string, FileRow>, file: FileWrite): Promise<void> {
    const found = next.get(file.path);
    const before = found && found.id > 0 ? found : { id: this.#nextId++, size: -1 };
    const { id } = before;
    if (before.size !== file.size) this.#record(requests, next, { path: file.path, id, size: file.size });
    /** Bytes of the stored file that stay valid unless a chunk replaces them. */
    const kept = file.full ? 0 : Math.max(0, Math.min(before.size, file.size));
    if (kept < before.size)
      requests.push((transaction) =>
        transaction.objectStore('pages').delete(pagesOf(id, Math.ceil(kept / PAGE))),
      );

    // Page number → its new bytes by position; a partly covered page is completed from the stored one.
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
    // The cut part must read as zeros if the file grows again.
    const cut = Math.floor(kept / PAGE);
    if (kept < before.size && kept % PAGE > 0 && !changed.has(cut)) changed.set(cut, []);

    await Promise.all(
      [...changed].map(async ([number, parts]) => {
        const key = id * SPAN + number;
        const keptHere = Math.min(PAGE, Math.max(0, kept - number * PAGE));
        const covered = parts.some((part) => part.at === 0 && part.data.length >= keptHere);
        const content = new Uint8Array(PAGE);
        if (keptHere > 0 && !covered) content.set((await this.#stored(key))?.subarray(0, keptHere) ?? []);
        for (const part of parts) content.set(part.data, part.at);
        const bytes = await this.#kept(key, withoutZeros(content));
        requests.push((transaction) => {
          const pages = transaction.objectStore('pages');
          return bytes ? pages.put(bytes, key) : pages.delete(key);
        });
      }),
    );
  }

  /**
   * Returns the stored form of a page; null for zeros. It copies, since IndexedDB would store all memory behind a
   * view.
   */
  async #kept(key: number, page: Uint8Array): Promise<Uint8Array | null> {
    if (page.length === 0) return null;
    return this.#cipher ? await this.#cipher.seal(placeOf(this.#name, key), page) : page.slice();
  }

  async #stored(key: number): Promise<Uint8Array | undefined> {
    const page = await this.#open().get('pages', key);
    return page && (await this.#opened(key, page));
  }
}

/** PGlite's file system over pages in the IndexedDB database `name`, sealed if there is a cipher. */
export const createPageFileSystem = (name: string, cipher: RecordCipher | null = null): MemfsFrontendFS =>
  new MemfsFrontendFS(new PageBackend(name, cipher));
