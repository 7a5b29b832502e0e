// Places for the files of the index, and opening a database there. The index is made from the log, so a database that
// does not open is deleted and made again; one made by a newer app is refused and left alone.
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { isHeld, onceReleased } from '../../domain/base/held-file.ts';
import { log, orElse } from '../../domain/base/log.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import { fetchCluster, INITDB, SETTINGS } from './cluster.ts';
import { HandlePool } from './handle-pool.ts';
import { createPageFileSystem, type PageFileSystem } from './page-file-system.ts';
import { deletePages, hasPages } from './page-place.ts';
import type { StartPageReader } from './page-reader.ts';
import { hasFiles } from './page-store.ts';
import { migrate } from './schema.ts';
import { isFull, PostgresCrash, storageFull } from './statements.ts';

/**
 * `opfs`: the origin's private file system through a pool of access handles (workers only; fastest, least memory).
 * `indexeddb`: pages in IndexedDB, all in memory while open. `memory`: nothing is stored.
 */
export type EngineName = 'opfs' | 'indexeddb' | 'memory';
/**
 * `auto` is `opfs` if it opens, else `indexeddb`, else `memory`. A named engine that does not open is replaced in the
 * same way; one without room for a new index only by another that stores files.
 */
export type WantedEngine = 'auto' | EngineName;

export interface OpenedEngine {
  readonly database: PGlite;
  readonly engine: EngineName;
  /** Reasons why preferred engines were skipped; empty if the first choice opened. */
  readonly passedOver: readonly { readonly engine: EngineName; readonly reason: string }[];
  /** True if the old database did not open and was deleted: this one is new and empty. */
  readonly remade: boolean;
}

export interface EngineOptions {
  readonly wanted: WantedEngine;
  /** Name of the files; another name is another database. */
  readonly name?: string;
  /** Deletes the existing files before opening, because they are known to be damaged. */
  readonly fresh?: boolean;
  /** Address of a packed empty database for a new index (`cluster.ts`). Without it PGlite makes one. */
  readonly cluster?: string | undefined;
  /** Cipher of a locked device: the files are sealed pages in IndexedDB, and unsealed ones are removed. */
  readonly cipher?: RecordCipher | null;
  /** Starts a thread that reads sealed files. Default: the caller's thread reads them. */
  readonly startReader?: StartPageReader | undefined;
}

/** Major version of the Postgres inside PGlite: part of the files' name, since one version cannot read another's. */
export const POSTGRES_VERSION = 18;
const DEFAULT_NAME = 'recollect-index';
const filesOf = (name: string, sealed: boolean) => `${name}-${POSTGRES_VERSION}${sealed ? '-sealed' : ''}`;
/** Engines that can hold sealed files: OPFS is written synchronously, but WebCrypto seals asynchronously. */
const SEALED_ENGINES: readonly EngineName[] = ['indexeddb', 'memory'];
/**
 * Files of a new database with spare ones: some 420 if packed, 970 if PGlite makes it. Each is opened at every start.
 */
const FIRST_FILES = { packed: 540, own: 1_090 };
/** Bytes that Chromium reserves in OPFS while a new database is written (1 MB per file), plus a margin. */
const SPACE_TO_BEGIN = 600e6;
/** Longest time to open, in ms: it takes seconds, more on a busy machine. */
const OPENS_WITHIN_MS = 120_000;

/** Files that are stored as of one moment never have half a page, so the log need not have whole ones to mend it. */
const WHOLE_PAGES: readonly string[] = ['full_page_writes=off'];

interface Opening {
  readonly fs?: HandlePool | PageFileSystem;
  /** Settings of Postgres that these files allow. */
  readonly settings?: readonly string[];
  /** Rejects when the file system fails in a way that PGlite does not notice. */
  readonly failed?: Promise<never>;
  /** True if a write found no room. */
  readonly ranOut?: () => boolean;
  /**
   * Returns the space that the browser reserved while a new database was written. Nothing may use the files
   * meanwhile.
   */
  readonly renew?: () => Promise<void>;
  /** The database is open. */
  settled(): void;
  /** Closes all files after a failed opening, since open files cannot be deleted. */
  release(): Promise<void>;
}

