// Forgetting before its code is there: listeners hold words in memory, and must hear first.
import { expect, it, onTestFinished, vi } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { until } from '../../../src/domain/base/readable.ts';
import { openDevice } from './device.ts';

it('listeners from before its code is there hear of a record before any place is cleaned', async () => {
  const device = openDevice();
  onTestFinished(() => device.close());
  const { forget } = device;
  const { id } = await device.say('one', ['My locker code is 4471', 'Noted']);
  const [early, stopped] = [vi.fn(() => forget.state.get()), vi.fn()];
  forget.onForgetting(stopped)();
  forget.onForgetting(early);
  expect(forget.state.get()).toEqual({ step: 'idle' });
  expect(await forget.undo()).toBe(false);
  await device.forgetAll({ kind: 'conversation', conversation: id });
  expect(early.mock.results.map(({ value }) => value)).toEqual([
    expect.objectContaining({ step: 'running', done: 0 }),
  ]);
  expect(stopped).not.toHaveBeenCalled();
  expect(await device.placesOf('4471')).toEqual([]);
  const again = vi.fn();
  forget.onForgetting(again)();
  expect(again).not.toHaveBeenCalled();
});

it('begins with the first screen where an earlier page was cut off, and not before it is due elsewhere', async () => {
  const store = createInMemoryStore();
  const never = new Promise<void>(() => {});
  const words = { kind: 'phrase', words: ['locker'], whole: true } as const;
  const first = openDevice({ store, due: never, engine: false, undoMs: 60_000 });
  await first.say('one', ['My locker code is 4471', 'Noted']);
  const { signal } = new AbortController();
  await first.forget.begin(await first.forget.seek(words, signal));
  await first.close();
  expect(await first.placesOf('4471')).not.toEqual([]);
  // By now the time for an undo is over.
  const second = openDevice({ store, due: never, engine: false, now: () => Date.now() + 86_400_000 });
  onTestFinished(() => second.close());
  await until(second.forget.records, (records) => records.length > 0, signal);
  await vi.waitFor(async () => expect(await second.placesOf('4471')).toEqual([]));
});
