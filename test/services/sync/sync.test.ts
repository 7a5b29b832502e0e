// Two and more devices over rooms in memory: what a person expects of sync.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryHub, type InMemoryHub } from '../../../src/adapters/sync/in-memory.ts';
import { createTestDevice, eventually, isSynced, newConversationId, type TestDevice } from './device.ts';

let hub: InMemoryHub;
let devices: TestDevice[];

beforeEach(() => {
  hub = createInMemoryHub();
  devices = [];
});
afterEach(() => {
  for (const device of devices) device.stop();
});

const make = (name: string, options: Partial<Parameters<typeof createTestDevice>[0]> = {}) => {
  const device = createTestDevice({ name, backend: hub.backend, ...options });
  devices.push(device);
  return device;
};
const create = async (name = 'Desk') => {
  const device = make(name);
  await device.sync.create({ endpoint: 'wss://relay.example', deviceName: name });
  await isSynced(device);
  return device;
};
const joinTo = async (other: TestDevice, name = 'Phone', device = make(name)) => {
  const { link } = await other.sync.pairing('https://app.example/');
  await device.sync.join(device.sync.readOffer(link), { deviceName: name });
  return device;
};

describe('two devices', () => {
  it('have the same conversations, whoever wrote them', async () => {
    const desk = await create();
    const id = newConversationId();
    await desk.say(id, 'written before pairing');
    const phone = await joinTo(desk);
    await eventually(phone, async () => (await phone.texts(id)).length === 1);
    await desk.say(id, 'from the desk');
    await eventually(phone, async () => (await phone.texts(id)).length === 2);
    await phone.say(id, 'from the phone');
    await eventually(desk, async () => (await desk.texts(id)).length === 3);
    expect(await desk.texts(id)).toEqual(await phone.texts(id));
    await eventually(phone, async () =>
      (await phone.library()).some((line) => line.id === id && line.messageCount === 3),
    );
    await eventually(desk, async () => (await desk.sync.where(id)).devices.includes('Phone'));
    expect(await desk.sync.where(id)).toEqual({ place: 'relay', devices: ['Phone'] });
    expect(
      desk.status
        .get()
        .devices.map(({ name }) => name)
        .sort(),
    ).toEqual(['Desk', 'Phone']);
  });
});
