// Sync recognises a loss on the relay, and compacts only what is worth it.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { platformDeflate } from '../../../src/adapters/sync/deflate.ts';
import { blobKey } from '../../../src/domain/sync/blob.ts';
import {
  type BlobGroup,
  MAX_COMPACT_BYTES,
  planRoomCompaction,
} from '../../../src/domain/sync/compaction.ts';
import { RoomCompactor } from '../../../src/services/sync/compact.ts';
import { createSealInto } from '../../../src/services/sync/envelope.ts';
import {
  freshRecord,
  newTransaction,
  type Records,
  type RoomRecord,
} from '../../../src/services/sync/records.ts';
import { RoomRepair } from '../../../src/services/sync/repair.ts';

it('does not take for a loss what another device has just put together anew', async () => {
  let blobs = new Map([['change', new Uint8Array()]]);
  const have = { laptop: [[1, 3] as [number, number]] };
  let record: RoomRecord = { ...freshRecord(0), have, marks: { change: have } };
  let losses = 0;
  const never = (): never => {
    throw new Error('Nothing is to be sent or taken');
  };
  const repair = new RoomRepair(
    {
      document: 'index',
      epoch: 0,
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
      content: {
        isBody: never,
        merge: never,
        apply: never,
        snapshot: never,
        diff: never,
        advanceClocks: never,
        forgottenCount: never,
      },
      records: new Proxy({} as Records, { get: never }),
      sealInto: never,
      deflate: platformDeflate,
      device: 'laptop',
      record: () => record,
      clock: () => 0,
      onLoss: () => {
        losses += 1;
      },
      onCoverageGrown: never,
      wakeWithin: () => {},
    },
    () => false,
  );
  expect(await repair.repair()).toBe(false);
  // The segment arrived, and the blobs it replaces went, after the last read of the room.
  blobs = new Map([['segment', new Uint8Array()]]);
  expect(await repair.repair()).toBe(false);
  expect(repair.isRepairing).toBe(false);
  record = { ...record, marks: { segment: have } };
  expect(await repair.repair()).toBe(false);
  expect(losses).toBe(0);
  // Sync still notices a loss.
  blobs = new Map();
  expect(await repair.repair()).toBe(false);
  expect(repair.isRepairing).toBe(true);
});

it('does not open a large room again and again where there is nothing to fold', async () => {
  let opened = 0;
  const keys = {
    roomId: 'room',
    key: {
      seal: async (_nonce: Uint8Array, plain: Uint8Array) => plain,
      open: async (_nonce: Uint8Array, sealed: Uint8Array) => {
        opened += 1;
        return sealed;
      },
    },
  };
  const blobs = new Map<string, Uint8Array>();
  const never = (): never => {
    throw new Error('Nothing is to be sent or taken');
  };
  // Three conversations, each cut into more parts than one compaction takes.
  const sealInto = createSealInto({
    records: {
      putOutboxRow: (_step, _document, _number, row) => {
        for (const blob of row?.blobs ?? []) blobs.set(blobKey(blob), blob);
      },
    } as Records,
    keysOf: async () => keys,
    device: 'AAAAAAAAAAA',
    deflate: platformDeflate,
    random: (length) => new Uint8Array(randomBytes(length)),
  });
  let record = freshRecord(0);
  const content = {
    isBody: () => true,
    merge: never,
    apply: never,
    snapshot: never,
    diff: never,
    advanceClocks: (before: RoomRecord['clocks']) => before,
    forgottenCount: () => 0,
  };
  for (const size of [1.8, 2, 2.2])
    record = await sealInto(newTransaction(), {
      document: 'document',
      record,
      body: new Uint8Array(randomBytes(size * 1024 * 1024)),
      kind: 'snapshot',
      changes: 1,
      content,
    });
  expect(blobs.size).toBeGreaterThan(20);
  let now = 0;
  const compactor = new RoomCompactor(
    {
      document: 'document',
      epoch: 0,
      keys,
      room: {
        state: 'synced',
        problem: null,
        junk: 0,
        blobs: () => new Map(blobs),
        insert: never,
        remove: never,
        isConfirmed: () => true,
        retry: never,
        close: never,
      },
      content,
      records: new Proxy({} as Records, { get: never }),
      sealInto: never,
      deflate: platformDeflate,
      device: 'AAAAAAAAAAA',
      record: () => record,
      clock: () => now,
      onLoss: never,
      onCoverageGrown: never,
      wakeWithin: () => {},
    },
    () => false,
  );
  for (let time = 0; time < 20; time += 1) {
    now += 10_000;
    expect(await compactor.compact()).toBe(false);
  }
  expect(opened).toBeLessThanOrEqual(blobs.size);
});

it('folds no more at a time than fits into a room beside what it replaces', () => {
  const units = Array.from(
    { length: 400 },
    (_, at): BlobGroup => ({
      keys: [`${at}`],
      kind: at % 2 === 0 ? 'delta' : 'segment',
      bytes: 32 * 1024 + at,
    }),
  );
  const fold = planRoomCompaction(units);
  expect(fold.length).toBeGreaterThan(2);
  expect(fold.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(MAX_COMPACT_BYTES);
  // Compaction leaves larger blobs alone.
  const large = Array.from(
    { length: 40 },
    (_, at): BlobGroup => ({ keys: [`${at}`], kind: 'segment', bytes: MAX_COMPACT_BYTES + at }),
  );
  expect(planRoomCompaction(large)).toEqual([]);
});
