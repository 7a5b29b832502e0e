// The devices of one person over rooms in memory or over a real relay: fresh for each test, and stopped after it.
import { afterEach, beforeEach } from 'vitest';
import type { SyncBackend } from '../../../src/adapters/sync/sync-backend.ts';
import { createInMemoryHub, type InMemoryHub } from '../../adapters/sync/in-memory.ts';
import { type RelayHere, startRelayHere } from '../../sync/relay-here.ts';
import { createTestDevice, type DeviceOptions, isSynced, type TestDevice } from './device.ts';

export interface Cluster {
  make(name: string, options?: Partial<DeviceOptions>): TestDevice;
  /** Gives the device (a new one: Laptop) a new account. Resolves when it is in step with its relay. */
  create(device?: TestDevice): Promise<TestDevice>;
  /** The device (a new one: Phone) joins the other's account; it may still be fetching. */
  joinTo(other: TestDevice, device?: TestDevice): Promise<TestDevice>;
  /** The same, and it is in step. */
  pair(other: TestDevice, device?: TestDevice): Promise<TestDevice>;
}

/** A relay that devices meet at. */
interface Place {
  readonly backend: SyncBackend;
  readonly endpoint: string;
}

/** Devices over the relay that `place` gives when a test runs. Call it once, where tests are described. */
export function clusterAt(place: () => Place, leave: () => Promise<void> | void = () => {}): Cluster {
  const devices: TestDevice[] = [];
  afterEach(async () => {
    for (const device of devices.splice(0)) device.stop();
    await leave();
  });
  const make: Cluster['make'] = (name, options) => {
    const device = createTestDevice({ name, backend: place().backend, ...options });
    devices.push(device);
    return device;
  };
  const joinTo: Cluster['joinTo'] = async (other, device = make('Phone')) => {
    const { link } = await other.sync.pairing('https://app.example/');
    await device.sync.join(device.sync.readOffer(link), { deviceName: device.name });
    return device;
  };
  return {
    make,
    joinTo,
    create: async (device = make('Laptop')) => {
      await device.sync.create({ endpoint: place().endpoint, deviceName: device.name });
      await isSynced(device);
      return device;
    },
    pair: async (other, device) => {
      const joined = await joinTo(other, device);
      await isSynced(joined);
      return joined;
    },
  };
}

/** Over rooms in memory. To be called once, where tests are described. */
export function cluster() {
  let hub: InMemoryHub;
  beforeEach(() => {
    hub = createInMemoryHub();
  });
  return {
    ...clusterAt(() => ({ backend: hub.backend, endpoint: 'wss://relay.example' })),
    /** Of the test that runs. */
    get hub() {
      return hub;
    },
  };
}

/**
 * Over a real relay, which reads these settings whenever it begins to listen. To be
 * called once, where tests are described.
 */
export function relayCluster(settings: Readonly<Record<string, string>> = {}) {
  let relay: RelayHere;
  beforeEach(async () => {
    relay = await startRelayHere(settings);
  });
  return {
    ...clusterAt(
      () => relay,
      () => relay.close(),
    ),
    /** Of the test that runs. */
    get relay() {
      return relay;
    },
  };
}
