// What another app shares with a device that locks: kept without a key, opened with it, lost by nothing.
import 'fake-indexeddb/auto';
import { expect, it } from 'vitest';
import { createLockRecords } from '../../../src/adapters/vault/lock-records.ts';
import { newBox, openBox, sealInto } from '../../../src/adapters/vault/sealed-box.ts';
import { readShared } from '../../../src/adapters/vault/shared-queue.ts';
import { changeQueue, keepShared, takeShared } from '../../../src/services/lock/shared.ts';
import { newLock } from '../../../src/services/lock/slots.ts';

const argon = { memory: 8, iterations: 1 };
const text = (value: string) => new TextEncoder().encode(value);
let serial = 0;

/** Gives each device of a test its own generation, which names its queue. */
async function device({ isLocked }: { isLocked: boolean }) {
  serial += 1;
  const records = createLockRecords(`lock-${serial}`);
  const { key, ...made } = await newLock(
    [{ kind: 'passphrase', passphrase: 'correct horse', argon }],
    Date.now,
  );
  await records.change((before) => ({
    ...before,
    generation: serial * 10,
    ...(isLocked ? { ...made, sealed: true } : {}),
  }));
  const taken: string[] = [];
  const take = (isKept = true, by: typeof key | null = key) =>
    takeShared(records, by, async (words) => {
      taken.push(words);
      return isKept;
    });
  return { records, key, taken, take, lying: () => readShared(serial * 10) };
}

it('a box opens with its data key alone, and shows nothing', async () => {
  const [{ key }, other] = [await device({ isLocked: true }), await device({ isLocked: true })];
  const box = await newBox(key);
  const sealed = await sealInto(box, text('canary'));
  expect(Buffer.from(sealed).toString('latin1')).not.toContain('canary');
  expect(Buffer.from((await openBox(box, key, sealed)) ?? []).toString()).toBe('canary');
  expect(await openBox(box, other.key, sealed)).toBeNull();
  expect(await openBox(await newBox(key), key, sealed)).toBeNull();
  for (const at of [0, 5, 70, sealed.length - 1]) {
    const changed = sealed.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(await openBox(box, key, changed), String(at)).toBeNull();
  }
});

it.each([true, false])(
  'words wait in their order until they are kept elsewhere (locked: %s)',
  async (isLocked) => {
    const { records, taken, take, lying } = await device({ isLocked });
    for (const [at, words] of ['first canary', 'second 你好'].entries())
      expect(await keepShared(records, words, () => at)).toBe(true);
    const kept = JSON.stringify(await lying());
    expect(kept.includes('canary')).toBe(!isLocked);
    expect((await lying()).every(({ content }) => typeof content === 'string')).toBe(!isLocked);
    await take(false);
    expect(taken).toEqual(['first canary', 'second 你好']);
    await take();
    expect(taken).toEqual(['first canary', 'second 你好', 'first canary', 'second 你好']);
    await take();
    expect(taken).toHaveLength(4);
  },
);

it('a tab without the key takes nothing and throws nothing away', async () => {
  const { records, taken, take } = await device({ isLocked: true });
  await keepShared(records, 'canary', Date.now);
  await take(true, null);
  expect(taken).toEqual([]);
  await take();
  expect(taken).toEqual(['canary']);
});

it('a device that was locked before there were boxes keeps nothing in clear', async () => {
  const { records, lying } = await device({ isLocked: true });
  await records.change((before) => ({ ...before, box: null }));
  expect(await keepShared(records, 'canary', Date.now)).toBe(false);
  expect(await lying()).toEqual([]);
});

it('what is shared while the lock is called off is opened for good', async () => {
  const { records, key, taken, take } = await device({ isLocked: true });
  await keepShared(records, 'canary', Date.now);
  const before = await records.read();
  const change = () =>
    records.change((now) => ({ ...now, box: null, slots: [], check: null, sealed: false }));
  await changeQueue(before, { generation: before.generation, box: null }, key, change);
  await take(true, null);
  expect(taken).toEqual(['canary']);
});
