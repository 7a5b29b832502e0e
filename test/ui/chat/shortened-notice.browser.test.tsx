// Shortening says so where the person reads: its divider may be far away.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

async function talked() {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer about the disks. '.repeat(40) };
    },
  });
  const id = await app.say('Which disk is for the photos?');
  await app.idle(id);
  for (const words of ['And for the videos?', 'How often?', 'Where do copies go?']) {
    await app.say(words, id);
    await app.idle(id);
  }
  return { app, id };
}
const notice = () =>
  page.getByRole('listitem').filter({ hasText: /Shortened \d+ messages?: [\d,]+ → [\d,]+ tokens/ });
const divider = () => page.getByRole('region', { name: 'Shortened', exact: true });

it('says that it shortened, and takes it back, wherever the person reads', async () => {
  const { app, id } = await talked();
  await show(app, `/c/${id}`);
  await app.context.compact(id, { preview: true });
  const plan = page.getByRole('dialog', { name: 'Shorten older messages' });
  await plan.getByRole('button', { name: 'Shorten', exact: true }).click();
  await expect.element(notice()).toBeVisible();
  await notice().getByRole('button', { name: 'Undo' }).click();
  await expect.element(divider()).toHaveTextContent(/sent in full again/);
});

it('shortens at once by its button, with the undo in the notice; strategies wait behind Options', async () => {
  const { app, id } = await talked();
  await show(app, `/c/${id}`);
  await page.getByRole('button', { name: 'Show context' }).click();
  const panel = page.getByRole('complementary', { name: 'Context' });
  await panel.getByRole('button', { name: 'Shorten older messages' }).click();
  await expect.element(notice()).toBeVisible();
  expect(page.getByRole('dialog').elements()).toEqual([]);
  await expectAccessible();
  await notice().getByRole('button', { name: 'Undo' }).click();
  await expect.element(divider()).toHaveTextContent(/sent in full again/);
  await panel.getByRole('button', { name: 'Options…' }).click();
  const plan = page.getByRole('dialog', { name: 'Shorten older messages' });
  await expect.element(plan.getByRole('combobox', { name: 'Strategy' })).toBeVisible();
  await expectAccessible();
});
