// Places for the files of the index, and opening a database there. The index is a projection of the log: a database that does not open is
// deleted and made again; one that a newer app made is refused and left alone.
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { isHeld, onceReleased } from '../../domain/base/held-file.ts';
import { log, orElse } from '../../domain/base/log.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import { fetchCluster, INITDB, SETTINGS } from './cluster.ts';
import { HandlePool } from './handle-pool.ts';
import { createPageFileSystem } from './page-file-system.ts';
import { deletePages, hasPages } from './page-place.ts';
import { migrate } from './schema.ts';
import { isFull, noRoom, PostgresCrash } from './statements.ts';

/**
 * `opfs`: the origin's private file system, through a pool of access handles (workers only; fastest, least memory).
 * `indexeddb`: pages in IndexedDB, all of them held in memory while open. `memory`: nothing is kept.
 */
export type EngineName = 'opfs' | 'indexeddb' | 'memory';
/**
 * `auto` is `opfs` where it opens, else `indexeddb`, else `memory`. A named engine that does not open is replaced likewise; one without
 * room for a new index only by another that keeps files.
 */
export type WantedEngine = 'auto' | EngineName;

export interface OpenedEngine {
  readonly database: PGlite;
  readonly engine: EngineName;
  /** Why other engines, wanted more, were passed over; empty when the first choice opened. */
  readonly passedOver: readonly { readonly engine: EngineName; readonly reason: string }[];
  /** True if the old database did not open and was given up: this one is new and empty. */
  readonly remade: boolean;
}

export interface EngineOptions {
  readonly wanted: WantedEngine;
  /** Name of the files; another name is another database. */
  readonly name?: string;
  /** Gives up what is there before opening: it is known to be damaged. */
  readonly fresh?: boolean;
  /** Address of a packed empty database to begin with where there is none (`cluster.ts`). Without it PGlite makes one. */
  readonly cluster?: string | undefined;
  /** Cipher of a locked device: the files are sealed pages in IndexedDB, and unsealed ones are removed. */
  readonly cipher?: RecordCipher | null;
}

/** Major version of the Postgres inside PGlite: part of the files' name, since one version cannot read another's. */
export const POSTGRES_VERSION = 18;
const DEFAULT_NAME = 'recollect-index';
const filesOf = (name: string, sealed: boolean) => `${name}-${POSTGRES_VERSION}${sealed ? '-sealed' : ''}`;
/** Places that can hold sealed files: OPFS is written synchronously, and WebCrypto seals asynchronously. */
const SEALED_ENGINES: readonly EngineName[] = ['indexeddb', 'memory'];
/** Files that a new database has at first, some 420 as it is packed and 970 as PGlite makes it, and spare ones. Each is opened at every start. */
const FIRST_FILES = { packed: 540, own: 1_090 };
/** Space that Chromium reserves in OPFS while a new database is written, a megabyte a file, and some more: bytes. */
const ROOM_TO_BEGIN = 600e6;
/** Longest time to open, ms: it takes seconds, on a busy machine some more. */
const OPENS_WITHIN_MS = 120_000;

interface Opening {
  readonly fs?: HandlePool | ReturnType<typeof createPageFileSystem>;
  /** Rejects when the file system fails in a way that PGlite does not hear of. */
  readonly failed?: Promise<never>;
  /** True if a write found no room. */
  readonly ranOut?: () => boolean;
  /** Gives back what the browser set aside while a new database was written. Nobody may use the files meanwhile. */
  readonly renew?: () => Promise<void>;
  /** The database is open. */
  settled(): void;
  /** Opening failed: lets go of all files, or they could not be deleted. */
  release(): Promise<void>;
}

interface Files {
  /** True if this browser has such a place. */
  available(): Promise<boolean>;
  /** True if there are files of that name, or it cannot be told. */
  exists(name: string): Promise<boolean>;
  /** A file system for files of that name, with room for so many at first; none for PGlite's own in memory. */
  open(name: string, first: number, cipher: RecordCipher | null): Opening;
  /** Deletes files of that name; nothing happens when there are none. */
  remove(name: string): Promise<void>;
}

const isMissing = (error: unknown) => (error as { name?: unknown } | null)?.name === 'NotFoundError';
/** In words; PGlite's file systems also throw bare numbers of errors. */
const reasonOf = (error: unknown): string => {
  if (error instanceof Error) return error.message || error.name;
  const { name, message, errno, code } = (error ?? {}) as Record<string, unknown>;
  const said = [name, message, code, errno].filter(
    (one) => typeof one === 'string' || typeof one === 'number',
  );
  return said.length > 0 ? said.join(' ') : String(error);
};
const isNoRoom = (error: unknown): boolean => toProblem(error).code === 'storage-full';
/** A fresh start would not help, and what is there must not be given up. */
const isFinal = (error: unknown): boolean =>
  isNoRoom(error) || ['newer-index', 'index-unavailable'].includes(toProblem(error).code);
