// Forgetting before its code is there: listeners hold words in memory, and must hear first.
import { expect, it, onTestFinished, vi } from 'vitest';
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
