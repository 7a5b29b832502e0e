// axe on every screen, in both themes: no serious violation. And a walk with the keyboard alone.
import axe from 'axe-core';
import { expect, openApp, test } from './app.ts';
import { atRest, SCREENS, settle, withLibrary } from './screens.ts';

for (const library of [false, true])
  test(`axe finds nothing serious ${library ? 'in a library' : 'on an empty page'}`, async ({ page }) => {
    test.setTimeout(900_000);
    await openApp(page);
    if (library) await withLibrary(page);
    const found: string[] = [];
    for (const screen of SCREENS.filter((screen) => screen.library === library)) {
      await screen.go(page, false);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        // Colours on their way from one to another are not what people read.
        await atRest(page);
        // Through the debugger: the page's policy forbids foreign script.
        if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
        // Only colours differ from theme to theme.
        const only = colorScheme === 'dark' ? ['color-contrast'] : null;
        const serious = await page.evaluate(async (only) => {
          const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
            resultTypes: ['violations'],
            ...(only ? { runOnly: only } : {}),
          });
          return violations
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(
              ({ id, nodes }) =>
                `${id}: ${nodes
                  .map((node) => node.target.join(' '))
                  .slice(0, 3)
                  .join(' | ')}`,
            );
        }, only);
        found.push(...serious.map((line) => `${screen.name} ${colorScheme} ${line}`));
      }
      await settle(page);
    }
    expect(found).toEqual([]);
  });

test('the keyboard alone: look around, search, open, write, come back', async ({ page }) => {
  await openApp(page);
  await withLibrary(page, 'words');
  await page.keyboard.press('ControlOrMeta+k');
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
  await page.keyboard.type('sourdough');
  await expect(page.getByRole('option', { name: /Sourdough/i }).first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/c\//);
  // The address changes first, the conversation with its keys is read then.
  await expect(page.locator('[data-message-id]').first()).toBeVisible();
  await page.keyboard.press('Shift+Escape');
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused();
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(page).toHaveURL(/\/(\?.*)?$/);
  await page.keyboard.press('ControlOrMeta+/');
  await expect(page.getByRole('dialog')).toContainText('Keyboard shortcuts');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('nothing scrolls sideways at 320 px, nor at 640, which is 1280 at 200 %', async ({ page }) => {
  await openApp(page);
  await withLibrary(page, 'words');
  await page.setViewportSize({ width: 320, height: 640 });
  const wide: string[] = [];
  for (const screen of SCREENS.filter((screen) => screen.library)) {
    await screen.go(page, true);
    for (const given of [640, 320]) {
      await page.setViewportSize({ width: given, height: 640 });
      await atRest(page);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > given) wide.push(`${screen.name} at ${given}: ${width}`);
    }
    await settle(page);
  }
  expect(wide).toEqual([]);
});

test('who moves a conversation away by keyboard goes on with the next one, and into the trash and back', async ({
  page,
}) => {
  await openApp(page);
  await withLibrary(page, 'words');
  const lines = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link');
  const titleAt = async (at: number) => (await lines.nth(at).getAttribute('title')) ?? '';
  const [first, second, third] = [await titleAt(0), await titleAt(1), await titleAt(2)];
  const act = async (title: string, item: string) => {
    await page.getByRole('button', { name: `More for “${title}”` }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: item }).focus();
    await page.keyboard.press('Enter');
  };
  await act(second, 'Delete');
  await expect(page.getByRole('link', { name: third, exact: true })).toBeFocused();
  await act(first, 'Archive');
  await expect(page.getByRole('link', { name: third, exact: true })).toBeFocused();
  await page.getByRole('button', { name: /^Trash/ }).focus();
  await page.keyboard.press('Enter');
  const back = page.getByRole('button', { name: 'Back to conversations' });
  await expect(back).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Trash/ })).toBeFocused();
});

test('with forced colours it is seen whether something is on', async ({ page }) => {
  await openApp(page);
  await page.goto('/settings/memory');
  await page.emulateMedia({ forcedColors: 'active' });
  const toggle = page.getByRole('switch', { name: 'Recall by itself' });
  const look = () =>
    toggle.evaluate((element) => {
      const [own, page, thumb] = [element, document.body, element.firstElementChild as Element].map(
        (one) => getComputedStyle(one).backgroundColor,
      );
      return { own, differs: own !== page, thumb: thumb !== own };
    });
  await expect(toggle).toBeChecked();
  const on = await look();
  expect(on).toMatchObject({ differs: true, thumb: true });
  await toggle.click();
  await expect(toggle).not.toBeChecked();
  await expect.poll(async () => (await look()).own).not.toBe(on.own);
  expect((await look()).thumb).toBe(true);
});

test('with forced colours what one wrote is told from the answers', async ({ page }) => {
  await openApp(page);
  await withLibrary(page, 'words');
  await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link').first().click();
  const words = page.getByRole('article', { name: 'You' }).locator('.rounded-2xl').first();
  const line = () =>
    words.evaluate((element) => {
      const { borderTopColor, borderTopStyle } = getComputedStyle(element);
      return borderTopStyle === 'solid' && borderTopColor !== getComputedStyle(document.body).backgroundColor
        ? borderTopColor
        : 'none';
    });
  await expect(words).toBeVisible();
  expect(await line()).toBe('rgba(0, 0, 0, 0)');
  await page.emulateMedia({ forcedColors: 'active' });
  await expect.poll(line).toMatch(/^rgb\(/);
});

test('on a phone on its side the list of conversations has room', async ({ page }) => {
  await openApp(page);
  await withLibrary(page, 'words');
  await page.setViewportSize({ width: 844, height: 300 });
  const list = page.getByRole('navigation', { name: 'Conversations' });
  await expect.poll(async () => (await list.boundingBox())?.height ?? 0).toBeGreaterThan(100);
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(page).toHaveURL(/settings/);
});
