// The devices of an account in the settings: none known, several, renaming, taking one off, locking one
// out while something is not here yet.
import { beforeEach, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import type { SyncRequest } from '../../../src/services/sync/requests.ts';
import { SYNC_OFF, type SyncDevice } from '../../../src/services/sync/sync.ts';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const asked: SyncRequest[] = [];
const app = await createTestApp({
  sync: async (request) => {
    asked.push(request);
    if (request.do === 'revoke' && request.anyway === null)
      throw new RecollectError('sync-unfetched', 'Not all of it is here', {
        params: { why: 'lacking', count: 3 },
      });
    return null;
  },
});
const device = (name: string, here = false): SyncDevice => ({
  id: name,
  name,
  here,
  pairedAt: Date.now() - 9e8,
  seenAt: Date.now() - 6e5,
  missing: here ? 0 : 2,
});
const lists = (devices: readonly SyncDevice[]) =>
  app.states.sync.set({
    ...SYNC_OFF,
    mode: 'remote',
    state: 'synced',
    account: {
      fingerprint: 'ab12-cd34-ef56-7890',
      endpoint: 'wss://relay.example',
      managed: false,
      since: 1,
    },
    devices,
  });
const devices = () => page.getByRole('region', { name: 'Devices' });
const dialog = () => page.getByRole('dialog');
/** Chooses from the menu beside the other device. */
const choose = async (name: string) => {
  await devices().getByRole('button', { name: 'More for Old phone' }).click();
  await page.getByRole('menuitem', { name }).click();
};
const of = (what: string) => asked.filter((request) => request.do === what);

beforeEach(async () => {
  asked.length = 0;
  lists([device('Old phone'), device('This laptop', true)]);
  await show(app, '/settings/sync');
});

it('says that none is known, then lists this one first with what has not arrived from the others', async () => {
  lists([]);
  await expect.element(devices().getByText('Not known yet.')).toBeVisible();
  lists([device('Old phone'), device('This laptop', true)]);
  const items = devices().getByRole('listitem');
  await expect.element(items.first()).toHaveTextContent(/This laptop.*This device/);
  await expect.element(items.nth(1)).toHaveTextContent(/2 changes of it have not arrived/);
  await page.viewport(320, 640);
  await expect.poll(() => document.documentElement.scrollWidth).toBe(320);
  await expectAccessible();
});

deep('renames this device by keyboard, never to nothing', async () => {
  const rename = devices().getByRole('button', { name: 'Rename this device' });
  await rename.click();
  await expect.element(dialog().getByRole('textbox')).toHaveFocus();
  await expectAccessible();
  await userEvent.keyboard('{Enter}');
  await expect.element(dialog()).not.toBeInTheDocument();
  await expect.element(rename).toHaveFocus();
  await rename.click();
  await dialog().getByRole('textbox').fill('');
  await expect.element(dialog().getByRole('button', { name: 'Keep' })).toBeDisabled();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog()).not.toBeInTheDocument();
});

it('locks out nothing while something is missing, until the person says so a second time', async () => {
  await choose('Lock out Old phone');
  await expect.element(dialog()).toHaveTextContent(/All other devices are locked out with it/);
  await expectAccessible();
  await dialog().getByRole('button', { name: 'Make a new key' }).click();
  await expect.element(dialog()).toHaveTextContent(/does not give out 3 conversations/);
  await expectAccessible();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await expect.element(dialog()).not.toBeInTheDocument();
  expect(of('revoke')).toHaveLength(1);
  await choose('Lock out Old phone');
  await dialog().getByRole('button', { name: 'Make a new key' }).click();
  await dialog().getByRole('button', { name: 'Make a new key now' }).click();
  await expect.poll(() => of('revoke')).toHaveLength(3);
  expect(of('revoke').at(-1)).toMatchObject({ anyway: 'lacking' });
});

it('takes a device off the list only once that is confirmed', async () => {
  await choose('Remove Old phone from the list');
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog()).not.toBeInTheDocument();
  expect(of('take-off')).toEqual([]);
  await choose('Remove Old phone from the list');
  await dialog().getByRole('button', { name: 'Remove', exact: true }).click();
  await expect.element(page.getByText('Old phone is off the list.')).toBeVisible();
});

it('says in words what can be done with a device, which a finger cannot ask an icon', async () => {
  const more = devices().getByRole('button', { name: 'More for Old phone' });
  await expect.element(devices().getByText('Rename', { exact: true })).toBeVisible();
  await more.click();
  const items = page.getByRole('menuitem');
  await expect
    .poll(() => items.elements().map((item) => item.textContent))
    .toEqual(['Remove Old phone from the list', 'Lock out Old phone']);
  await expectAccessible();
  await userEvent.keyboard('{ArrowDown}{Enter}');
  await expect.element(dialog()).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog()).not.toBeInTheDocument();
  await expect.element(more).toHaveFocus();
});
