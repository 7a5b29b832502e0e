// Threads hear of a lock at different times. In a file of its own: Node refuses to post a key while another
// channel of that name is being closed.
import { expect, it } from 'vitest';
import { holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import { KeyHolder } from '../../../src/services/lock/key-holder.ts';

/** Resolves once the holder reports this event. */
const heard = (holder: KeyHolder, wanted: 'key' | 'lock') =>
  new Promise<void>((resolve) => void holder.subscribe((type) => type === wanted && resolve()));

it('a thread that hears of a lock late unlocks nobody who heard of it, and nobody who came after it', async () => {
  const ending = new AbortController();
  const key = await holdDataKey(newDataKey());
  // A thread with late news: it does not know of the lock yet when another asks it.
  const late = new BroadcastChannel('recollect-lock');
  const heardOf: string[] = [];
  late.onmessage = ({ data }) => heardOf.push(data.type);
  const starting = new KeyHolder(async () => true, ending.signal);
  const before = performance.timeOrigin + performance.now();
  starting.lock();
  late.postMessage({ type: 'key', key, since: before });
  const unlocked = heard(starting, 'key');
  // The channel keeps the order of one sender: what is taken is the second.
  late.postMessage({ type: 'key', key, since: performance.timeOrigin + performance.now() + 1 });
  await unlocked;
  let keys = 0;
  starting.subscribe((type) => {
    if (type === 'key') keys += 1;
  });
  expect(starting.get()).not.toBeNull();
  // A tab that gave the key away after another asked for the lock passes the lock on.
  late.postMessage({ type: 'ask' });
  await expect.poll(() => heardOf.filter((type) => type === 'key').length).toBe(1);
  const locked = heard(starting, 'lock');
  late.postMessage({ type: 'lock', at: before });
  await locked;
  await expect.poll(() => heardOf.filter((type) => type === 'lock').length).toBe(2);
  late.postMessage({ type: 'key', key, since: before });
  late.postMessage({ type: 'changed' });
  await expect.poll(() => heardOf.length).toBe(3);
  expect([starting.get(), keys]).toEqual([null, 0]);
  late.close();
  ending.abort();
});
