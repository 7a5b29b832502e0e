// Where a conversation is, asked only when the status says something: the last thing to happen must be one of those times.
import { expect, it } from 'vitest';
import type { Whereabouts } from '../../../src/services/sync/sync.ts';
import { household } from './cluster.ts';
import { eventually, isSynced, newConversationId, settled, type TestDevice } from './device.ts';

const { make, create, pair } = household();

it('is told after the other device said that it holds it', async () => {
  const desk = await create();
  await pair(desk);
  const id = newConversationId();
  let last: Whereabouts | null = null;
  desk.status.subscribe(() => {
    desk.sync.where(id).then(
      (where) => {
        last = where;
      },
      () => {},
    );
  });
  await desk.say(id, 'seen on both');
  await eventually(desk, async () => last?.place === 'relay' && last.devices.includes('Phone'));
  expect(last).toEqual({ place: 'relay', devices: ['Phone'] });
});

it('the journal begins with how the device came to its account, and ends with how it left', async () => {
  const steps = async (device: TestDevice) =>
    (await device.sync.journal()).filter(({ kind }) => kind === 'note').map(({ what }) => what);
  const desk = await create();
  expect(await steps(desk)).toEqual(['created']);
  const phone = await pair(desk);
  expect(await steps(phone)).toEqual(['joined']);
  await phone.sync.leave();
  expect(await steps(phone)).toEqual(['left', 'joined']);
});

it('is still told after the room was folded: what was put together anew is held by the others too', async () => {
  const desk = await create();
  const phone = await pair(desk);
  const id = newConversationId();
  for (let number = 0; number < 70; number += 1) {
    await desk.say(id, `line ${number}`);
    await desk.engine.settled();
  }
  const onPhone = async () => (await desk.sync.where(id)).devices.includes('Phone');
  await eventually(desk, onPhone);
  await eventually(
    desk,
    async () =>
      [...(await desk.sync.journal()), ...(await phone.sync.journal())].some(({ what }) => what === 'folded'),
    20_000,
  );
  for (const device of [desk, phone]) await device.engine.settled();
  await isSynced(desk);
  await eventually(desk, onPhone);
}, 60_000);

it('when another device was last heard of is when it last told of itself, by its own clock', async () => {
  const paired = Date.UTC(2026, 0, 1, 12);
  const hour = 3_600_000;
  const phoneAt = (device: TestDevice) => device.status.get().devices.find(({ name }) => name === 'Phone');
  const desk = await create();
  const phone = await pair(desk, make('Phone', { now: () => paired }));
  await eventually(desk, async () => phoneAt(desk) !== undefined);
  expect(phoneAt(desk)).toMatchObject({ here: false, pairedAt: paired, seenAt: paired });
  await settled(desk, phone);
  phone.stop();
  // It comes back later: by its own clock, whatever this device's says.
  const { store, vault, config } = phone;
  const back = make('Phone', { store, vault, config, now: () => paired + hour });
  await eventually(desk, async () => phoneAt(desk)?.seenAt === paired + hour);
  expect(phoneAt(desk)?.pairedAt).toBe(paired);
  back.stop();
  // While it is away, nothing that this device does moves it.
  await desk.say(newConversationId(), 'while it is away');
  await settled(desk);
  expect(phoneAt(desk)?.seenAt).toBe(paired + hour);
});