interface Files {
  /** True if this browser supports the engine. */
  available(): Promise<boolean>;
  /** True if there are files of that name, or if that is unknown. */
  exists(name: string): Promise<boolean>;
  /** True if the files of that name come from a first start that was cut short: they are no database yet. */
  isUnfinished(name: string): Promise<boolean>;
  /** Marks the files of that name as unfinished until `finish`. */
  begin(name: string): Promise<void>;
  finish(name: string): Promise<void>;
  /**
   * Opens a file system for that name with room for `first` files; none in memory, for which PGlite has its own.
   * `ahead` is one of that name that is being read already.
   */
  open(name: string, first: number, cipher: RecordCipher | null, ahead?: PageFileSystem): Opening;
  /** Deletes files of that name, if there are any. */
  remove(name: string): Promise<void>;
}

const isMissing = (error: unknown) => (error as { name?: unknown } | null)?.name === 'NotFoundError';
/** Returns an error's text; PGlite's file systems also throw bare error numbers. */
const reasonOf = (error: unknown): string => {
  if (error instanceof Error) return error.message || error.name;
  const { name, message, errno, code } = (error ?? {}) as Record<string, unknown>;
  const said = [name, message, code, errno].filter(
    (one) => typeof one === 'string' || typeof one === 'number',
  );
  return said.length > 0 ? said.join(' ') : String(error);
};
const isStorageFull = (error: unknown): boolean => toProblem(error).code === 'storage-full';
/** True if a fresh start would not help, so the existing files must stay. */
const isFinal = (error: unknown): boolean =>
  isStorageFull(error) || ['newer-index', 'index-unavailable'].includes(toProblem(error).code);
/** True if a file of the app failed to load or memory ran out: then the index's files may be sound. */
const isOfTheApp = (error: unknown): boolean =>
  error instanceof RangeError ||
  error instanceof WebAssembly.CompileError ||
  error instanceof WebAssembly.LinkError ||
  (error instanceof TypeError && /fetch|network|load failed/i.test(error.message));

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** An empty file in OPFS, beside the folder of a new database until that is complete. */
const markOf = (name: string) => `${name}-unfinished`;

const FILES: Record<EngineName, Files> = {
  opfs: {
    available: async () => {
      if (typeof FileSystemFileHandle === 'undefined') return false;
      if (!('createSyncAccessHandle' in FileSystemFileHandle.prototype)) return false;
      await navigator.storage.getDirectory();
      return true;
    },
    exists: async (name) => {
      // Windows have these files too, but only workers can open them.
      if (typeof FileSystemDirectoryHandle === 'undefined') return false;
      const root = await navigator.storage.getDirectory();
      return root.getDirectoryHandle(name).then(
        () => true,
        (error: unknown) => !isMissing(error),
      );
    },
    isUnfinished: async (name) => {
      const root = await navigator.storage.getDirectory();
      return root.getFileHandle(markOf(name)).then(
        () => true,
        (error: unknown) => {
          if (!isMissing(error))
            log.debug('The mark of an unfinished database could not be looked for', error);
          return false;
        },
      );
    },
    begin: async (name) => {
      await (await navigator.storage.getDirectory()).getFileHandle(markOf(name), { create: true });
    },
    finish: async (name) => (await navigator.storage.getDirectory()).removeEntry(markOf(name)),
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
      // The mark goes last: without it the rest of a folder would count as a database.
      for (const entry of [name, markOf(name)])
        await onceReleased(() => root.removeEntry(entry, { recursive: true })).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
    },
  },
  indexeddb: {
    available: async () => typeof indexedDB !== 'undefined',
    exists: async (name) => typeof indexedDB !== 'undefined' && hasPages(name),
    // One transaction writes a new database, so that there is all of it or nothing.
    isUnfinished: async (name) => (await hasPages(name)) && !(await hasFiles(name)),
    begin: async () => {},
    finish: async () => {},
    open: (name, _first, cipher, ahead) => {
      const fs = ahead ?? createPageFileSystem(name, cipher);
      return { fs, settings: WHOLE_PAGES, settled: () => {}, release: () => fs.backend.close() };
    },
    remove: deletePages,
  },
  memory: {
    available: async () => true,
    exists: async () => false,
    isUnfinished: async () => false,
    begin: async () => {},
    finish: async () => {},
    open: () => ({ settled: () => {}, release: async () => {} }),
    remove: async () => {},
  },
};

