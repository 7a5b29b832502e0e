// On a phone that reports a notch and a home bar, no text or button lies under either.
import { expect, openApp, test } from './app.ts';

const [TOP, BOTTOM] = [47, 34];

test('header, composer, drawer and dialogs stay clear of the notch and the home bar', {
  tag: '@gate',
}, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setSafeAreaInsetsOverride', { insets: { top: TOP, bottom: BOTTOM } });
  await openApp(page);
  const place = async (locator: ReturnType<typeof page.locator>) => {
    const box = await locator.boundingBox();
    if (!box) throw new Error('not on the screen');
    return { top: box.y, bottom: box.y + box.height };
  };
  const inside = async (locator: ReturnType<typeof page.locator>) => {
    await expect(locator).toBeVisible();
    await expect.poll(async () => (await place(locator)).top).toBeGreaterThanOrEqual(TOP);
    await expect.poll(async () => (await place(locator)).bottom).toBeLessThanOrEqual(844 - BOTTOM);
  };
  const menu = page.getByRole('button', { name: 'Show sidebar' });
  await inside(menu);
  await inside(page.getByRole('textbox', { name: 'Message', exact: true }));
  await menu.click();
  const sidebar = page.getByRole('dialog');
  await inside(sidebar.getByRole('button').first());
  await inside(sidebar.getByRole('link', { name: 'Settings' }));
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+k');
  await inside(page.getByRole('dialog').getByRole('combobox'));
});
