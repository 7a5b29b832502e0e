// The relay as a real process under people who mean it harm: whatever they send, it stays up, small, and there for everybody else.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { openLevelStore } from '../../src/relay/store-level.ts';
import {
  deepJson,
  deepValues,
  manyClients,
  manyDeletions,
  manyJsonValues,
  manyValues,
} from './hostile-updates.ts';
import {
  createKey,
  createStockClient,
  type Key,
  makeUpdate,
  metric,
  openSocket,
  type RelayProcess,
  type StockClient,
  startRelay,
  stopAll,
  until,
  updateMessage,
  withFolder,
} from './support.ts';

// Real processes on a machine that may be busy.
vi.setConfig({ testTimeout: 90_000 });

const clients: StockClient[] = [];
const client = (...args: Parameters<typeof createStockClient>) => {
  const made = createStockClient(...args);
  clients.push(made);
  return made;
};
afterEach(() => {
  for (const made of clients.splice(0)) made.close();
});
afterAll(stopAll);

const enter = async (...args: Parameters<typeof openSocket>) => {
  const opened = openSocket(...args);
  await opened.opened;
  await until('the greeting', () => opened.messages.length > 0);
  return opened;
};
/** Highest memory that the process has had, bytes. */
const peakOf = async ({ pid }: RelayProcess) =>
  Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
const isServing = async (relay: RelayProcess) => {
  const honest = client(relay, createKey(), 'honest');
  honest.doc.getArray('a').push([new Uint8Array(100)]);
  await honest.acknowledged();
};

describe('updates that would unpack to much', () => {
  it('end the connection of whoever sends them, and nothing else', () =>
    withFolder(async (folder) => {
      const relay = await startRelay({ RELAY_DATA: folder, RELAY_ACCOUNT_BYTES_PER_SECOND: '1000000000' });
      const key = createKey();
      const attacks = [
        ...Array.from({ length: 4 }, (_, at) => manyValues(3_900_000, 20 + at)),
        deepValues(3_000_000),
        manyJsonValues(2_000_000),
        deepJson(3_000_000),
        manyClients(400_000),
        manyDeletions(1_000_000),
      ];
      await isServing(relay);
      const before = await peakOf(relay);
      for (const attack of attacks) {
        const stranger = await enter(relay, key, 'r');
        stranger.socket.send(updateMessage(attack));
        expect(await stranger.closed).toBe(4400);
      }
      await isServing(relay);
      expect((await peakOf(relay)) - before).toBeLessThan(250e6);
      await relay.stop();
    }));

  it('fill a room with 4403 before it is too much to be opened', () =>
    withFolder(async (folder) => {
      const relay = await startRelay({ RELAY_DATA: folder, RELAY_ACCOUNT_BYTES_PER_SECOND: '1000000000' });
      const key = createKey();
      const stranger = await enter(relay, key, 'r');
      for (let at = 0; at < 8; at++) stranger.socket.send(updateMessage(manyValues(200_000, 20 + at)));
      expect(await stranger.closed).toBe(4403);
      expect(await metric(relay, 'updates_total')).toBe(2);
      const reader = client(relay, key, 'r');
      await reader.synced();
      expect(reader.doc.getArray('b').length).toBe(400_000);
      await relay.stop();
    }));
});

describe('a room that an older relay has stored and that cannot be opened', () => {
  const fill = async (folder: string, key: Key, updates: readonly Uint8Array[]) => {
    const store = await openLevelStore(folder);
    for (const update of updates) await store.append({ account: key.tag, room: 'r' }, update);
    await store.append({ account: key.tag, room: 'other' }, makeUpdate(100));
    await store.close();
  };

  it.each([
    ['unpacks to too much', 4403, () => [20, 21, 22, 23].map((id) => manyValues(3_900_000, id))],
    ['cannot be read', 4400, () => [makeUpdate(100), deepValues(100_000)]],
  ])('is refused alone, also after a restart, and can be erased: one that %s', (_, code, updates) =>
    withFolder(async (folder) => {
      const key = createKey();
      await fill(join(folder, 'data'), key, updates());
      for (let start = 0; start < 2; start++) {
        const relay = await startRelay({ RELAY_DATA: join(folder, 'data') });
        await isServing(relay);
        const before = await peakOf(relay);
        for (let visit = 0; visit < 3; visit++) expect(await openSocket(relay, key, 'r').closed).toBe(code);
        const other = client(relay, key, 'other');
        await other.synced();
        expect(other.doc.getArray('blobs').length).toBe(1);
        await isServing(relay);
        expect((await peakOf(relay)) - before).toBeLessThan(250e6);
        if (start === 1) {
          const erased = await fetch(`${relay.url}/${key.tag}/r`, {
            method: 'DELETE',
            headers: { authorization: `Bearer ${key.token}` },
          });
          expect(erased.status).toBe(204);
        }
        expect(await relay.stop()).toBe(0);
      }
    }),
  );
});
