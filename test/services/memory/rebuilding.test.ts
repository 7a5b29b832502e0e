// A rebuild is seen from asking to its end, and never twice.
import { expect, it, vi } from 'vitest';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { until, writable } from '../../../src/domain/base/readable.ts';
import { createActivities } from '../../../src/services/library/activities.ts';
import { type MemoryStatus, STARTING } from '../../../src/services/memory/memory.ts';
import { createRebuilding } from '../../../src/services/memory/rebuilding.ts';

const READY: MemoryStatus = { ...STARTING, state: 'ready' };

function setup(request: () => Promise<void> = async () => {}) {
  const activities = createActivities({ now: Date.now });
  const status = writable<MemoryStatus>(READY);
  const rebuild = createRebuilding({
    activities,
    status,
    request,
    messages: () => 100,
    signal: new AbortController().signal,
  });
  const now = () => activities.list.get()[0];
  const ended = () => until(activities.list, ([one]) => one !== undefined && one.state !== 'running');
  return { activities, status, rebuild, now, ended };
}

it('counts what was read until nothing is left', async () => {
  const { activities, status, rebuild, now, ended } = setup();
  await rebuild();
  expect(now()).toMatchObject({ label: 'rebuild', done: 0, total: 100, state: 'running' });
  await rebuild();
  expect(activities.list.get()).toHaveLength(1);
  status.set({ ...READY, state: 'indexing', unread: 90 });
  // What follows a promise has its turn before the next figure.
  await new Promise((resolve) => setTimeout(resolve, 0));
  status.set({ ...READY, state: 'indexing', unread: 30 });
  expect(now()?.total).toBe(100);
  status.set({ ...READY, state: 'indexing', waiting: 80 });
  await ended();
  expect(now()).toMatchObject({ state: 'finished', done: 100, total: 100 });
});

it('ends by itself where there was nothing to read', async () => {
  vi.useFakeTimers();
  try {
    const { rebuild, now } = setup();
    await rebuild();
    await vi.advanceTimersByTimeAsync(9_000);
    expect(now()).toMatchObject({ state: 'running' });
    await vi.advanceTimersByTimeAsync(1_500);
    expect(now()).toMatchObject({ state: 'finished' });
  } finally {
    vi.useRealTimers();
  }
});

it('has not ended while the index is opening, and fails only where the index fails again', async () => {
  vi.useFakeTimers();
  try {
    const opening = setup();
    opening.status.set(STARTING);
    await opening.rebuild();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(opening.now()).toMatchObject({ state: 'running' });
    opening.status.set({ ...READY, state: 'indexing', unread: 9 });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(opening.now()).toMatchObject({ state: 'running' });
    opening.status.set(READY);
    await vi.advanceTimersByTimeAsync(0);
    expect(opening.now()).toMatchObject({ state: 'finished' });

    const broken = setup();
    const { problem } = new RecollectError('index-unavailable', 'no place');
    broken.status.set({ ...READY, state: 'failed', problem });
    await broken.rebuild();
    await vi.advanceTimersByTimeAsync(11_000);
    expect(broken.now()).toMatchObject({ state: 'failed', problem: { code: 'index-unavailable' } });

    // A rebuild may repair an earlier failure.
    const repaired = setup();
    repaired.status.set({ ...READY, state: 'failed', unread: 9, problem });
    await repaired.rebuild();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(repaired.now()).toMatchObject({ state: 'running' });
    repaired.status.set({ ...READY, state: 'indexing', unread: 100 });
    await vi.advanceTimersByTimeAsync(0);
    repaired.status.set(READY);
    await vi.advanceTimersByTimeAsync(0);
    expect(repaired.now()).toMatchObject({ state: 'finished' });
  } finally {
    vi.useRealTimers();
  }
});

it('fails as the index does, and is not begun where it could not be asked for', async () => {
  const { status, rebuild, now, ended } = setup();
  await rebuild();
  status.set({ ...READY, state: 'indexing', unread: 9 });
  await new Promise((resolve) => setTimeout(resolve, 0));
  const { problem } = new RecollectError('storage-full', 'no room');
  status.set({ ...READY, state: 'failed', unread: 9, problem });
  await ended();
  expect(now()).toMatchObject({ state: 'failed', problem: { code: 'storage-full' } });

  const refused = setup(() => Promise.reject(new Error('no')));
  await expect(refused.rebuild()).rejects.toThrow('no');
  expect(refused.activities.list.get()).toEqual([]);
});