/** Returns the engines to try for files of that name, in order. */
async function preference(wanted: WantedEngine, name: string): Promise<readonly EngineName[]> {
  if (wanted === 'memory') return ['memory'];
  const first = wanted === 'indexeddb' || (wanted === 'auto' && (await isCramped(name)));
  return first ? ['indexeddb', 'opfs', 'memory'] : ['opfs', 'indexeddb', 'memory'];
}

/** True if an index is in IndexedDB because OPFS had no room. */
async function isCramped(name: string): Promise<boolean> {
  const isIn = async (engine: EngineName) =>
    (await FILES[engine].available()) && (await FILES[engine].exists(name));
  try {
    if ((await isIn('opfs')) || !(await isIn('indexeddb'))) return false;
    const { quota = 0, usage = 0 } = await navigator.storage.estimate();
    return quota - usage < SPACE_TO_BEGIN;
  } catch (error) {
    log.debug('The space for an index could not be measured', error);
    return false;
  }
}

/**
 * Deletes files of that name in all engines but one; files that cannot be deleted now are deleted at the next
 * opening.
 */
async function removeFiles(name: string, but?: EngineName): Promise<void> {
  for (const engine of Object.keys(FILES) as EngineName[])
    try {
      if (engine !== but && (await FILES[engine].exists(name))) await FILES[engine].remove(name);
    } catch (error) {
      log.warn(`Files of the memory index were left in ${engine}`, error);
    }
}

/** Limits the time to open, so that a damaged database does not keep a person waiting forever. */
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
 * Replaces the program that makes databases if none is needed. PGlite would request it at every start and never read
 * it, and a service worker with an unread response cannot be replaced by a new version.
 */
const NO_INITDB = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));

/** Code with which PGlite leaves Postgres' main loop after an error that Postgres has handled. */
const LONG_JUMP = 100;

/** Functions that PGlite calls around each message to Postgres, by these names. */
interface MainLoop {
  _PostgresMainLoopOnce(): void;
  stackRestore(stack: number): void;
  _PostgresSendReadyForQueryIfNecessary(): void;
  _pgl_pq_flush(): void;
}

/**
 * Fails a statement, and all later ones, if Postgres crashes in it (a trap, or a file system error without a number).
 * PGlite 0.5.14 continues after that (`execProtocolRawSync`), and the next statement may never end.
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
  // PGlite calls this first after it caught an error, and only this call may throw.
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

/**
 * Opens the database in these files and migrates its schema. A new one comes from `cluster` or, if `make` is set,
 * from PGlite.
 */
async function open(
  files: Files,
  name: string,
  cluster: Blob | null,
  make: boolean,
  cipher: RecordCipher | null,
  ahead?: PageFileSystem,
): Promise<PGlite> {
  const isNew = cluster !== null || make;
  if (isNew)
    await files.begin(name).catch((error: unknown) => {
      throw isFull(error) ? storageFull(error) : error;
    });
  const { fs, settings, failed, ranOut, renew, settled, release } = files.open(
    name,
    FIRST_FILES[cluster ? 'packed' : 'own'],
    cipher,
    ahead,
  );
  let database: PGlite | undefined;
  try {
    const creating = PGlite.create({
      ...(fs ? { fs } : {}),
      ...(cluster ? { loadDataDir: cluster } : {}),
      ...(make ? {} : { initdbWasmModule: NO_INITDB }),
      extensions: { vector, pg_textsearch },
      postgresqlconf: [...SETTINGS, ...(settings ?? [])],
      initDbStartParams: [...INITDB],
    });
    const opening = creating.then(async (made) => {
      database = made;
      failOnCrash(made, () => ranOut?.() ?? false);
      await migrate(made);
      if (isNew) await renew?.();
      return made;
    });
    database = await inTime(Promise.race(failed ? [opening, failed] : [opening]));
    if (isNew) await files.finish(name);
    settled();
    return database;
  } catch (error) {
    // Close a half-opened database, since it holds its files and blocks their deletion. Don't wait for one that
    // hangs.
    const closed = database && orElse(database.close(), undefined, 'closing a database that half opened');
    await Promise.race([closed, pause(1_000)]);
    settled();
    await orElse(release(), undefined, 'letting go of the files of a database that did not open');
    throw isFull(error) || ranOut?.() ? storageFull(error) : error;
  }
}

