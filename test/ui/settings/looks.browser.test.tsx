// How it looks, as a person chooses it: taken over at once, readable in each colour, and
// fitting a narrow phone at the largest size.
import { expect, it, onTestFinished } from 'vitest';
import { page } from 'vitest/browser';
import { offer, withdrawNotices } from '../../../src/ui/shell/offer.ts';
import { some } from '../../scale.ts';
import { createTestApp, expectAccessible, expectReadable, show } from '../harness.tsx';

it('takes over size, width, colour and density at once', async () => {
  const app = await createTestApp();
  await show(app, '/settings/appearance');
  const root = document.documentElement;
  const size = () => Number.parseFloat(getComputedStyle(root).fontSize);
  const before = size();
  await page.getByText('Larger', { exact: true }).click();
  await expect.poll(size).toBe(before * 1.25);
  await page.getByText('Wide', { exact: true }).click();
  await expect.poll(() => getComputedStyle(root).getPropertyValue('--measure').trim()).toBe('56rem');
  await page.getByRole('switch', { name: 'Compact list' }).click();
  await expect.poll(() => getComputedStyle(root).getPropertyValue('--row').trim()).toBe('1.75rem');
  expect(app.settings.config.get().ui).toMatchObject({
    font_size: 'larger',
    text_width: 'wide',
    compact: true,
  });
  await page.viewport(320, 700);
  await expect.poll(() => root.scrollWidth).toBeLessThanOrEqual(320);
});

it('sets notices and their buttons in the chosen size, too', async () => {
  const app = await createTestApp();
  await show(app, '/settings/appearance');
  offer('Archived', { label: 'Undo', onClick: () => undefined });
  onTestFinished(withdrawNotices);
  const notice = page.getByRole('listitem').filter({ hasText: 'Archived' });
  const sizes = () =>
    [notice.getByText('Archived').element(), notice.getByRole('button', { name: 'Undo' }).element()].map(
      (one) => Number.parseFloat(getComputedStyle(one).fontSize),
    );
  await expect.element(notice).toBeVisible();
  const before = sizes();
  await page.getByText('Larger', { exact: true }).click();
  await expect.poll(sizes).toEqual(before.map((size) => size * 1.25));
});

it.each(some(['blue', 'teal', 'graphite'], 1))('is readable in %s, light and dark', async (accent) => {
  const app = await createTestApp();
  await app.settings.set('ui.accent', accent);
  for (const theme of ['light', 'dark']) {
    await app.settings.set('ui.theme', theme);
    if (theme === 'light') await show(app, '/settings/appearance');
    await expect.poll(() => document.documentElement.dataset.theme).toBe(theme);
    await (theme === 'light' ? expectAccessible() : expectReadable());
  }
});
