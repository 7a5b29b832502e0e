// The engine pauses while any tab has a reason, which the tab repeats.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPause } from '../../../src/services/memory/pause.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('lasts until the last reason is gone', () => {
  const said: boolean[] = [];
  const pause = createPause({ setPaused: (paused) => said.push(paused) }, new AbortController().signal);
  pause.set('typing', false);
  pause.set('person', true);
  pause.set('typing', true);
  pause.set('person', false);
  expect(said).toEqual([true]);
  vi.advanceTimersByTime(12_000);
  expect(said).toEqual([true, true, true]);
  pause.set('typing', false);
  vi.advanceTimersByTime(12_000);
  expect(said).toEqual([true, true, true, false]);
});

it('is not said again after the tab ended', () => {
  const said: boolean[] = [];
  const closing = new AbortController();
  createPause({ setPaused: (paused) => said.push(paused) }, closing.signal).set('person', true);
  closing.abort();
  expect(vi.getTimerCount()).toBe(0);
  expect(said).toEqual([true]);
});
