// PGlite's files in IndexedDB, by pages of 8 KB. Everything one statement changed becomes one transaction, so what is stored is always the
// state after some statement: never half-written, and nothing acknowledged is lost when the tab or the browser is killed. After a power cut the last
// statements may be lost; the log still has their source. On a locked device each record is sealed, bound to its file and number; names,
// sizes and the number of records stay readable.
//
//   pages   one record a page: what was written lately
//   packs   128 neighbouring pages in one record, sealed files only; a page that also has a record of its own is newer there
// A start spends its time by the record, not by the byte; so pages are moved into packs, one pack a transaction, as they get many.

import {
  type ChangeSet,
  type FileWrite,
  MemfsFrontendFS,
  type StorageBackend,
  type StorageEntry,
} from '@electric-sql/pglite/memfs-frontend';
import { type DBSchema, type IDBPDatabase, type IDBPTransaction, wrap } from 'idb';
import { ignore, log, orElse } from '../../domain/base/log.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { hasPages, placeOfPages } from './page-place.ts';

/** Page size of Postgres, in bytes. */
const PAGE = 8192;
/** Pages of a file are numbered from `file id * SPAN`: room for files of 32 TB. */
const SPAN = 2 ** 32;
/** Version of the IndexedDB database; the first had no packs. */
const VERSION = 2;
/** Postgres' write-ahead log, whose files come and go: not worth packing. */
const LOG = '/pg_wal/';
/** Postgres' copy of its catalog, which it deletes at each start and makes anew: not worth keeping. */
const REMADE = /\/pg_internal\.init(\.\d+)?$/;
/** Records read at once while opening: 16 MB each. */
const BATCH = { pages: 2048, packs: 16 } as const;

/** When pages are moved into packs. */
export interface Packing {
  /** Pages in a pack; files are opened with the number that they were written with. */
  readonly pages: number;
  /** Pages that may stay outside of packs, and the same as a share of all; the larger counts. */
  readonly loose: number;
  readonly share: number;
  /** Time without a write after which pages are packed, ms. With twice as many it is not waited for. */
  readonly quietMs: number;
  /** Time after the opening in which nothing is packed, since the app starts then, ms. */
  readonly startMs: number;
}
/** Packs of 1 MB, each of which is written again for some 8 pages or more. */
const PACKING: Packing = { pages: 128, loose: 768, share: 1 / 16, quietMs: 2_000, startMs: 5_000 };
/** Packing does not wait for a quiet moment from this many times the room for pages outside of packs. */
const AT_ONCE = 2;

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
  /** By the key of the first page. Zeros at the end are left out. */
  packs: { key: number; value: Uint8Array };
}
const KINDS = ['packs', 'pages'] as const;
type Kind = (typeof KINDS)[number];
/** Sends a request whose result is not awaited. */
type Ask = (request: Promise<unknown>) => void;
type Transaction = IDBPTransaction<PageStore, ['files', 'pages', 'packs'], 'readwrite'>;
/** Requests to make within the transaction, in this order. */
type Request = (transaction: Transaction) => Promise<unknown>;

/** Changes that one transaction is to make. */
interface Pending {
  /** Stored files after it. */
  readonly files: Map<string, FileRow>;
  readonly requests: Request[];
  /** Notes on the stored records to take once it has completed. */
  readonly notes: (() => void)[];
}

/** Files to fill while reading. */
interface Found {
  readonly contents: ReadonlyMap<number, Uint8Array>;
  /** Files of the write-ahead log. */
  readonly logs: ReadonlySet<number>;
}

/** Place that a record is bound to. */
const placeOf = (kind: Kind, name: string, key: number) =>
  `recollect/${kind === 'pages' ? 'page' : 'pack'}/1|${name}|${key}`;

/** The bytes up to the last one that is not zero. */
function withoutZeros(page: Uint8Array): Uint8Array {
  let end = page.length;
  while (end > 0 && page[end - 1] === 0) end--;
  return page.subarray(0, end);
}

/** Records of file `id` from page `first` on. */
const recordsOf = (id: number, first: number) =>
  IDBKeyRange.bound(id * SPAN + first, (id + 1) * SPAN, false, true);
