// A device moves a room to the next epoch while others use it: forgotten content stays forgotten,
// and no device uploads everything again.
import { describe, expect } from 'vitest';
import { type Deflate, platformDeflate } from '../../../src/adapters/sync/deflate.ts';
import { deep } from '../../scale.ts';
import { cluster } from './cluster.ts';
import { eventually, newConversationId, settled, type TestDevice } from './device.ts';

const home = cluster();
const { create, joinTo, make } = home;
/** Compresses nothing and is slow, so that large content stays large. */
const slow: Deflate = {
  ...platformDeflate,
  deflate: async (bytes) => {
    if (bytes.length > 40_000) await new Promise((resolve) => setTimeout(resolve, 800));
    return bytes;
  },
};
const heldBy = async (device: TestDevice) =>
  (await device.store.log.since(0, 100_000)).map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join();
const moves = async (...devices: readonly TestDevice[]) => {
  let count = 0;
  for (const { sync } of devices)
    count += (await sync.journal()).filter(({ what }) => what === 'moved').length;
  return count;
};
const onRelay = () => {
  let bytes = 0;
  for (const room of home.hub.rooms.values()) for (const blob of room.values()) bytes += blob.length;
  return bytes;
};

describe('a room too large to be made anew where it is', () => {
  deep(
    'is moved by one device; the others take over what it brings, and what was forgotten is nowhere',
    async () => {
      const laptop = await create(make('Laptop', { deflate: slow }));
      const phone = await joinTo(laptop, make('Phone', { deflate: slow }));
      const id = newConversationId();
      const slip = await laptop.say(id, 'slip of the tongue');
      for (let number = 0; number < 2; number += 1) await laptop.say(id, '字'.repeat(750_000));
      await eventually(phone, async () => (await phone.texts(id)).length === 3, 60_000);
      await settled(laptop, phone);
      const before = onRelay();
      await laptop.change(id, { removed: [slip.id] });
      await eventually(phone, async () => (await phone.texts(id)).length === 2, 60_000);
      await eventually(laptop, async () => (await moves(laptop)) === 1, 60_000);
      await settled(laptop, phone);
      await settled(laptop, phone);
      expect(onRelay()).toBeLessThan(before * 1.2);
      // The others know that the new room lacks the forgotten message, so no device moves again.
      for (const device of [phone, laptop]) {
        await device.say(id, `from ${device.name}`);
        await settled(phone, laptop);
      }
      await eventually(phone, async () => (await phone.texts(id)).length === 4, 60_000);
      expect(await moves(laptop, phone)).toBe(1);
      const tablet = await joinTo(laptop, make('Tablet'));
      await eventually(tablet, async () => (await tablet.texts(id)).length === 4, 60_000);
      await settled(tablet);
      expect(await heldBy(tablet)).not.toContain('slip of the tongue');
    },
    150_000,
  );
});
