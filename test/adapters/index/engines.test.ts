// Opening and making again, with the page file system over a stand-in for IndexedDB. The real browsers' engines are
// proven in `engines.browser.test.ts`; here files are damaged in ways that a browser does not let one reach easily.
import 'fake-indexeddb/auto';
import { openDB } from 'idb';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openEngine, POSTGRES_VERSION, removeEngineFiles } from '../../../src/adapters/index/engines.ts';
import { createPgliteIndex } from '../../../src/adapters/index/pglite.ts';
import { SCHEMA_VERSION } from '../../../src/adapters/index/schema.ts';
import { isDamaged } from '../../../src/adapters/index/statements.ts';
import { cipherFor, holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import type { RecollectError } from '../../../src/domain/base/errors.ts';
import { log } from '../../../src/domain/base/log.ts';
import { deep, runs } from '../../scale.ts';
import { change, message } from '../../suites/memory-index.suite.ts';
import { packedCluster } from './database.ts';

const NAME = 'engines';
let packed: Blob;
/** Of the packed database: made here, each would take seconds. */
let cluster: string;
beforeAll(async () => {
  packed = await packedCluster();
  cluster = URL.createObjectURL(packed);
});
const open = () => openEngine({ wanted: 'indexeddb', name: NAME, cluster });

/** A library of one message, closed. */
async function prepare(): Promise<void> {
  const { database, engine } = await open();
  expect(engine).toBe('indexeddb');
  const index = createPgliteIndex(database);
  await index.apply(change({ messages: [message(1, 'kept words')] }), 5);
  await index.close();
}

/** Works on the stored pages: `files` by path, `pages` by number. */
const store = () => openDB(`${NAME}-${POSTGRES_VERSION}`);

afterEach(async () => {
  vi.restoreAllMocks();
  await removeEngineFiles(NAME);
});

describe('engines', { timeout: 120_000 }, () => {
  it('name their files after the Postgres that reads them', async () => {
    const { database } = await openEngine({ wanted: 'memory', cluster });
    const { rows } = await database.query<{ server_version: string }>('show server_version');
    expect(Number.parseInt(rows[0]?.server_version ?? '', 10)).toBe(POSTGRES_VERSION);
    await database.close();
  });

  deep('open what they kept', async () => {
    await prepare();
    const { database } = await open();
    const index = createPgliteIndex(database);
    expect(await index.bookmark()).toBe(5);
    expect((await index.search({ words: 'kept', filter: {}, limit: 5 })).candidates).toHaveLength(1);
    await index.close();
  });

  it('begin with the database that was packed, and keep what is in it', async () => {
    expect(packed.size).toBeLessThan(3_000_000);
    const asked = vi.spyOn(globalThis, 'fetch');
    const first = await open();
    expect(asked).toHaveBeenCalledTimes(1);
    expect(first).toMatchObject({ engine: 'indexeddb', remade: false });
    const { rows } = await first.database.query('select datname from pg_database');
    expect(rows).toEqual([{ datname: 'postgres' }]);
    const index = createPgliteIndex(first.database);
    await index.apply(change({ messages: [message(1, 'kept words')] }), 5);
    await index.close();
    // What is there is opened without it.
    const again = await open();
    expect(asked).toHaveBeenCalledTimes(1);
    expect(await createPgliteIndex(again.database).bookmark()).toBe(5);
    await again.database.close();
  });

  it('open sealed files by one look, and begin anew where a first start was cut short', async () => {
    const cipher = await cipherFor(await holdDataKey(newDataKey()), 'index');
    const openSealed = () => openEngine({ wanted: 'auto', name: NAME, cluster, cipher });
    const sealedName = `${NAME}-${POSTGRES_VERSION}-sealed`;
    const cutShort = await openDB(sealedName, 2, {
      upgrade: (database) => {
        database.createObjectStore('files', { keyPath: 'path' });
        for (const store of ['pages', 'packs']) database.createObjectStore(store);
      },
    });
    cutShort.close();
    const first = await openSealed();
    expect(first).toMatchObject({ engine: 'indexeddb', remade: false });
    const index = createPgliteIndex(first.database);
    await index.apply(change({ messages: [message(1, 'kept words')] }), 5);
    await index.close();
    const looked = vi.spyOn(IDBFactory.prototype, 'open');
    const again = await openSealed();
    expect(looked.mock.calls.filter(([name]) => name === sealedName)).toHaveLength(1);
    expect(again).toMatchObject({ engine: 'indexeddb', remade: false });
    expect(await createPgliteIndex(again.database).bookmark()).toBe(5);
    await again.database.close();
    await removeEngineFiles(NAME, true);
  });

  it('keep no copy of the catalog that Postgres throws away at each start', async () => {
    await prepare();
    const { database } = await open();
    // The next session makes the copy anew.
    await database.exec('create table another (n integer)');
    await database.query('select 1');
    await database.close();
    const pages = await store();
    const kept = (await pages.getAllKeys('files')).filter((path) => String(path).includes('pg_internal'));
    pages.close();
    expect(kept).toEqual([]);
  });

  it('keep no whole page in the write-ahead log, since stored files never have half of one', async () => {
    const { database } = await open();
    // Some hundred pages, each of which the log would hold after a checkpoint.
    await database.exec(
      'create table wide as select n, repeat(md5(n::text), 60) as text from generate_series(1, 400) n',
    );
    await database.exec('checkpoint');
    const place = await database.query<{ at: string }>('select pg_current_wal_insert_lsn()::text as at');
    await database.query('delete from wide');
    const { rows } = await database.query<{ bytes: number }>(
      'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1::pg_lsn)::int as bytes',
      [place.rows[0]?.at],
    );
    expect(rows[0]?.bytes).toBeGreaterThan(0);
    expect(rows[0]?.bytes).toBeLessThan(100_000);
    await database.close();
  });

  deep('begin with one of their own where the packed one is missing or damaged', async () => {
    const warned = vi.spyOn(log, 'warn');
    for (const wrong of ['data:,no%20database', 'http://localhost:9/nothing.data'].slice(0, runs(2, 1))) {
      const opened = await openEngine({ wanted: 'indexeddb', name: NAME, cluster: wrong });
      expect(opened).toMatchObject({ engine: 'indexeddb', remade: false });
      expect(await createPgliteIndex(opened.database).bookmark()).toBe(0);
      await opened.database.close();
      await removeEngineFiles(NAME);
    }
    expect(warned).toHaveBeenCalled();
  });

  it('are passed over where they do not exist, with the reason', async () => {
    const opened = await openEngine({ wanted: 'opfs', name: NAME, cluster });
    expect(opened.engine).toBe('indexeddb');
    expect(opened.passedOver.map((one) => one.engine)).toEqual(['opfs']);
    await opened.database.close();
  });

  it('say that there is no room, and give up nothing that is there', async () => {
    await prepare();
    const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    });
    const warned = vi.spyOn(log, 'warn');
    await expect(open()).rejects.toMatchObject({ problem: { code: 'storage-full', retry: true } });
    expect(warned).not.toHaveBeenCalled();
    put.mockRestore();
    const { database } = await open();
    expect(await createPgliteIndex(database).bookmark()).toBe(5);
    await database.close();
  });

  describe('where access handles find no room, for which PGlite would wait', () => {
    const full = () => Promise.reject(new DOMException('The quota has been exceeded.', 'QuotaExceededError'));
    const handle = {
      getSize: () => 0,
      read: () => 0,
      truncate: () => {},
      write: () => 0,
      flush: () => {},
      close: () => {},
    };
    class FileSystemFileHandle {
      async createSyncAccessHandle() {
        return handle;
      }
    }
    let isThere: boolean;
    class FileSystemDirectoryHandle {
      async getDirectoryHandle(_name: string, options?: { create?: boolean }) {
        if (!isThere && !options?.create) throw new DOMException('Not there.', 'NotFoundError');
        isThere = true;
        return this;
      }
      async getFileHandle(name: string) {
        return name === 'state.txt' ? new FileSystemFileHandle() : full();
      }
      async removeEntry() {
        isThere = false;
      }
    }
    beforeEach(() => {
      isThere = false;
      vi.stubGlobal('self', { addEventListener: () => {}, removeEventListener: () => {} });
      vi.stubGlobal('FileSystemFileHandle', FileSystemFileHandle);
      vi.stubGlobal('FileSystemDirectoryHandle', FileSystemDirectoryHandle);
      const storage = {
        getDirectory: async () => new FileSystemDirectoryHandle(),
        estimate: async () => ({ quota: 1e9, usage: 0.9e9 }),
      };
      vi.stubGlobal('navigator', { storage });
    });
    afterEach(() => vi.unstubAllGlobals());

    it('say so, and leave what is there', async () => {
      isThere = true;
      await expect(openEngine({ wanted: 'auto', name: NAME, cluster })).rejects.toMatchObject({
        problem: { code: 'storage-full', retry: true },
      });
      expect(isThere).toBe(true);
    });

    deep(
      'make a new one in IndexedDB, leave nothing behind, and stay there while room is short',
      async () => {
        const first = await openEngine({ wanted: 'auto', name: NAME, cluster });
        expect(first).toMatchObject({ engine: 'indexeddb', remade: false, passedOver: [{ engine: 'opfs' }] });
        expect(isThere).toBe(false);
        const index = createPgliteIndex(first.database);
        await index.apply(change({ messages: [message(1, 'kept words')] }), 5);
        await index.close();

        const again = await openEngine({ wanted: 'auto', name: NAME, cluster });
        expect(again).toMatchObject({ engine: 'indexeddb', passedOver: [] });
        expect(await createPgliteIndex(again.database).bookmark()).toBe(5);
        await again.database.close();
      },
    );

    it('say so where IndexedDB has none either', async () => {
      vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
        throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
      });
      await expect(openEngine({ wanted: 'auto', name: NAME, cluster })).rejects.toMatchObject({
        problem: { code: 'storage-full', retry: true },
      });
      expect(isThere).toBe(false);
    });
  });

  const damages: [string, () => Promise<void>][] = [
    [
      'was made by another Postgres',
      async () => {
        const pages = await store();
        const file = await pages.get('files', '/PG_VERSION');
        await pages.put('pages', new TextEncoder().encode('17\n'), file.id * 2 ** 32);
        pages.close();
      },
    ],
    [
      'has a broken control file',
      async () => {
        const pages = await store();
        const file = await pages.get('files', '/global/pg_control');
        await pages.put('pages', new Uint8Array(8192).fill(7), file.id * 2 ** 32);
        pages.close();
      },
    ],
    [
      'was only half made',
      async () => {
        const pages = await store();
        for (const path of await pages.getAllKeys('files'))
          if (String(path).startsWith('/base/')) await pages.delete('files', path);
        pages.close();
      },
    ],
    [
      'has lost its tables',
      async () => {
        const pages = await store();
        const rows: { path: string; id: number; size: number }[] = await pages.getAll('files');
        for (const row of rows)
          if (/^\/base\/\d+\/\d{5,}$/.test(row.path)) await pages.delete('files', row.path);
        pages.close();
      },
    ],
  ];
  for (const [what, damage] of damages.slice(0, runs(damages.length, 1)))
    it(`make a database again that ${what}`, async () => {
      vi.spyOn(log, 'warn');
      await prepare();
      await damage();
      const { database, engine, remade } = await open();
      expect([engine, remade]).toEqual(['indexeddb', true]);
      const index = createPgliteIndex(database);
      expect(await index.bookmark()).toBe(0);
      await index.apply(change({ messages: [message(1, 'kept words')] }), 5);
      expect((await index.search({ words: 'kept', filter: {}, limit: 5 })).candidates).toHaveLength(1);
      await index.close();
    });

  it('make a database of a first start that ended before anything was stored, and speak of no damage', async () => {
    const warned = vi.spyOn(log, 'warn');
    const unfinished = await openDB(`${NAME}-${POSTGRES_VERSION}`, 2, {
      upgrade: (database) => {
        database.createObjectStore('files', { keyPath: 'path' });
        database.createObjectStore('pages');
        database.createObjectStore('packs');
      },
    });
    unfinished.close();
    const { database, engine, remade } = await open();
    expect([engine, remade]).toEqual(['indexeddb', false]);
    expect(warned).not.toHaveBeenCalled();
    await database.close();
  });

  /** Every page of a table's file, or the file itself. */
  const inside: [table: string, what: string, damage: (path: string) => Promise<void>][] = [
    [
      'state',
      'a page of noise',
      async (path) => {
        const pages = await store();
        const file = await pages.get('files', path);
        const noise = Uint8Array.from({ length: 8192 }, (_, at) => (at * 37 + 11) % 256);
        await pages.put('pages', noise, file.id * 2 ** 32);
        pages.close();
      },
    ],
    [
      'chunks',
      'a single bit that flipped',
      async (path) => {
        const pages = await store();
        const file = await pages.get('files', path);
        const page = new Uint8Array(8192);
        page.set(await pages.get('pages', file.id * 2 ** 32));
        // Within the row. One in 65,536 flips gives the same checksum, and that of byte 8000 is one of them here.
        page[8100] = (page[8100] as number) ^ 1;
        await pages.put('pages', page, file.id * 2 ** 32);
        pages.close();
      },
    ],
    [
      'conversations',
      'a file that is gone',
      async (path) => {
        const pages = await store();
        await pages.delete('files', path);
        pages.close();
      },
    ],
  ];
  for (const [table, what, damage] of inside.slice(0, runs(inside.length, 1)))
    it(`know ${what} in ${table} for damage inside, and give it up when told to`, async () => {
      await prepare();
      const first = await open();
      const { rows } = await first.database.query<{ path: string }>(
        `select pg_relation_filepath('${table}') as path`,
      );
      await first.database.close();
      await damage(`/${rows[0]?.path}`);

      const { database, remade } = await open();
      expect(remade, 'it opens').toBe(false);
      const causes: unknown[] = [];
      const codes: unknown[] = [];
      const index = createPgliteIndex(database);
      for (const ask of [
        () => index.bookmark(),
        () => index.search({ words: 'kept', filter: {}, limit: 5 }),
        () => index.apply(change({ messages: [message(2, 'more')] }), 6),
      ])
        await ask().catch((error: unknown) => {
          causes.push((error as Error).cause);
          codes.push((error as RecollectError).problem.code);
        });
      expect(causes.length).toBeGreaterThan(0);
      expect(new Set(codes)).toEqual(new Set(['index-damaged']));
      expect(causes.every(isDamaged)).toBe(true);
      await database.close().catch(() => {});

      const fresh = await openEngine({ wanted: 'indexeddb', name: NAME, fresh: true, cluster });
      const again = createPgliteIndex(fresh.database);
      expect(await again.bookmark()).toBe(0);
      await again.apply(change({ messages: [message(1, 'kept words')] }), 5);
      expect((await again.search({ words: 'kept', filter: {}, limit: 5 })).candidates).toHaveLength(1);
      await again.close();
    });

  it('let a statement fail when Postgres ends in the middle of it, and each one after it', async () => {
    const { database } = await openEngine({ wanted: 'memory', cluster });
    const index = createPgliteIndex(database);
    const missing = vi.spyOn(database.Module.FS, 'mknod').mockImplementation(() => {
      throw new Error('No more file handles');
    });
    await expect(database.query('create table more (n integer)')).rejects.toThrow(
      'Postgres ended: No more file handles',
    );
    expect(missing).toHaveBeenCalled();
    missing.mockRestore();
    for (const ask of [() => index.bookmark(), () => index.apply(change({ messages: [message(1, 'x')] }), 6)])
      await expect(ask()).rejects.toMatchObject({ problem: { code: 'index-crashed', retry: true } });
    // A wrong statement does not end the engine.
    const whole = await openEngine({ wanted: 'memory', cluster });
    await whole.database.query('select 1 / 0').catch(() => {});
    expect(await createPgliteIndex(whole.database).bookmark()).toBe(0);
    await whole.database.close();
  });

  it('take neither a wrong statement nor a full disk for damage', async () => {
    const { database } = await openEngine({ wanted: 'memory', cluster });
    const said = await database.query('select 1 / 0').catch((error: unknown) => error);
    expect(isDamaged(said)).toBe(false);
    expect(isDamaged(await database.query('selec').catch((error: unknown) => error))).toBe(false);
    expect(isDamaged(new DOMException('The quota has been exceeded.', 'QuotaExceededError'))).toBe(false);
    expect(isDamaged({ code: '53100', message: 'could not extend file: No space left on device' })).toBe(
      false,
    );
    await database.close();
  });

  it('refuse a database of a newer app and leave it as it is', async () => {
    await prepare();
    const { database } = await open();
    await database.query('insert into schema_version (version) values ($1)', [SCHEMA_VERSION + 1]);
    await database.close();
    await expect(open()).rejects.toMatchObject({ problem: { code: 'newer-index' } });
    await expect(openEngine({ wanted: 'auto', name: NAME })).rejects.toMatchObject({
      problem: { code: 'newer-index' },
    });
    const pages = await store();
    expect((await pages.getAllKeys('files')).length).toBeGreaterThan(400);
    pages.close();
  });
});
