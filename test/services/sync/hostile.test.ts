// Damaged, misplaced, withheld and unknown blobs: a device counts and keeps them,
// never trusts them, and reads all others.
import { describe, expect, it } from 'vitest';
import { createSealing } from '../../../src/adapters/vault/sealing.ts';
import {
  associatedData,
  blobKey,
  encodePayload,
  joinBlob,
  NONCE_BYTES,
} from '../../../src/domain/sync/blob.ts';
import { createRoomKeys, openBlob } from '../../../src/services/sync/envelope.ts';
import { deep } from '../../scale.ts';
import { cluster } from './cluster.ts';
import { eventually, isSynced, newConversationId, settled, type TestDevice } from './device.ts';

const home = cluster();
const { create, pair } = home;
type Blobs = Map<string, Uint8Array>;
/** Rooms created since. */
const roomsSince = (before: ReadonlySet<string>) =>
  [...home.hub.rooms].filter(([name]) => !before.has(name)).map(([, blobs]) => blobs as Blobs);
/** A conversation, and its room. */
const begin = async (device: TestDevice, text: string) => {
  const before = new Set(home.hub.rooms.keys());
  const id = newConversationId();
  await device.say(id, text);
  await eventually(device, async () => (await device.sync.where(id)).place === 'relay');
  const [room] = roomsSince(before);
  if (!room) throw new Error('It has no room');
  return { id, room };
};
const wake = () => {
  home.hub.setOnline(false);
  home.hub.setOnline(true);
};

describe('a sealed blob', () => {
  it('with any bit flipped, cut anywhere, or of another version or kind does not open, and nothing is thrown', async () => {
    const sealing = createSealing();
    const ring = await sealing.keyRing(sealing.random(32));
    const keys = await createRoomKeys(ring)('a conversation', 0);
    const payload = {
      device: 'AAAAAAAAAAA',
      seq: 3,
      previous: new Uint8Array(16),
      part: 0,
      parts: 1,
      deflated: false,
      coverage: { AAAAAAAAAAA: [[3, 3]] as [number, number][] },
      body: new TextEncoder().encode('a body'),
    };
    const nonce = sealing.random(NONCE_BYTES);
    const sealed = await keys.key.seal(
      nonce,
      encodePayload('delta', payload),
      associatedData('delta', keys.roomId),
    );
    const blob = joinBlob('delta', nonce, sealed);
    expect((await openBlob(keys, blob))?.payload).toEqual(payload);
    for (let at = 0; at < blob.length; at += 1)
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = blob.slice();
        flipped[at] = (flipped[at] as number) ^ (1 << bit);
        expect(await openBlob(keys, flipped), `byte ${at}, bit ${bit}`).toBeNull();
      }
    for (let length = 0; length < blob.length; length += 1)
      expect(await openBlob(keys, blob.slice(0, length)), `${length} bytes`).toBeNull();
    // The same bytes in another room, in the next epoch of this one, or under another key.
    for (const other of [
      await createRoomKeys(ring)('another conversation', 0),
      await createRoomKeys(ring)('a conversation', 1),
      await createRoomKeys(await sealing.keyRing(sealing.random(32)))('a conversation', 0),
      { ...keys, roomId: 'elsewhere' },
    ])
      expect(await openBlob(other, blob)).toBeNull();
  });
});

