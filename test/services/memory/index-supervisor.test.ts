// What a tab does when its index does not open, stops, or is damaged: the table of reactions, and its course in time.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MemoryIndex } from '../../../src/adapters/index/memory-index.ts';
import { type Problem, RecollectError } from '../../../src/domain/base/errors.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { type Config, defaultConfig } from '../../../src/domain/settings/config.ts';
import {
  type IndexEvents,
  type IndexHistory,
  IndexSupervisor,
  type OpenedIndex,
  reactionTo,
} from '../../../src/services/memory/index-supervisor.ts';
import { type MemoryStatus, STARTING } from '../../../src/services/memory/memory.ts';

const crashed = new RecollectError('index-crashed', 'Postgres ended', { retry: true });
const damaged = new RecollectError('index-damaged', 'a page is broken', { retry: true });
const full = new RecollectError('index-unavailable', 'no room', { retry: true });
const newer = new RecollectError('newer-index', 'made by a newer app');

const RETRY_MS = 30_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the table of reactions', () => {
  const never: IndexHistory = { crashes: 0, remade: false, waited: false };
  it.each([
    ['crashed while opening', crashed, 'opening', never, 'retry later'],
    ['crashed for the third time', crashed, 'open', { ...never, crashes: 2 }, 'reopen'],
    ['crashed for the fourth time', crashed, 'open', { ...never, crashes: 3 }, 'give up'],
    ['damaged while opening', damaged, 'opening', never, 'remake'],
    ['damaged once it was open', damaged, 'open', never, 'remake'],
    ['damaged at another tab still', damaged, 'opening', { ...never, remade: true }, 'retry later'],
    ['damaged after the wait', damaged, 'opening', { ...never, remade: true, waited: true }, 'give up'],
    ['damaged again once it was open', damaged, 'open', { ...never, remade: true }, 'give up'],
    ['no room', full, 'opening', never, 'fail, retry later'],
    ['a newer index', newer, 'opening', never, 'fail'],
  ] as const)('%s', (_, { problem }, when, history, reaction) => {
    expect(reactionTo(problem, when, history)).toBe(reaction);
  });
});

/** A supervisor over scripted openings: each resolves, or rejects with the given error. */
function setup(...script: readonly (RecollectError | 'opens')[]) {
  const openings: { wanted: string; events: IndexEvents; closed: boolean }[] = [];
  const config = writable<Config>(defaultConfig);
  const status = writable<MemoryStatus>(STARTING);
  const remade: Problem[] = [];
  const fileListeners = new Set<() => void>();
  const closing = new AbortController();
  let opened = 0;
  const supervisor = new IndexSupervisor({
    open: async (wanted, events): Promise<OpenedIndex> => {
      const mine = { wanted, events, closed: false };
      const outcome = script[openings.length] ?? 'opens';
      openings.push(mine);
      if (outcome !== 'opens') throw outcome;
      const close = async () => {
        mine.closed = true;
      };
      return { index: { close } as MemoryIndex };
    },
    onOpened: () => {
      opened += 1;
      status.set({ ...STARTING, state: 'ready' });
    },
    config,
    status,
    files: {
      markDamaged: async () => {
        for (const listener of [...fileListeners]) listener();
      },
      subscribe: (listener) => {
        fileListeners.add(listener);
        return () => fileListeners.delete(listener);
      },
    },
    onRemade: (problem) => remade.push(problem),
    signal: closing.signal,
  });
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return {
    supervisor,
    openings,
    config,
    status,
    remade,
    fileListeners,
    closing,
    settle,
    opened: () => opened,
  };
}