/** True if a file of the app could not be loaded, or memory ran out: that says nothing of the index's files. */
const isOfTheApp = (error: unknown): boolean =>
  error instanceof RangeError ||
  error instanceof WebAssembly.CompileError ||
  error instanceof WebAssembly.LinkError ||
  (error instanceof TypeError && /fetch|network|load failed/i.test(error.message));

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const FILES: Record<EngineName, Files> = {
  opfs: {
    available: async () => {
      if (typeof FileSystemFileHandle === 'undefined') return false;
      if (!('createSyncAccessHandle' in FileSystemFileHandle.prototype)) return false;
      await navigator.storage.getDirectory();
      return true;
    },
    exists: async (name) => {
      // A window has these files too, though only its workers can open them.
      if (typeof FileSystemDirectoryHandle === 'undefined') return false;
      const root = await navigator.storage.getDirectory();
      return root.getDirectoryHandle(name).then(
        () => true,
        (error: unknown) => !isMissing(error),
      );
    },
    open: (name, first) => {
      const fs = new HandlePool(name, first);
      return {
        fs,
        failed: fs.failed,
        ranOut: () => fs.hasRunOut,
        renew: () => fs.renew(),
        settled: () => fs.settled(),
        release: async () => fs.release(),
      };
    },
    remove: async (name) => {
      const root = await navigator.storage.getDirectory();
      await onceReleased(() => root.removeEntry(name, { recursive: true })).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    },
  },
  indexeddb: {
    available: async () => typeof indexedDB !== 'undefined',
    exists: async (name) => typeof indexedDB !== 'undefined' && hasPages(name),
    open: (name, _first, cipher) => {
      const fs = createPageFileSystem(name, cipher);
      return { fs, settled: () => {}, release: () => fs.backend.close() };
    },
    remove: deletePages,
  },
  memory: {
    available: async () => true,
    exists: async () => false,
    open: () => ({ settled: () => {}, release: async () => {} }),
    remove: async () => {},
  },
};

/** The order in which engines are tried for files of that name. */
async function preference(wanted: WantedEngine, name: string): Promise<readonly EngineName[]> {
  if (wanted === 'memory') return ['memory'];
  const first = wanted === 'indexeddb' || (wanted === 'auto' && (await isCramped(name)));
  return first ? ['indexeddb', 'opfs', 'memory'] : ['opfs', 'indexeddb', 'memory'];
}

/** True if an index is in IndexedDB for want of room in OPFS. */
async function isCramped(name: string): Promise<boolean> {
  const isIn = async (engine: EngineName) =>
    (await FILES[engine].available()) && (await FILES[engine].exists(name));
  try {
    if ((await isIn('opfs')) || !(await isIn('indexeddb'))) return false;
    const { quota = 0, usage = 0 } = await navigator.storage.estimate();
    return quota - usage < ROOM_TO_BEGIN;
  } catch (error) {
    log.debug('How much room there is for an index could not be told', error);
    return false;
  }
}

/** Deletes files of that name in all engines but one; what cannot be deleted now is deleted at the next opening. */
async function removeFiles(name: string, but?: EngineName): Promise<void> {
  for (const engine of Object.keys(FILES) as EngineName[])
    try {
      if (engine !== but && (await FILES[engine].exists(name))) await FILES[engine].remove(name);
    } catch (error) {
      log.warn(`Files of the memory index were left in ${engine}`, error);
    }
}

/** Limits the time to open: damage that never ends must not keep a person waiting. */
function inTime<T>(opening: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`It was not open after ${OPENS_WITHIN_MS / 1000} s.`)),
      OPENS_WITHIN_MS,
    );
  });
  return Promise.race([opening, late]).finally(() => clearTimeout(timer));
}

/**
 * Stands for the program that makes a database where none has to be made. PGlite would ask for that program at every start and leave it unread,
 * and a service worker whose answer is not read cannot give way to a new version of the app.
 */
const NO_INITDB = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));

/** How PGlite leaves Postgres' main loop after an error that Postgres has dealt with. */
const LONG_JUMP = 100;

/** Functions that PGlite calls around each message to Postgres, by these names. */
interface MainLoop {
  _PostgresMainLoopOnce(): void;
  stackRestore(stack: number): void;
  _PostgresSendReadyForQueryIfNecessary(): void;
  _pgl_pq_flush(): void;
}

/**
 * Fails a statement, and each after it, when Postgres dies in the middle: by a trap, or an error of the file system without a number.
 * PGlite 0.5.14 catches that and goes on (`execProtocolRawSync`), and the next statement meets a broken Postgres and may never end.
 */
