// Unlocking: wrong tries wait longer and longer, also after a reload, and the right one is never refused for good.
import 'fake-indexeddb/auto';
import { describe, expect, it } from 'vitest';
import { holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import { newRecoveryPhrase } from '../../../src/adapters/vault/key-slots.ts';
import { createLockRecords } from '../../../src/adapters/vault/lock-records.ts';
import {
  addOpener,
  isKeyOf,
  newLock,
  removeOpener,
  unlock,
  waitAfter,
} from '../../../src/services/lock/slots.ts';

const argon = { memory: 8, iterations: 1 };
const right = { kind: 'passphrase', passphrase: 'right' } as const;
const wrong = { kind: 'passphrase', passphrase: 'wrong' } as const;

let serial = 0;
async function locked() {
  serial += 1;
  const name = `slots-${serial}`;
  const records = createLockRecords(name);
  const { key, ...made } = await newLock([{ ...right, argon }], () => 1);
  await records.change((before) => ({ ...before, ...made }));
  return { name, records, key };
}

it('waits after the third wrong try, twice as long after each, five minutes at most', () => {
  expect([0, 1, 2, 3, 4, 5, 11, 12, 100].map(waitAfter)).toEqual([
    0, 0, 0, 1000, 2000, 4000, 256_000, 300_000, 300_000,
  ]);
});

it('makes wrong tries wait, also in a tab that was loaded again, and forgets them after the right one', async () => {
  const { name, records } = await locked();
  let now = 1_000_000;
  const clock = () => now;
  for (let n = 0; n < 3; n += 1)
    await expect(unlock(records, wrong, clock)).rejects.toMatchObject({ problem: { code: 'lock-wrong' } });
  const again = createLockRecords(name);
  await expect(unlock(again, right, clock)).rejects.toMatchObject({
    problem: { code: 'lock-wait', params: { seconds: 1 } },
  });
  now += 1000;
  await expect(unlock(again, wrong, clock)).rejects.toMatchObject({ problem: { code: 'lock-wrong' } });
  now += 1999;
  await expect(unlock(again, right, clock)).rejects.toMatchObject({ problem: { code: 'lock-wait' } });
  now += 1;
  const key = await unlock(again, right, clock);
  expect(await isKeyOf(await again.read(), key)).toBe(true);
  await expect(unlock(again, wrong, clock)).rejects.toMatchObject({ problem: { code: 'lock-wrong' } });
});

it('a clock that was set back locks nobody out for longer than the longest wait', async () => {
  const { records } = await locked();
  for (let n = 0; n < 3; n += 1) await unlock(records, wrong, () => 9e12).catch(() => undefined);
  await expect(unlock(records, right, () => 1)).rejects.toMatchObject({
    problem: { code: 'lock-wait', params: { seconds: 300 } },
  });
});

it('adds, changes and removes what opens, and keeps the last', async () => {
  const { records, key } = await locked();
  const words = newRecoveryPhrase();
  await addOpener(records, right, { kind: 'recovery', words });
  await addOpener(
    records,
    { kind: 'recovery', words },
    { kind: 'passphrase', passphrase: 'new', argon },
    { replaces: 'passphrase' },
  );
  await expect(unlock(records, right)).rejects.toMatchObject({ problem: { code: 'lock-wrong' } });
  await unlock(records, { kind: 'passphrase', passphrase: 'new' });
  expect(await isKeyOf(await records.read(), await unlock(records, { kind: 'recovery', words }))).toBe(true);
  expect(await isKeyOf(await records.read(), key)).toBe(true);
  const [first, second] = (await records.read()).slots;
  await removeOpener(records, first?.id ?? '');
  await expect(removeOpener(records, second?.id ?? '')).rejects.toMatchObject({
    problem: { code: 'lock-last' },
  });
  expect(await isKeyOf(await records.read(), await holdDataKey(newDataKey()))).toBe(false);
});

describe('a kill at any write while a way to unlock', () => {
  const words = newRecoveryPhrase();
  const recovery = { kind: 'recovery', words } as const;
  const changed = { kind: 'passphrase', passphrase: 'changed' } as const;
  type Records = Awaited<ReturnType<typeof locked>>['records'];
  const WAYS = [right, recovery, changed] as const;

  /** Lets the process die at its write number `at`: that one and all after it fail. Returns how many it tried. */
  async function dyingAt(at: number, work: () => Promise<unknown>): Promise<number> {
    const { transaction } = IDBDatabase.prototype;
    let writes = 0;
    IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...given) {
      if (given[1] === 'readwrite') {
        writes += 1;
        if (writes >= at) throw new Error('The process died');
      }
      return transaction.apply(this, given);
    };
    try {
      await work().catch(() => undefined);
    } finally {
      IDBDatabase.prototype.transaction = transaction;
    }
    return writes;
  }

  it.each([
    ['is added', (records: Records) => addOpener(records, right, recovery), [right]],
    [
      'is changed',
      (records: Records) => addOpener(records, right, { ...changed, argon }, { replaces: 'passphrase' }),
      [recovery],
    ],
    [
      'is changed by the words',
      (records: Records) => addOpener(records, recovery, { ...changed, argon }, { replaces: 'passphrase' }),
      [recovery],
    ],
    [
      'is removed',
      async (records: Records) => {
        const [first] = (await records.read()).slots;
        await removeOpener(records, first?.id ?? '');
      },
      [recovery],
    ],
  ] as const)('%s: what opened before or after opens, with the same key', async (what, work, always) => {
    const play = async (at: number) => {
      const { name, records, key } = await locked();
      if (what !== 'is added') await addOpener(records, right, recovery);
      const before = (await records.read()).slots;
      const writes = await dyingAt(at, () => work(records));
      records.close();
      const again = createLockRecords(name);
      const { slots, check } = await again.read();
      const opened = [];
      for (const way of WAYS) {
        const found = await unlock(again, way, () => Number.MAX_SAFE_INTEGER).catch(() => undefined);
        if (!found) continue;
        opened.push(way);
        expect(await isKeyOf({ check }, found)).toBe(true);
      }
      expect(await isKeyOf({ check }, key)).toBe(true);
      expect(opened, `${at}`).toEqual(expect.arrayContaining([...always]));
      // A passphrase that changes is the old one or the new one, never both or none.
      if (what.startsWith('is changed'))
        expect(opened.filter(({ kind }) => kind === 'passphrase')).toHaveLength(1);
      again.close();
      return { died: writes >= at, isAsBefore: JSON.stringify(slots) === JSON.stringify(before) };
    };
    const seen = [];
    for (let at = 1; ; at += 1) {
      const { died, isAsBefore } = await play(at);
      seen.push(isAsBefore);
      if (!died) break;
    }
    expect(seen.at(0)).toBe(true);
    expect(seen.at(-1)).toBe(false);
  });
});
