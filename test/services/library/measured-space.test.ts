// How much of the allowed size is taken, by whom it was asked.
import { expect, it } from 'vitest';
import { writable } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { estimateSpace, measureSpace } from '../../../src/services/library/measured-space.ts';
import { type MemoryStatus, STARTING } from '../../../src/services/memory/memory.ts';

const MB = 1_000_000;
const deviceWith = (usage: number | null) => ({
  storage: async () => ({
    usage,
    quota: usage === null ? null : 100 * MB,
    persisted: null,
    modelBytes: 2 * MB,
  }),
});
const measure = (state: MemoryStatus['state'], indexBytes: number | null, usage: number | null = null) =>
  measureSpace({
    device: deviceWith(usage),
    store: { log: { stats: async () => ({ entries: 1, bytes: 5 * MB }) } },
    memory: {
      status: writable<MemoryStatus>({ ...STARTING, state }),
      stats: async () => {
        if (indexBytes === null) throw new Error('not to be asked');
        return { bytes: indexBytes } as never;
      },
    },
    settings: {
      config: writable({ ...defaultConfig, storage: { ...defaultConfig.storage, max_size_mb: 20 } }),
    },
  });

it('counts log, models and index, or what the browser says where that is more', async () => {
  expect(await measure('ready', 3 * MB)).toEqual({ used: 10 * MB, limit: 20 * MB, state: 'free' });
  expect(await measure('ready', 3 * MB, 17 * MB)).toMatchObject({ used: 17 * MB, state: 'warn' });
});

it('does not ask an index that has no figures, and does without those it cannot give', async () => {
  expect(await measure('starting', 1_000 * MB)).toMatchObject({ used: 7 * MB });
  expect(await measure('failed', 1_000 * MB)).toMatchObject({ used: 7 * MB });
  expect(await measure('ready', null)).toMatchObject({ used: 7 * MB });
});

it('passes on what the browser lets the origin use, or that it does not say', async () => {
  expect(await estimateSpace(deviceWith(MB))).toEqual({ usage: MB, quota: 100 * MB });
  expect(await estimateSpace(deviceWith(null))).toBeNull();
});
