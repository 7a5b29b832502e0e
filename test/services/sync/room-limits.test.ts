// Conversations that nearly fill their room on the relay, and those that do not fit.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Deflate, platformDeflate } from '../../../src/adapters/sync/deflate.ts';
import { deep } from '../../scale.ts';
import { relayCluster } from './cluster.ts';
import { eventually, isSynced, newConversationId, settled, type TestDevice } from './device.ts';

const home = relayCluster({ RELAY_MAX_ROOM: String(128 * 1024) });
const { create, joinTo, make } = home;
/**
 * Words that do not compress. Without hyphens, because the filter would take "-hf_…" for a secret token and remove it.
 */
const noise = (length: number) =>
  randomBytes(length).toString('base64url').slice(0, length).replaceAll('-', '_');
/** Slow, as deflating a large conversation is. */
const slow: Deflate = {
  ...platformDeflate,
  deflate: async (bytes) => {
    if (bytes.length > 40_000) await new Promise((resolve) => setTimeout(resolve, 800));
    return await platformDeflate.deflate(bytes);
  },
};
/** Compresses nothing, so that large content is cheap to make. */
const plain: Deflate = { ...platformDeflate, deflate: async (bytes) => bytes };
const heldBy = async (device: TestDevice) =>
  (await device.store.log.since(0, 100_000)).map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join();

describe('a conversation above half of what a room may hold', () => {
  deep(
    'goes on, and what is forgotten leaves the relay',
    async () => {
      const laptop = await create();
      const phone = await joinTo(laptop);
      const id = newConversationId();
      const slip = await laptop.say(id, `slip of the tongue ${noise(500)}`);
      // One by one, so that there are many small changes to compact.
      for (let count = 2; count <= 67; count += 1) {
        await laptop.say(id, noise(1400));
        await eventually(phone, async () => (await phone.texts(id)).length === count, 20_000);
      }
      // The room has no space for both the changes and their snapshot.
      const isFolded = async (device: TestDevice) =>
        (await device.sync.journal()).some(({ what }) => what === 'folded');
      await eventually(laptop, async () => (await isFolded(laptop)) || (await isFolded(phone)), 30_000);
      await settled(laptop, phone);
      for (let number = 0; number < 8; number += 1) await laptop.say(id, noise(1000));
      await eventually(phone, async () => (await phone.texts(id)).length === 75, 20_000);
      await laptop.change(id, { removed: [slip.id] });
      await eventually(phone, async () => (await phone.texts(id)).length === 74, 20_000);
      await settled(laptop, phone);
      expect(laptop.status.get().problem).toBeNull();
      const tablet = await joinTo(laptop, make('Tablet'));
      await eventually(tablet, async () => (await tablet.texts(id)).length === 74, 20_000);
      await settled(tablet);
      expect(await heldBy(tablet)).not.toContain('slip of the tongue');
    },
    90_000,
  );
});

describe('a conversation that is more than half of what a room may hold', () => {
  it('is brought to its new room by one device, and both come to rest', async () => {
    // The device that moves the room is slow.
    const laptop = await create(make('Laptop', { deflate: slow }));
    const phone = await joinTo(laptop, make('Phone', { deflate: slow }));
    const id = newConversationId();
    const slip = await laptop.say(id, `slip of the tongue ${noise(500)}`);
    for (let number = 0; number < 84; number += 1) await laptop.say(id, noise(1200));
    await eventually(phone, async () => (await phone.texts(id)).length === 85, 20_000);
    await laptop.change(id, { removed: [slip.id] });
    await eventually(phone, async () => (await phone.texts(id)).length === 84, 20_000);
    await settled(laptop, phone);
    await phone.say(id, 'goes on');
    await eventually(laptop, async () => (await laptop.texts(id)).includes('goes on'), 20_000);
    await settled(laptop, phone);
    const tablet = await joinTo(laptop, make('Tablet'));
    await eventually(tablet, async () => (await tablet.texts(id)).length === 85, 20_000);
    await settled(tablet);
    expect(await heldBy(tablet)).not.toContain('slip of the tongue');
  }, 120_000);
});

