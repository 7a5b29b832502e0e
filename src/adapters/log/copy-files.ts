// The files of the second copy, in OPFS: numbered segments that only grow. Any thread reads them; one worker per
// origin, which holds the lock, writes, since only workers have OPFS handles that write in place.
import { onceReleased } from '../../domain/base/held-file.ts';
import { log, orElse } from '../../domain/base/log.ts';
import type { LogEntry } from './conversation-log.ts';
import { type CopyRecord, recordOf, scanCopy } from './copy-format.ts';

/** A larger segment is closed and a new one begun, bytes: a whole segment is read into memory. */
const SEGMENT_BYTES = 8 * 2 ** 20;
/** A segment is rewritten once this share of it was removed. */
const IDLE_SHARE = 0.5;
/** Space left free for the log itself, bytes: the copy is never the reason for which a message cannot be saved. */
const LEFT_FREE = 64 * 2 ** 20;

/** Thrown if there is no space for the copy. The log continues. */
export class CopyFull extends Error {
  override readonly name = 'CopyFull';
}

interface SyncHandle {
  read(bytes: AllowSharedBufferSource, options?: { at?: number }): number;
  write(bytes: AllowSharedBufferSource, options?: { at?: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}
type FileHandle = FileSystemFileHandle & { createSyncAccessHandle?(): Promise<SyncHandle> };

// The browser's own methods. While the index opens, its pool of files replaces them in its worker: a handle of the copy
// would then be closed with the pool, and a request for a missing file would never be answered.
const fileOf = globalThis.FileSystemDirectoryHandle?.prototype.getFileHandle;
const handleOf = (globalThis.FileSystemFileHandle?.prototype as Required<FileHandle> | undefined)
  ?.createSyncAccessHandle;

/** Returns the folder of a log's copy; null if the browser has no OPFS, or there is no copy and `made` is false. */
async function folderOf(name: string, made: boolean): Promise<FileSystemDirectoryHandle | null> {
  try {
    const root = await navigator.storage.getDirectory();
    return await root.getDirectoryHandle(`${name}-log-copy`, { create: made });
  } catch (error) {
    // Without storage, in a private window, or without the folder, each browser throws an error of its own.
    if (!made || error instanceof TypeError || error instanceof DOMException) return null;
    throw error;
  }
}

/** Numbers of the segments, ascending. */
async function numbersIn(folder: FileSystemDirectoryHandle): Promise<number[]> {
  const numbers: number[] = [];
  for await (const name of folder.keys()) if (/^\d+$/.test(name)) numbers.push(Number(name));
  return numbers.sort((a, b) => a - b);
}

/** Reads segments as files, one after the other, skipping unreadable ones. For any thread. */
export async function* readSegments(name: string): AsyncGenerator<readonly CopyRecord[]> {
  const folder = await folderOf(name, false);
  if (!folder) return;
  const seen = new Set<number>();
  // Rewritten records move to a new segment, so this reads until no new one appears.
  for (let numbers = await numbersIn(folder); numbers.length > 0; ) {
    for (const number of numbers) {
      seen.add(number);
      const read = async () =>
        new Uint8Array(await (await (await folder.getFileHandle(String(number))).getFile()).arrayBuffer());
      // The browser refuses a file once if it grew while it was read.
      const bytes =
        (await orElse(read(), null, 'a segment of the copy')) ??
        (await orElse(read(), null, 'the same segment'));
      if (bytes) yield scanCopy(bytes).records;
    }
    numbers = (await numbersIn(folder)).filter((number) => !seen.has(number));
  }
}

/** Position of a record of the copy, and its entry. */
export interface Held {
  readonly id: string;
  readonly document: string;
  readonly seq: number;
}

/** Writes the copy. Every method leaves files that a reader understands, wherever it was interrupted. */
export class CopyFiles {
  readonly #folder: FileSystemDirectoryHandle;
  /** The last segment, which grows. */
  #open: { readonly number: number; readonly handle: SyncHandle; size: number } | null = null;

  private constructor(folder: FileSystemDirectoryHandle) {
    this.#folder = folder;
  }

  /** Null if this browser, or this window of it, gives no files. One writer at a time: the caller holds a lock. */
  static async open(name: string): Promise<CopyFiles | null> {
    const folder = await folderOf(name, true);
    if (!folder) return null;
    const probe = (await orElse(
      fileOf.call(folder, 'probe', { create: true }),
      null,
      'a file of the copy',
    )) as FileHandle | null;
    return probe && handleOf ? new CopyFiles(folder) : null;
  }

  /** Visits every sound record, segment by segment. Overwrites damaged ones; returns how many stretches that were. */
  async scan(visit: (held: Held) => void): Promise<{ damaged: number }> {
    let damaged = 0;
    const seen = new Set<string>();
    for (const number of await numbersIn(this.#folder))
      await this.#inSegment(number, (handle, bytes) => {
        const scanned = scanCopy(bytes);
        damaged += scanned.damaged.length;
        for (const { offset, size } of scanned.damaged) handle.write(new Uint8Array(size), { at: offset });
        for (const { entry, offset, size } of scanned.records) {
          // A crash left the record in two segments, halfway through a rewrite: overwrites this second one.
          if (seen.has(entry.id)) handle.write(new Uint8Array(size), { at: offset });
          else {
            seen.add(entry.id);
            visit({ id: entry.id, document: entry.document, seq: entry.seq });
          }
        }
      });
    return { damaged };
  }

  /** Reads the entries with these ids, in the order of the files. */
  async read(ids: ReadonlySet<string>): Promise<LogEntry[]> {
    const found: LogEntry[] = [];
    for (const number of await numbersIn(this.#folder))
      await this.#inSegment(number, (_, bytes) => {
        for (const { entry } of scanCopy(bytes).records)
          if (ids.has(entry.id)) found.push({ ...entry, bytes: entry.bytes.slice() });
      });
    return found;
  }

  /** Appends the entries and waits until they are on the disk. Throws `CopyFull`, with none of them written. */
  async append(entries: readonly LogEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const records = entries.map(recordOf);
    await this.#freeSpace(records.reduce((sum, { length }) => sum + length, 0));
    for (const record of records) {
      const segment = await this.#last();
      const before = segment.size;
      try {
        const written = segment.handle.write(record, { at: before });
        if (written !== record.length) throw new CopyFull('the browser wrote less than it was given');
        segment.size += written;
      } catch (error) {
        segment.handle.truncate(before);
        throw error instanceof CopyFull || isQuota(error) ? new CopyFull(String(error)) : error;
      }
    }
    this.#open?.handle.flush();
  }

  /** Overwrites the records that `isOut` names; then rewrites segments with little left, if there is space for that. */
  async drop(isOut: (held: Held) => boolean): Promise<void> {
    const thin: number[] = [];
    for (const number of await numbersIn(this.#folder))
      await this.#inSegment(number, (handle, bytes) => {
        const { records, end } = scanCopy(bytes);
        let live = 0;
        for (const { entry, offset, size } of records)
          if (isOut(entry)) handle.write(new Uint8Array(size), { at: offset });
          else live += size;
        handle.flush();
        if (live < end * (1 - IDLE_SHARE)) thin.push(number);
      });
    try {
      for (const number of thin) await this.#rewrite(number);
    } catch (error) {
      if (!(error instanceof CopyFull)) throw error;
      log.info('No space to rewrite a nearly empty segment of the copy', error);
    }
  }

  /** Deletes the whole copy. */
  async clear(): Promise<void> {
    this.#close();
    for (const number of await numbersIn(this.#folder)) await this.#folder.removeEntry(String(number));
  }

  close(): void {
    this.#close();
  }

  #close(): void {
    this.#open?.handle.close();
    this.#open = null;
  }

  /** Moves the remaining records of a segment to the end of the copy, and deletes it. */
  async #rewrite(number: number): Promise<void> {
    if (this.#open?.number === number) this.#close();
    const kept: LogEntry[] = [];
    await this.#inSegment(number, (_, bytes) => {
      for (const { entry } of scanCopy(bytes).records) kept.push({ ...entry, bytes: entry.bytes.slice() });
    });
    // Never into the segment that is being removed.
    if (this.#open === null && kept.length > 0) await this.#begin((await this.#highest()) + 1);
    await this.append(kept);
    await this.#folder.removeEntry(String(number));
  }

  async #highest(): Promise<number> {
    return (await numbersIn(this.#folder)).at(-1) ?? 0;
  }

  async #handle(number: number): Promise<SyncHandle> {
    const file = await fileOf.call(this.#folder, String(number), { create: true });
    if (!handleOf) throw new TypeError('This browser gives no handles');
    // The tab that wrote the copy before may have been closed a moment ago.
    return onceReleased(() => handleOf.call(file as Required<FileHandle>));
  }

  async #begin(number: number) {
    const handle = await this.#handle(number);
    this.#open = { number, handle, size: 0 };
    return this.#open;
  }

  /** Opens the segment to write to: the last one, cut after its last sound record, or a new one if that is large. */
  async #last() {
    if (this.#open && this.#open.size < SEGMENT_BYTES) return this.#open;
    if (this.#open) {
      const { number, handle } = this.#open;
      handle.flush();
      this.#close();
      return this.#begin(number + 1);
    }
    const number = Math.max(1, await this.#highest());
    const segment = await this.#begin(number);
    const bytes = new Uint8Array(segment.handle.getSize());
    segment.handle.read(bytes, { at: 0 });
    segment.size = scanCopy(bytes).end;
    segment.handle.truncate(segment.size);
    return segment;
  }

  /** Runs `work` with a segment's bytes; closes the handle afterwards, unless it is the growing segment's. */
  async #inSegment(number: number, work: (handle: SyncHandle, bytes: Uint8Array) => void): Promise<void> {
    const own = this.#open?.number === number ? null : await this.#handle(number);
    const handle = own ?? this.#open?.handle;
    if (!handle) return;
    try {
      const bytes = new Uint8Array(handle.getSize());
      handle.read(bytes, { at: 0 });
      work(handle, bytes);
    } finally {
      own?.close();
    }
  }

  async #freeSpace(bytes: number): Promise<void> {
    const { quota, usage } = await navigator.storage.estimate();
    if (quota !== undefined && usage !== undefined && quota - usage < bytes + LEFT_FREE)
      throw new CopyFull('little is left of what the browser gives this site');
  }
}

const isQuota = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'QuotaExceededError';

/** Deletes the whole copy of an unused log, with its folder. Without one nothing happens. */
export async function removeCopy(name: string): Promise<void> {
  if ((await folderOf(name, false)) === null) return;
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(`${name}-log-copy`, { recursive: true });
}
