// PGlite's files in IndexedDB, by pages of 8 KB. Everything one statement changed becomes one transaction, so what is
// stored is always the state after some statement: never half-written, and nothing acknowledged is lost when the tab or
// the browser is killed. After a power cut the last statements may be lost; the log still has their source.
//
// `page-store.ts` says how it lies there. A start spends its time by the record, not by the byte; so pages are moved
// into packs, one pack a transaction, as they get many.

import { PGlite } from '@electric-sql/pglite';
import {
  type ChangeSet,
  type FileWrite,
  MemfsFrontendFS,
  type StorageBackend,
  type StorageEntry,
} from '@electric-sql/pglite/memfs-frontend';
import type { IDBPTransaction } from 'idb';
import { attempt, ignore, log, orElse } from '../../domain/base/log.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { hasPages } from './page-place.ts';
import { canShare, FileContents, type PageReader, type StartPageReader } from './page-reader.ts';
import {
  type FileRow,
  KINDS,
  LOG,
  openPages,
  overwrite,
  PAGE,
  type PageDatabase,
  PageRecords,
  type PageSchema,
  recordsOf,
  SPAN,
  withoutZeros,
} from './page-store.ts';
import { StoredPages } from './stored-pages.ts';

/** Postgres' copy of its catalog, which it deletes at each start and makes anew: not worth keeping. */
const REMADE = /\/pg_internal\.init(\.\d+)?$/;

/** When pages are moved into packs. */
export interface Packing {
  /** Pages in a pack; files are opened with the number that they were written with. */
  readonly pages: number;
  /** Pages that may stay outside of packs, and the same as a share of all; the larger counts. */
  readonly loose: number;
  readonly share: number;
  /** Time without a query after which pages are packed, ms. With twice as many it is not waited for. */
  readonly quietMs: number;
  /** Time after the opening in which nothing is packed, since the app starts then, ms. */
  readonly startMs: number;
}
/** Packs of 1 MB, each of which is written again for some 8 pages or more. */
const PACKING: Packing = { pages: 128, loose: 768, share: 1 / 16, quietMs: 2_000, startMs: 5_000 };
/** Packing does not wait for a quiet moment from this many times the room for pages outside of packs. */
const AT_ONCE = 2;

/** Changes of pages alone that may wait to be stored, some 100 KB each; the next is waited for. */
const MOST_LATE = 64;
const isOfPagesAlone = ({ ops, files }: ChangeSet): boolean =>
  ops.length === 0 && files.wal.length === 0 && files.control.length === 0;

interface PageOptions {
  readonly packing?: Packing;
  /** Starts a thread that reads the files, if threads can share memory here. Default: this thread reads them. */
  readonly startReader?: StartPageReader | undefined;
}

/** Sends a request whose result is not awaited. */
type Ask = (request: Promise<unknown>) => void;
type Transaction = IDBPTransaction<PageSchema, ['files', 'pages', 'packs'], 'readwrite'>;
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

/**
 * Files of one PGlite in the IndexedDB database `name`. Only the leader may open it. `apply` throws IndexedDB's
 * errors, such as `QuotaExceededError`; PGlite then passes the changes again with the next ones.
 */
class PageBackend implements StorageBackend {
  readonly #name: string;
  readonly #cipher: RecordCipher | null;
  readonly #records: PageRecords;
  readonly #startReader: StartPageReader | undefined;
  #reader: PageReader | null = null;
  #database: PageDatabase | undefined;
  /** Stored files, as of the last transaction that completed. */
  #files = new Map<string, FileRow>();
  #nextId = 1;
  readonly #packing: Packing;
  readonly #stored: StoredPages;
  #opening: Promise<void> | undefined;
  /** Contents of the files, read while PGlite gets its program ready. */
  #contents: Promise<FileContents> | undefined;
  /** Flushes and packs, which must not write at once. */
  readonly #queue = new SerialQueue();
  /** Changes of pages alone that are not stored yet, oldest first. */
  readonly #late: ChangeSet[] = [];
  #isPacking = false;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  /** Flushes so far. */
  #writes = 0;
  /** End of the last query, by `performance.now()`. */
  #usedAt = 0;
  /** When all was read, by `performance.now()`. Nothing is packed before. */
  #openedAt: number | undefined;
  #closed = false;

