// Corrects PGlite's pool of OPFS access handles, which treats a held file as missing and a write without room as done,
// waits forever for a file that it cannot get, and runs out of files in the middle of a statement.
import { OpfsAhpFS } from '@electric-sql/pglite/opfs-ahp';
import { onceReleased } from '../../domain/base/held-file.ts';
import { ignore } from '../../domain/base/log.ts';
import { isFull } from './statements.ts';

/** Fewest spare files of the pool: below that a statement may fail. */
const FEWEST_SPARE = 20;
/** Time in ms for which a pool with some spare files works without those it could not get. */
const DOES_WITHOUT_MS = 10_000;
/** Spare files besides those for the write-ahead log, and how many more than wanted may stay. */
const [SPARE, SURPLUS] = [100, 16];
/**
 * Most that a statement writes into the write-ahead log, as a share of all files: vacuuming a large table logs every
 * page and frees nothing before it ends. The log has files of 1 MB (`INITDB`); if one is missing, Postgres crashes.
 */
const LOGGED_BYTES = 1.25;
const LOG_FILE_BYTES = 2 ** 20;
/** Most spare files: a library that needs more is refused elsewhere, and each costs 0.2 ms at every start. */
const MOST_SPARE = 4_000;

interface AccessHandle {
  read(bytes: AllowSharedBufferSource, options?: { at?: number }): number;
  write(bytes: AllowSharedBufferSource, options?: { at?: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

/** Postgres' own error for a full disk; its file systems expect a number. */
const noSpace = () => Object.assign(new Error('No space left on device'), { code: 51 });

/** Events of a handle for the pool it belongs to. */
interface PoolEvents {
  /** The file grew by this many bytes; negative if it shrank. */
  grew(bytes: number): void;
  ranOut(): void;
  closed(handle: HonestHandle): void;
}

/**
 * A renewable handle that reports a full disk. Chromium answers such a write with an error number, which PGlite reads
 * as a byte count, losing data. It also reserves 1 MB for each file that grew, until the handle closes.
 */
class HonestHandle implements AccessHandle {
  readonly #again: () => Promise<AccessHandle>;
  readonly #pool: PoolEvents;
  #handle: AccessHandle;
  /** The size is cached, since nothing else can write to the file. */
  #bytes = 0;
  #written = false;

  /** `again` opens the file once more after it was closed. */
  constructor(handle: AccessHandle, again: () => Promise<AccessHandle>, pool: PoolEvents) {
    [this.#handle, this.#again, this.#pool] = [handle, again, pool];
    this.#measure();
  }

  /** Returns the space reserved for this file beyond its length. Nothing may use the file meanwhile. */
  async renew(): Promise<void> {
    if (!this.#written) return;
    this.#written = false;
    this.#handle.flush();
    this.#handle.close();
    this.#handle = await this.#again();
  }

  read(bytes: AllowSharedBufferSource, options?: { at?: number }): number {
    return this.#handle.read(bytes, options);
  }

  write(bytes: AllowSharedBufferSource, options?: { at?: number }): number {
    this.#written = true;
    const written = this.#orRefuse(() => this.#handle.write(bytes, options));
    if (written !== bytes.byteLength) this.#refuse();
    if (options?.at === undefined) this.#measure();
    else this.#isNow(Math.max(this.#bytes, options.at + written));
    return written;
  }

  truncate(size: number): void {
    this.#written = true;
    this.#orRefuse(() => this.#handle.truncate(size));
    this.#isNow(size);
  }

  getSize(): number {
    return this.#bytes;
  }

  flush(): void {
    this.#handle.flush();
  }

  close(): void {
    this.#isNow(0);
    this.#handle.close();
    this.#pool.closed(this);
  }

  #measure(): void {
    this.#isNow(this.#handle.getSize());
  }

  #isNow(bytes: number): void {
    if (bytes !== this.#bytes) this.#pool.grew(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  #orRefuse<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (isFull(error)) this.#refuse();
      throw error;
    }
  }

  #refuse(): never {
    this.#measure();
    this.#pool.ranOut();
    throw noSpace();
  }
}

type HandleMaker = { createSyncAccessHandle(...options: unknown[]): Promise<AccessHandle> };
type Folder = { getFileHandle(...options: unknown[]): Promise<unknown> };

/** The browser's own methods, behind ours that retry. */
const natives = new WeakMap<object, unknown>();
const nativeOf = <Way extends object>(way: Way): Way => (natives.get(way) as Way | undefined) ?? way;

/**
 * Retries requests for handles in this worker until `restore`: a former leader frees its files one by one, and PGlite
 * treats a held file as missing or hangs. The first file that is lost or has no room rejects `failed`.
 */
function waitForHandles(made: (handle: HonestHandle) => void, pool: PoolEvents) {
  const makers = FileSystemFileHandle.prototype as unknown as HandleMaker;
  const folders = FileSystemDirectoryHandle.prototype as unknown as Folder;
  const [before, beforeFile] = [makers.createSyncAccessHandle, folders.getFileHandle];
  const [native, nativeFile] = [nativeOf(before), nativeOf(beforeFile)];
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  ignore(failed, 'a file that did not open; callers that wait for the pool get the error');
  const unanswered = (error: unknown): Promise<never> => {
    fail(error);
    return new Promise(() => {});
  };
  makers.createSyncAccessHandle = async function patient(this: HandleMaker, ...options) {
    try {
      const open = () => onceReleased(() => native.apply(this, options));
      const handle = new HonestHandle(await open(), open, pool);
      made(handle);
      return handle;
    } catch (error) {
      return unanswered(error);
    }
  };
  folders.getFileHandle = async function reporting(this: Folder, ...options) {
    try {
      return await nativeFile.apply(this, options);
    } catch (error) {
      return unanswered(error);
    }
  };
  natives.set(makers.createSyncAccessHandle, native);
  natives.set(folders.getFileHandle, nativeFile);
  // The pool saves its list of files in work that nothing awaits.
  const onUnheard = (event: Event & { readonly reason?: unknown }) => {
    if (!isFull(event.reason)) return;
    event.preventDefault();
    fail(event.reason);
  };
  self.addEventListener('unhandledrejection', onUnheard);
  return {
    failed,
    restore: () => {
      self.removeEventListener('unhandledrejection', onUnheard);
      makers.createSyncAccessHandle = before;
      folders.getFileHandle = beforeFile;
    },
  };
}

/** PGlite's pool with handles that report a full disk, and with enough files for the writes of one statement. */
export class HandlePool extends OpfsAhpFS {
  readonly #handles = new Set<HonestHandle>();
  readonly #events: PoolEvents = {
    grew: (bytes) => {
      this.#bytes += bytes;
    },
    ranOut: () => {
      this.#ranOut = true;
    },
    closed: (handle) => {
      this.#handles.delete(handle);
    },
  };
  readonly #opening;
  /** Bytes of all files together. */
  #bytes = 0;
  #ranOut = false;
  #released = false;
  /** Time at which missing files are requested again, ms since 1970. */
  #againAt = 0;

  /** Opens the files of that name, making `first` files if there are none. Handles are retried until `settled`. */
  constructor(name: string, first: number) {
    super(name, { initialPoolSize: first });
    this.#opening = this.#wait();
  }

  /** Rejects when a file cannot be opened, which PGlite does not notice. */
  get failed(): Promise<never> {
    return this.#opening.failed;
  }

  /** True if a write found no room. */
  get hasRunOut(): boolean {
    return this.#ranOut;
  }

  settled(): void {
    this.#opening.restore();
  }

  /**
   * Returns the space that the browser reserved while a new database was written. Nothing may use the files
   * meanwhile.
   */
  async renew(): Promise<void> {
    await Promise.all([...this.#handles].map((handle) => handle.renew()));
  }

  /** Closes all files, since open files cannot be deleted. */
  release(): void {
    this.#released = true;
    for (const handle of [...this.#handles]) handle.close();
  }

  override async maintainPool(size: number = SPARE): Promise<void> {
    const log = Math.ceil((this.#bytes * LOGGED_BYTES) / LOG_FILE_BYTES);
    const wanted = Math.max(size, Math.min(SPARE + log, MOST_SPARE));
    const spare = this.state.pool.length;
    if (spare >= wanted && spare <= wanted + SURPLUS) return;
    if (spare >= FEWEST_SPARE && spare < wanted && Date.now() < this.#againAt) return;
    const waiting = this.#wait();
    try {
      await Promise.race([super.maintainPool(wanted), waiting.failed]);
    } catch (error) {
      // With enough spare files the database can be read, and written for a while.
      if (this.state.pool.length < FEWEST_SPARE) throw error;
      this.#againAt = Date.now() + DOES_WITHOUT_MS;
    } finally {
      waiting.restore();
    }
  }

  #wait() {
    return waitForHandles((handle) => {
      this.#handles.add(handle);
      if (this.#released) handle.close();
    }, this.#events);
  }
}
