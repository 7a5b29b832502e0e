// A thousand edits on three devices that do not hear one another, then all of it
// together, with rooms that are folded early.
import './seeded.ts';
import { expect, it } from 'vitest';
import { createInMemoryStore } from '../../src/adapters/log/in-memory.ts';
import { createWebsocketBackend } from '../../src/adapters/sync/y-websocket.ts';
import { asConversationId } from '../../src/domain/base/ids.ts';
import { readWhole } from '../../src/services/documents/shared.ts';
import { createInMemoryVault } from '../adapters/vault/in-memory.ts';
import { runs } from '../scale.ts';
import { createTestDevice } from '../services/sync/device.ts';
import { createNetwork, emptyDisk } from './network.ts';
import { createSeededSealing, syncDeflate } from './node-crypto.ts';
import { structureOf } from './oracle.ts';
import { perilous } from './perilous.ts';
import { EPOCH, inWorld } from './seeded.ts';

const SEED = 1;
const EDITS = runs(334, 40);
const CONVERSATIONS = [...'abcdefghijkl'].map((name) => asConversationId(`0000-${name}`));

it(`${EDITS} edits on each of 3 devices while offline (seed ${SEED}): in the end all have the same, and nothing is lost`, async () => {
  await inWorld(SEED, async ({ random, advance, time }) => {
    const whole = (below: number) => Math.floor(random() * below);
    const network = createNetwork(random);
    network.start(emptyDisk());
    let online = true;
    let folds = 0;
    const make = (name: string) => {
      const { Socket, cut } = network.socketFor(() => online);
      const store = { ...createInMemoryStore({ now: () => EPOCH + time() }), kind: 'persistent' as const };
      const device = createTestDevice({
        name,
        backend: createWebsocketBackend({
          WebSocket: Socket,
          fetch: network.fetchFor(() => online),
          timeoutMs: () => 20_000,
        }),
        ...perilous(store, createInMemoryVault(), {
          strikes: () => null,
          onDeath: () => {},
          isFull: () => false,
          onCommit: ({ upkept }) => {
            folds += upkept.filter((what) => what === 'fold').length;
          },
        }),
        sealing: createSeededSealing(random),
        deflate: syncDeflate,
        now: () => EPOCH + time(),
        compaction: { blobs: 8, bytes: 8192, afterMs: 200, jitterMs: 100 },
      });
      return { ...device, cut };
    };
    const during = async <T>(work: Promise<T>): Promise<T> => {
      let over = false;
      const ends = work.finally(() => {
        over = true;
      });
      ends.catch(() => {});
      for (let turn = 0; turn < 5000 && !over; turn += 1) await advance(turn < 20 ? 0 : 20);
      return await ends;
    };
    type Device = ReturnType<typeof make>;
    const rest = async (list: readonly Device[]) => {
      for (let waited = 0; waited < 400; waited += 1) {
        const states = list.map(({ status }) => status.get());
        if (states.every(({ state, waiting }) => state === 'synced' && waiting === 0)) return;
        await advance(1000);
      }
      throw new Error(`No rest: ${list.map(({ status }) => JSON.stringify(status.get())).join()}`);
    };

    const [laptop, phone, tablet] = [make('Laptop'), make('Phone'), make('Tablet')];
    const devices = [laptop, phone, tablet];
    const join = async (device: Device) => {
      const { link } = await during(laptop.sync.pairing('https://app.test/'));
      await during(device.sync.join(device.sync.readOffer(link), { deviceName: device.name }));
    };
    await during(laptop.sync.create({ endpoint: 'ws://relay.test', deviceName: 'Laptop' }));
    for (const id of CONVERSATIONS) await during(laptop.say(id, `begins ${id}`));
    await rest([laptop]);
    for (const device of [phone, tablet]) await join(device);
    await rest(devices);
    await advance(5000);

    online = false;
    for (const { cut } of devices) cut();
    const said = new Map<string, string>();
    const removed = new Set<string>();
    for (let edit = 0; edit < EDITS; edit += 1)
      for (const device of devices) {
        const id = CONVERSATIONS[whole(CONVERSATIONS.length)] as (typeof CONVERSATIONS)[number];
        const dice = random();
        if (dice < 0.7) {
          const message = await during(device.say(id, `${device.name} ${edit} ${'word '.repeat(whole(20))}`));
          said.set(message.id, id);
        } else if (dice < 0.85)
          await during(device.change(id, { meta: { title: `${device.name} ${edit}` } }));
        else if (dice < 0.95)
          await during(
            device.change(id, {
              meta: { pinned: random() < 0.5, archived: random() < 0.5, deletedAt: null },
            }),
          );
        else {
          const there = [...((await during(device.read(id)))?.messages.keys() ?? [])];
          const gone = there[whole(there.length)];
          if (gone === undefined) continue;
          await during(device.change(id, { removed: [gone] }));
          removed.add(gone);
        }
        await advance(whole(50));
      }
    expect(said.size).toBeGreaterThan(1.8 * EDITS);

    online = true;
    for (const { engine } of devices) engine.wake('online');
    await rest(devices);
    // Folds come after a while, and again after what others folded.
    await advance(20_000);
    await rest(devices);
    const fresh = make('Fresh');
    await join(fresh);
    await rest([...devices, fresh]);
    await advance(5000);

    expect(folds).toBeGreaterThan(0);
    for (const id of CONVERSATIONS) {
      const read = await Promise.all(
        [...devices, fresh].map(({ store }) => during(readWhole(store.log, id))),
      );
      expect(new Set(read.map((here) => here && structureOf(here.update))).size, id).toBe(1);
      const messages = new Set<string>(read[0]?.conversation?.messages.keys());
      for (const [message, home] of said)
        if (home === id) expect(messages.has(message), message).toBe(!removed.has(message));
    }
    for (const device of [...devices, fresh]) device.stop();
  });
}, 120_000);
