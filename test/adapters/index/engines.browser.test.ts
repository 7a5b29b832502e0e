// The index in a worker of a real browser, on each engine that keeps something.
import { afterAll, describe, expect, it } from 'vitest';
import { type IndexInWorker, openIndexInWorker } from '../../../src/adapters/index/worker.ts';
import { change, describeMemoryIndex, message } from '../../suites/memory-index.suite.ts';

const startWorker = () =>
  new Worker(new URL('./index.worker.ts', import.meta.url), { type: 'module', name: 'index' });
const openIn = (wanted: 'auto' | 'opfs' | 'indexeddb' | 'memory', id: string) =>
  openIndexInWorker(startWorker, { wanted, id });

for (const engine of ['opfs', 'indexeddb'] as const) {
  const id = `suite-${engine}`;
  let opened: IndexInWorker | undefined;
  const get = async () => {
    opened ??= await openIn(engine, id);
    expect(opened.engine).toBe(engine);
    return opened.index;
  };
  afterAll(async () => opened?.index.close());

  // Emptied between tests instead of opened anew: opening takes a second, and is a test of its own.
  describeMemoryIndex(`PGlite in a worker on ${engine}`, {
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
    runs: 10,
  });
}

describe('engines', { timeout: 120_000 }, () => {
  it('auto is opfs here', async () => {
    const { index, engine } = await openIn('auto', 'auto');
    expect(engine).toBe('opfs');
    await index.close();
  });

  it('changing the engine starts empty and deletes the files of the other', async () => {
    const first = await openIn('opfs', 'change');
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
});
