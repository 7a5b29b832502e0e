// The name of this device: a guess at first, the owner's words from then on, in the details of what is written.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { SYNC_OFF } from '../../../src/services/sync/sync.ts';
import { guessedDeviceName } from '../../../src/ui/sync/device-name.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

it('is named in the settings, and signs what is written from then on', async () => {
  const app = await createTestApp({ reply: () => [{ type: 'text-delta', text: 'Forty-two.' }] });
  await show(app, '/settings/sync');
  const field = page.getByRole('textbox', { name: 'Name of this device' });
  await expect.element(field).toHaveValue(app.deviceName.get());
  expect(app.deviceName.get()).toMatch(/^Chrome on /);
  await expectAccessible();
  await field.fill('Kitchen laptop');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => app.deviceName.own.get()).toBe('Kitchen laptop');
  const id = await app.say('What is the answer?');
  await app.idle(id);
  await page.getByText('What is the answer?').first().click();
  await expect.element(page.getByText('Forty-two.', { exact: true })).toBeVisible();
  await page.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'More' }).click();
  await expect.element(page.getByText(/^Kitchen laptop, /)).toBeVisible();
  await expectAccessible();
});

it.each([
  ['Linux', false, 'Linux\u2009上的\u2009Chrome', 'Chrome on Linux'],
  ['Android', true, '手机上的\u2009Chrome', 'Chrome on a phone'],
  ['Android', false, '平板上的\u2009Chrome', 'Chrome on a tablet'],
])('is guessed with a thin space where letters of two scripts meet: %s', async (platform, mobile, zh, en) => {
  const app = await createTestApp();
  await show(app, '/settings/sync');
  const brands = [{ brand: 'Google Chrome', version: '140' }];
  const browser = { userAgent: '', userAgentData: { brands, mobile, platform } };
  expect(guessedDeviceName(browser)).toBe(en);
  await app.settings.set('ui.language', 'zh');
  await expect.poll(() => guessedDeviceName(browser)).toBe(zh);
});

it('asks for the relay before it speaks of seconds', async () => {
  const app = await createTestApp();
  await app.settings.set('sync.mode', 'remote');
  app.states.sync.set({ ...SYNC_OFF, state: 'unpaired' });
  await show(app, '/settings/sync');
  const address = page.getByRole('textbox', { name: 'Address of the relay' });
  const seconds = page.getByRole('textbox', { name: 'Timeout (seconds)' });
  await expect.element(address).toBeVisible();
  const order = address.element().compareDocumentPosition(seconds.element());
  expect(order & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
});

it('is asked for once, also where an account begins, which takes it as it was typed', async () => {
  const app = await createTestApp();
  const names: string[] = [];
  Object.assign(app.sync, {
    create: async ({ deviceName }: { deviceName: string }) => void names.push(deviceName),
  });
  await app.settings.set('sync.mode', 'remote');
  app.states.sync.set({ ...SYNC_OFF, state: 'unpaired' });
  await show(app, '/settings/sync');
  const field = page.getByRole('textbox', { name: 'Name of this device' });
  await expect.element(field).toBeVisible();
  expect(field.elements()).toHaveLength(1);
  await page.getByRole('textbox', { name: 'Address of the relay' }).fill('ws://localhost:1');
  await field.fill('Kitchen laptop');
  // Pressed while the name is still being written to the disk.
  await page.getByRole('button', { name: 'Create the account' }).click();
  await expect.poll(() => names).toEqual(['Kitchen laptop']);
  await field.fill('  ');
  await page.getByRole('button', { name: 'Create the account' }).click();
  await expect.poll(() => names.length).toBe(2);
  expect(names[1]?.trim()).not.toBe('');
  await expectAccessible();
});
