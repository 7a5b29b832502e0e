// axe finds no serious violation on any screen in either theme, and a person can do the main job by keyboard alone.
import type { Locator, Page } from '@playwright/test';
import axe from 'axe-core';
import { startScriptedModel } from '../test/server/scripted-model.ts';
import { asFile, chatgptHistory, expect, HISTORY, openApp, test } from './app.ts';
import { atRest, SCREENS, settle, withLibrary } from './screens.ts';

for (const library of [false, true])
  test(`axe finds nothing serious ${library ? 'in a library' : 'on an empty page'}`, {
    tag: library ? [] : '@gate',
  }, async ({ page }) => {
    test.setTimeout(900_000);
    await openApp(page);
    if (library) await withLibrary(page);
    const found: string[] = [];
    for (const screen of SCREENS.filter((screen) => screen.library === library)) {
      await screen.go(page, false);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        // Waits for transitions to end: axe must measure final colours.
        await atRest(page);
        // Through the debugger, because the page's policy forbids injected script.
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

/** Presses Tab until the element has the focus, as a person without a mouse has to. */
async function reachByTab(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeEnabled();
  for (let step = 0; step < 120; step++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

test('the keyboard alone: look around, import, connect, ask, stop, ask again, edit, search, settings, back', async ({
  page,
}) => {
  // The longest journey: it presses every key.
  test.setTimeout(300_000);
  const server = await startScriptedModel();
  const keys = page.keyboard;
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  const said = (words: string) => page.getByRole('article').getByText(words).first();
  const tabTo = (target: Locator) => reachByTab(page, target);
  const press = async (target: Locator, key = 'Enter') => {
    await tabTo(target);
    await keys.press(key);
  };
  /** Types into the palette, waits for the option and chooses it. */
  const palette = async (words: string, option: RegExp) => {
    await keys.press('ControlOrMeta+k');
    await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
    await keys.type(words);
    await expect(page.getByRole('option', { name: option, selected: true })).toBeVisible();
    await keys.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Search and commands' })).toHaveCount(0);
  };
  const dialog = page.getByRole('dialog');
  try {
    await page.goto('/');
    await press(page.getByRole('button', { name: /Just look around/ }));
    await expect(page.getByRole('link', { name: /Sourdough/ }).first()).toBeVisible();

    await palette('import conv', /Import conversations/);
    const chooser = page.waitForEvent('filechooser');
    await press(dialog.getByRole('button', { name: 'Choose files' }));
    await (await chooser).setFiles([
      asFile('conversations.json', chatgptHistory(HISTORY), 'application/json'),
    ]);
    await expect(dialog.getByRole('heading', { name: '6 conversations added' })).toBeVisible();
    await press(dialog.getByRole('button', { name: 'Done' }));
    await expect(dialog).toHaveCount(0);

    await press(page.getByRole('link', { name: 'Settings' }));
    await press(page.getByRole('main').getByRole('button', { name: 'Models', exact: true }));
    await press(page.getByRole('button', { name: /Other service/ }));
    await expect(dialog.getByLabel('Base URL')).toBeFocused();
    await keys.type(server.baseUrl);
    await tabTo(dialog.getByLabel('Key', { exact: true }));
    await keys.type('sk-test');
    await press(dialog.getByRole('button', { name: 'Test connection' }));
    await expect(dialog.getByText(/It works: \d+ models/)).toBeVisible();
    const model = dialog.getByRole('combobox', { name: 'Model that answers' });
    await press(model);
    await expect(page.getByRole('option', { name: 'gated', exact: true })).toBeVisible();
    await keys.type('gated');
    await expect(page.getByRole('option', { name: 'gated', exact: true })).toBeFocused();
    await keys.press('Enter');
    await expect(model).toHaveText('gated');
    await press(dialog.getByRole('button', { name: 'Save and use' }));
    await expect(dialog).toHaveCount(0);

    await keys.press('ControlOrMeta+Shift+o');
    await expect(composer).toBeFocused();
    await keys.type('Count to six');
    await keys.press('Enter');
    await expect(said('one two three')).toBeVisible();
    await keys.press('Escape');
    await expect(said('Stopped. What had arrived is kept.')).toBeVisible();
    const counts = server.chats().length;
    await press(page.getByRole('article', { name: 'Answer' }).getByRole('button', { name: 'Try again' }));
    await expect.poll(() => server.chats().length).toBe(counts + 1);
    server.go();
    await expect(said('four five six')).toBeVisible();
    await expect(page.getByRole('article', { name: 'Answer' }).getByText('2 / 2')).toBeVisible();

    await keys.press('Shift+Escape');
    await expect(composer).toBeFocused();
    await keys.press('ArrowUp');
    const editor = page.getByRole('textbox', { name: 'Edit the message' });
    await expect(editor).toBeFocused();
    await expect(editor).toHaveValue('Count to six');
    await keys.press('End');
    await keys.type(' in other words');
    await keys.press('ControlOrMeta+Enter');
    await expect(said('Count to six in other words')).toBeVisible();
    await expect.poll(() => server.chats().length).toBe(counts + 2);
    expect(JSON.stringify(server.chats().at(-1)?.messages.at(-1))).toContain('Count to six in other words');
    server.go();
    await expect(said('four five six')).toBeVisible();
    await expect(page.getByRole('article', { name: 'You' }).getByText('2 / 2')).toBeVisible();

    const sidebar = page.getByRole('navigation', { name: 'Conversations' });
    await keys.press('ControlOrMeta+b');
    await expect(sidebar).toBeHidden();
    await keys.press('ControlOrMeta+b');
    await expect(sidebar).toBeVisible();

    const here = page.url();
    await palette('potassium', /potassium/);
    await expect(page).toHaveURL(/\/c\/.+\?m=/);
    await expect(said('feed them with potassium')).toBeVisible();

    await press(page.getByRole('link', { name: 'Settings' }));
    await press(page.getByRole('main').getByRole('button', { name: 'Memory and recall', exact: true }));
    const toggle = page.getByRole('switch', { name: 'Recall automatically' });
    await expect(toggle).toBeChecked();
    await press(toggle, ' ');
    await expect(toggle).not.toBeChecked();
    await palette('count to six', /^Count to six/);
    await expect(page).toHaveURL(here);
    await expect(said('four five six')).toBeVisible();

    await keys.press('ControlOrMeta+/');
    await expect(dialog).toContainText('Keyboard shortcuts');
    await keys.press('Escape');
    await expect(dialog).toHaveCount(0);
  } finally {
    await server.close();
  }
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
  const toggle = page.getByRole('switch', { name: 'Recall automatically' });
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
  await expect.poll(line).toBe('rgba(0, 0, 0, 0)');
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

test('the keyboard goes on beside what is taken away: notes, an offer to undo, the trash, settings', async ({
  page,
}) => {
  await openApp(page);
  await page.evaluate(async () => {
    const app = globalThis.recollect?.app;
    for (const text of ['The lease ends in May.', 'Rye, not wheat.', 'Tea, not coffee.'])
      await app?.notes.write({ text });
    const sent = ['Herons', 'Harbours', 'Hedges'].map((text) =>
      app?.chat.send({ parts: [{ type: 'text', text }] }),
    );
    const talks = await Promise.all(sent);
    await app?.library.remove(talks.flatMap((talk) => (talk ? [talk.conversationId] : [])));
  });
  await page.goto('/memory/notes');
  const notes = page.getByRole('region', { name: 'Memory notes' });
  const row = (words: string) => notes.getByRole('listitem').filter({ hasText: words });
  const remove = (words: string) => row(words).getByRole('button', { name: 'Delete note' });
  const field = notes.getByRole('textbox', { name: 'New memory note' });

  const undo = page.getByRole('button', { name: 'Undo' });

  // After saving a note the focus stays in the field. The same words again are not saved.
  await field.focus();
  await page.keyboard.type('Call me Ada.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(row('Call me Ada.')).toBeVisible();
  await expect(field).toBeFocused();
  await page.keyboard.type('Call me Ada.');
  await page.keyboard.press('Control+Enter');
  await expect(notes.getByRole('alert')).toContainText('exactly these words');
  await expect(notes.getByRole('listitem')).toHaveCount(4);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');

  // After an edit the focus returns to the button that opened the editor.
  await row('Rye').getByRole('button', { name: 'Edit note' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await page.keyboard.type(' Or oats.');
  await page.keyboard.press('Control+Enter');
  await expect(row('Or oats.').getByRole('button', { name: 'Edit note' })).toBeFocused();

  // After a deletion the focus moves to the same button of the next note, and returns there from the undo.
  await remove('Tea').focus();
  await page.keyboard.press('Enter');
  await expect(remove('The lease')).toBeFocused();
  await expect(undo).toBeVisible();
  await page.keyboard.press('Alt+t');
  await expect(undo).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(remove('The lease')).toBeFocused();
  await page.keyboard.press('Alt+t');
  await page.keyboard.press('Enter');
  await expect(row('Tea')).toBeVisible();
  await expect(remove('The lease')).toBeFocused();
  for (const [gone, next] of [
    ['The lease', 'Tea'],
    ['Tea', 'Call me'],
    ['Call me', 'Rye'],
  ] as const) {
    await expect(remove(gone)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(row(gone)).toHaveCount(0);
    await expect(remove(next)).toBeFocused();
  }
  await page.keyboard.press('Enter');
  await expect(notes.getByRole('heading', { name: 'Memory notes' })).toBeFocused();

  await page.goto('/settings/storage');
  const trash = page.getByRole('region', { name: 'Trash' });
  await expect(trash.getByRole('listitem')).toHaveCount(3);
  await trash.getByRole('listitem').nth(1).getByRole('button').first().focus();
  await page.keyboard.press('Enter');
  await expect(trash.getByRole('listitem')).toHaveCount(2);
  await expect(trash.getByRole('listitem').nth(1).getByRole('button').first()).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Delete for good' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).focus();
  await page.keyboard.press('Enter');
  await expect(trash.getByRole('listitem')).toHaveCount(1);
  await expect(trash.getByRole('listitem').first().getByRole('button').last()).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(trash.getByRole('heading', { name: 'Trash' })).toBeFocused();
});

test('on a phone the keyboard goes from the list of settings into a section and back to its line', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/settings');
  const line = page.getByRole('main').getByRole('button', { name: /^Privacy/ });
  await line.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Privacy', level: 1 })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('switch', { name: 'Lock this device' })).toBeFocused();
  await page.getByRole('button', { name: 'All settings' }).focus();
  await page.keyboard.press('Enter');
  await expect(line).toBeFocused();
});
