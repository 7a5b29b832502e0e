// What a locked device keeps readable: changed in one transaction, also by two tabs, and never taken for nothing.
import 'fake-indexeddb/auto';
import { openDB } from 'idb';
import { expect, it } from 'vitest';
import { createLockRecords } from '../../../src/adapters/vault/lock-records.ts';

it('begins as a device that was never locked, and keeps what changed', async () => {
  const records = createLockRecords('begins');
  expect(await records.read()).toMatchObject({ generation: 1, sealed: false, slots: [], conversion: null });
  await records.change((before) => ({ ...before, generation: 2, sealed: true }));
  records.close();
  expect(await createLockRecords('begins').read()).toMatchObject({ generation: 2, sealed: true });
});

it('two tabs that count at once lose no count', async () => {
  const tabs = [createLockRecords('count'), createLockRecords('count')];
  const count = (failed: number) => ({ failed: failed + 1, until: 0 });
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      tabs[n % 2]?.change((before) => ({ ...before, tries: count(before.tries.failed) })),
    ),
  );
  expect((await tabs[0]?.read())?.tries.failed).toBe(20);
});

it('a record that cannot be read is refused, and left as it is', async () => {
  const records = createLockRecords('newer');
  await records.read();
  const database = await openDB('newer');
  await database.put('records', { version: 2, slots: 'elsewhere' }, 'lock');
  await expect(records.read()).rejects.toMatchObject({ problem: { code: 'storage-failed' } });
  await expect(records.change((before) => before)).rejects.toThrow();
  expect(await database.get('records', 'lock')).toEqual({ version: 2, slots: 'elsewhere' });
});
