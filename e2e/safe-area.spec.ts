// A phone: nothing lies under its notch or home bar, a swipe opens the list, and fingers hit what they press.
import { SECTION_IDS } from '../src/ui/settings/sections.ts';
import { expect, openApp, remembered, test } from './app.ts';

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

test.describe('with fingers', () => {
  test.beforeEach(async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 });
    await openApp(page);
  });

  test('a finger that goes sideways opens and closes the drawer; one that scrolls does not', {
    tag: '@gate',
  }, async ({ page }) => {
    const devtools = await page.context().newCDPSession(page);
    const swipe = async (x: number, y = 0) => {
      const points = (by: number) => [{ x: 200 + x * by, y: 400 + y * by }];
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(0) });
      for (const by of [0.25, 0.5, 0.75, 1])
        await devtools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(by) });
      await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const drawer = page.getByRole('dialog', { name: 'Sidebar' });
    await swipe(60, -200);
    await swipe(-120);
    await expect(drawer).toBeHidden();
    await swipe(120);
    await expect(drawer).toBeVisible();
    await swipe(-120);
    await expect(drawer).toBeHidden();
  });

  test('what a finger presses is 44 px high at least, on every screen', async ({ page }) => {
    await page.evaluate(() => globalThis.recollect?.app.library.addSamples());
    const small = () =>
      page.evaluate(() => {
        const pressed =
          'button:enabled, a[href], select, summary, input[type="checkbox"], input[type="radio"], [role="menuitem"], [role="switch"], [role="tab"]';
        return (
          [...document.querySelectorAll<HTMLElement>(pressed)]
            .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.sr-only'))
            .filter((one) => getComputedStyle(one).display !== 'inline' && one.tabIndex >= 0)
            // What stands within a sentence is as high as its line.
            .filter((one) => !one.closest('p'))
            .map((one) => {
              const around = Number.parseFloat(getComputedStyle(one, '::before').height) || 0;
              return {
                one,
                height: Math.max(one.offsetHeight, around, one.closest('label')?.offsetHeight ?? 0),
              };
            })
            .filter(({ one, height }) => one.offsetWidth > 1 && height < 44)
            .map(({ one, height }) => `${height} px: ${one.ariaLabel ?? one.textContent}`)
        );
      });
    const found: Record<string, string[]> = {};
    for (const path of ['/memory', '/memory/notes', ...SECTION_IDS.map((one) => `/settings/${one}`)]) {
      await page.goto(`${path}?console`);
      await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
      found[path] = await small();
    }
    await page.goto('/?console');
    await page.getByRole('button', { name: 'Show sidebar' }).click();
    await expect(page.getByRole('dialog').getByRole('link').first()).toBeVisible();
    found.drawer = await small();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /^A slow query/ })
      .click();
    await expect(page.getByRole('article', { name: 'Answer' }).first()).toBeVisible();
    found.conversation = await small();
    await page.getByRole('button', { name: 'Show context' }).click();
    const panel = page.getByRole('dialog', { name: 'Context' });
    await panel.getByRole('button', { name: 'Set a checkpoint' }).click();
    await page.keyboard.type('before the index');
    await page.keyboard.press('Enter');
    await expect(panel.getByRole('button', { name: /^before the index/ })).toBeVisible();
    found.context = await small();
    await page.keyboard.press('Escape');
    await expect(panel).toBeHidden();
    const composer = page.getByRole('textbox', { name: 'Message', exact: true });
    await composer.fill('/compact --preview');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByRole('dialog').getByRole('checkbox').first()).toBeVisible();
    found.plan = await small();
    await page.keyboard.press('Escape');
    await remembered(page, 'words');
    await page.goto('/?console');
    await composer.fill('What was wrong with the slow query?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(page.getByRole('button', { name: /^Open the message in “/ }).first()).toBeVisible();
    found.recall = await small();
    expect(Object.fromEntries(Object.entries(found).filter(([, names]) => names.length > 0))).toEqual({});
  });
});
