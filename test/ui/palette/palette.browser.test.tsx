// The palette while memory starts and where it failed, by keyboard.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

async function opened() {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'An answer.' };
    },
  });
  const id = await app.say('How often should the photo disk be backed up?');
  await app.idle(id);
  await show(app);
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.element(page.getByRole('dialog', { name: 'Search and commands' })).toBeVisible();
  return app;
}

it('takes the first key, and finds settings by name', async () => {
  await opened();
  await userEvent.keyboard('diagn');
  const option = page.getByRole('option', { name: /Diagnostics log/ });
  await expect.element(option).toBeVisible();
  await expectAccessible();
  await option.click();
  await expect.poll(() => location.pathname).toBe('/settings/about');
});

it('offers nothing where nothing matches, and closes with Escape', async () => {
  await opened();
  await userEvent.keyboard('zzqqxx');
  await expect.element(page.getByRole('option')).not.toBeInTheDocument();
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
});
