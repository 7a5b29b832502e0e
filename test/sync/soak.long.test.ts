// A year of one conversation (in the gate four months) in virtual time, over the relay's own rooms: loaded, written to, folded and closed every day. What lies on the
// relay and on the device stays in proportion to what was said, and to how often it was opened. SOAK_PER_DAY=50 for the whole year's words.
import './seeded.ts';
import { expect, it } from 'vitest';
import * as Y from 'yjs';
import type { Store } from '../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../src/adapters/log/in-memory.ts';
import { BLOBS, createWebsocketBackend } from '../../src/adapters/sync/y-websocket.ts';
import { type MessageId, newEntryId, newMessageId } from '../../src/domain/base/ids.ts';
import { writable } from '../../src/domain/base/readable.ts';
import { defaultConfig } from '../../src/domain/settings/config.ts';
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
import { EPOCH, inWorld } from './seeded.ts';

const DAYS = runs(365, 60);
const PER_DAY = Number(process.env.SOAK_PER_DAY ?? 2);
const WORDS = 'the boats lie where the river meets the sea and nobody knows how many there were'.split(' ');

it(`a conversation opened ${DAYS} times, ${PER_DAY} messages a day, stays as large as what it says`, async () => {
  await inWorld(365, async ({ advance, time, random }) => {
    const network = createNetwork(random);
    network.start(emptyDisk());
    const machine = (name: string) => ({
      name,
      store: { ...createInMemoryStore({ now: () => EPOCH + time() }), kind: 'persistent' } as Store,
      vault: createInMemoryVault(),
      config: writable(defaultConfig),
    });
    type Machine = ReturnType<typeof machine>;
    /** A process; ended with its connections. */
    const boot = (of: Machine): TestDevice & { end(): void } => {
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
    };
    const during = async <T>(work: Promise<T>): Promise<T> => {
      let over = false;
      const ended = work.finally(() => {
        over = true;
      });
      ended.catch(() => {});
      for (let waited = 0; waited < 600 && !over; waited += 1) await advance(100);
      return await ended;
    };
    const inStep = async (device: TestDevice) => {
      for (let waited = 0; waited < 120; waited += 1) {
        await advance(500);
        if (device.status.get().state === 'synced') return;
      }
      throw new Error(JSON.stringify(device.status.get()));
    };

    const [laptop, phone] = [machine('Laptop'), machine('Phone')];
    let running = boot(laptop);
    await during(running.sync.create({ endpoint: 'ws://relay.test', deviceName: 'Laptop' }));
    await inStep(running);
    const other = boot(phone);
    const { link } = await during(running.sync.pairing('https://app.test/'));
    await during(other.sync.join(other.sync.readOffer(link), { deviceName: 'Phone' }));
    await inStep(other);
    other.end();
    running.end();

    const id = newConversationId();
    let said = 0;
    let parent: MessageId | null = null;
    const loads: number[] = [];
    for (let day = 0; day < DAYS; day += 1) {
      await advance(86_400_000);
      running = boot(laptop);
      const began = process.hrtime.bigint();
      const document = createConversationDocument(id, undefined, () => EPOCH + time());
      for (const { bytes } of await laptop.store.log.read(id)) document.apply(bytes);
      loads.push(Number(process.hrtime.bigint() - began) / 1e6);
      for (let number = 0; number < PER_DAY; number += 1) {
        const text = Array.from({ length: 40 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
        const message = textMessage(newMessageId(), parent, text, EPOCH + time());
        parent = message.id;
        said += text.length;
        const bytes = document.change({ messages: [message], meta: { head: message.id } });
        if (bytes) await laptop.store.log.append([{ id: newEntryId(), document: id, origin: 'user', bytes }]);
        await advance(700);
      }
      await inStep(running);
      // As the app does with a document of many entries; and long enough for the room to be folded.
      const entries = await laptop.store.log.read(id);
      await laptop.store.log.fold(
        id,
        Y.mergeUpdates(entries.map(({ bytes }) => bytes)),
        entries.at(-1)?.seq ?? 0,
      );
      await advance(12_000);
      await inStep(running);
      running.end();
      // The other device is opened now and then, and only reads.
      if (day % 7 === 6) {
        const reader = boot(phone);
        await inStep(reader);
        await advance(12_000);
        reader.end();
      }
    }

    const inner = new Y.Doc();
    for (const { bytes } of await laptop.store.log.read(id)) Y.applyUpdate(inner, bytes);
    const snapshot = Y.encodeStateAsUpdate(inner).length;
    const clients = Y.decodeStateVector(Y.encodeStateVector(inner)).size;
    const rooms = [...network.disk.rooms].map(([name, { updates }]) => {
      const outer = new Y.Doc();
      for (const { bytes } of updates) Y.applyUpdate(outer, bytes);
      const blobs = outer
        .getArray<unknown>(BLOBS)
        .toArray()
        .filter((item) => item instanceof Uint8Array);
      const live = blobs.reduce((sum, blob) => sum + blob.length, 0);
      return {
        name,
        live,
        blobs: blobs.length,
        outer: Y.encodeStateAsUpdate(outer).length,
        clients: Y.decodeStateVector(Y.encodeStateVector(outer)).size,
      };
    });
    rooms.sort((a, b) => b.live - a.live);
    const [room, ...others] = rooms;
    const squeezed = (await syncDeflate.deflate(Y.encodeStateAsUpdate(inner))).length;
    console.log(
      JSON.stringify({
        messages: DAYS * PER_DAY,
        said,
        snapshot,
        squeezed,
        clients,
        rooms: rooms.map(({ name: _, ...rest }) => rest),
        loadMs: [loads[10], loads.at(-1)].map((ms) => Math.round(ms ?? 0)),
        virtualDays: Math.round(time() / 86_400_000),
      }),
    );
    // The document: a client id for each load that wrote, and no more.
    expect(clients).toBe(DAYS);
    expect(snapshot).toBeLessThan(said * 1.1 + DAYS * PER_DAY * 220 + DAYS * 20);
    // On the relay: one deflated snapshot and a tenth, the tail that is not worth compaction, and what names the connections there ever were.
    const tail = COMPACT_BYTES + COMPACT_BLOBS * 128;
    expect(room?.live).toBeLessThan(1.1 * squeezed + tail);
    expect(room?.blobs).toBeLessThan(COMPACT_BLOBS * 2);
    expect((room?.outer ?? 0) - (room?.live ?? 0)).toBeLessThan(DAYS * 40 + COMPACT_BLOBS * 40);
    expect(room?.clients).toBeLessThanOrEqual(DAYS * 3);
    for (const index of others) expect(index.outer).toBeLessThan(200_000);

    const fresh = machine('Tablet');
    running = boot(laptop);
    await inStep(running);
    const tablet = boot(fresh);
    const offer = await during(running.sync.pairing('https://app.test/'));
    await during(tablet.sync.join(tablet.sync.readOffer(offer.link), { deviceName: 'Tablet' }));
    await inStep(tablet);
    expect((await tablet.read(id))?.messages.size).toBe(DAYS * PER_DAY);
    // The reader has what the writer has; opened and closed all year, it added nothing.
    const reader = boot(phone);
    await inStep(reader);
    expect((await reader.read(id))?.messages.size).toBe(DAYS * PER_DAY);
    expect((await phone.store.log.read(id)).every(({ origin }) => origin === 'remote')).toBe(true);
    for (const device of [running, tablet, reader]) device.end();
  });
}, 600_000);
