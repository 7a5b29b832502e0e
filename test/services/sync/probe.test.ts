// Testing a relay before an account is made: a clear answer, nothing left behind.
import { expect, it } from 'vitest';
import { household } from './cluster.ts';

const home = household();

it('answers without an account, and keeps no secret', async () => {
  const device = home.make('Desk');
  await expect(device.sync.test('wss://relay.example')).resolves.toBeUndefined();
  await expect(device.sync.test('relay.example/')).resolves.toBeUndefined();
  await expect(device.sync.test('not a relay')).rejects.toMatchObject({ problem: { code: 'sync-endpoint' } });
  expect(home.hub.rooms.size).toBe(0);
  expect(device.status.get()).toMatchObject({ mode: 'disabled', account: null });
});

it('says at once that nobody answers', async () => {
  const device = home.make('Desk');
  home.hub.setOnline(false);
  await expect(device.sync.test('wss://relay.example')).rejects.toMatchObject({
    problem: { code: 'sync-offline' },
  });
});
