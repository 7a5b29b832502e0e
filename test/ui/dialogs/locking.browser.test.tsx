// The dialogs that change a device's lock, step by step: what each asks, that it waits, that
// it failed, and where the focus goes.
import { expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { writable } from '../../../src/domain/base/readable.ts';
import type { LockState } from '../../../src/services/lock/lock.ts';
import { createTestApp, held, show } from '../harness.tsx';
import { expectHeld, expectShown, pressed } from './dialogs.ts';

const NARROW = { width: 320, height: 640 };
const SECRET = 'five words nobody would guess';
const dialog = page.getByRole('dialog');
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const field = (name: string) => dialog.getByRole('textbox', { name, exact: true });
const failsWith = (code: 'lock-wrong' | 'storage-failed') => () =>
  Promise.reject(new RecollectError(code, 'It did not work'));

/** The settings of a device that is locked already. */
async function sealed() {
  const app = await createTestApp();
  await app.settings.set('privacy.encrypt_local', true);
  const state: LockState = {
    phase: 'sealed',
    ready: false,
    progress: null,
    slots: [
      { id: 'one', kind: 'passphrase', at: 1 },
      { id: 'two', kind: 'recovery', at: 1 },
    ],
    problem: null,
  };
  Object.assign(app.lock, { state: writable(state) });
  await show(app, '/settings/privacy', NARROW);
  return app;
}

/** Types the words that are asked for: those that the step before showed. */
async function typeAsked(words: readonly string[]): Promise<void> {
  for (const asked of dialog.getByRole('textbox').elements()) {
    const number = Number(/\d+/.exec((asked as HTMLInputElement).labels?.[0]?.textContent ?? '')?.[0]);
    (asked as HTMLElement).focus();
    await userEvent.keyboard(words[number - 1] ?? '');
  }
}

it('folds what stays readable while nothing is locked', async () => {
  await show(await createTestApp(), '/settings/privacy');
  const words = page.getByText(/^How many entries and settings there are/);
  await expect.element(page.getByText('What stays readable')).toBeVisible();
  await expect.element(words).not.toBeVisible();
  await page.getByText('What stays readable').click();
  await expect.element(words).toBeVisible();
});

it('shows what stays readable on a locked device', async () => {
  await sealed();
  await expect.element(page.getByText(/^How many entries and settings there are/)).toBeVisible();
});

it('locks this device in three steps, says that it waits and that it failed', async () => {
  const app = await createTestApp();
  const { promise, release } = held();
  const turnOn = vi.fn(() => promise.then(failsWith('storage-failed')));
  Object.assign(app.lock, { turnOn });
  await show(app, '/settings/privacy', NARROW);
  const home = page.getByRole('switch', { name: 'Lock this device' });
  await pressed(home);
  await expectHeld(await expectShown('Lock this device'), home);

  await pressed(home);
  await expect.element(field('Passphrase')).toHaveFocus();
  await userEvent.keyboard('short');
  await expect.element(dialog.getByRole('button', { name: 'Next' })).toBeDisabled();
  await expectShown('Lock this device');
  await field('Passphrase').fill(SECRET);
  await field('Passphrase again').fill('another');
  await expect.element(dialog.getByText('The two are not the same.')).toBeVisible();
  await expectShown('Lock this device');
  await field('Passphrase again').fill(SECRET);
  await userEvent.keyboard('{Enter}');
  await expectShown('Write down these 24 words');
  const words = dialog
    .getByRole('listitem')
    .elements()
    .map((item) => item.lastChild?.textContent ?? '');
  expect(words).toHaveLength(24);
  await pressed(dialog.getByRole('button', { name: 'I wrote them down' }));
  await expect.element(dialog.getByText('Type these three of the words.')).toBeVisible();
  await expectShown('Write down these 24 words');
  await typeAsked(words);
  await userEvent.keyboard('{Enter}');
  await expect
    .element(dialog.getByRole('button', { name: 'Encrypt this device' }))
    .toHaveAttribute('aria-busy', 'true');
  await expectShown('Write down these 24 words');
  release();
  await expect.element(dialog.getByRole('alert')).toBeVisible();
  expect(turnOn).toHaveBeenCalledWith(SECRET, words.join(' '));
  await expectHeld(await expectShown('Write down these 24 words'), home);
});

it('stops locking with what unlocks this device, and says so where that is wrong', async () => {
  const app = await sealed();
  Object.assign(app.lock, { turnOff: failsWith('lock-wrong') });
  const home = await pressed(page.getByRole('switch', { name: 'Lock this device' }));
  await expectShown('Stop locking this device');
  await expect.element(field('Passphrase')).toHaveFocus();
  await userEvent.keyboard('wrong{Enter}');
  await expect.element(dialog.getByRole('alert')).toBeVisible();
  await expectHeld(await expectShown('Stop locking this device'), home);
});

it('changes the passphrase, asks once more where it was wrong, and closes when it is done', async () => {
  const app = await sealed();
  const changePassphrase = vi
    .fn(app.lock.changePassphrase)
    .mockImplementationOnce(failsWith('lock-wrong'))
    .mockImplementation(async () => undefined);
  Object.assign(app.lock, { changePassphrase });
  const home = await pressed(button('Change…'));
  const choose = async () => {
    await expect.element(field('Passphrase')).toHaveFocus();
    await userEvent.keyboard('before{Enter}');
    await expectShown('New passphrase');
    await field('Passphrase').fill(SECRET);
    await field('Passphrase again').fill(SECRET);
    await userEvent.keyboard('{Enter}');
  };
  await expectShown('Unlock first');
  await choose();
  await expect.element(dialog.getByRole('alert')).toBeVisible();
  await expectShown('Unlock first');
  await field('Passphrase').click();
  await choose();
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(home).toHaveFocus();
  expect(changePassphrase).toHaveBeenCalledTimes(2);
});

it('makes new words by keys alone', async () => {
  const app = await sealed();
  const changePhrase = vi.fn(async () => undefined);
  Object.assign(app.lock, { changePhrase });
  const home = await pressed(button('New words…'));
  await expectHeld(await expectShown('Unlock first'), home);
  await pressed(button('New words…'));
  await expect.element(field('Passphrase')).toHaveFocus();
  await userEvent.keyboard('before{Enter}');
  await expectHeld(await expectShown('Write down these 24 words'), home);
  expect(changePhrase).not.toHaveBeenCalled();
});