describe('a room', () => {
  deep(
    'with damaged, foreign and future blobs gives all the rest, says how many they are, and keeps them through a fold',
    async () => {
      const laptop = await create();
      const phone = await pair(laptop);
      const other = await begin(laptop, 'in another room');
      const { id, room } = await begin(laptop, 'one');
      await eventually(phone, async () => (await phone.texts(id)).length === 1);
      const [[, blob]] = [...room] as [[string, Uint8Array]];
      const [[, transplant]] = [...other.room] as [[string, Uint8Array]];
      const flipped = blob.slice();
      flipped[40] = (flipped[40] as number) ^ 1;
      const future = blob.slice();
      future[0] = 2;
      const odd = [flipped, blob.slice(0, 50), future, transplant, new Uint8Array(0), new Uint8Array(3)];
      for (const one of odd) room.set(blobKey(one), one);
      wake();
      await laptop.say(id, 'two');
      await eventually(phone, async () => (await phone.texts(id)).length === 2);
      await eventually(phone, async () => phone.status.get().unreadable === odd.length);
      expect(await phone.texts(other.id)).toEqual(['in another room']);
      expect(await phone.texts(id)).toEqual(['one', 'two']);
      // Enough for compaction: readable blobs become one, the others stay.
      for (let number = 0; number < 70; number += 1) {
        await laptop.say(id, `line ${number}`);
        await laptop.engine.settled();
      }
      await eventually(laptop, async () => room.size < 40, 30_000);
      for (const one of odd) expect(room.has(blobKey(one))).toBe(true);
      await eventually(phone, async () => (await phone.texts(id)).length === 72);
      expect(phone.status.get().problem).toBeNull();
      const tablet = await pair(phone, home.make('Tablet'));
      await eventually(tablet, async () => (await tablet.texts(id)).length === 72);
    },
    60_000,
  );

  it('full of junk is looked through a little at a time, and what is behind the junk is not lost', async () => {
    const JUNK = 20_000;
    const laptop = await create();
    const phone = await pair(laptop);
    const { id, room } = await begin(laptop, 'one');
    await eventually(phone, async () => (await phone.texts(id)).length === 1);
    phone.stop();
    await laptop.say(id, 'behind the junk');
    await settled(laptop);
    laptop.stop();
    const kept = [...room];
    room.clear();
    for (let number = 0; number < JUNK; number += 1) {
      const junk = new Uint8Array(8);
      new DataView(junk.buffer).setUint32(0, number);
      room.set(blobKey(junk), junk);
    }
    for (const [key, blob] of kept) room.set(key, blob);
    const { store, vault, config } = phone;
    const back = home.make('Phone', { store, vault, config });
    let turn = 0;
    let counting = true;
    const count = () => {
      turn += 1;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const counts: { unreadable: number; turn: number }[] = [{ unreadable: 0, turn: 0 }];
    back.status.subscribe(() => {
      const { unreadable } = back.status.get();
      if (unreadable > (counts.at(-1)?.unreadable ?? 0)) counts.push({ unreadable, turn });
    });
    await eventually(back, async () => (await back.texts(id)).length === 2, 30_000);
    counting = false;
    // Several rounds may pass between two reports, but not all of them.
    expect(counts.length).toBeGreaterThan(3);
    counts.slice(1).forEach(({ unreadable }, index) => {
      expect(unreadable - (counts[index]?.unreadable ?? 0)).toBeLessThan(JUNK / 2);
    });
    expect(counts.at(-1)?.turn).toBeGreaterThan((counts[1]?.turn ?? 0) + 1);
  }, 60_000);

  it('that says the same again changes nothing', async () => {
    const laptop = await create();
    const phone = await pair(laptop);
    const { id, room } = await begin(laptop, 'one');
    const [first] = [...room.values()] as [Uint8Array];
    await phone.say(id, 'two');
    await eventually(laptop, async () => (await laptop.texts(id)).length === 2);
    const entries = async () => (await laptop.store.log.read(id)).length;
    const before = await entries();
    for (let time = 0; time < 3; time += 1) {
      room.delete(blobKey(first));
      wake();
      room.set(blobKey(first), first);
      wake();
    }
    await laptop.engine.settled();
    await isSynced(laptop);
    expect(await laptop.texts(id)).toEqual(['one', 'two']);
    expect(await entries()).toBe(before);
  });

  it('that keeps something back is found out: whose changes are missing is said, and they come when it gives them', async () => {
    const laptop = await create();
    const phone = await pair(laptop);
    await eventually(laptop, async () => laptop.status.get().devices.length === 2);
    const { id, room } = await begin(phone, 'kept back');
    const kept = [...room];
    await eventually(laptop, async () => (await laptop.texts(id)).length === 1);
    for (const device of [laptop, phone]) {
      await device.engine.settled();
      await isSynced(device);
    }
    // From now on the relay hides the room, and what a device may send again, from every device that connects.
    room.clear();
    room.set = () => room;
    const tablet = await pair(phone, home.make('Tablet'));
    await eventually(tablet, async () =>
      tablet.status.get().devices.some(({ name, missing }) => name === 'Phone' && missing > 0),
    );
    expect(await tablet.texts(id)).toEqual([]);
    Reflect.deleteProperty(room, 'set');
    for (const [key, blob] of kept) room.set(key, blob);
    await tablet.sync.syncNow();
    await eventually(tablet, async () => (await tablet.texts(id)).length === 1);
    await eventually(tablet, async () => tablet.status.get().devices.every(({ missing }) => missing === 0));
  }, 30_000);
});

describe('rooms', () => {
  it('are opened some at once on a first sync, and afterwards only those that changed', async () => {
    const laptop = await create();
    const ids = Array.from({ length: 90 }, () => newConversationId());
    for (const id of ids) await laptop.say(id, 'kept');
    await isSynced(laptop);
    let [open, most] = [0, 0];
    const opened: string[] = [];
    const { backend } = home.hub;
    const counting: typeof backend = {
      ...backend,
      open: (account, name, onChange) => {
        const room = backend.open(account, name, onChange);
        opened.push(name);
        open += 1;
        most = Math.max(most, open);
        const { close } = room;
        return Object.assign(Object.create(room) as typeof room, {
          close: () => {
            open -= 1;
            close();
          },
        });
      },
    };
    const phone = home.make('Phone', { backend: counting });
    await home.joinTo(laptop, phone);
    await eventually(
      phone,
      async () => (await phone.store.log.documents()).filter((id) => ids.includes(id as never)).length === 90,
      20_000,
    );
    await isSynced(phone);
    // Besides the index, and a check whether it has moved.
    expect(most).toBeGreaterThanOrEqual(16);
    expect(most).toBeLessThanOrEqual(32);
    phone.stop();
    const away = ids.slice(0, 5);
    for (const id of away) await laptop.say(id, 'while you were away');
    await laptop.engine.settled();
    await isSynced(laptop);
    opened.length = 0;
    const { store, vault, config } = phone;
    const back = home.make('Phone', { backend: counting, store, vault, config });
    for (const id of away) await eventually(back, async () => (await back.texts(id)).length === 2);
    await isSynced(back);
    // The index, three rooms that it could have moved to, and the five.
    expect(new Set(opened).size).toBeLessThanOrEqual(9);
  }, 60_000);
});