/**
 * Opens the index's database in the best place the browser has. Only the leader may call it. A
 * damaged or foreign database is deleted and made again, empty, with bookmark 0; files of the other
 * engines are deleted once this one is open.
 * @throws RecollectError `newer-index` when a newer app made the database, `storage-full` when there is
 *   no room; nothing is deleted then.
 */
export async function openEngine({
  wanted,
  name = DEFAULT_NAME,
  fresh = false,
  cluster,
  cipher = null,
  startReader,
}: EngineOptions): Promise<OpenedEngine> {
  const files = filesOf(name, cipher !== null);
  let remade = false;
  const passedOver: { engine: EngineName; reason: string }[] = [];
  let full: unknown;
  // All of a sealed index is read before it opens, so that begins before anything else does.
  const sealed = cipher && !fresh ? createPageFileSystem(files, cipher, { startReader }) : undefined;
  const ahead =
    sealed && orElse(sealed.readAhead(), 'files', 'reading the index ahead; its opening fails, too');
  const order = cipher ? SEALED_ENGINES : await preference(wanted, files);
  for (const engine of order) {
    if (full && engine === 'memory') throw full;
    const place = FILES[engine];
    let isNew = false;
    try {
      if (!(await place.available())) throw new Error('This browser does not have it.');
      // Looking once more would wait in line behind what is read ahead, and Postgres' program with it.
      const known = engine === 'indexeddb' ? await ahead : undefined;
      const unfinished = known ? known === 'unfinished' : fresh || (await place.isUnfinished(files));
      if (unfinished) await place.remove(files);
      isNew = known ? known !== 'files' : !(await place.exists(files));
      const packed = async () => (cluster ? fetchCluster(cluster) : null);
      const first = isNew ? await packed() : null;
      const database = await open(
        place,
        files,
        first,
        isNew && !first,
        cipher,
        isNew ? undefined : sealed,
      ).catch(async (error: unknown) => {
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
        log.warn('The memory index did not open and is rebuilt', error);
        await place.remove(files);
        remade = !isNew;
        // The packed database itself may be what does not open.
        const next = isNew ? null : await packed();
        return open(place, files, next, !next, cipher);
      });
      await removeFiles(files, engine);
      await removeFiles(filesOf(name, cipher === null));
      return { database, engine, passedOver, remade };
    } catch (error) {
      if (isNew && isStorageFull(error)) {
        // There was no index yet, and another engine needs less: Chromium reserves 1 MB for each OPFS file.
        full = error;
        await place
          .remove(files)
          .catch((left: unknown) =>
            log.warn('Files of an index that found no space could not be removed', left),
          );
      } else if (isFinal(error)) throw error;
      passedOver.push({ engine, reason: reasonOf(error) });
    }
  }
  throw new RecollectError('index-unavailable', 'No place for the memory index could be opened.', {
    params: { detail: passedOver.map(({ engine, reason }) => `${engine}: ${reason}`).join('; ') },
    retry: true,
  });
}

/**
 * Deletes the index's files in every engine, either the sealed or the unsealed ones. No database may be open in them.
 * Works in any thread.
 */
export const removeEngineFiles = (name = DEFAULT_NAME, sealed = false): Promise<void> =>
  removeFiles(filesOf(name, sealed));
