// Reads the stored files of the index into memory when it opens. Small files come first, since Postgres starts with
// them. Where threads can share memory, a second thread reads; the large files then arrive while Postgres runs, and
// Postgres waits for the parts it asks for.
//
//   engine's thread   FileContents ── plan ──► readFiles, in page-reader.worker.ts
//                     need(…), waits     ◄──── marks each part in `state` once it is in its place
//
// The reader writes a part once, before it marks it. The engine's thread writes to marked parts
// alone, so neither overwrites the other.
import { z } from 'zod';
import { ignore, log } from '../../domain/base/log.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import { createCaller, serveCalls } from '../../domain/threads/calls.ts';
import type { MessageEndpoint, Thread } from '../../domain/threads/endpoint.ts';
import {
  type FileRow,
  openPages,
  overwrite,
  PAGE,
  type PageDatabase,
  PageRecords,
  SPAN,
} from './page-store.ts';

/** Packs of a large file that are read at once, and packs from which a file is large. */
const [PART_PACKS, LARGE_PACKS] = [4, 4];
/** Bytes of small files that are read at once. */
const FIRST_BYTES = 8e6;
/** Longest wait for the thread to start, ms. Its files are in the cache, so it takes a fraction of a second. */
const STARTS_WITHIN_MS = 10_000;
/**
 * Longest wait for the next part, ms. The reader lives as long as the thread that waits, so
 * this ends a wait for one that broke.
 */
const ARRIVES_WITHIN_MS = 60_000;

/**
 * Places in `state`: the part that is wanted now, counted from 1; how often the state changed; 1 after a
 * failure; then 1 for each part that is there.
 */
const [WANTED, STEP, FAILED, PARTS] = [0, 1, 2, 3];

/** Names what to read, and the memory for it, which the threads share. */
interface ReadingPlan {
  /** Name of the database. */
  readonly name: string;
  /** Pages in a pack. */
  readonly pack: number;
  /** Files by id, each with as many bytes as it has. */
  readonly files: readonly { readonly id: number; readonly bytes: ArrayBufferLike }[];
  /** Numbers of 32 bits. */
  readonly state: ArrayBufferLike;
}

/** Reads files in another thread. */
export interface PageReader {
  /** Longest time between two parts that are waited for, ms. */
  readonly arrivesWithinMs: number;
  /** Calls `onFirst` when all small files are there; resolves when all files are. */
  read(plan: ReadingPlan, onFirst: () => void): Promise<void>;
  /** Ends the thread. */
  close(): void;
}

export type StartPageReader = () => PageReader;

/** Call of the thread that reads. `key` is what it makes its cipher of. Only this app's own threads speak here. */
const readerCalls = {
  read: {
    given: z.object({ plan: z.custom<ReadingPlan>(), key: z.unknown() }),
    progress: z.enum(['started', 'first']),
    answer: z.null(),
  },
};

/**
 * Makes a reader of a thread that calls `servePageReader`. Reading is refused if the thread
 * has not started after `startsWithinMs`.
 */
export function createPageReader(
  thread: Thread,
  key: unknown,
  { startsWithinMs = STARTS_WITHIN_MS, arrivesWithinMs = ARRIVES_WITHIN_MS } = {},
): PageReader {
  const { call, refuse } = createCaller(readerCalls, thread);
  let broken: Error | undefined;
  const onError = (event: { preventDefault(): void }) => {
    // An unhandled error of the worker would end this thread as well.
    event.preventDefault();
    broken = new Error('The thread that reads the index broke.');
    refuse(broken);
  };
  thread.addEventListener('error', onError);
  thread.addEventListener('messageerror', onError);
  return {
    arrivesWithinMs,
    read: async (plan, onFirst) => {
      // Its script may have failed to load before there was anything to read.
      if (broken) throw broken;
      const late = setTimeout(
        () => refuse(new Error('The thread that reads the index did not start.')),
        startsWithinMs,
      );
      const onProgress = (progress: 'started' | 'first') => {
        clearTimeout(late);
        if (progress === 'first') onFirst();
      };
      await call.read({ plan, key }, { onProgress }).finally(() => clearTimeout(late));
    },
    close: () => thread.terminate(),
  };
}

/** Serves as a thread that reads, with the cipher that `cipherOf` makes of the key. */
export const servePageReader = (
  scope: MessageEndpoint,
  cipherOf: (key: unknown) => Promise<RecordCipher | null>,
): void =>
  serveCalls(readerCalls, scope, {
    read: async ({ plan, key }, { progress }) => {
      progress('started');
      const database = await openPages(plan.name);
      try {
        await readFiles(plan, database, await cipherOf(key), () => progress('first'));
      } finally {
        database.close();
      }
      return null;
    },
  });

