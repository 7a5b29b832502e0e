// A sealed database in IndexedDB, opened with a second thread that reads it. Answers statements, one at a time.
import type { PGlite } from '@electric-sql/pglite';
import { openEngine, POSTGRES_VERSION } from '../../../src/adapters/index/engines.ts';
import { createPageReader } from '../../../src/adapters/index/page-reader.ts';
import { KINDS, openPages, recordsOf } from '../../../src/adapters/index/page-store.ts';
import { isDamaged } from '../../../src/adapters/index/statements.ts';
import { cipherFor, type DataKey } from '../../../src/adapters/vault/data-key.ts';

export type Reader = 'silent' | 'slow';
export type Asked =
  /** Flips the last byte of each record of the one large file, from its page 600 on; the database is closed. */
  | { readonly hurt: true }
  /** A reader that is `silent` loads and never answers, a `slow` one takes 0.3 s a part. */
  | { readonly open: DataKey; readonly reader?: Reader }
  | { readonly sql: string }
  /** Reads the end of the large file as soon as the next change has gone to IndexedDB, before it is stored. */
  | { readonly meanwhile: true }
  | { readonly close: true };
export type Answered =
  | { readonly remade: boolean; readonly readers: number }
  | { readonly rows: readonly unknown[] }
  | { readonly error: string; readonly isDamaged: boolean };

let database: PGlite;
let readers = 0;

async function answer(asked: Asked): Promise<Answered> {
  try {
    if ('open' in asked) {
      const opened = await openEngine({
        wanted: 'indexeddb',
        name: self.name,
        cipher: await cipherFor(asked.open, 'index'),
        ...(import.meta.env.VITE_CLUSTER ? { cluster: `/${import.meta.env.VITE_CLUSTER}` } : {}),
        startReader: () => {
          readers += 1;
          if (asked.reader === 'silent')
            return createPageReader(new Worker('data:text/javascript,0', { type: 'module' }), asked.open, {
              startsWithinMs: 500,
            });
          if (asked.reader)
            return createPageReader(
              new Worker(new URL('./slow-reader.worker.ts', import.meta.url), { type: 'module' }),
              asked.open,
              { arrivesWithinMs: 5000 },
            );
          const worker = new Worker(new URL('../../../src/workers/page-reader.worker.ts', import.meta.url), {
            type: 'module',
          });
          return createPageReader(worker, asked.open);
        },
      });
      database = opened.database;
      return { remade: opened.remade, readers };
    }
    if ('hurt' in asked) return await hurtLarge();
    if ('meanwhile' in asked) return readMeanwhile();
    if ('sql' in asked) return { rows: (await database.query(asked.sql)).rows };
    await database.close();
    return { rows: [] };
  } catch (error) {
    return { error: String(error), isDamaged: isDamaged(error) };
  }
}

/** The parts in use of Emscripten's files. */
interface Files {
  lookupPath(path: string): { readonly node: { readonly usedBytes?: number } };
  readdir(path: string): string[];
  open(path: string, flags: string): unknown;
  read(stream: unknown, to: Uint8Array, offset: number, length: number, position: number): number;
}

/** Reads as Postgres does, which holds this thread until the part is there. */
function readMeanwhile(): Answered {
  const files = database.Module.FS as unknown as Files;
  const folder = '/pglite/data/base/5';
  const sizes = files
    .readdir(folder)
    .filter((name) => !name.startsWith('.'))
    .map((name) => ({ name, size: files.lookupPath(`${folder}/${name}`).node.usedBytes ?? 0 }));
  const largest = sizes.reduce((a, b) => (b.size > a.size ? b : a));
  const begin = IDBDatabase.prototype.transaction;
  IDBDatabase.prototype.transaction = function (...given) {
    const begun = begin.apply(this, given);
    if (given[1] === 'readwrite') {
      IDBDatabase.prototype.transaction = begin;
      // After the requests of the transaction, which follow in this task.
      queueMicrotask(() =>
        files.read(files.open(`${folder}/${largest.name}`, 'r'), new Uint8Array(8), 0, 8, largest.size - 8),
      );
    }
    return begun;
  };
  return { rows: [largest] };
}

async function hurtLarge(): Promise<Answered> {
  const name = `${self.name}-${POSTGRES_VERSION}-sealed`;
  const pages = await openPages(name);
  const large = (await pages.getAll('files')).filter(({ size }) => size > 8e6);
  const writing = pages.transaction(KINDS, 'readwrite');
  for (const { id } of large)
    for (const kind of KINDS) {
      const store = writing.objectStore(kind);
      for (const key of await store.getAllKeys(recordsOf(id, 600))) {
        const record = (await store.get(key)) as Uint8Array;
        record[record.length - 1] = (record.at(-1) ?? 0) ^ 1;
        await store.put(record, key);
      }
    }
  await writing.done;
  pages.close();
  return { rows: large };
}

self.addEventListener('message', async ({ data }: MessageEvent<Asked>) => {
  self.postMessage(await answer(data));
});
