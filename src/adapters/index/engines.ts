// Where the files of the index are kept, and how a database is opened there. The index is a projection of the log:
// a database that does not open is deleted and made again; one that a newer app made is refused and left alone.
import { PGlite } from '@electric-sql/pglite';
import { OpfsAhpFS } from '@electric-sql/pglite/opfs-ahp';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import { createPageFileSystem, deletePageFileSystem } from './page-file-system.ts';
import { migrate } from './schema.ts';

/**
 * `opfs`: the origin's private file system, through a pool of access handles (workers only; fastest, least memory).
 * `indexeddb`: pages in IndexedDB, all of them held in memory while open. `memory`: nothing is kept.
 */
export type EngineName = 'opfs' | 'indexeddb' | 'memory';
/** `auto` is `opfs` where it opens, else `indexeddb`, else `memory`. A named engine that does not open is replaced likewise. */
export type WantedEngine = 'auto' | EngineName;

export interface OpenedEngine {
  readonly database: PGlite;
  readonly engine: EngineName;
  /** Why other engines, wanted more, were passed over; empty when the first choice opened. */
  readonly passedOver: readonly { readonly engine: EngineName; readonly reason: string }[];
}

export interface EngineOptions {
  readonly wanted: WantedEngine;
  /** Name of the files; another name is another database. */
  readonly name?: string;
}

/** Major version of the Postgres inside PGlite: part of the files' name, since one version cannot read another's. */
export const POSTGRES_VERSION = 18;
const DEFAULT_NAME = 'recollect-index';
/** How long a leader that has just gone may still hold its files, ms. */
const RELEASE_MS = 8000;
const RETRY_MS = 100;

/** Small buffers and a small write-ahead log: a third of the disk and of the memory, at no cost in speed. */
const SETTINGS = [
  'shared_buffers=16MB',
  'wal_level=minimal',
  'max_wal_senders=0',
  'min_wal_size=2MB',
  'max_wal_size=8MB',
  'wal_recycle=off',
  'wal_init_zero=off',
];
const INITDB = ['--wal-segsize=1'];

interface Files {
  /** Whether this browser has such a place at all. */
  available(): Promise<boolean>;
  /** Options of PGlite for files of that name, and how to let go of them when opening fails. */
  open(name: string): { fs?: OpfsAhpFS | ReturnType<typeof createPageFileSystem>; release(): Promise<void> };
  /** Deletes files of that name; nothing happens when there are none. */
  remove(name: string): Promise<void>;
}

const isMissing = (error: unknown) => (error as { name?: unknown } | null)?.name === 'NotFoundError';
/** Another context still holds a handle of the file: true of a leader that was closed a moment ago. */
const isHeld = (error: unknown): boolean => {
  const { name, message } = (error ?? {}) as { name?: unknown; message?: unknown };
  return (
    name === 'NoModificationAllowedError' ||
    /NoModificationAllowed|another open Access Handle/i.test(String(message))
  );
};

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Runs `work` again while its files are held by someone who is about to let go. */
async function onceReleased<T>(work: () => Promise<T>): Promise<T> {
  const until = Date.now() + RELEASE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isHeld(error) || Date.now() >= until) throw error;
      await pause(RETRY_MS);
    }
  }
}

const FILES: Record<EngineName, Files> = {
  opfs: {
    available: async () => {
      if (typeof FileSystemFileHandle === 'undefined') return false;
      if (!('createSyncAccessHandle' in FileSystemFileHandle.prototype)) return false;
      await navigator.storage.getDirectory();
      return true;
    },
    open: (name) => {
      const fs = new OpfsAhpFS(name);
      return { fs, release: () => fs.closeFs() };
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
    open: (name) => {
      const fs = createPageFileSystem(name);
      return { fs, release: () => fs.backend.close() };
    },
    remove: deletePageFileSystem,
  },
  memory: {
    available: async () => true,
    open: () => ({ release: async () => {} }),
    remove: async () => {},
  },
};

/** The order in which engines are tried. */
function preference(wanted: WantedEngine): readonly EngineName[] {
  if (wanted === 'memory') return ['memory'];
  return wanted === 'indexeddb' ? ['indexeddb', 'opfs', 'memory'] : ['opfs', 'indexeddb', 'memory'];
}

/** Deletes files of that name in all engines but one; what cannot be deleted now is deleted at the next opening. */
async function removeFiles(name: string, but?: EngineName): Promise<void> {
  for (const engine of Object.keys(FILES) as EngineName[])
    try {
      if (engine !== but && (await FILES[engine].available())) await FILES[engine].remove(name);
    } catch (error) {
      console.warn(`Files of the memory index were left in ${engine}: ${toProblem(error).message}`);
    }
}

/** Opens the database in these files, making it when there is none, and brings its schema up to date. */
async function open(files: Files, name: string): Promise<PGlite> {
  const { fs, release } = files.open(name);
  let database: PGlite | undefined;
  try {
    database = await PGlite.create({
      ...(fs ? { fs } : {}),
      extensions: { vector, pg_textsearch },
      postgresqlconf: [...SETTINGS],
      initDbStartParams: [...INITDB],
    });
    await migrate(database);
    return database;
  } catch (error) {
    // What half-opened still holds its files, and would keep them from being deleted.
    await (database ? database.close() : release()).catch(() => release()).catch(() => {});
    throw error;
  }
}

/**
 * Opens the index's database in the best place the browser has. Only the leader may call it. A damaged or foreign database
 * is deleted and made again, empty, with bookmark 0; files of the other engines are deleted once this one is open.
 * @throws RecollectError `newer-index` when a newer app made the database; nothing is changed then.
 */
export async function openEngine({ wanted, name = DEFAULT_NAME }: EngineOptions): Promise<OpenedEngine> {
  const files = `${name}-${POSTGRES_VERSION}`;
  const passedOver: { engine: EngineName; reason: string }[] = [];
  for (const engine of preference(wanted)) {
    const place = FILES[engine];
    try {
      if (!(await place.available())) throw new Error('This browser does not have it.');
      const database = await onceReleased(() => open(place, files)).catch(async (error: unknown) => {
        if (toProblem(error).code === 'newer-index' || isHeld(error)) throw error;
        console.warn(`The memory index did not open (${toProblem(error).message}) and is made again.`);
        await place.remove(files);
        return open(place, files);
      });
      await removeFiles(files, engine);
      return { database, engine, passedOver };
    } catch (error) {
      const problem = toProblem(error);
      if (problem.code === 'newer-index') throw error;
      passedOver.push({ engine, reason: problem.message });
    }
  }
  throw new RecollectError('index-unavailable', 'No place for the memory index could be opened.', {
    params: { detail: passedOver.map(({ engine, reason }) => `${engine}: ${reason}`).join('; ') },
    retry: true,
  });
}

/** Deletes the index's files in every engine. No database may be open in them. */
export const removeEngineFiles = (name = DEFAULT_NAME): Promise<void> =>
  removeFiles(`${name}-${POSTGRES_VERSION}`);
