// The index in a worker of a real browser, on each engine that keeps something.
import { afterAll, describe, expect, it } from 'vitest';
import { POSTGRES_VERSION } from '../../../src/adapters/index/engines.ts';
import { type IndexInWorker, openIndexInWorker } from '../../../src/adapters/index/worker.ts';
import type { Problem } from '../../../src/domain/base/errors.ts';
import { ALL, runs, some } from '../../scale.ts';
import { change, describeKeptIndex, describeMemoryIndex, message } from '../../suites/memory-index.suite.ts';

const startWorker = (name = 'index') =>
  new Worker(new URL('./index.worker.ts', import.meta.url), { type: 'module', name });
const openIn = (wanted: 'auto' | 'opfs' | 'indexeddb' | 'memory', id: string) =>
  openIndexInWorker(() => startWorker(), { wanted, id });

/** The engine that the app chooses by itself comes first: the gate runs that one. */
const ENGINES = some(['opfs', 'indexeddb'] as const, 1);

for (const engine of ENGINES) {
  const id = `suite-${engine}`;
  let opened: IndexInWorker | undefined;
  const get = async () => {
    opened ??= await openIn(engine, id);
    expect(opened.engine).toBe(engine);
    return opened.index;
  };
  afterAll(async () => opened?.index.close());

  // In the gate what depends on the engine; the whole contract runs on PGlite in Node there.
  const describeIndex = ALL ? describeMemoryIndex : describeKeptIndex;
  // Empties the index between tests, because opening takes a second and has a test of its own.
  describeIndex(`PGlite in a worker on ${engine}`, {
    open: async () => {
      const index = await get();
      await index.clear();
      return { ...index, close: async () => {} };
    },
    reopen: async () => {
      await opened?.index.close();
      opened = undefined;
      return { ...(await get()), close: async () => {} };
    },
    runs: runs(10, 4),
  });
}

/** Another worker takes over at once, while the one before may still hold its files. */
for (const engine of ENGINES)
  it(`${engine} is handed from leader to leader with all it holds`, { timeout: 180_000 }, async () => {
    const open = () => openIn(engine, `handed-${engine}`);
    let leader = await open();
    for (let round = 1; round <= runs(3, 1); round++) {
      await leader.index.apply(change({ messages: [message(round, `round${round}`)] }), round);
      const next = await open();
      expect(next.isLeader()).toBe(false);
      await leader.index.close();
      expect(await next.index.bookmark()).toBe(round);
      expect(next.isLeader()).toBe(true);
      await next.index.close();
      leader = await open();
      expect([leader.engine, await leader.index.bookmark()]).toEqual([engine, round]);
    }
    await leader.index.close();
  });

