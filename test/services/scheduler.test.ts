import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { yieldToEvents } from '../../src/domain/base/yielding.ts';
import { createJob } from '../../src/services/scheduler.ts';

/** A run that a test ends by hand. */
function gate() {
  const runs: { done: () => void; fail: (error: unknown) => void }[] = [];
  let parallel = 0;
  let most = 0;
  return {
    runs,
    most: () => most,
    run: async () => {
      most = Math.max(most, ++parallel);
      try {
        await new Promise<void>((resolve, reject) => runs.push({ done: resolve, fail: reject }));
      } finally {
        parallel -= 1;
      }
    },
  };
}

describe('a job', () => {
  let owner: AbortController;
  const errors: { error: unknown; pause: number }[] = [];
  const onError = (error: unknown, pause: number) => errors.push({ error, pause });
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    owner = new AbortController();
    errors.length = 0;
  });
  afterEach(() => {
    owner.abort();
    vi.useRealTimers();
  });

  it('does nothing until it is woken, and takes ten wakes as one', async () => {
    const { run, runs } = gate();
    const job = createJob({ run, signal: owner.signal, onError });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(runs).toHaveLength(0);
    for (let i = 0; i < 10; i++) job.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toHaveLength(1);
  });

  it('never runs beside itself, and runs once more for what came in meanwhile', async () => {
    const { run, runs, most } = gate();
    const job = createJob({ run, signal: owner.signal, onError });
    job.wake();
    await vi.advanceTimersByTimeAsync(0);
    job.wake();
    job.wake();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toHaveLength(1);
    runs[0]?.done();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toHaveLength(2);
    runs[1]?.done();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(runs).toHaveLength(2);
    expect(most()).toBe(1);
    await job.settled();
  });

  it('runs once more for what was asked for in some time and came due while it ran', async () => {
    const { run, runs, most } = gate();
    const job = createJob({ run, signal: owner.signal, onError });
    job.wake();
    await vi.advanceTimersByTimeAsync(0);
    job.wakeWithin(500);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toHaveLength(1);
    runs[0]?.done();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toHaveLength(2);
    expect(most()).toBe(1);
  });

  it('keeps a gap between runs', async () => {
    const { run, runs } = gate();
    const job = createJob({ run, signal: owner.signal, onError, gapMs: 500 });
    job.wake();
    await vi.advanceTimersByTimeAsync(0);
    runs[0]?.done();
    await vi.advanceTimersByTimeAsync(0);
    job.wake();
    await vi.advanceTimersByTimeAsync(499);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(2);
  });

  it('runs at the earliest of the times it was asked for', async () => {
    const { run, runs } = gate();
    const job = createJob({ run, signal: owner.signal, onError });
    job.wakeWithin(60_000);
    job.wakeWithin(1_000);
    job.wakeWithin(30_000);
    await job.settled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toHaveLength(1);
  });

  it('tries again after a growing pause, and at once when told to', async () => {
    const { run, runs } = gate();
    const job = createJob({ run, signal: owner.signal, onError, pauseMs: 1_000, maxPauseMs: 3_000 });
    job.wake();
    for (const pause of [1_000, 2_000, 3_000, 3_000]) {
      await vi.advanceTimersByTimeAsync(0);
      runs.at(-1)?.fail(new Error('no'));
      await vi.advanceTimersByTimeAsync(0);
      expect(errors.at(-1)?.pause).toBe(pause);
      const before = runs.length;
      job.wake();
      await vi.advanceTimersByTimeAsync(pause - 1);
      expect(runs).toHaveLength(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(runs).toHaveLength(before + 1);
    }
    runs.at(-1)?.fail(new Error('no'));
    await vi.advanceTimersByTimeAsync(0);
    const before = runs.length;
    job.wake(true);
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toHaveLength(before + 1);
    runs.at(-1)?.done();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(runs).toHaveLength(before + 1);
  });

  it('ends with its signal: no further run, no error, whoever waits is told', async () => {
    const { run, runs } = gate();
    const job = createJob({ run, signal: owner.signal, onError });
    job.wake();
    await vi.advanceTimersByTimeAsync(0);
    job.wake();
    const settled = job.settled();
    owner.abort();
    await settled;
    runs[0]?.fail(owner.signal.reason);
    job.wake();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(runs).toHaveLength(1);
    expect(errors).toEqual([]);
    await expect(vi.waitFor(() => yieldToEvents(owner.signal), { timeout: 50 })).rejects.toThrow();
  });
});