describe('the course in time', () => {
  it('opens at once with the engine that the settings want', async () => {
    const { supervisor, openings, opened, settle } = setup();
    expect(supervisor.index.get()).toBeNull();
    await settle();
    expect(supervisor.index.get()).not.toBeNull();
    expect([openings.map(({ wanted }) => wanted), opened()]).toEqual([['auto'], 1]);
  });

  it('gives another index for each engine that answers, of which nothing is known until it says so', async () => {
    const { supervisor, openings, status, settle, opened } = setup();
    await settle();
    const before = supervisor.index.get();
    const seen: string[] = [];
    status.subscribe(() => seen.push(status.get().state));
    openings[0]?.events.onNewLeader();
    expect(supervisor.index.get()).not.toBe(before);
    expect(supervisor.index.get()).toEqual(before);
    expect([seen, opened(), openings.length]).toEqual([['starting', 'ready'], 2, 1]);
  });

  it('tries again after half a minute where there was no room, and says so meanwhile', async () => {
    const { supervisor, openings, status, settle } = setup(full);
    await settle();
    expect(status.get()).toMatchObject({ state: 'failed', problem: { code: 'index-unavailable' } });
    await vi.advanceTimersByTimeAsync(RETRY_MS - 1);
    expect(openings).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(openings).toHaveLength(2);
    expect(supervisor.index.get()).not.toBeNull();
  });

  it('does not try again what a newer app made', async () => {
    const { openings, status } = setup(newer);
    await vi.advanceTimersByTimeAsync(10 * RETRY_MS);
    expect(openings).toHaveLength(1);
    expect(status.get().problem?.code).toBe('newer-index');
  });

  it('waits without a word for a tab that has yet to close a crashed one', async () => {
    const { openings, status, settle } = setup(crashed);
    await settle();
    expect(status.get().state).toBe('starting');
    await vi.advanceTimersByTimeAsync(RETRY_MS);
    expect(openings).toHaveLength(2);
  });

  it('opens again after each of three crashes, and gives up after the fourth', async () => {
    const { supervisor, openings, status, settle } = setup();
    await settle();
    for (let crash = 1; crash <= 3; crash += 1) {
      openings.at(-1)?.events.onCrashed(crashed.problem);
      await settle();
      expect(openings).toHaveLength(crash + 1);
      expect(openings[crash - 1]?.closed).toBe(true);
    }
    openings.at(-1)?.events.onCrashed(crashed.problem);
    await vi.advanceTimersByTimeAsync(10 * RETRY_MS);
    expect(openings).toHaveLength(4);
    expect(openings.every(({ closed }) => closed)).toBe(true);
    expect(supervisor.index.get()).toBeNull();
    expect(status.get()).toMatchObject({
      state: 'failed',
      problem: { code: 'index-unavailable', message: 'Postgres ended' },
    });
  });

  it('makes a damaged one anew once, and says so', async () => {
    const { openings, remade, status, settle } = setup();
    await settle();
    openings[0]?.events.onDamaged(damaged.problem);
    await settle();
    expect([openings.length, remade.length]).toEqual([2, 1]);
    openings[1]?.events.onDamaged(damaged.problem);
    await settle();
    expect([openings.length, remade.length, status.get().state]).toEqual([2, 1, 'failed']);
  });

  it('waits once for another tab that still has the damaged one', async () => {
    const { openings, status, settle } = setup(damaged, damaged, damaged);
    await settle();
    await settle();
    expect([openings.length, status.get().state]).toEqual([2, 'starting']);
    await vi.advanceTimersByTimeAsync(RETRY_MS);
    expect([openings.length, status.get().state]).toEqual([3, 'failed']);
    await vi.advanceTimersByTimeAsync(10 * RETRY_MS);
    expect(openings).toHaveLength(3);
  });

  it('says where the one that opened was made anew', async () => {
    const { openings, remade, settle } = setup();
    openings[0]?.events.onRemade();
    await settle();
    expect(remade.map(({ code }) => code)).toEqual(['index-damaged']);
  });

  it('opens again with another engine once the settings want one, and only then', async () => {
    const { openings, config, settle } = setup();
    await settle();
    config.update((before) => ({ ...before }));
    await settle();
    expect(openings).toHaveLength(1);
    config.update((before) => ({ ...before, storage: { ...before.storage, engine: 'memory' } }));
    await settle();
    expect(openings.map(({ wanted, closed }) => [wanted, closed])).toEqual([
      ['auto', true],
      ['memory', false],
    ]);
  });

  it('remakes on request only what could not be opened', async () => {
    const { supervisor, openings, settle } = setup(newer);
    await settle();
    expect(await supervisor.remake()).toBe(true);
    await settle();
    // The mark on the files is what every tab without an index follows.
    expect(openings).toHaveLength(2);
    expect(supervisor.index.get()).not.toBeNull();
    expect(await supervisor.remake()).toBe(false);
    expect(openings).toHaveLength(2);
  });

  it('ends with its signal: no timer and no listener stays', async () => {
    const { fileListeners, closing, settle } = setup(full);
    await settle();
    expect([vi.getTimerCount(), fileListeners.size]).toEqual([1, 1]);
    closing.abort();
    expect([vi.getTimerCount(), fileListeners.size]).toEqual([0, 0]);
  });
});
