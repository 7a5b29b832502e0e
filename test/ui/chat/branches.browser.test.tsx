// Going back with a note, and the branch map: by keyboard, two branches side by side, the first branch still there.
import { beforeAll, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const app = await createTestApp({
  *reply() {
    yield { type: 'text-delta', text: 'An answer.' };
  },
});
let id: ConversationId;
const dialog = (name: string) => page.getByRole('dialog', { name });

beforeAll(async () => {
  id = await app.say('Which disk is for the photos?');
  await app.idle(id);
});

async function openMap() {
  await show(app, `/c/${id}`);
  await expect.element(page.getByRole('article', { name: 'Answer' }).first()).toBeVisible();
  await userEvent.keyboard('{Control>}.{/Control}');
  await page.getByRole('button', { name: 'Show all branches' }).click();
  await expect.element(dialog('Branches')).toBeVisible();
}

it('says that there is one branch, and has nothing to compare', async () => {
  await openMap();
  await expect.element(dialog('Branches').getByText('There is only one branch so far.')).toBeVisible();
  await expect.element(dialog('Branches').getByRole('button', { name: 'Compare' })).not.toBeInTheDocument();
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog('Branches')).not.toBeInTheDocument();
});

it('goes back with other words, sent with the keyboard, once there are any', async () => {
  await show(app, `/c/${id}`);
  const question = page.getByRole('article', { name: 'You' });
  await question.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Go back here with a note' }).click();
  const window = dialog('Go back here with a note');
  const words = window.getByRole('textbox');
  await expect.element(words).toHaveFocus();
  await expect.element(window.getByRole('button', { name: 'Go back' })).toBeDisabled();
  await expectAccessible();
  await words.fill('Which disk is for the videos?');
  await userEvent.keyboard('{Control>}{Enter}{/Control}');
  await expect.element(window).not.toBeInTheDocument();
  await expect.element(page.getByText('Which disk is for the videos?').first()).toBeVisible();
  await app.idle(id);
});

it('walks the map with the keyboard, compares, and goes to the other branch', async () => {
  await openMap();
  const map = dialog('Branches').getByRole('region', { name: /^Map of 4 messages on 2 branches/ });
  await expect.element(map.getByRole('button', { name: /current end/ })).toHaveFocus();
  await expectAccessible();
  await userEvent.keyboard('{ArrowRight}');
  await expect.element(map.getByRole('button', { name: /current end/ })).not.toHaveFocus();
  await userEvent.keyboard('c');
  const sides = dialog('Branches').getByRole('region', { name: 'Two branches side by side' });
  await expect
    .element(sides)
    .toHaveTextContent(/Which disk is for the videos\?.*Which disk is for the photos\?/);
  await expectAccessible();
  await page.viewport(320, 640);
  await expect.poll(() => document.documentElement.scrollWidth).toBe(320);
  await dialog('Branches').getByRole('button', { name: 'Go there' }).click();
  await expect.element(dialog('Branches')).not.toBeInTheDocument();
  await expect.element(page.getByRole('article').getByText('Which disk is for the photos?')).toBeVisible();
});

it.each([
  ['en', 'More', 'Show all branches', 'Branches'],
  ['zh', '更多', '查看分支图', '分支图'],
] as const)('opens the map from the conversation’s menu, %s', async (language, more, item, title) => {
  await app.settings.set('ui.language', language);
  await show(app, `/c/${id}`);
  const opener = page.getByRole('main').getByRole('button', { name: more }).first();
  await opener.click();
  await page.getByRole('menuitem', { name: item }).click();
  await expect.element(dialog(title)).toBeVisible();
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog(title)).not.toBeInTheDocument();
  await expect.element(opener).toHaveFocus();
});

it.each([
  ['en', 'More', 'Checkpoints', 1280, 'Context'],
  ['en', 'More', 'Checkpoints', 320, 'Context'],
  ['zh', '更多', '检查点', 320, '上下文'],
] as const)(
  'opens the checkpoints from the conversation’s menu, %s, %s, %s, %d px wide',
  async (language, more, item, width, title) => {
    await app.settings.set('ui.language', language);
    await show(app, `/c/${id}`, { width, height: 700 });
    const opener = page.getByRole('main').getByRole('button', { name: more }).first();
    await opener.click();
    await page.getByRole('menuitem', { name: item }).click();
    const heading = page.getByRole('heading', { name: new RegExp(`^${item}`) });
    await expect.element(heading).toHaveFocus();
    await expectAccessible();
    const names = page
      .getByRole('heading', { level: 3 })
      .elements()
      .map((one) => one.textContent?.replace(/ \d+$/, ''));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain(language === 'en' ? 'Forks' : '分叉');
    if (width > 320) return;
    await userEvent.keyboard('{Escape}');
    await expect.element(page.getByRole('dialog', { name: title })).not.toBeInTheDocument();
    await expect.element(opener).toHaveFocus();
  },
);
