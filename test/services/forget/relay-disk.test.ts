// What is forgotten leaves the disk of the relay: the sealed pieces that held it are
// looked for in its files, byte by byte.
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket as NodeSocket } from 'ws';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createWebsocketBackend } from '../../../src/adapters/sync/y-websocket.ts';
import { createSealing, type Sealing } from '../../../src/adapters/vault/sealing.ts';
import { decodePayload } from '../../../src/domain/sync/blob.ts';
import { startPostgres } from '../../relay/postgres.ts';
import { filesIn, type RelayProcess, startRelay, stopAll, until, withFolder } from '../../relay/support.ts';
import { syncDeflate } from '../../sync/node-crypto.ts';
import { clusterAt } from '../sync/cluster.ts';
import { settled, type TestDevice } from '../sync/device.ts';
import { idOf, NOW, openDevice } from './device.ts';

const CANARY = 'Quillfeather';
const BACKEND = createWebsocketBackend({
  WebSocket: NodeSocket as unknown as typeof WebSocket,
  fetch,
  timeoutMs: () => 5_000,
});

let relay: RelayProcess;
const devices = clusterAt(() => ({ backend: BACKEND, endpoint: relay.webSocketUrl }));
afterAll(stopAll);

/** Seals as ever, and keeps the sealed pieces that hold the canary, and those that do not. */
function witness() {
  const carriers: Uint8Array[] = [];
  const others: Uint8Array[] = [];
  const real = createSealing();
  const sealing: Sealing = {
    random: real.random,
    keyRing: async (root) => {
      const ring = await real.keyRing(root);
      return {
        derive: ring.derive,
        sealingKey: async (info) => {
          const key = await ring.sealingKey(info);
          return {
            open: key.open,
            seal: async (nonce, plain, bound) => {
              const sealed = await key.seal(nonce, plain, bound);
              const payload = decodePayload(plain);
              if (payload) {
                const body = payload.deflated
                  ? await syncDeflate.inflate(payload.body, 1_000_000)
                  : payload.body;
                (Buffer.from(body ?? []).includes(CANARY) ? carriers : others).push(sealed);
              }
              return sealed;
            },
          };
        },
      };
    },
  };
  return { sealing, carriers, others };
}

/**
 * How many of the pieces lie in the files: a beginning, a middle or an end is
 * enough, since a store cuts what it writes.
 */
function countIn(files: readonly Buffer[], pieces: readonly Uint8Array[]): number {
  const isThere = (part: Uint8Array) => files.some((file) => file.includes(Buffer.from(part)));
  return pieces.filter((piece) =>
    [0, Math.floor(piece.length / 2) - 8, piece.length - 16].some((at) =>
      isThere(piece.subarray(at, at + 16)),
    ),
  ).length;
}

/** As a tab sees the log to which the thread of sync appends. */
const fromTab = ({ log, ...rest }: Store): Store => ({
  ...rest,
  log: { ...log, subscribe: (listener) => log.subscribe((change) => listener({ ...change, foreign: true })) },
});
const asForgetting = (device: TestDevice, name: string) =>
  openDevice({ store: fromTab(device.store), sync: device.sync, device: name });

/** Two devices that have said the canary in a message, a title, a conversation of its own and a note. */
async function pairThatSaid({ sealing }: { readonly sealing: Sealing }) {
  const one = await devices.create(devices.make('Laptop', { sealing }));
  const here = asForgetting(one, 'one');
  await here.say(
    'talk',
    [`About ${CANARY} and roses`, 'And about rain'],
    { title: `On ${CANARY}` },
    NOW - 2000,
  );
  await here.say('gone', [`${CANARY} alone`], {}, NOW - 2000);
  await here.say('else', ['Of something else'], {}, NOW - 2000);
  await here.notes.write({ text: `${CANARY} likes roses` });
  const other = await devices.pair(one, devices.make('Phone', { sealing }));
  await settled(one, other, one);
  const there = asForgetting(other, 'other');
  await there.say('talk', [`And what of ${CANARY}?`], {}, NOW - 1000);
  await settled(other, one, other);
  expect(await other.texts(idOf('gone'))).toEqual([`${CANARY} alone`]);
  return { one, here, other, there };
}

/** Forgets it on one of them, and waits until both have confirmed. */
async function forgetOnBoth({ here, there }: Awaited<ReturnType<typeof pairThatSaid>>) {
  await here.forgetAll({ kind: 'person', words: [CANARY], whole: true });
  await until('both devices to confirm', () => {
    const confirmed = here.forget.records.get()[0]?.confirmed;
    return confirmed?.get('one')?.left === 0 && confirmed.get('other')?.left === 0;
  });
  expect([...(await here.placesOf(CANARY)), ...(await there.placesOf(CANARY))]).toEqual([]);
}

/** The devices end before the relay does, and the relay before its folder is taken away. */
async function leave({ one, here, other, there }: Awaited<ReturnType<typeof pairThatSaid>>) {
  for (const device of [here, there]) await device.close();
  for (const device of [one, other]) device.stop();
  await relay.stop();
}

describe('the folder of the embedded store', () => {
  it.each([
    ['while it runs on', false],
    ['though it is killed as soon as both have confirmed', true],
  ])('%s', { timeout: 120_000 }, (_, isKilled) =>
    withFolder(async (folder) => {
      const data = join(folder, 'data');
      relay = await startRelay({ RELAY_DATA: data });
      const seen = witness();
      const pair = await pairThatSaid(seen);
      const before = [...seen.carriers];
      expect(before.length).toBeGreaterThan(3);
      expect(countIn(await filesIn(data), before)).toBe(before.length);

      await forgetOnBoth(pair);
      if (isKilled) {
        await relay.stop('SIGKILL');
        relay = await startRelay({ RELAY_DATA: data, PORT: new URL(relay.url).port });
      }
      await until(
        'the pieces to be in no file',
        async () => countIn(await filesIn(data), seen.carriers) === 0,
        60_000,
      );
      const files = await filesIn(data);
      expect(files.some((file) => file.includes(CANARY))).toBe(false);
      expect(countIn(files, seen.others)).toBeGreaterThan(0);
      await leave(pair);
    }),
  );
});

it('the tables of a PostgreSQL, and their files once they were written anew', {
  timeout: 120_000,
}, async () => {
  const postgres = await startPostgres();
  const url = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    relay = await startRelay({ DATABASE_URL: url });
    const rows = async () =>
      (await client.query<{ body: Buffer }>('select body from relay_entry')).rows.map(({ body }) => body);
    const seen = witness();
    const pair = await pairThatSaid(seen);
    const before = [...seen.carriers];
    expect(countIn(await rows(), before)).toBe(before.length);

    await forgetOnBoth(pair);
    await until('the pieces to be in no row', async () => countIn(await rows(), seen.carriers) === 0);
    expect(countIn(await rows(), seen.others)).toBeGreaterThan(0);
    await leave(pair);
    if (!postgres.folder) return;
    await client.query('vacuum full relay_entry');
    await client.query('checkpoint');
    const files = await filesIn(join(postgres.folder, 'base'));
    expect(countIn(files, seen.others)).toBeGreaterThan(0);
    expect(countIn(files, seen.carriers)).toBe(0);
  } finally {
    await client.end();
    await postgres.stop();
  }
});
