// Testing a relay before an account is made: a clear answer, nothing left behind.
import { afterEach, expect, it } from 'vitest';
import { createInMemoryHub } from '../../../src/adapters/sync/in-memory.ts';
import { createTestDevice, type TestDevice } from './device.ts';

let device: TestDevice | undefined;
afterEach(() => device?.stop());

it('answers without an account, and keeps no secret', async () => {
  const hub = createInMemoryHub();
  device = createTestDevice({ name: 'Desk', backend: hub.backend });
  await expect(device.sync.test('wss://relay.example')).resolves.toBeUndefined();
  await expect(device.sync.test('relay.example/')).resolves.toBeUndefined();
  await expect(device.sync.test('not a relay')).rejects.toMatchObject({ problem: { code: 'sync-endpoint' } });
  expect(hub.rooms.size).toBe(0);
  expect(device.status.get()).toMatchObject({ mode: 'disabled', account: null });
});

it('says at once that nobody answers', async () => {
  const hub = createInMemoryHub();
  device = createTestDevice({ name: 'Desk', backend: hub.backend });
  hub.setOnline(false);
  await expect(device.sync.test('wss://relay.example')).rejects.toMatchObject({
    problem: { code: 'sync-offline' },
  });
});
