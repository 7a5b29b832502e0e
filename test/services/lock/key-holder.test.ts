// The key goes from thread to thread, and from none to any once the device is locked.
import { afterEach, expect, it } from 'vitest';
import { holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import { KeyHolder } from '../../../src/services/lock/key-holder.ts';

let ending = new AbortController();
afterEach(() => {
  ending.abort();
  ending = new AbortController();
});
/** Resolves once the holder reports this event. */
const heard = (holder: KeyHolder, wanted: 'key' | 'lock') =>
  new Promise<void>((resolve) => void holder.subscribe((type) => type === wanted && resolve()));

it('a key that is still being checked when the device is locked unlocks nothing', async () => {
  const key = await holdDataKey(newDataKey());
  const checks: ((isRight: boolean) => void)[] = [];
  const other = new KeyHolder(async () => true, ending.signal);
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const starting = new KeyHolder(() => {
    asked();
    return new Promise((resolve) => checks.push(resolve));
  }, ending.signal);
  const locked = heard(starting, 'lock');
  other.hold(key);
  await isAsked;
  other.lock();
  await locked;
  const taken = heard(starting, 'key');
  checks[0]?.(true);
  // Only a key that arrives and is checked after the lock counts.
  other.hold(key);
  await expect.poll(() => checks.length).toBe(2);
  expect(starting.get()).toBeNull();
  checks[1]?.(true);
  await taken;
  expect(starting.get()).not.toBeNull();
});
