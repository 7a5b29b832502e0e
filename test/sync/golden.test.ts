// What earlier versions left on people's relays is read by this one, word for word, and goes on; what
// a later version leaves there is kept.
import { readdir } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createSealing } from '../../src/adapters/vault/sealing.ts';
import type { ConversationId } from '../../src/domain/base/ids.ts';
import { blobHash, type Payload, splitBlob } from '../../src/domain/sync/blob.ts';
import { toText } from '../../src/domain/sync/bytes.ts';
import { tokenInfo } from '../../src/domain/sync/keys.ts';
import { fingerprintOf, readPairing } from '../../src/domain/sync/pairing.ts';
import { createRoomKeys, openBlob } from '../../src/services/sync/envelope.ts';
import { createTestDevice, eventually, isSynced, type TestDevice } from '../services/sync/device.ts';
import { blobsIn, conversationsOn, GOLDEN, readGolden, withDefaults } from './golden.ts';
import { type RelayHere, startRelayHere } from './relay-here.ts';

const versions = await readdir(GOLDEN);
let relay: RelayHere | undefined;
const devices: TestDevice[] = [];
afterEach(async () => {
  for (const device of devices.splice(0)) device.stop();
  await relay?.close();
  relay = undefined;
});

it('there is a version to be read', () => expect(versions).toContain('v1'));

describe.each(versions)('what version %s left', (version) => {
  it('is opened by its link and by its words: the same keys, the same rooms, every blob', async () => {
    const { golden, room } = await readGolden(version);
    const { key, fingerprint, realm } = readPairing(golden.link);
    expect(readPairing(golden.phrase).key).toEqual(key);
    expect(fingerprintOf(key)).toBe(fingerprint);
    const ring = await createSealing().keyRing(key);
    expect(toText(await ring.derive(tokenInfo(realm), 32))).not.toBe('');
    const keysOf = createRoomKeys(ring);
    const documents = ['index', ...Object.keys(golden.conversations)];
    const named = new Map(
      await Promise.all(
        documents.map(async (document) => {
          const keys = await keysOf(document, 0);
          return [keys.roomId, keys] as const;
        }),
      ),
    );
    for (const { room: name, file, kinds } of golden.rooms) {
      const keys = named.get(name);
      if (!keys) throw new Error(`${name} is nobody's room`);
      const blobs = blobsIn(await room(file));
      const found = new Set<string>();
      const byNumber = new Map<string, { payload: Payload; hash: Uint8Array }>();
      for (const blob of blobs) {
        const opened = await openBlob(keys, blob);
        if (!opened) throw new Error(`A blob of ${file} does not open`);
        found.add(splitBlob(blob)?.kind ?? '');
        byNumber.set(`${opened.payload.device}/${opened.payload.seq}`, {
          payload: opened.payload,
          hash: blobHash(blob),
        });
      }
      expect([...found].sort()).toEqual(kinds);
      // Each blob names its device's previous one, where that is still in the room.
      for (const { payload } of byNumber.values()) {
        if (payload.seq === 1) expect(payload.previous).toEqual(new Uint8Array(16));
        const before = byNumber.get(`${payload.device}/${payload.seq - 1}`);
        if (before) expect(payload.previous).toEqual(before.hash);
      }
    }
  });

  it('is all there on a device that joins, goes on there, and can be forgotten', async () => {
    const { golden, room } = await readGolden(version);
    relay = await startRelayHere();
    for (const { room: name, file } of golden.rooms)
      await relay.store.append({ account: golden.account, room: name }, await room(file));
    const join = async (name: string) => {
      const device = createTestDevice({ name, backend: (relay as RelayHere).backend });
      devices.push(device);
      await device.sync.join(device.sync.readOffer(golden.link), {
        deviceName: name,
        endpoint: (relay as RelayHere).endpoint,
      });
      await isSynced(device, 30_000);
      return device;
    };
    const tablet = await join('Tablet');
    await eventually(
      tablet,
      async () =>
        Object.keys(await conversationsOn(tablet)).length === Object.keys(golden.conversations).length,
    );
    // What came to the format since then has its default.
    expect(await conversationsOn(tablet)).toEqual(withDefaults(golden.conversations));
    expect(tablet.status.get()).toMatchObject({ unreadable: 0, problem: null });
    expect(
      tablet.status
        .get()
        .devices.map(({ name }) => name)
        .sort(),
    ).toEqual(['Desk', 'Phone', 'Tablet']);
    for (const id of golden.forgotten) expect(await tablet.store.log.documents()).not.toContain(id);

    // The device goes on, and a later device has what both wrote.
    const [id] = Object.keys(golden.conversations) as [ConversationId];
    await tablet.say(id, 'said by a later version');
    await tablet.engine.settled();
    await isSynced(tablet);
    const laptop = await join('Laptop');
    await eventually(laptop, async () => (await laptop.texts(id)).includes('said by a later version'));
    await tablet.sync.forget([id]);
    await eventually(laptop, async () => (await laptop.texts(id)).length === 0);
  });
});