describe('a message that the relay has no room for', () => {
  it('keeps nothing small from arriving, before or after it, in its conversation or another', async () => {
    const laptop = await create();
    const phone = await joinTo(laptop);
    const id = newConversationId();
    await laptop.say(id, 'before');
    await eventually(phone, async () => (await phone.texts(id)).length === 1, 20_000);
    await laptop.say(id, noise(200_000));
    await eventually(laptop, async () => laptop.status.get().problem?.code === 'sync-quota', 20_000);
    await laptop.say(id, 'after');
    await eventually(
      phone,
      async () => {
        const entries = await heldBy(phone);
        return entries.includes('after');
      },
      20_000,
    );
    await phone.say(id, 'an answer');
    await eventually(laptop, async () => (await laptop.texts(id)).includes('an answer'), 20_000);
    expect(laptop.status.get()).toMatchObject({ state: 'syncing', problem: { code: 'sync-quota' } });
    expect((await laptop.sync.where(id)).place).toBe('here');
    const journal = (await laptop.sync.journal()).filter(({ what }) => what === 'sync-quota');
    expect(journal).toHaveLength(1);
  }, 60_000);

  deep(
    'keeps no other conversation from being sent for the first time, however large it is',
    async () => {
      const laptop = make('Laptop', { deflate: plain });
      const id = newConversationId();
      await laptop.say(id, '字'.repeat(5_800_000));
      await laptop.sync.create({ endpoint: home.relay.endpoint, deviceName: laptop.name });
      await eventually(laptop, async () => laptop.status.get().problem?.code === 'sync-quota', 60_000);
      const other = newConversationId();
      await laptop.say(other, 'small');
      await eventually(laptop, async () => (await laptop.sync.where(other)).place === 'relay', 30_000);
      expect((await laptop.sync.where(id)).place).toBe('here');
    },
    120_000,
  );

  it('keeps no room that another conversation has left on the relay', async () => {
    const laptop = await create();
    await laptop.say(newConversationId(), noise(200_000));
    await eventually(laptop, async () => laptop.status.get().problem?.code === 'sync-quota', 20_000);
    const id = newConversationId();
    const slip = await laptop.say(id, `slip of the tongue ${noise(500)}`);
    for (let number = 0; number < 88; number += 1) await laptop.say(id, noise(1200));
    await eventually(laptop, async () => (await laptop.sync.where(id)).place === 'relay', 30_000);
    await laptop.change(id, { removed: [slip.id] });
    const moved = async () => (await laptop.sync.journal()).some(({ what }) => what === 'moved');
    await eventually(laptop, moved, 30_000);
    await eventually(
      laptop,
      async () => (await laptop.store.keyValues.keys('sync/erase/')).length === 0,
      30_000,
    );
    expect((await laptop.sync.where(id)).place).toBe('relay');
  }, 120_000);
});

describe('a message of many parts that the relay has no room for', () => {
  const large = relayCluster({ RELAY_MAX_ROOM: String(1024 * 1024) });

  /** Digits contain no keyword of a secret, after which the filter would search long. */
  const digits = (length: number) => randomBytes(length / 2).toString('hex');

  it('leaves none of them there: what is small has the room, and the others come to rest', async () => {
    const laptop = await large.create(large.make('Laptop', { deflate: plain }));
    const phone = await large.joinTo(laptop);
    const id = newConversationId();
    await laptop.say(id, 'before');
    await eventually(phone, async () => (await phone.texts(id)).length === 1, 60_000);
    await laptop.say(id, digits(1_600_000));
    await eventually(laptop, async () => laptop.status.get().problem?.code === 'sync-quota', 60_000);
    for (let number = 0; number < 12; number += 1) await laptop.say(id, `after ${number} ${digits(60_000)}`);
    await eventually(phone, async () => (await heldBy(phone)).includes('after 11'), 60_000);
    await isSynced(phone);
    expect((await laptop.sync.where(id)).place).toBe('here');
    await phone.say(id, 'an answer');
    await eventually(laptop, async () => (await laptop.texts(id)).includes('an answer'), 60_000);
  }, 160_000);
});
