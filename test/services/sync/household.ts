// The devices of one person over rooms in memory: fresh for each test, and stopped after it.
import { afterEach, beforeEach } from 'vitest';
import { createInMemoryHub, type InMemoryHub } from '../../../src/adapters/sync/in-memory.ts';
import { createTestDevice, type DeviceOptions, isSynced, type TestDevice } from './device.ts';

export interface Household {
  /** Of the test that runs. */
  readonly hub: InMemoryHub;
  make(name: string, options?: Partial<DeviceOptions>): TestDevice;
  /** A device with a new account, in step with its relay. */
  create(name?: string, device?: TestDevice): Promise<TestDevice>;
  /** A device that joined the other's account; it may still be fetching. */
  joinTo(other: TestDevice, name?: string, device?: TestDevice): Promise<TestDevice>;
}

/** To be called once, where a file's tests are described. */
export function household(): Household {
  let hub = createInMemoryHub();
  let devices: TestDevice[] = [];
  beforeEach(() => {
    hub = createInMemoryHub();
    devices = [];
  });
  afterEach(() => {
    for (const device of devices) device.stop();
  });
  const make = (name: string, options: Partial<DeviceOptions> = {}) => {
    const device = createTestDevice({ name, backend: hub.backend, ...options });
    devices.push(device);
    return device;
  };
  return {
    get hub() {
      return hub;
    },
    make,
    create: async (name = 'Desk', device = make(name)) => {
      await device.sync.create({ endpoint: 'wss://relay.example', deviceName: name });
      await isSynced(device);
      return device;
    },
    joinTo: async (other, name = 'Phone', device = make(name)) => {
      const { link } = await other.sync.pairing('https://app.example/');
      await device.sync.join(device.sync.readOffer(link), { deviceName: name });
      return device;
    },
  };
}
