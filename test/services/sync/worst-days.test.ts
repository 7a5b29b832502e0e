// Days on which much goes wrong at once, as people have them: a laptop put back from a backup, a relay that is emptied in the middle of a
// first sync, devices locked out while they write, words written into what another device forgets everywhere.
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { createInMemoryVault } from '../../../src/adapters/vault/in-memory.ts';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { type RelayHere, startRelayHere } from '../../sync/relay-here.ts';
import {
  createTestDevice,
  type DeviceOptions,
  eventually,
  isSynced,
  newConversationId,
  type TestDevice,
} from './device.ts';

let relay: RelayHere;
const devices: TestDevice[] = [];
afterEach(async () => {
  for (const device of devices.splice(0)) device.stop();
  await relay?.close();
});

const make = (name: string, options: Partial<DeviceOptions> = {}) => {
  const device = createTestDevice({ name, backend: relay.backend, ...options });
  devices.push(device);
  return device;
};
const create = async (device = make('Desk')) => {
  await device.sync.create({ endpoint: relay.endpoint, deviceName: device.name });
  await isSynced(device);
  return device;
};
const joinTo = async (other: TestDevice, device: TestDevice) => {
  const { link } = await other.sync.pairing('https://app.example/');
  await device.sync.join(device.sync.readOffer(link), { deviceName: device.name });
  return device;
};
const settled = async (...all: TestDevice[]) => {
  for (const device of all) {
    await device.engine.settled();
    await isSynced(device, 20_000);
  }
};
const has = (device: TestDevice, id: ConversationId, texts: readonly string[], ms = 20_000) =>
  eventually(
    device,
    async () => JSON.stringify(await device.texts(id)) === JSON.stringify([...texts].sort()),
    ms,
  );
/** All that a store holds, as a backup of the machine would have it. */
const copyOf = async (store: Store): Promise<Store> => {
  const copy = createInMemoryStore();
  const entries = await store.log.since(0, 100_000);
  await copy.log.append(entries.map(({ id, document, origin, bytes }) => ({ id, document, origin, bytes })));
  for (const key of await store.drawer.keys('')) await copy.drawer.set(key, await store.drawer.get(key));
  return { ...copy, kind: 'persistent' };
};

describe('a device that was put back from a backup', () => {
  it('loses nothing that it wrote before and after, on any device, though it counts its changes twice', async () => {
    relay = await startRelayHere();
    const desk = await create();
    const parts = { vault: createInMemoryVault(), config: writable(defaultConfig) };
    let phone = await joinTo(desk, make('Phone', parts));
    const id = newConversationId();
    await phone.say(id, 'one');
    await has(desk, id, ['one']);
    await settled(desk, phone);
    const backup = await copyOf(phone.store);
    await phone.say(id, 'two');
    await phone.engine.settled();
    await phone.say(id, 'three');
    await has(desk, id, ['one', 'two', 'three']);
    await settled(desk, phone);
    phone.stop();
    // Put back, and written to before it is online again.
    await relay.setOnline(false);
    phone = make('Phone', { ...parts, store: backup });
    await phone.say(id, 'another two');
    await phone.engine.settled();
    // The desk's room is closed in the meantime, as after a while.
    const deskParts = { store: desk.store, vault: desk.vault, config: desk.config };
    desk.stop();
    await relay.setOnline(true);
    await has(phone, id, ['one', 'two', 'three', 'another two']);
    await settled(phone);
    const again = make('Desk', deskParts);
    await has(again, id, ['one', 'two', 'three', 'another two']);
  }, 60_000);
});