function failOnCrash(database: PGlite, ranOut: () => boolean): void {
  const loop = database.Module as unknown as MainLoop;
  const { _PostgresMainLoopOnce: once, stackRestore } = loop;
  let crash: PostgresCrash | undefined;
  loop._PostgresMainLoopOnce = () => {
    if (crash) throw crash;
    try {
      once();
    } catch (error) {
      if ((error as { status?: unknown } | null)?.status !== LONG_JUMP)
        crash = new PostgresCrash(error, ranOut());
      throw error;
    }
  };
  // The first thing that is done after what was caught, and the only one that may throw.
  loop.stackRestore = (stack) => {
    stackRestore(stack);
    if (crash) throw crash;
  };
  for (const name of ['_PostgresSendReadyForQueryIfNecessary', '_pgl_pq_flush'] as const) {
    const finish = loop[name];
    loop[name] = () => {
      if (!crash) finish();
    };
  }
}

/** Opens the database in these files, making it of `cluster` or, if it may `make` one, by itself, and brings its schema up to date. */
async function open(
  files: Files,
  name: string,
  cluster: Blob | null,
  make: boolean,
  cipher: RecordCipher | null,
): Promise<PGlite> {
  const { fs, failed, ranOut, renew, settled, release } = files.open(
    name,
    FIRST_FILES[cluster ? 'packed' : 'own'],
    cipher,
  );
  let database: PGlite | undefined;
  try {
    const creating = PGlite.create({
      ...(fs ? { fs } : {}),
      ...(cluster ? { loadDataDir: cluster } : {}),
      ...(make ? {} : { initdbWasmModule: NO_INITDB }),
      extensions: { vector, pg_textsearch },
      postgresqlconf: [...SETTINGS],
      initDbStartParams: [...INITDB],
    });
    const opening = creating.then(async (made) => {
      database = made;
      failOnCrash(made, () => ranOut?.() ?? false);
      await migrate(made);
      if (cluster || make) await renew?.();
      return made;
    });
    database = await inTime(Promise.race(failed ? [opening, failed] : [opening]));
    settled();
    return database;
  } catch (error) {
    // Close it: a half-opened database holds its files and keeps them from being deleted. Don't wait for one that hangs.
    const closed = database && orElse(database.close(), undefined, 'closing a database that half opened');
    await Promise.race([closed, pause(1_000)]);
    settled();
    await orElse(release(), undefined, 'letting go of the files of a database that did not open');
    throw isFull(error) || ranOut?.() ? noRoom(error) : error;
  }
}

/**
 * Opens the index's database in the best place the browser has. Only the leader may call it. A damaged or foreign database
 * is deleted and made again, empty, with bookmark 0; files of the other engines are deleted once this one is open.
 * @throws RecollectError `newer-index` when a newer app made the database, `storage-full` when there is no room; nothing is deleted then.
 */
export async function openEngine({
  wanted,
  name = DEFAULT_NAME,
  fresh = false,
  cluster,
  cipher = null,
}: EngineOptions): Promise<OpenedEngine> {
  const files = filesOf(name, cipher !== null);
  let remade = false;
  const passedOver: { engine: EngineName; reason: string }[] = [];
  let full: unknown;
  const order = cipher ? SEALED_ENGINES : await preference(wanted, files);
  for (const engine of order) {
    if (full && engine === 'memory') throw full;
    const place = FILES[engine];
    let isNew = false;
    try {
      if (!(await place.available())) throw new Error('This browser does not have it.');
      if (fresh) await place.remove(files);
      isNew = !(await place.exists(files));
      const packed = async () => (cluster ? fetchCluster(cluster) : null);
      const first = isNew ? await packed() : null;
      const database = await open(place, files, first, isNew && !first, cipher).catch(
        async (error: unknown) => {
          if (isFinal(error) || isHeld(error)) throw error;
          if (isOfTheApp(error))
            throw new RecollectError(
              'index-unavailable',
              `The memory index could not start: ${reasonOf(error)}`,
              {
                params: { detail: reasonOf(error) },
                retry: true,
                cause: error,
              },
            );
          log.warn('The memory index did not open and is made again', error);
          await place.remove(files);
          remade = !isNew;
          // The packed database may be the one that does not open.
          const next = isNew ? null : await packed();
          return open(place, files, next, !next, cipher);
        },
      );
      await removeFiles(files, engine);
      await removeFiles(filesOf(name, cipher === null));
      return { database, engine, passedOver, remade };
    } catch (error) {
      if (isNew && isNoRoom(error)) {
        // Nothing was there yet, and another engine needs less: Chromium sets a megabyte aside for each of OPFS's files.
        full = error;
        await place
          .remove(files)
          .catch((left: unknown) => log.warn('Files of an index that found no room were left', left));
      } else if (isFinal(error)) throw error;
      passedOver.push({ engine, reason: reasonOf(error) });
    }
  }
  throw new RecollectError('index-unavailable', 'No place for the memory index could be opened.', {
    params: { detail: passedOver.map(({ engine, reason }) => `${engine}: ${reason}`).join('; ') },
    retry: true,
  });
}

/** Deletes the index's files in every engine, the sealed or those that are not. No database may be open in them. Any thread. */
export const removeEngineFiles = (name = DEFAULT_NAME, sealed = false): Promise<void> =>
  removeFiles(filesOf(name, sealed));
