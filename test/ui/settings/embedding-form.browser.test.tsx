// The embedding model in the settings: drafted with what it costs, discarded, refused, applied; the key of a service.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const app = await createTestApp();
const embedding = () => app.settings.config.get().embedding;
const form = () => page.getByRole('region', { name: 'Embedding model', exact: true });
const button = (name: string) => form().getByRole('button', { name, exact: true });

it('says what another model costs before anything is changed, and forgets it when discarded', async () => {
  await show(app, '/settings/memory');
  const before = embedding();
  const other = form().getByRole('radio', { name: /^Another model/ });
  await other.click();
  await form().getByRole('textbox', { name: 'Model id' }).fill('Xenova/bge-small-en');
  await expect.element(form().getByText('It is used from the first message on.')).toBeVisible();
  await expect.element(form().getByText('In use').first()).toBeVisible();
  await expectAccessible();
  expect(embedding()).toEqual(before);
  await button('Discard').click();
  await expect.element(other).not.toBeChecked();
  await expect.element(button('Discard')).not.toBeInTheDocument();
});

deep('refuses what is not a number, keeps the draft, and saves once it is one', async () => {
  await show(app, '/settings/memory');
  const batch = form().getByRole('textbox', { name: 'Texts at a time' });
  await batch.fill('many');
  await button('Save').click();
  await expect.element(form().getByRole('alert')).toBeVisible();
  await expectAccessible();
  await batch.fill('7');
  await expect.element(form().getByRole('alert')).not.toBeInTheDocument();
  await button('Save').click();
  await expect.poll(() => embedding().local.batch_size).toBe(7);
  await expect.element(button('Save')).not.toBeInTheDocument();
});

it('chooses a service by keyboard, keeps its key in the vault, and forgets it again', async () => {
  await show(app, '/settings/memory', { width: 320 });
  await form()
    .getByRole('radio', { name: /^On this device/ })
    .click();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  await expect.element(form().getByRole('radio', { name: /^Other service/ })).toBeChecked();
  await form().getByRole('textbox', { name: 'Base URL' }).fill('https://vectors.example/v1');
  await form().getByRole('textbox', { name: 'Model', exact: true }).fill('tiny');
  await form().getByRole('textbox', { name: 'Dimensions' }).fill('8');
  await form().getByLabelText('Key').fill('sk-1');
  await expect.element(form().getByText(/is sent to vectors\.example/)).toBeVisible();
  await expectAccessible();
  await button('Change model').click();
  await expect.element(button('Forget the key')).toBeVisible();
  expect(await app.settings.keyOrigin('embedding/custom')).toBe('https://vectors.example');
  expect(await app.settings.exportYaml()).not.toContain('sk-1');
  expect(document.documentElement.scrollWidth).toBe(320);
  await button('Forget the key').click();
  await expect.element(button('Forget the key')).not.toBeInTheDocument();
  expect(await app.settings.keyOrigin('embedding/custom')).toBeNull();
});