  constructor(name: string, cipher: RecordCipher | null, { packing, startReader }: PageOptions) {
    [this.#name, this.#cipher, this.#startReader] = [name, cipher, startReader];
    this.#packing = packing ?? PACKING;
    this.#records = new PageRecords(name, cipher);
    this.#stored = new StoredPages(this.#packing.pages);
  }

  init(): Promise<void> {
    this.#opening ??= this.#begin();
    return this.#opening;
  }

  async #begin(): Promise<void> {
    if (this.#startReader && canShare())
      this.#reader = attempt(this.#startReader, null, 'a thread that reads the index; this one reads');
    this.#database = await openPages(this.#name);
    this.#contents = this.#read(this.#database);
    ignore(this.#contents, 'reading the list of files ahead, whose failure `load` reports');
  }

  /** See `PageFileSystem`. */
  async readAhead(): Promise<'nothing' | 'unfinished' | 'files'> {
    if (!(await hasPages(this.#name))) return 'nothing';
    await this.init();
    await this.#contents;
    return this.#files.size > 0 ? 'files' : 'unfinished';
  }

  async *load(): AsyncGenerator<StorageEntry> {
    const contents = await this.#contents;
    await contents?.first;
    // Sorted by path, so that a directory comes before its content.
    for (const row of [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)))
      yield row.id === 0
        ? { kind: 'dir', path: row.path }
        : { kind: 'file', path: row.path, data: contents?.bytesOf(row.id) ?? new Uint8Array(0) };
  }

  /**
   * Returns the files whose content is still being read, and what holds this thread until bytes of them are there. Call
   * it once, after `load`: it forgets the contents, which are PGlite's now.
   */
  async late(): Promise<{ readonly files: readonly FileRow[]; readonly need: FileContents['need'] }> {
    const contents = await this.#contents;
    this.#contents = undefined;
    contents?.release();
    return {
      files: [...this.#files.values()].filter(({ id }) => contents?.isLate(id)),
      need: (...bytes) => contents?.need(...bytes),
    };
  }

  /**
   * Stores what a query changed, after all before it. Resolves at once for pages alone: a question that needed their
   * room put them out of Postgres' memory, and the log, stored earlier, has their changes.
   */
  async apply(changes: ChangeSet): Promise<void> {
    this.#writes += 1;
    if (isOfPagesAlone(changes) && this.#late.length < MOST_LATE) {
      this.#late.push(changes);
      const stored = this.#queue.run(() => this.#storeLate()).then(() => this.#packLater());
      void orElse(
        stored,
        undefined,
        'storing pages that a question put out of memory; tried with the next change',
      );
      return;
    }
    await this.#queue.run(async () => {
      await this.#storeLate();
      await this.#apply(changes);
    });
    this.#packLater();
  }

  async #storeLate(): Promise<void> {
    for (let first = this.#late[0]; first; first = this.#late[0]) {
      await this.#apply(first);
      this.#late.shift();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#quiet);
    await this.#queue.idle();
    this.#endReader();
    this.#database?.close();
  }

  /** Reads which files and records there are, and begins to read the files. */
  async #read(database: PageDatabase): Promise<FileContents> {
    const [rows, packs, pages] = await Promise.all([
      database.getAll('files'),
      database.getAllKeys('packs'),
      database.getAllKeys('pages'),
    ]);
    this.#files = new Map(rows.map((row) => [row.path, row]));
    this.#nextId = Math.max(0, ...rows.map((row) => row.id)) + 1;
    const logs = new Set(rows.filter(({ path }) => path.startsWith(LOG)).map(({ id }) => id));
    for (const key of packs) this.#stored.add('packs', key);
    for (const key of pages) if (!logs.has(Math.floor(key / SPAN))) this.#stored.add('pages', key);
    const contents = new FileContents(
      { name: this.#name, pack: this.#packing.pages, database, cipher: this.#cipher },
      rows,
      this.#reader,
    );
    const read = contents.all.then(() => {
      this.#openedAt = performance.now();
      this.#packLater();
    });
    void orElse(
      read.finally(() => this.#endReader()),
      undefined,
      'reading all files of the index',
    );
    return contents;
  }

  #endReader(): void {
    this.#reader?.close();
    this.#reader = null;
  }

  /** How often the pages outside of packs fill the room for them; above 1 they are to be packed. */
  #fill(): number {
    const { loose, packs } = this.#stored;
    const share = (loose + packs.size * this.#packing.pages) * this.#packing.share;
    return loose === 0 ? 0 : loose / Math.max(this.#packing.loose, share);
  }

  /** Notes a query: packing takes this thread for some 20 ms a pack, for which the next query would wait. */
  used(): void {
    this.#usedAt = performance.now();
  }

  /** Time until packing may go on, ms: until the start is over and nobody has asked for a while. */
  #restMs(): number {
    const now = performance.now();
    const started = (this.#openedAt ?? now) + this.#packing.startMs - now;
    const quiet = this.#fill() > AT_ONCE ? 0 : this.#usedAt + this.#packing.quietMs - now;
    return Math.max(0, started, quiet);
  }

  /** Packs pages once nobody uses the index; at once where they are far too many. */
  #packLater(): void {
    clearTimeout(this.#quiet);
    if (!this.#cipher || this.#isPacking || this.#closed || this.#fill() <= 1) return;
    if (this.#openedAt === undefined) return;
    const rest = this.#restMs();
    if (rest === 0) this.#packSome();
    else this.#quiet = setTimeout(() => this.#packLater(), rest);
  }

  /** Moves pages into packs until half of the room for others is free, or until the index is used again. */
  #packSome(): void {
    this.#isPacking = true;
    const [writes, usedAt] = [this.#writes, this.#usedAt];
    const work = async () => {
      const tried = new Set<number>();
      while (!this.#closed && this.#fill() > 1 / 2) {
        if (usedAt !== this.#usedAt && this.#fill() <= AT_ONCE) return;
        const pack = this.#stored.fullest((key) => !tried.has(key));
        if (pack === undefined) return;
        tried.add(pack);
        await this.#queue.run(() => this.#pack(pack));
      }
    };
    // After a failure, such as a full disk, nothing is packed until the next start.
    const packed = work().then(() => {
      this.#isPacking = false;
      if (writes !== this.#writes || usedAt !== this.#usedAt) this.#packLater();
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
    if (before) content.set(await this.#records.opened('packs', pack, before));
    await Promise.all(
      pages.map(async (page, at) => {
        const key = keys[at] ?? pack;
        overwrite(content, (key - pack) * PAGE, await this.#records.opened('pages', key, page), PAGE);
      }),
    );
    const bytes = await this.#records.sealed('packs', pack, withoutZeros(content));
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
      // Without it the transaction ends once this thread learns of its requests. The thread may wait for a part
      // meanwhile, and the one that reads the part for this transaction.
      transaction.commit();
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

  #open(): PageDatabase {
    if (!this.#database) throw new Error('The page store is not open.');
    return this.#database;
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
    const bytes = await this.#records.sealed('pages', key, page);
    requests.push((transaction) => transaction.objectStore('pages').put(bytes, key));
    if (!isLog) notes.push(() => this.#stored.add('pages', key));
  }

  /** Returns the plain bytes of a stored page, without the zeros at its end. */
  async #page(key: number): Promise<Uint8Array | undefined> {
    const page = await this.#open().get('pages', key);
    if (page) return this.#records.opened('pages', key, page);
    const first = this.#stored.packOf(key);
    const pack = await this.#open().get('packs', first);
    if (!pack) return undefined;
    const from = (key - first) * PAGE;
    return (await this.#records.opened('packs', first, pack)).subarray(from, from + PAGE);
  }
}

/** The parts in use of Emscripten's files (https://emscripten.org/docs/api_reference/Filesystem-API.html). */
interface FileNode {
  readonly parent: FileNode;
  node_ops: {
    setattr(node: FileNode, attributes: { readonly size?: number }): void;
    rename(node: FileNode, ...given: unknown[]): void;
  };
  stream_ops: {
    read(...given: Access): number;
    write(...given: Access): number;
    allocate(...given: unknown[]): unknown;
    mmap(...given: unknown[]): unknown;
    msync(...given: unknown[]): unknown;
  };
}
type Access = [
  stream: unknown,
  buffer: unknown,
  offset: number,
  length: number,
  position: number,
  canOwn?: boolean,
];
interface Files {
  lookupPath(path: string): { readonly node: FileNode };
  readonly ErrnoError: new (code: number) => Error;
}
/** "Input/output error" in Emscripten. */
const EIO = 29;

/** PGlite's file system over pages in IndexedDB. */
export class PageFileSystem extends MemfsFrontendFS {
  readonly #pages: PageBackend;

  constructor(pages: PageBackend) {
    super(pages);
    this.#pages = pages;
  }

  /**
   * Begins to read what is stored before PGlite asks for it. Resolves once it is known if there are files: none are
   * there in `unfinished`, which a first start that was cut short leaves. Rejects as `init` will.
   */
  readAhead(): ReturnType<PageBackend['readAhead']> {
    return this.#pages.readAhead();
  }

  /** Notes that the index is being used: nothing is packed for a while, so that no question waits for it. */
  used(): void {
    this.#pages.used();
  }

  /** PGlite calls it at the end of each query, also of one that changed nothing. */
  override syncToFs(...given: Parameters<MemfsFrontendFS['syncToFs']>): Promise<void> {
    this.used();
    return super.syncToFs(...given);
  }

  override async initialSyncFs(): Promise<void> {
    await super.initialSyncFs();
    const { files, need } = await this.#pages.late();
    const system = this.pg?.Module.FS as unknown as Files;
    for (const { path, id, size } of files)
      awaitParts(system.lookupPath(`${PGlite.paths.PGDATA}${path}`).node, size, (from, end) => {
        try {
          need(id, from, end);
        } catch (error) {
          log.error('A part of the index is missing', error);
          throw new system.ErrnoError(EIO);
        }
      });
  }
}

/** Has each use of a file wait for the bytes it needs. What changes the file's length, or moves it, needs all. */
function awaitParts(node: FileNode, size: number, need: (from: number, end: number) => void): void {
  const { stream_ops: stream, node_ops: own } = node;
  const whole =
    <Given extends unknown[], Made>(act: (...given: Given) => Made) =>
    (...given: Given): Made => {
      need(0, size);
      return act(...given);
    };
  node.stream_ops = {
    ...stream,
    read: (...given) => {
      const [, , , length, position] = given;
      need(position, position + length);
      return stream.read(...given);
    },
    write: (...given) => {
      const [, , , length, position] = given;
      if (position + length > size) need(0, size);
      else need(position, position + length);
      return stream.write(...given);
    },
    allocate: whole(stream.allocate),
    mmap: whole(stream.mmap),
    msync: whole(stream.msync),
  };
  node.node_ops = {
    ...own,
    setattr: (changed, attributes) => {
      if (attributes.size !== undefined) need(0, size);
      own.setattr(changed, attributes);
    },
  };
  const { parent } = node;
  const { rename } = parent.node_ops;
  parent.node_ops = {
    ...parent.node_ops,
    rename: (moved, ...given) => {
      if (moved === node) need(0, size);
      rename(moved, ...given);
    },
  };
}

/** PGlite's file system over pages in the IndexedDB database `name`, sealed and packed if there is a cipher. */
export const createPageFileSystem = (
  name: string,
  cipher: RecordCipher | null = null,
  options: PageOptions = {},
): PageFileSystem => new PageFileSystem(new PageBackend(name, cipher, options));
