// What is taken for a loss on the relay, and what is not.
import { expect, it } from 'vitest';
import { platformDeflate } from '../../../src/adapters/sync/deflate.ts';
import { freshRecord, type RoomRecord } from '../../../src/services/sync/records.ts';
import { createUpkeep } from '../../../src/services/sync/upkeep.ts';

it('does not take for a loss what another device has just put together anew', async () => {
  let blobs = new Map([['change', new Uint8Array()]]);
  const have = { desk: [[1, 3] as [number, number]] };
  let record: RoomRecord = { ...freshRecord(0), have, marks: { change: have } };
  let losses = 0;
  const never = (): never => {
    throw new Error('Nothing is to be sent or taken');
  };
  const upkeep = createUpkeep({
    document: 'index',
    keys: { roomId: 'room', key: { seal: never, open: never } },
    room: {
      state: 'synced',
      problem: null,
      junk: 0,
      blobs: () => blobs,
      insert: never,
      remove: never,
      isConfirmed: () => true,
      retry: never,
      close: never,
    },
    content: { isBody: never, merge: never, take: never, whole: never, missing: never, clocks: never },
    records: new Proxy({} as Parameters<typeof createUpkeep>[0]['records'], { get: never }),
    sealInto: never,
    deflate: platformDeflate,
    record: () => record,
    isUnreadable: () => false,
    clock: () => 0,
    onLoss: () => {
      losses += 1;
    },
    onHeld: never,
    wakeWithin: () => {},
  });
  expect(await upkeep.heal()).toBe(false);
  // The segment came, and what it replaces went, after the room was last read.
  blobs = new Map([['segment', new Uint8Array()]]);
  expect(await upkeep.heal()).toBe(false);
  expect(upkeep.healing).toBe(false);
  record = { ...record, marks: { segment: have } };
  expect(await upkeep.heal()).toBe(false);
  expect(losses).toBe(0);
  // A loss is still seen.
  blobs = new Map();
  expect(await upkeep.heal()).toBe(false);
  expect(upkeep.healing).toBe(true);
});
