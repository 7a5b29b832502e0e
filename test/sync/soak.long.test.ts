// A person opens one conversation every day of a year in virtual time, writes to it, compacts its log and closes it.
// What the relay and the device keep stays in proportion to what was said, and to how often it was opened.
// SOAK_PER_DAY=50 for the whole year's words.
import './seeded.ts';
import { expect, it } from 'vitest';
import * as Y from 'yjs';
import type { Store } from '../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../src/adapters/log/in-memory.ts';
import { BLOBS, createWebsocketBackend } from '../../src/adapters/sync/y-websocket.ts';
import type { Vault } from '../../src/adapters/vault/vault.ts';
import { type ConversationId, type MessageId, newEntryId, newMessageId } from '../../src/domain/base/ids.ts';
import { type Writable, writable } from '../../src/domain/base/readable.ts';
import { type Config, defaultConfig } from '../../src/domain/settings/config.ts';
import { COMPACT_BLOBS, COMPACT_BYTES } from '../../src/domain/sync/compaction.ts';
import { createConversationDocument } from '../../src/services/documents/yjs-conversation.ts';
import { createInMemoryVault } from '../adapters/vault/in-memory.ts';
import { runs } from '../scale.ts';
import {
  createTestDevice,
  newConversationId,
  type TestDevice,
  textMessage,
} from '../services/sync/device.ts';
import { createNetwork, emptyDisk } from './network.ts';
import { createSeededSealing, syncDeflate } from './node-crypto.ts';
import { type Clockwork, EPOCH, inWorld } from './seeded.ts';

const DAYS = runs(365, 60);
const PER_DAY = Number(process.env.SOAK_PER_DAY ?? 2);
const WORDS = 'the boats lie where the river meets the sea and nobody knows how many there were'.split(' ');

type World = ReturnType<typeof createWorld>;
interface Machine {
  readonly name: string;
  readonly store: Store;
  readonly vault: Vault;
  readonly config: Writable<Config>;
}

/** The relay's rooms, machines whose processes come and go, and virtual time. */
function createWorld({ advance, time, random }: Clockwork) {
  const network = createNetwork(random);
  network.start(emptyDisk());
  return {
    network,
    machine: (name: string): Machine => ({
      name,
      store: { ...createInMemoryStore({ now: () => EPOCH + time() }), kind: 'persistent' } as Store,
      vault: createInMemoryVault(),
      config: writable(defaultConfig),
    }),
    /** A process; ended with its connections. */
    boot: (of: Machine): TestDevice & { end(): void } => {
      const sockets = network.socketFor(() => true);
      const device = createTestDevice({
        ...of,
        backend: createWebsocketBackend({
          WebSocket: sockets.Socket,
          fetch: network.fetchFor(() => true),
          timeoutMs: () => 20_000,
        }),
        sealing: createSeededSealing(random),
        deflate: syncDeflate,
        now: () => EPOCH + time(),
      });
      return {
        ...device,
        end: () => {
          device.stop();
          sockets.cut();
        },
      };
    },
    during: async <T>(work: Promise<T>): Promise<T> => {
      let over = false;
      const ended = work.finally(() => {
        over = true;
      });
      ended.catch(() => {});
      for (let waited = 0; waited < 600 && !over; waited += 1) await advance(100);
      return await ended;
    },
    inStep: async (device: TestDevice): Promise<void> => {
      for (let waited = 0; waited < 120; waited += 1) {
        await advance(500);
        if (device.status.get().state === 'synced') return;
      }
      throw new Error(JSON.stringify(device.status.get()));
    },
  };
}

/** Pairs the machine with a device that runs; gives its process, in step. */
async function join({ boot, during, inStep }: World, source: TestDevice, machine: Machine) {
  const joining = boot(machine);
  const { link } = await during(source.sync.pairing('https://app.test/'));
  await during(joining.sync.join(joining.sync.readOffer(link), { deviceName: machine.name }));
  await inStep(joining);
  return joining;
}

