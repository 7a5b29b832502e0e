// Index and model open only when the page is usable, or earlier if a person needs them.
import { describe, expect, it } from 'vitest';
import type { MemoryIndex } from '../../../src/adapters/index/memory-index.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { createLateStart } from '../../../src/services/memory/late-start.ts';
import { type MemoryStatus, STARTING } from '../../../src/services/memory/memory.ts';
import { createMemory } from '../../../src/services/memory/memory-service.ts';
import { createInMemoryIndex } from '../../adapters/index/in-memory-index.ts';
import { libraryEntry } from '../../fixtures/library-entry.ts';

const signal = () => new AbortController().signal;
const never = () => new Promise<void>(() => {});

/** A memory whose index is there once the start has begun. */
function memoryWith(begin: () => void, begun: Promise<void>, entries = [libraryEntry('talked')]) {
  const index = writable<MemoryIndex | null>(null);
  const status = writable<MemoryStatus>(STARTING);
  void begun.then(() => {
    index.set(createInMemoryIndex());
    status.set({ ...STARTING, state: 'ready' });
  });
  return createMemory({
    index,
    begin,
    embedding: writable(null),
    config: writable(structuredClone(defaultConfig)),
    documents: { library: writable({ ready: true, entries, projects: [] }) },
    status,
    wake: () => {},
    setPaused: () => {},
    rebuild: async () => {},
  });
}

describe('a late start', () => {
  it('begins when the page can be used, and where that fails', async () => {
    await createLateStart(Promise.resolve()).begun;
    await createLateStart(Promise.reject(new Error('not drawn'))).begun;
  });

  it('does not keep a question waiting', async () => {
    const { begin, begun } = createLateStart(never());
    const { unavailable } = await memoryWith(begin, begun).recall({
      text: 'Where is the key of the cellar?',
      purpose: 'inject',
      signal: signal(),
    });
    expect(unavailable).toBeUndefined();
  });

  it('does not keep a search waiting', async () => {
    const { begin, begun } = createLateStart(never());
    const final = new Promise<boolean>((resolve, reject) => {
      memoryWith(begin, begun)
        .search({
          text: 'key',
          filter: {},
          limit: 5,
          signal: signal(),
          onHits: (_, last) => last && resolve(true),
        })
        .catch(reject);
    });
    expect(await final).toBe(true);
  });

  it('begins while a question is being written, where there is something to recall', async () => {
    const { begin, begun } = createLateStart(never());
    let begins = 0;
    const count = () => {
      begins += 1;
      begin();
    };
    memoryWith(count, begun, []).prepare();
    expect(begins).toBe(0);
    memoryWith(count, begun).prepare();
    await begun;
    expect(begins).toBe(1);
  });
});