/** Keys of the records to read at once. */
interface Part {
  readonly from: number;
  readonly end: number;
}

/**
 * Divides files, ordered by id, into parts that come first and parts of large files.
 * Both threads come to the same numbers.
 */
function divideFiles(files: readonly { readonly id: number; readonly size: number }[], pack: number) {
  const first: Part[] = [];
  const later: Part[] = [];
  /** First of the later parts of each large file. */
  const large = new Map<number, number>();
  let open: { from: number; end: number; bytes: number } | null = null;
  for (const { id, size } of files) {
    const [from, end] = [id * SPAN, (id + 1) * SPAN];
    if (size > LARGE_PACKS * pack * PAGE) {
      open = null;
      large.set(id, later.length);
      const step = PART_PACKS * pack;
      for (let page = 0; page * PAGE < size; page += step)
        later.push({ from: from + page, end: from + page + step });
    } else {
      if (!open || open.bytes > FIRST_BYTES) {
        open = { from, end, bytes: 0 };
        first.push(open);
      }
      open.end = end;
      open.bytes += size;
    }
  }
  return { first, later, large };
}

/** Reads one part. Packs and pages come from one transaction: a page may be moved into its pack meanwhile. */
async function fetchPart(database: PageDatabase, { from, end }: Part) {
  const range = IDBKeyRange.bound(from, end, false, true);
  const reading = database.transaction(['packs', 'pages']);
  const [packs, pages] = [reading.objectStore('packs'), reading.objectStore('pages')];
  const [packKeys, packRecords, pageKeys, pageRecords] = await Promise.all([
    packs.getAllKeys(range),
    packs.getAll(range),
    pages.getAllKeys(range),
    pages.getAll(range),
  ]);
  // A page is newer than its pack, so it comes after it.
  return [
    { kind: 'packs', keys: packKeys, records: packRecords },
    { kind: 'pages', keys: pageKeys, records: pageRecords },
  ] as const;
}

/**
 * Reads all files of the plan into their places. Calls `onFirst` when all small files are there. Throws if a record
 * does not open, and IndexedDB's errors; whoever waits for a part then learns of it.
 */
async function readFiles(
  { name, pack, files, state: shared }: ReadingPlan,
  database: PageDatabase,
  cipher: RecordCipher | null,
  onFirst: () => void,
): Promise<void> {
  const state = new Int32Array(shared);
  const changed = (place: number) => {
    Atomics.store(state, place, 1);
    Atomics.add(state, STEP, 1);
    Atomics.notify(state, STEP);
  };
  try {
    const records = new PageRecords(name, cipher);
    const contents = new Map(files.map(({ id, bytes }) => [id, new Uint8Array(bytes)]));
    const { first, later } = divideFiles(
      files.map(({ id, bytes }) => ({ id, size: bytes.byteLength })),
      pack,
    );
    const place = async (found: Awaited<ReturnType<typeof fetchPart>>) => {
      for (const { kind, keys, records: sealed } of found) {
        const opened = await Promise.all(
          sealed.map((record, at) => records.opened(kind, keys[at] ?? -1, record)),
        );
        const length = (kind === 'packs' ? pack : 1) * PAGE;
        for (const [at, key] of keys.entries()) {
          const content = contents.get(Math.floor(key / SPAN));
          const record = opened[at];
          if (content && record) overwrite(content, (key % SPAN) * PAGE, record, length);
        }
      }
    };
    /** One part is put in its place while the next is read. */
    let placing: Promise<unknown> = Promise.resolve();
    const read = async (part: Part, onThere: () => void) => {
      const found = await fetchPart(database, part);
      await placing;
      placing = place(found).then(onThere);
      ignore(placing, 'a part of the files, which is awaited after the next one was read');
    };
    for (const part of first) await read(part, () => {});
    await placing;
    onFirst();
    const left = new Set(later.keys());
    while (left.size > 0) {
      const wanted = Atomics.exchange(state, WANTED, 0) - 1;
      const [next] = left.has(wanted) ? [wanted] : left;
      left.delete(next as number);
      await read(later[next as number] as Part, () => changed(PARTS + (next as number)));
    }
    await placing;
  } catch (error) {
    changed(FAILED);
    throw error;
  }
}

/** True if threads can share memory here, and wait for each other. */
export const canShare = (): boolean =>
  typeof SharedArrayBuffer !== 'undefined' && globalThis.crossOriginIsolated === true;

