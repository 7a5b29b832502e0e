// Where a conversation is, asked only when the status says something: the last thing to happen must be one of those times.
import { afterEach, expect, it } from 'vitest';
import { createInMemoryHub } from '../../../src/adapters/sync/in-memory.ts';
import type { Whereabouts } from '../../../src/services/sync/sync.ts';
import { createTestDevice, eventually, isSynced, newConversationId, type TestDevice } from './device.ts';

const devices: TestDevice[] = [];
afterEach(() => {
  for (const device of devices.splice(0)) device.stop();
});

async function both() {
  const hub = createInMemoryHub();
  const desk = createTestDevice({ name: 'Desk', backend: hub.backend });
  const phone = createTestDevice({ name: 'Phone', backend: hub.backend });
  devices.push(desk, phone);
  await desk.sync.create({ endpoint: 'wss://relay.example', deviceName: 'Desk' });
  await isSynced(desk);
  const { link } = await desk.sync.pairing('https://app.example/');
  await phone.sync.join(phone.sync.readOffer(link), { deviceName: 'Phone' });
  await isSynced(phone);
  return { desk, phone };
}

it('is told after the other device said that it holds it', async () => {
  const { desk } = await both();
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
  const hub = createInMemoryHub();
  const desk = createTestDevice({ name: 'Desk', backend: hub.backend });
  const phone = createTestDevice({ name: 'Phone', backend: hub.backend });
  devices.push(desk, phone);
  const steps = async (device: TestDevice) =>
    (await device.sync.journal()).filter(({ kind }) => kind === 'note').map(({ what }) => what);
  await desk.sync.create({ endpoint: 'wss://relay.example', deviceName: 'Desk' });
  await isSynced(desk);
  expect(await steps(desk)).toEqual(['created']);
  const { link } = await desk.sync.pairing('https://app.example/');
  await phone.sync.join(phone.sync.readOffer(link), { deviceName: 'Phone' });
  await isSynced(phone);
  expect(await steps(phone)).toEqual(['joined']);
  await phone.sync.leave();
  expect(await steps(phone)).toEqual(['left', 'joined']);
});

it('is still told after the room was folded: what was put together anew is held by the others too', async () => {
  const { desk, phone } = await both();
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
