// Waiting ends in time and leaves no timer or listener.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  isTimeout,
  unlessAborted,
  withDeadline,
  withTimeLimit,
} from '../../../src/domain/base/time-limit.ts';

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave);
  });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('waiting with an end', () => {
  it('gives what the work gives, and its timer ends', async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    expect(await withTimeLimit(signal, 1000, async () => 'done')).toBe('done');
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalled();
  });

  it('ends the work when it is too late, with an error that says so', async () => {
    const { signal } = new AbortController();
    const waiting = withTimeLimit(signal, 1000, aborted).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(isTimeout(await waiting)).toBe(true);
    expect(signal.aborted).toBe(false);
  });

  it('ends the work with the signal and its reason, also one that was aborted before', async () => {
    const control = new AbortController();
    const waiting = withTimeLimit(control.signal, 1000, aborted).catch((error: unknown) => error);
    control.abort('enough');
    expect(await waiting).toBe('enough');
    expect(await withTimeLimit(control.signal, 1000, aborted).catch((error: unknown) => error)).toBe(
      'enough',
    );
    expect(vi.getTimerCount()).toBe(0);
    expect(isTimeout('enough')).toBe(false);
  });

  it('throws what the work throws', async () => {
    await expect(
      withTimeLimit(new AbortController().signal, 1000, () => Promise.reject(new Error('its own'))),
    ).rejects.toThrow('its own');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('leaving work that goes on', () => {
  it('waits for it only so long', async () => {
    const { signal } = new AbortController();
    expect(await withDeadline(signal, 1000, async () => 'done')).toBe('done');
    const waiting = withDeadline(signal, 1000, () => new Promise(() => {})).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    expect(isTimeout(await waiting)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives what it gives, or ends with the signal and its reason', async () => {
    const control = new AbortController();
    expect(await unlessAborted(Promise.resolve('done'), control.signal)).toBe('done');
    const waiting = unlessAborted(new Promise(() => {}), control.signal).catch((error: unknown) => error);
    control.abort('enough');
    expect(await waiting).toBe('enough');
    // Its later result goes unnoticed.
    await expect(unlessAborted(Promise.reject(new Error('later')), control.signal)).rejects.toBe('enough');
  });
});