/** A person on one machine: loads the conversation, says something, compacts its log. */
function createWriter(
  world: World,
  { advance, time, random }: Clockwork,
  machine: Machine,
  id: ConversationId,
) {
  const { log } = machine.store;
  const loads: number[] = [];
  let said = 0;
  let parent: MessageId | null = null;
  return {
    /** How long each load took, ms. */
    loads,
    /** Characters. */
    said: () => said,
    day: async (): Promise<void> => {
      const running = world.boot(machine);
      const began = process.hrtime.bigint();
      const document = createConversationDocument(id, undefined, () => EPOCH + time());
      for (const { bytes } of await log.read(id)) document.apply(bytes);
      loads.push(Number(process.hrtime.bigint() - began) / 1e6);
      for (let number = 0; number < PER_DAY; number += 1) {
        const text = Array.from({ length: 40 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
        const message = textMessage(newMessageId(), parent, text, EPOCH + time());
        parent = message.id;
        said += text.length;
        const bytes = document.change({ messages: [message], meta: { head: message.id } });
        if (bytes) await log.append([{ id: newEntryId(), document: id, origin: 'user', bytes }]);
        await advance(700);
      }
      await world.inStep(running);
      // The app compacts the log of a document with many entries; then time for the room to be compacted, too.
      const entries = await log.read(id);
      await log.replaceBySnapshot(
        id,
        Y.mergeUpdates(entries.map(({ bytes }) => bytes)),
        entries.at(-1)?.seq ?? 0,
      );
      await advance(12_000);
      await world.inStep(running);
      running.end();
    },
  };
}

/** What lies in each room of the relay, the fullest first. */
const roomsOf = ({ network }: World) =>
  [...network.disk.rooms]
    .map(([, { updates }]) => {
      const outer = new Y.Doc();
      for (const { bytes } of updates) Y.applyUpdate(outer, bytes);
      const blobs = outer
        .getArray<unknown>(BLOBS)
        .toArray()
        .filter((item) => item instanceof Uint8Array);
      return {
        live: blobs.reduce((sum, blob) => sum + blob.length, 0),
        blobs: blobs.length,
        outer: Y.encodeStateAsUpdate(outer).length,
        clients: Y.decodeStateVector(Y.encodeStateVector(outer)).size,
      };
    })
    .sort((a, b) => b.live - a.live);

/** The document as the device has it: bytes of its snapshot, as it is and deflated, and client ids in it. */
async function sizesOf({ store }: Machine, id: ConversationId) {
  const inner = new Y.Doc();
  for (const { bytes } of await store.log.read(id)) Y.applyUpdate(inner, bytes);
  const update = Y.encodeStateAsUpdate(inner);
  return {
    snapshot: update.length,
    squeezed: (await syncDeflate.deflate(update)).length,
    clients: Y.decodeStateVector(Y.encodeStateVector(inner)).size,
  };
}

it(`a conversation opened ${DAYS} times, ${PER_DAY} messages a day, stays as large as what it says`, async () => {
  await inWorld(365, async (clockwork) => {
    const { advance, time } = clockwork;
    const world = createWorld(clockwork);
    const { machine, boot, during, inStep } = world;
    const [laptop, phone] = [machine('Laptop'), machine('Phone')];
    const first = boot(laptop);
    await during(first.sync.create({ endpoint: 'ws://relay.test', deviceName: 'Laptop' }));
    await inStep(first);
    (await join(world, first, phone)).end();
    first.end();

    const id = newConversationId();
    const writer = createWriter(world, clockwork, laptop, id);
    for (let day = 0; day < DAYS; day += 1) {
      await advance(86_400_000);
      await writer.day();
      // The other device is opened now and then, and only reads.
      if (day % 7 === 6) {
        const reader = boot(phone);
        await inStep(reader);
        await advance(12_000);
        reader.end();
      }
    }

    const said = writer.said();
    const { snapshot, squeezed, clients } = await sizesOf(laptop, id);
    const rooms = roomsOf(world);
    const [room, ...others] = rooms;
    console.log(
      JSON.stringify({
        messages: DAYS * PER_DAY,
        said,
        snapshot,
        squeezed,
        clients,
        rooms,
        loadMs: [writer.loads[10], writer.loads.at(-1)].map((ms) => Math.round(ms ?? 0)),
        virtualDays: Math.round(time() / 86_400_000),
      }),
    );
    // The document: a client id for each load that wrote, and no more.
    expect(clients).toBe(DAYS);
    expect(snapshot).toBeLessThan(said * 1.1 + DAYS * PER_DAY * 220 + DAYS * 20);
    // The relay keeps one deflated snapshot and a tenth, a tail too short for compaction, and
    // the client ids of all connections.
    const tail = COMPACT_BYTES + COMPACT_BLOBS * 128;
    expect(room?.live).toBeLessThan(1.1 * squeezed + tail);
    expect(room?.blobs).toBeLessThan(COMPACT_BLOBS * 2);
    expect((room?.outer ?? 0) - (room?.live ?? 0)).toBeLessThan(DAYS * 40 + COMPACT_BLOBS * 40);
    expect(room?.clients).toBeLessThanOrEqual(DAYS * 3);
    for (const index of others) expect(index.outer).toBeLessThan(200_000);

    const running = boot(laptop);
    await inStep(running);
    const tablet = await join(world, running, machine('Tablet'));
    expect((await tablet.read(id))?.messages.size).toBe(DAYS * PER_DAY);
    // The reader has what the writer has; opened and closed all year, it added nothing.
    const reader = boot(phone);
    await inStep(reader);
    expect((await reader.read(id))?.messages.size).toBe(DAYS * PER_DAY);
    expect((await phone.store.log.read(id)).every(({ origin }) => origin === 'remote')).toBe(true);
    for (const device of [running, tablet, reader]) device.end();
  });
}, 600_000);