/** Contents of the stored files, in memory. */
export class FileContents {
  /** Resolves once Postgres can start: the small files are there, and another thread reads the large ones. */
  readonly first: Promise<void>;
  /** Resolves once all files are there. */
  readonly all: Promise<void>;
  #contents: ReadonlyMap<number, Uint8Array> = new Map();
  readonly #sizes: ReadonlyMap<number, number>;
  #state: Int32Array<ArrayBufferLike> = new Int32Array(0);
  readonly #partBytes: number;
  readonly #arrivesWithinMs: number;
  /** First part of each large file, while another thread reads them. */
  #large: ReadonlyMap<number, number> = new Map();

  /**
   * Begins to read, in this thread if there is no `reader` or if it fails before the small files
   * are there. `pack`: pages in a pack.
   */
  constructor(
    given: {
      readonly name: string;
      readonly pack: number;
      readonly database: PageDatabase;
      readonly cipher: RecordCipher | null;
    },
    rows: readonly FileRow[],
    reader: PageReader | null,
  ) {
    const files = rows.filter(({ id }) => id > 0).sort((a, b) => a.id - b.id);
    const { later, large } = divideFiles(files, given.pack);
    const planIn = (allocate: (bytes: number) => ArrayBufferLike): ReadingPlan => ({
      name: given.name,
      pack: given.pack,
      files: files.map(({ id, size }) => ({ id, bytes: allocate(size) })),
      state: allocate(Int32Array.BYTES_PER_ELEMENT * (PARTS + later.length)),
    });
    const own = () => planIn((bytes) => new ArrayBuffer(bytes));
    const plan = reader ? planIn((bytes) => new SharedArrayBuffer(bytes)) : own();
    this.#take(plan);
    this.#sizes = new Map(files.map(({ id, size }) => [id, size]));
    this.#partBytes = PART_PACKS * given.pack * PAGE;
    this.#arrivesWithinMs = reader?.arrivesWithinMs ?? 0;
    if (reader) this.#large = large;
    let onFirst = () => {};
    const first = new Promise<void>((resolve) => {
      onFirst = resolve;
    });
    this.all = this.#read(plan, own, given, reader, onFirst);
    this.first = Promise.race([first, this.all]);
    ignore(this.all, 'reading all files, whose failure the first files or those who need a part report');
    ignore(this.first, 'reading the first files, whose failure `load` reports');
  }

  /** Returns the bytes of a file. Those of a large one may still be zeros, until `need` returns. */
  bytesOf(id: number): Uint8Array {
    return this.#contents.get(id) ?? new Uint8Array(0);
  }

  /** Forgets the contents; what is still read arrives in the same bytes. */
  release(): void {
    this.#contents = new Map();
  }

  /** True for a file that another thread still reads. */
  isLate(id: number): boolean {
    return this.#large.has(id);
  }

  /** Holds this thread until the bytes from `from` to `end` of file `id` are there. Throws if they cannot be read. */
  need(id: number, from: number, end: number): void {
    const first = this.#large.get(id);
    if (first === undefined) return;
    const last = Math.min(end, this.#sizes.get(id) ?? 0);
    for (let part = Math.floor(from / this.#partBytes); part * this.#partBytes < last; part++)
      this.#wait(first + part);
  }

  #take({ files, state }: ReadingPlan): void {
    this.#contents = new Map(files.map(({ id, bytes }) => [id, new Uint8Array(bytes)]));
    this.#state = new Int32Array(state);
  }

  #wait(part: number): void {
    const state = this.#state;
    for (;;) {
      const step = Atomics.load(state, STEP);
      if (Atomics.load(state, PARTS + part) === 1) return;
      if (Atomics.load(state, FAILED) === 1) throw new Error('A part of the index could not be read.');
      Atomics.store(state, WANTED, part + 1);
      if (Atomics.wait(state, STEP, step, this.#arrivesWithinMs) === 'timed-out')
        throw new Error('A part of the index was not read in time.');
    }
  }

  async #read(
    plan: ReadingPlan,
    own: () => ReadingPlan,
    { database, cipher }: { readonly database: PageDatabase; readonly cipher: RecordCipher | null },
    reader: PageReader | null,
    onFirst: () => void,
  ): Promise<void> {
    let isFirst = false;
    try {
      await reader?.read(plan, () => {
        isFirst = true;
        onFirst();
      });
    } catch (error) {
      if (isFirst) throw error;
      log.info('The index is read in its own thread', error);
      reader?.close();
      reader = null;
      // Memory of its own: the thread that was given up may write a little longer.
      plan = own();
      this.#take(plan);
      this.#large = new Map();
    }
    if (!reader) await readFiles(plan, database, cipher, () => {});
    this.#large = new Map();
  }
}