/** Writes a page or pack over what is at `start`; zeros that the record leaves out count. */
function overwrite(content: Uint8Array, start: number, record: Uint8Array, length: number): void {
  if (start >= content.length) return;
  content.set(record.subarray(0, content.length - start), start);
  content.fill(0, Math.min(start + record.length, content.length), start + length);
}

/** Keys of the stored records, as of the last transaction that completed. */
class Stored {
  readonly packs = new Set<number>();
  readonly #pack: number;
  /** Pages outside of packs, by the key of the pack they would be in. */
  readonly #loose = new Map<number, Set<number>>();
  #count = 0;

  /** `pack` is the number of pages in a pack. */
  constructor(pack: number) {
    this.#pack = pack;
  }

  /** Pages outside of packs. */
  get loose(): number {
    return this.#count;
  }

  /** Returns the key of the pack that a page belongs to. */
  packOf(key: number): number {
    return key - (key % this.#pack);
  }

  /** True if a pack has a content for the page, be it an old one. */
  isPacked(key: number): boolean {
    return this.packs.has(this.packOf(key));
  }

  add(kind: Kind, key: number): void {
    if (kind === 'packs') this.packs.add(key);
    else {
      const pages = this.#loose.get(this.packOf(key)) ?? new Set();
      this.#loose.set(this.packOf(key), pages);
      this.#count += pages.has(key) ? 0 : 1;
      pages.add(key);
    }
  }

  removePage(key: number): void {
    const pages = this.#loose.get(this.packOf(key));
    if (pages?.delete(key)) this.#count -= 1;
    if (pages?.size === 0) this.#loose.delete(this.packOf(key));
  }

  /** Removes pages and packs of file `id` from page `first` on; a pack that begins before it stays. */
  removeFrom(id: number, first: number): void {
    const [from, end] = [id * SPAN + first, (id + 1) * SPAN];
    for (const key of this.packs) if (key >= from && key < end) this.packs.delete(key);
    for (const [pack, pages] of this.#loose)
      if (pack + this.#pack > from && pack < end)
        for (const key of [...pages]) if (key >= from) this.removePage(key);
  }

  removePagesOfPack(pack: number): void {
    this.#count -= this.#loose.get(pack)?.size ?? 0;
    this.#loose.delete(pack);
  }

  /** The pack with the most pages outside of it, of those `wanted`. */
  fullest(wanted: (pack: number) => boolean): number | undefined {
    let best: number | undefined;
    let most = 0;
    for (const [pack, { size }] of this.#loose) if (size > most && wanted(pack)) [best, most] = [pack, size];
    return best;
  }
}

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
  readonly #packing: Packing;
  readonly #stored: Stored;
  #opening: Promise<void> | undefined;
  #found: Promise<Found> | undefined;
  /** Contents of the files, read while PGlite gets its program ready. */
  #reading: Promise<ReadonlyMap<number, Uint8Array>> | undefined;
  /** Flushes and packs, which must not write at once. */
  readonly #queue = new SerialQueue();
  #isPacking = false;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  /** Flushes so far. */
  #writes = 0;
  /** When all was read, by `performance.now()`. */
  #openedAt = 0;
  #closed = false;

  constructor(name: string, cipher: RecordCipher | null, packing: Packing) {
    [this.#name, this.#cipher, this.#packing] = [name, cipher, packing];
    this.#stored = new Stored(packing.pages);
  }

  init(): Promise<void> {
    this.#opening ??= this.#begin();
    return this.#opening;
  }

  async #begin(): Promise<void> {
    const opening = (await placeOfPages(this.#name)).open(this.#name, VERSION);
    opening.addEventListener('upgradeneeded', ({ oldVersion }) => {
      if (oldVersion < 1) {
        opening.result.createObjectStore('files', { keyPath: 'path' });
        opening.result.createObjectStore('pages');
      }
      opening.result.createObjectStore('packs');
    });
    await wrap(opening);
    const database = opening.result;
    // Another thread deletes the files, to change the engine or to start over: close ours.
    database.addEventListener('versionchange', () => database.close());
    this.#database = wrap(database) as IDBPDatabase<PageStore>;
    this.#reading = this.#read();
    ignore(this.#reading, 'reading pages ahead, whose failure `load` reports');
  }

  /** See `PageFileSystem`. */
  async readAhead(): Promise<'nothing' | 'unfinished' | 'files'> {
    if (!(await hasPages(this.#name))) return 'nothing';
    await this.init();
    await this.#found;
    return this.#files.size > 0 ? 'files' : 'unfinished';
  }

  async *load(): AsyncGenerator<StorageEntry> {
    const contents = await this.#reading;
    this.#reading = undefined;
    this.#openedAt = performance.now();
    // Sorted by path, so that a directory comes before its content.
    for (const row of [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)))
      yield row.id === 0
        ? { kind: 'dir', path: row.path }
        : { kind: 'file', path: row.path, data: contents?.get(row.id) ?? new Uint8Array(0) };
  }

  async apply(changes: ChangeSet): Promise<void> {
    this.#writes += 1;
    await this.#queue.run(() => this.#apply(changes));
    this.#packLater();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#quiet);
    await this.#queue.idle();
    this.#database?.close();
  }

  /** Returns the content of each file, by its id. */
  async #read(): Promise<ReadonlyMap<number, Uint8Array>> {
    const found = this.#readFiles();
    this.#found = found;
    const packs = this.#readAll('packs', found, Promise.resolve());
    // A page is newer than its pack.
    const [{ contents }] = await Promise.all([found, packs, this.#readAll('pages', found, packs)]);
    return contents;
  }

  /** Returns the files' contents to fill, by their ids, and the ids of the write-ahead log. */
  async #readFiles(): Promise<Found> {
    const rows = await this.#open().getAll('files');
    this.#files = new Map(rows.map((row) => [row.path, row]));
    this.#nextId = Math.max(0, ...rows.map((row) => row.id)) + 1;
    return {
      contents: new Map(rows.filter((row) => row.id > 0).map((row) => [row.id, new Uint8Array(row.size)])),
      logs: new Set(rows.filter(({ path }) => path.startsWith(LOG)).map(({ id }) => id)),
    };
  }

  /** Puts all records of a kind in their places, once `before` is there. One batch is opened while the next is read. */
  async #readAll(kind: Kind, found: Promise<Found>, before: Promise<unknown>): Promise<void> {
    const length = (kind === 'packs' ? this.#packing.pages : 1) * PAGE;
    const place = async (key: number, record: Uint8Array) => {
      const opened = await this.#opened(kind, key, record);
      const { contents, logs } = await found;
      if (!logs.has(Math.floor(key / SPAN))) this.#stored.add(kind, key);
      const content = contents.get(Math.floor(key / SPAN));
      await before;
      if (content) overwrite(content, (key % SPAN) * PAGE, opened, length);
    };
    let placing: Promise<unknown> = Promise.resolve();
    for (let from = 0; ; ) {
      const range = IDBKeyRange.lowerBound(from);
      const reading = this.#open().transaction(kind);
      const [keys, records] = await Promise.all([
        reading.store.getAllKeys(range, BATCH[kind]),
        reading.store.getAll(range, BATCH[kind]),
      ]);
      await placing;
      placing = Promise.all(records.map((record, at) => place(keys[at] ?? -1, record)));
      ignore(placing, 'a batch of pages, which is awaited after the next one was read');
      const last = keys.at(-1);
      if (last === undefined || keys.length < BATCH[kind]) break;
      from = last + 1;
    }
    await placing;
  }

  /** How often the pages outside of packs fill the room for them; above 1 they are to be packed. */
  #fill(): number {
    const { loose, packs } = this.#stored;
    const share = (loose + packs.size * this.#packing.pages) * this.#packing.share;
    return loose === 0 ? 0 : loose / Math.max(this.#packing.loose, share);
  }

  /** Packs pages once nobody writes, since a flush would wait for it; at once where they are far too many. */
  #packLater(): void {
    clearTimeout(this.#quiet);
    if (!this.#cipher || this.#isPacking || this.#closed || this.#fill() <= 1) return;
    const started = this.#openedAt + this.#packing.startMs - performance.now();
    const quiet = this.#fill() > AT_ONCE ? 0 : this.#packing.quietMs;
    if (started <= 0 && quiet === 0) this.#packSome();
    else this.#quiet = setTimeout(() => this.#packSome(), Math.max(started, quiet));
  }

  /** Moves pages into packs until half of the room for others is free; ends with the next write unless they are far too many. */
  #packSome(): void {
    this.#isPacking = true;
    const writes = this.#writes;
    const work = async () => {
      const tried = new Set<number>();
      while (!this.#closed && this.#fill() > 1 / 2) {
        if (writes !== this.#writes && this.#fill() <= AT_ONCE) return;
        const pack = this.#stored.fullest((key) => !tried.has(key));
        if (pack === undefined) return;
        tried.add(pack);
        await this.#queue.run(() => this.#pack(pack));
      }
    };
    // After a failure, such as a full disk, nothing is packed until the next start.
    const packed = work().then(() => {
      this.#isPacking = false;
      if (writes !== this.#writes) this.#packLater();
    });
    void orElse(packed, undefined, 'moving pages into packs; they stay as they are');
  }

  /** Makes one record of a pack and its newer pages. */
  async #pack(pack: number): Promise<void> {
    const database = this.#open();
    const range = IDBKeyRange.bound(pack, pack + this.#packing.pages, false, true);
    const reading = database.transaction(['pages', 'packs']);
    const [before, keys, pages] = await Promise.all([
      reading.objectStore('packs').get(pack),
      reading.objectStore('pages').getAllKeys(range),
      reading.objectStore('pages').getAll(range),
    ]);
    const content = new Uint8Array(this.#packing.pages * PAGE);
    if (before) content.set(await this.#opened('packs', pack, before));
    await Promise.all(
      pages.map(async (page, at) => {
        const key = keys[at] ?? pack;
        overwrite(content, (key - pack) * PAGE, await this.#opened('pages', key, page), PAGE);
      }),
    );
    const bytes = await this.#sealed('packs', pack, withoutZeros(content));
    // Waits for the disk: the pages go, and nothing but this record has their content then.
    const transaction = database.transaction(['pages', 'packs'], 'readwrite', { durability: 'strict' });
    await Promise.all([
      transaction.objectStore('packs').put(bytes, pack),
      transaction.objectStore('pages').delete(range),
      transaction.done,
    ]);
    this.#stored.add('packs', pack);
    this.#stored.removePagesOfPack(pack);
  }

  async #apply({ ops, files }: ChangeSet): Promise<void> {
    const pending: Pending = { files: new Map(this.#files), requests: [], notes: [] };
    for (const { op, path } of ops) {
      if (op === 'remove') this.#remove(pending, path);
      else this.#record(pending, { path, id: 0, size: 0 });
    }
    // Read and seal everything before the transaction begins: it would end during any other wait.
    for (const file of [...files.wal, ...files.data, ...files.control])
      if (!REMADE.test(file.path)) await this.#write(pending, file);
    // Relaxed durability does not wait for the disk, which would delay the log's saves.
    const transaction = this.#open().transaction(['files', 'pages', 'packs'], 'readwrite', {
      durability: 'relaxed',
    });
    // A failed request aborts its transaction, which reports the error.
    const ask: Ask = (request) => ignore(request, 'a request whose transaction reports its failure');
    ask(transaction.done);
    try {
      for (const request of pending.requests) ask(request(transaction));
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
    this.#files = pending.files;
    for (const note of pending.notes) note();
  }

  #open(): IDBPDatabase<PageStore> {
    if (!this.#database) throw new Error('The page store is not open.');
    return this.#database;
  }

  /** Returns the plain bytes of a record. Throws if they cannot be opened; the index is then made again. */
  async #opened(kind: Kind, key: number, record: Uint8Array): Promise<Uint8Array> {
    if (!this.#cipher) return record;
    const plain = await this.#cipher.open(placeOf(kind, this.#name, key), record);
    if (!plain) throw new Error('A page of the index does not open with the key of this device.');
    return plain;
  }

  /** Copies, since IndexedDB would store all memory behind a view. */
  async #sealed(kind: Kind, key: number, record: Uint8Array): Promise<Uint8Array> {
    return this.#cipher ? await this.#cipher.seal(placeOf(kind, this.#name, key), record) : record.slice();
  }

  #record({ files, requests }: Pending, row: FileRow): void {
    files.set(row.path, row);
    requests.push((transaction) => transaction.objectStore('files').put(row));
  }

  #remove(pending: Pending, path: string): void {
    for (const row of [...pending.files.values()]) {
      if (row.path !== path && !row.path.startsWith(`${path}/`)) continue;
      pending.files.delete(row.path);
      pending.requests.push((transaction) => transaction.objectStore('files').delete(row.path));
      if (row.id > 0) this.#removeFrom(pending, row.id, 0);
    }
  }

  /** Removes the records of a file from page `first` on; a pack that begins before it stays. */
  #removeFrom({ requests, notes }: Pending, id: number, first: number): void {
    for (const kind of KINDS)
      requests.push((transaction) => transaction.objectStore(kind).delete(recordsOf(id, first)));
    notes.push(() => this.#stored.removeFrom(id, first));
  }

  async #write(pending: Pending, file: FileWrite): Promise<void> {
    const found = pending.files.get(file.path);
    const before = found && found.id > 0 ? found : { id: this.#nextId++, size: -1 };
    const { id } = before;
    if (before.size !== file.size) this.#record(pending, { path: file.path, id, size: file.size });
    /** Bytes of the stored file that stay valid unless a chunk replaces them. */
    const kept = file.full ? 0 : Math.max(0, Math.min(before.size, file.size));
    const end = Math.ceil(kept / PAGE);
    if (kept < before.size) this.#removeFrom(pending, id, end);

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
    // The cut part must read as zeros if the file grows again; so must what a pack still has of it.
    if (kept < before.size) {
      if (kept % PAGE > 0 && !changed.has(end - 1)) changed.set(end - 1, []);
      if (this.#stored.isPacked(id * SPAN + end))
        for (let number = end; number % this.#packing.pages > 0; number++)
          if (!changed.has(number)) changed.set(number, []);
    }

    await Promise.all(
      [...changed].map(async ([number, parts]) => {
        const key = id * SPAN + number;
        const keptHere = Math.min(PAGE, Math.max(0, kept - number * PAGE));
        const covered = parts.some((part) => part.at === 0 && part.data.length >= keptHere);
        const content = new Uint8Array(PAGE);
        if (keptHere > 0 && !covered) content.set((await this.#page(key))?.subarray(0, keptHere) ?? []);
        for (const part of parts) content.set(part.data, part.at);
        await this.#keep(pending, key, withoutZeros(content), file.path.startsWith(LOG));
      }),
    );
  }

  /** Keeps a page. One of zeros needs no record, unless a pack has another content for it. */
  async #keep({ requests, notes }: Pending, key: number, page: Uint8Array, isLog: boolean): Promise<void> {
    if (page.length === 0 && !this.#stored.isPacked(key)) {
      requests.push((transaction) => transaction.objectStore('pages').delete(key));
      notes.push(() => this.#stored.removePage(key));
      return;
    }
    const bytes = await this.#sealed('pages', key, page);
    requests.push((transaction) => transaction.objectStore('pages').put(bytes, key));
    if (!isLog) notes.push(() => this.#stored.add('pages', key));
  }

  /** Returns the plain bytes of a stored page, without the zeros at its end. */
  async #page(key: number): Promise<Uint8Array | undefined> {
    const page = await this.#open().get('pages', key);
    if (page) return this.#opened('pages', key, page);
    const first = this.#stored.packOf(key);
    const pack = await this.#open().get('packs', first);
    if (!pack) return undefined;
    const from = (key - first) * PAGE;
    return (await this.#opened('packs', first, pack)).subarray(from, from + PAGE);
  }
}

export interface PageFileSystem extends MemfsFrontendFS {
  /**
   * Begins to read what is stored before PGlite asks for it. Resolves once it is known if there are files: none are there in `unfinished`,
   * which a first start that was cut short leaves. Rejects as `init` will.
   */
  readAhead(): ReturnType<PageBackend['readAhead']>;
}

/** PGlite's file system over pages in the IndexedDB database `name`, sealed and packed if there is a cipher. */
export function createPageFileSystem(
  name: string,
  cipher: RecordCipher | null = null,
  packing: Packing = PACKING,
): PageFileSystem {
  const backend = new PageBackend(name, cipher, packing);
  return Object.assign(new MemfsFrontendFS(backend), { readAhead: () => backend.readAhead() });
}

/** True if the database `name`, which exists, contains a file: PGlite stores all files of a new index at once. */
export async function hasFiles(name: string): Promise<boolean> {
  const opening = (await placeOfPages(name)).open(name);
  await wrap(opening);
  const database = wrap(opening.result) as IDBPDatabase<PageStore>;
  try {
    return database.objectStoreNames.contains('files') && (await database.count('files')) > 0;
  } finally {
    database.close();
  }
}
