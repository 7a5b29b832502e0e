// Testing a relay before an account is made: a clear answer, nothing left behind.
import { expect, it } from 'vitest';
import { cluster } from './cluster.ts';

const home = cluster();

it('answers without an account, and keeps no secret', async () => {
  const device = home.make('Laptop');
  await expect(device.sync.test('wss://relay.example')).resolves.toBeUndefined();
  await expect(device.sync.test('relay.example/')).resolves.toBeUndefined();
  await expect(device.sync.test('not a relay')).rejects.toMatchObject({ problem: { code: 'sync-endpoint' } });
  expect(home.hub.rooms.size).toBe(0);
  expect(device.status.get()).toMatchObject({ mode: 'disabled', account: null });
});

it('says at once that nobody answers', async () => {
  const device = home.make('Laptop');
  home.hub.setOnline(false);
  await expect(device.sync.test('wss://relay.example')).rejects.toMatchObject({
    problem: { code: 'sync-offline' },
  });
});
