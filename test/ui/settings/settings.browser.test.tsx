// Every section of the settings, wide and narrow, in both themes; and the diagnostics log.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { log } from '../../../src/domain/base/log.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import type { CopyState } from '../../../src/services/storage/copy-state.ts';
import { SECTION_IDS } from '../../../src/ui/settings/sections.ts';
import { createTestApp, expectAccessible, expectReadable, show } from '../harness.tsx';
import { expectReached, saidTwice } from '../reading.ts';

it.each(SECTION_IDS)(
  '%s is accessible, dark and light, fits 320 px, has no control that Tab leaves out, and says nothing twice',
  async (section) => {
    const app = await createTestApp();
    await app.settings.set('ui.theme', 'dark');
    await show(app, `/settings/${section}`);
    await expect.element(page.getByRole('heading', { level: 2 }).first()).toBeVisible();
    await expectAccessible();
    await app.settings.set('ui.theme', 'light');
    await expect.poll(() => document.documentElement.dataset.theme).toBe('light');
    await expectReadable();
    await page.viewport(320, 640);
    await expect.poll(() => document.documentElement.scrollWidth).toBe(320);
    await expectReached(page.getByRole('main').element());
    for (const group of document.querySelectorAll('main section[aria-label]'))
      expect(saidTwice(group)).toEqual([]);
  },
);

it.each(['en', 'zh'])('on a phone, the list of sections says all of what each is, %s', async (language) => {
  const app = await createTestApp();
  await app.settings.set('ui.language', language);
  await show(app, '/settings', { width: 320, height: 568 });
  const list = () => [...document.querySelectorAll<HTMLElement>('[data-section] span span')];
  await expect.poll(() => list().length).toBe(2 * SECTION_IDS.length);
  const cut = list().filter((words) => words.scrollWidth > words.clientWidth);
  expect(cut.map(({ textContent }) => textContent)).toEqual([]);
  await expectAccessible();
});

it('on a phone, the title one is led to has a ring for keys alone', async () => {
  const app = await createTestApp();
  await show(app, '/settings', { width: 390, height: 844 });
  const title = page.getByRole('heading', { level: 1 });
  const section = page.getByRole('main').getByRole('button', { name: /^Storage/ });
  const ring = () => getComputedStyle(title.element()).outlineStyle;
  await section.click();
  await expect.element(title).toHaveFocus();
  expect(ring()).toBe('none');
  await page.getByRole('button', { name: 'All settings' }).click();
  (section.element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(title).toHaveFocus();
  expect(ring()).toBe('solid');
});

it('moves nothing below when a worker tells the state of the second copy', async () => {
  const app = await createTestApp();
  const told = writable<CopyState | null>(null);
  Object.assign(app, { storageKind: 'indexeddb', logCopy: told });
  await show(app, '/settings/storage', { width: 1280, height: 800 });
  await expect.element(page.getByText('Protected from clearing')).toBeVisible();
  const top = () =>
    page.getByRole('button', { name: 'Import', exact: true }).element().getBoundingClientRect().top;
  const before = top();
  told.set({ state: 'kept', at: 0 });
  await expect.element(page.getByText(/is kept twice on this device/)).toBeVisible();
  expect(top()).toBe(before);
});

it('announces a test of a connection once', async () => {
  const app = await createTestApp();
  Object.assign(app.settings, { test: () => new Promise(() => {}) });
  await show(app, '/settings/models');
  await page.getByRole('button', { name: /^Ollama/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect.element(dialog.getByText(/^Asking /)).toBeVisible();
  await expectAccessible();
});

it('says at a setting that could not be saved why, and takes it when it is tried again', async () => {
  const app = await createTestApp();
  const { set } = app.settings;
  const broken = () => Promise.reject(new RecollectError('storage-full', 'The disk is full'));
  await show(app, '/settings/appearance', { width: 320, height: 640 });
  Object.assign(app.settings, { set: broken });
  const compact = page.getByRole('switch', { name: 'Compact list' });
  await compact.click();
  await expect.element(page.getByRole('alert')).toHaveTextContent(/no room left.*Make room/);
  await expect.element(compact).not.toBeChecked();
  await expectAccessible();
  Object.assign(app.settings, { set });
  await compact.click();
  await expect.element(compact).toBeChecked();
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
});

it('speaks Chinese where that is chosen', async () => {
  const app = await createTestApp();
  await app.settings.set('ui.language', 'zh');
  await show(app, '/settings/about');
  await expect.element(page.getByRole('heading', { name: '诊断' })).toBeVisible();
});

it('shows the diagnostics log, says so where it is empty, and copies it', async () => {
  log.clear();
  const app = await createTestApp();
  await show(app, '/settings/about');
  const view = page.getByRole('button', { name: 'View' });
  await view.click();
  await expect.element(page.getByText('Nothing has gone wrong since this tab was opened.')).toBeVisible();
  log.warn('Vectors have to wait', new TypeError('x is not a function'));
  const dialog = page.getByRole('dialog', { name: 'Diagnostics log' });
  await expect.element(dialog.getByText('Vectors have to wait')).toBeVisible();
  await expect.element(dialog.getByText(/TypeError: x is not a function/)).toBeVisible();
  await expect.element(dialog.getByRole('button', { name: 'Copy' })).toBeVisible();
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(view).toHaveFocus();
});