describe('engines', { timeout: 120_000 }, () => {
  // One of its own takes seconds to make; that it is made where the packed one cannot be had,
  // `engines.test.ts` shows in the gate.
  it.skipIf(!ALL)(
    'opfs begins with the packed database, of fewer files, or with one of its own',
    async () => {
      const files: number[] = [];
      for (const name of ['index', 'own']) {
        const { index, engine } = await openIndexInWorker(() => startWorker(name), {
          wanted: 'opfs',
          id: name,
        });
        expect(engine).toBe('opfs');
        await index.apply(change({ messages: [message(1, 'kept')] }), 5);
        await index.close();
        const root = await navigator.storage.getDirectory();
        const folder = await root.getDirectoryHandle(`${name}-${POSTGRES_VERSION}`);
        let count = 0;
        for await (const _ of (await folder.getDirectoryHandle('data')) as unknown as AsyncIterable<unknown>)
          count += 1;
        files.push(count);
      }
      expect(files[0]).toBeLessThan(700);
      expect(files[1]).toBeGreaterThan(900);
    },
  );

  it('auto is opfs here; changing the engine starts empty and deletes the files of the other', async () => {
    const first = await openIn('auto', 'change');
    expect(first.engine).toBe('opfs');
    await first.index.apply(change({ messages: [message(1, 'kept')] }), 5);
    await first.index.close();
    const second = await openIn('indexeddb', 'change');
    expect(second.engine).toBe('indexeddb');
    expect(await second.index.bookmark()).toBe(0);
    await second.index.close();
    const root = await navigator.storage.getDirectory();
    const names: string[] = [];
    for await (const [name] of root as unknown as AsyncIterable<[string, unknown]>) names.push(name);
    expect(names.filter((name) => name.startsWith('change'))).toEqual([]);
  });

  // Moments by the number of files in the folder: its first, some of its pool, and all
  // of it while the database is unpacked.
  for (const files of some([540, 1, 400], 1))
    it(`opfs begins anew after a first start that was cut short at ${files} files`, async () => {
      const name = `cut-${files}`;
      const start = () => new Worker(new URL('./pool.worker.ts', import.meta.url), { type: 'module', name });
      const root = await navigator.storage.getDirectory();
      const count = async () => {
        let found = 0;
        const folder = await root.getDirectoryHandle(`${name}-${POSTGRES_VERSION}`);
        for await (const _ of (await folder.getDirectoryHandle('data')).keys()) found += 1;
        return found;
      };
      const first = start();
      await expect.poll(() => count().catch(() => 0), { interval: 5 }).toBeGreaterThanOrEqual(files);
      first.terminate();
      const second = start();
      const answer = new Promise<unknown>((resolve) => {
        second.onmessage = ({ data }) => resolve(data);
      });
      second.postMessage('select 1 as one');
      expect(await answer).toEqual({ engine: 'opfs', rows: [{ one: 1 }], remade: false });
      second.terminate();
      for await (const entry of root.keys()) expect(entry).not.toContain('unfinished');
    });

  // 130 MB through the log.
  it.skipIf(!ALL)('opfs has files enough for all that one statement writes into the log', async () => {
    const open = () => {
      const worker = new Worker(new URL('./pool.worker.ts', import.meta.url), { type: 'module' });
      const query = (sql: string) =>
        new Promise<unknown>((resolve) => {
          worker.onmessage = ({ data }) => resolve(data);
          worker.postMessage(sql);
        });
      return { query, end: () => worker.terminate() };
    };
    const first = open();
    // 130 MB not read yet: the first read writes every page into the write-ahead log.
    await first.query(
      "create table large as select n, repeat('recollect ', 150) as text from generate_series(1, 80000) n",
    );
    await first.query('checkpoint');
    expect(await first.query('vacuum large')).toMatchObject({ engine: 'opfs', rows: [] });
    const count = 'select count(*)::integer as n from large';
    expect(await first.query(count)).toMatchObject({ rows: [{ n: 80_000 }] });
    expect(await first.query('close')).toMatchObject({ rows: [] });
    first.end();
    const second = open();
    expect(await second.query(count)).toMatchObject({ rows: [{ n: 80_000 }] });
    expect(await second.query('drop table large')).toMatchObject({ rows: [] });
    second.end();
  });

  it('one whose Postgres ends says so to its tabs, and has what was committed when it is opened again', async () => {
    let said: Problem | undefined;
    const ending = await openIndexInWorker(() => startWorker('ends'), {
      wanted: 'opfs',
      id: 'ends',
      onCrashed: (problem) => {
        said = problem;
      },
    });
    await ending.index.apply(change({ messages: [message(1, 'kept')] }), 5);
    ending.post('no more files');
    const more = change({ messages: [message(2, 'more')] });
    await expect
      .poll(() => ending.index.apply(more, 6).catch((error) => error.problem?.code))
      .toBe('index-crashed');
    await expect.poll(() => said?.code).toBe('index-crashed');
    await expect(ending.index.bookmark()).rejects.toMatchObject({ problem: { code: 'index-crashed' } });
    await ending.index.close();
    const again = await openIn('opfs', 'ends');
    expect(await again.index.bookmark()).toBe(5);
    await again.index.apply(more, 6);
    expect((await again.index.search({ words: 'more', filter: {}, limit: 5 })).candidates).toHaveLength(1);
    await again.index.close();
  });
});
