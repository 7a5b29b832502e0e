// A screen asks where a conversation is when the status changes, so the status must change after the last step.
import { expect, it } from 'vitest';
import type { SyncLocation } from '../../../src/services/sync/sync.ts';
import { deep } from '../../scale.ts';
import { cluster } from './cluster.ts';
import { eventually, isSynced, newConversationId, settled, type TestDevice } from './device.ts';

const { make, create, pair } = cluster();

it('is told after the other device said that it holds it', async () => {
  const laptop = await create();
  await pair(laptop);
  const id = newConversationId();
  let last: SyncLocation | null = null;
  laptop.status.subscribe(() => {
    laptop.sync.where(id).then(
      (where) => {
        last = where;
      },
      () => {},
    );
  });
  await laptop.say(id, 'seen on both');
  await eventually(laptop, async () => last?.place === 'relay' && last.devices.includes('Phone'));
  expect(last).toEqual({ place: 'relay', devices: ['Phone'] });
});

it('the journal begins with how the device came to its account, and ends with how it left', async () => {
  const steps = async (device: TestDevice) =>
    (await device.sync.journal()).filter(({ kind }) => kind === 'note').map(({ what }) => what);
  const laptop = await create();
  expect(await steps(laptop)).toEqual(['created']);
  const phone = await pair(laptop);
  expect(await steps(phone)).toEqual(['joined']);
  await phone.sync.leave();
  expect(await steps(phone)).toEqual(['left', 'joined']);
});

deep(
  'is still told after the room was folded: what was put together anew is held by the others too',
  async () => {
    const laptop = await create();
    const phone = await pair(laptop);
    const id = newConversationId();
    for (let number = 0; number < 70; number += 1) {
      await laptop.say(id, `line ${number}`);
      await laptop.engine.settled();
    }
    const onPhone = async () => (await laptop.sync.where(id)).devices.includes('Phone');
    await eventually(laptop, onPhone);
    await eventually(
      laptop,
      async () =>
        [...(await laptop.sync.journal()), ...(await phone.sync.journal())].some(
          ({ what }) => what === 'folded',
        ),
      20_000,
    );
    for (const device of [laptop, phone]) await device.engine.settled();
    await isSynced(laptop);
    await eventually(laptop, onPhone);
  },
  60_000,
);

it('when another device was last heard of is when it last told of itself, by its own clock', async () => {
  const paired = Date.UTC(2026, 0, 1, 12);
  const hour = 3_600_000;
  const phoneAt = (device: TestDevice) => device.status.get().devices.find(({ name }) => name === 'Phone');
  const laptop = await create();
  const phone = await pair(laptop, make('Phone', { now: () => paired }));
  await eventually(laptop, async () => phoneAt(laptop) !== undefined);
  expect(phoneAt(laptop)).toMatchObject({ here: false, pairedAt: paired, seenAt: paired });
  await settled(laptop, phone);
  phone.stop();
  // The phone comes back later by its own clock, which may differ from this device's.
  const { store, vault, config } = phone;
  const back = make('Phone', { store, vault, config, now: () => paired + hour });
  await eventually(laptop, async () => phoneAt(laptop)?.seenAt === paired + hour);
  expect(phoneAt(laptop)?.pairedAt).toBe(paired);
  back.stop();
  // While the phone is away, this device's activity does not change its time.
  await laptop.say(newConversationId(), 'while it is away');
  await settled(laptop);
  expect(phoneAt(laptop)?.seenAt).toBe(paired + hour);
});
