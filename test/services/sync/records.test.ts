// Records of rooms are stored as earlier versions stored them: a device that was updated, or goes
// back, sends nothing that stays here.
import { expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { freshRecord, newTransaction, openRecords, staysHere } from '../../../src/services/sync/records.ts';

it('a record of earlier versions is read, and written under the same names', async () => {
  const store = createInMemoryStore();
  const { localOnly: _, ...known } = freshRecord(2);
  await store.keyValues.set('sync/room/talk', { ...known, withheld: 'excluded' });
  const records = await openRecords(store, () => 0);
  expect(records.rooms.get('talk')).toEqual({ ...known, localOnly: 'excluded' });

  const transaction = newTransaction();
  records.putRoom(transaction, 'talk', { ...freshRecord(3), localOnly: 'sample' });
  await records.commit(transaction);
  const stored = await store.keyValues.get('sync/room/talk');
  expect(stored).toEqual({ ...known, epoch: 3, withheld: 'sample' });
  expect(staysHere(stored)).toBe(true);
  expect((await openRecords(store, () => 0)).rooms.get('talk')).toMatchObject({
    epoch: 3,
    localOnly: 'sample',
  });
});
