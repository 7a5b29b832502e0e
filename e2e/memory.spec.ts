// The memory screen: notes, feedback on passages and its undo, charts that lead to conversations, by keyboard too.
import type { Page } from '@playwright/test';
import { startScriptedModel } from '../test/server/scripted-model.ts';
import {
  apart,
  bringExport,
  chatgptHistory,
  expect,
  HISTORY,
  holdToast,
  openApp,
  remembered,
  test,
} from './app.ts';

const bring = async (
  page: Page,
  by: 'words' | 'meaning' = 'meaning',
  history: string = chatgptHistory(HISTORY),
) => {
  await bringExport(page, history);
  await remembered(page, by);
};
const part = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of memory' }).getByRole('button', { name }).click();
const openMemory = (page: Page) => page.getByRole('link', { name: 'Memory' }).first().click();

test('notes are written, changed, deleted with undo, and outlive a reload', async ({ page }) => {
  await openApp(page);
  await openMemory(page);
  await part(page, 'What it knows');
  const field = page.getByRole('textbox', { name: 'New memory note' });
  await field.fill('My sister lives in Ghent.');
  await field.press('Control+Enter');
  const note = page.getByRole('listitem').filter({ hasText: 'Ghent' });
  await expect(note).toBeVisible();
  await expect(field).toHaveValue('');
  await note.getByRole('button', { name: 'Edit note' }).click();
  await page.getByRole('textbox', { name: 'Edit note' }).fill('My sister lives in Bruges.');
  await page.getByRole('button', { name: 'Keep' }).last().click();
  const changed = page.getByRole('listitem').filter({ hasText: 'Bruges' });
  await expect(changed).toBeVisible();
  await page.reload();
  await expect(changed).toBeVisible();
  await changed.getByRole('button', { name: 'Delete note' }).click();
  await holdToast(page);
  await expect(changed).toHaveCount(0);
  // The notice covers neither title nor tabs, on a phone as well, and a person can dismiss it.
  const toast = page.locator('[data-sonner-toast]');
  const room = page.viewportSize() ?? { width: 1280, height: 800 };
  for (const size of [room, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    await apart(toast, page.getByRole('heading', { name: 'Memory', exact: true }));
    await apart(toast, page.getByRole('navigation', { name: 'Parts of memory' }));
  }
  await page.setViewportSize(room);
  await expect(toast.getByRole('button', { name: 'Close' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(changed).toBeVisible();
});

test('a recalled passage is pinned, forbidden, called unrelated; each is listed and can be taken back', {
  tag: ['@gate', '@stay-in-control'],
}, async ({ page }) => {
  await openApp(page);
  await bring(page);
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.fill('/recall photo disk backup');
  await message.press('Enter');
  const card = page.getByRole('region', { name: 'Recalled from other conversations' }).first();
  const passage = card.getByRole('listitem').filter({ hasText: 'Backup of the photos' }).first();
  await expect(passage).toBeVisible();
  await passage.hover();
  await passage.getByRole('button', { name: 'Pin: prefer this passage' }).click();
  await expect(passage.getByRole('button', { name: 'Pinned: undo' })).toHaveAttribute('aria-pressed', 'true');
  await passage.getByRole('button', { name: 'Not related to this question' }).click();
  await expect(passage.getByRole('button', { name: 'Marked as not related: undo' })).toBeVisible();

  await openMemory(page);
  await part(page, 'What it knows');
  const said = page.getByRole('region', { name: 'Feedback on passages' });
  await expect(said.getByRole('listitem')).toHaveCount(2);
  await said.getByRole('button', { name: 'Undo' }).first().click();
  await expect(said.getByRole('listitem')).toHaveCount(1);
  await said.getByRole('button', { name: 'Undo' }).first().click();
  await holdToast(page);
  await expect(said.getByRole('listitem')).toHaveCount(0);
  // A person can undo the removal.
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(said.getByRole('listitem')).toHaveCount(1);
  await said.getByRole('listitem').getByRole('button', { name: 'Backup of the photos' }).click();
  await expect(page).toHaveURL(/\/c\//);
});

test('what was said of a passage counts at the next recall, and no longer once it is taken back', async ({
  page,
}) => {
  await openApp(page);
  await bring(page, 'words');
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  const PASSAGE = 'My balcony tomatoes have yellow leaves.';
  /** The passage in a new answer to the same words; collapsed, so that one sentence has its numbers. */
  const recall = async () => {
    const words = '/recall yellow leaves of tomatoes --limit 20';
    // The page shows the latest answer in place of the one before.
    const outcome = page.getByRole('region', { name: words });
    const before = (await outcome.count()) > 0 ? await outcome.elementHandle() : null;
    await message.fill(words);
    await message.press('Enter');
    await before?.waitForElementState('hidden');
    await expect(outcome.getByText(/(By words and meaning|By words only), /)).toBeVisible();
    // Near misses are collapsed where something was found.
    const misses = outcome.getByRole('button', { name: /^\d+ weaker match/, expanded: false });
    if ((await misses.count()) > 0) await misses.click();
    const passage = outcome.getByRole('listitem').filter({ hasText: PASSAGE });
    return { passage, score: passage.getByRole('img') };
  };
  const takeBack = async () => {
    await openMemory(page);
    await part(page, 'What it knows');
    const said = page.getByRole('region', { name: 'Feedback on passages' }).getByRole('listitem');
    await expect(said).toHaveCount(1);
    await said.getByRole('button', { name: 'Undo' }).click();
    await expect(said).toHaveCount(0);
    await page.getByRole('button', { name: 'New conversation' }).first().click();
  };
  for (const [give, boost] of [
    ['Pin: prefer this passage', 'you pinned it'],
    ['Not related to this question', 'you marked it as not related'],
  ] as const) {
    const before = await recall();
    await expect(before.score).not.toHaveAccessibleName(new RegExp(boost));
    await before.passage.hover();
    await before.passage.getByRole('button', { name: give }).click();
    await expect((await recall()).score).toHaveAccessibleName(new RegExp(boost));
    await takeBack();
  }
  const { passage } = await recall();
  await passage.hover();
  await passage.getByRole('button', { name: 'Never recall this passage' }).click();
  await expect((await recall()).passage).toHaveCount(0);
  await takeBack();
  await expect((await recall()).passage).toHaveCount(1);
});

test('what must never come back does not come back', async ({ page }) => {
  await openApp(page);
  await bring(page);
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  const ask = async () => {
    await message.fill('/recall photo disk backed up restic');
    await message.press('Enter');
    const outcome = page.getByRole('region', { name: '/recall photo disk backed up restic' }).last();
    await expect(outcome.getByText(/(By words and meaning|By words only), /)).toBeVisible();
    return outcome;
  };
  const passage = (await ask()).getByRole('listitem').filter({ hasText: 'restic every night' }).first();
  await passage.hover();
  await passage.getByRole('button', { name: 'Never recall this passage' }).click();
  await expect(passage.getByRole('button', { name: /allow it again/ })).toBeVisible();
  await page.reload();
  await openApp(page);
  const again = await ask();
  await expect(again.getByRole('listitem').filter({ hasText: 'restic every night' })).toHaveCount(0);
});

test('layers: what is sent as it is, what was touched in the last days, and everything, with the notes', async ({
  page,
}) => {
  await openApp(page);
  // The last conversation ends a week ago, exactly at the limit.
  const old = JSON.parse(chatgptHistory(HISTORY)).slice(0, -1);
  await bring(page, 'words', JSON.stringify(old));
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  await composer.fill('The new key hangs behind the door.');
  await composer.press('Enter');
  await expect(page.getByRole('article').nth(1)).toBeVisible();
  await openMemory(page);
  await part(page, 'Index');
  const layer = (name: string) =>
    page
      .getByRole('region', { name: 'Layers' })
      .locator('div:has(> h3)')
      .filter({ has: page.getByRole('heading', { name, exact: true }) });
  await expect(layer('Working')).toContainText('2 messages');
  await expect(layer('Recent')).toContainText('1 conversation');
  await expect(layer('Recent').getByRole('listitem')).toHaveCount(1);
  await expect(layer('Long-term')).toContainText(`${old.length + 1} conversations`);
  await part(page, 'What it knows');
  const field = page.getByRole('textbox', { name: 'New memory note' });
  await field.fill('The spare key is with the neighbour.');
  await field.press('Control+Enter');
  await openMemory(page);
  await part(page, 'Index');
  await layer('Long-term')
    .getByRole('button', { name: /^1 memory note comes before all passages$/ })
    .click();
  await expect(page.getByRole('listitem').filter({ hasText: 'neighbour' })).toBeVisible();
  await openMemory(page);
  await part(page, 'Index');
  await layer('Recent').getByRole('button').first().click();
  await expect(page.getByRole('article').first()).toContainText('behind the door');
});

test('pictures lead to conversations, with the pointer, the keyboard and as tables', async ({ page }) => {
  await openApp(page);
  // The time of a conversation needs no vector.
  await bring(page, 'words');
  await openMemory(page);
  await part(page, 'Pictures');
  const timeline = page.getByRole('region', { name: 'Timeline' });
  const marks = timeline.locator('svg a');
  await expect(marks.first()).toBeVisible();
  await expect(marks).toHaveCount(HISTORY.length);
  // Every mark is a link to its own conversation, so a person can open it in another tab.
  const named = await marks.evaluateAll((links) =>
    links.map((link) => [
      (link.getAttribute('aria-label') ?? '').split(', ')[0] ?? '',
      (link as SVGAElement).href.baseVal,
    ]),
  );
  const listed = await page.evaluate(() =>
    globalThis.recollect?.app.documents.library.get().entries.map(({ id, title }) => [title, `/c/${id}`]),
  );
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(listed ?? []));
  const [pointed = ''] = named[2] ?? [];
  await marks.nth(2).click();
  await expect(page.getByRole('heading', { name: pointed, level: 1 })).toBeVisible();
  await page.goBack();
  await expect(marks).toHaveCount(HISTORY.length);
  await marks.first().focus();
  await page.keyboard.press('ArrowRight');
  const focused = timeline.locator('a:focus');
  await expect(focused).toHaveAttribute('aria-label', /./);
  const label = (await focused.getAttribute('aria-label')) ?? '';
  const title = label.split(', ')[0] as string;
  expect(HISTORY.map((talk) => talk.title as string)).toContain(title);
  // The chart draws itself again for another width and keeps the mark.
  const drawn = await timeline.locator('svg').elementHandle();
  await page.setViewportSize({ width: 700, height: 800 });
  await expect.poll(() => drawn?.evaluate((svg) => svg.isConnected)).toBe(false);
  await expect(focused).toHaveAttribute('aria-label', label);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/c\//);
  await expect(page.getByRole('heading', { name: title })).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goBack();
  await timeline.getByRole('button', { name: 'As a table' }).click();
  await expect(timeline.getByRole('row')).toHaveCount(HISTORY.length + 1);
  await timeline.getByRole('button', { name: 'Night train' }).click();
  await expect(page.getByRole('heading', { name: 'Night train' })).toBeVisible();
  // The page shows what the app sends as it is of the conversation the person came from.
  await openMemory(page);
  await part(page, 'Index');
  const working = page.getByRole('region', { name: 'Layers' }).locator('div:has(> h3)').first();
  await expect(working.getByRole('button', { name: /Night train/ })).toBeVisible();
  await page.goto('/memory/index?console');
  await expect(working).toContainText('No conversation is open.');
});

test('every mark of the topic map leads to its conversation, with the pointer and the keyboard', async ({
  page,
}) => {
  await openApp(page);
  // A map has twenty conversations at least.
  const more = Array.from({ length: 20 - HISTORY.length }, (_, at) => ({
    title: `Lamp ${at}`,
    turns: [`Is lamp ${at} switched off?`, `Yes, lamp ${at} is.`],
  }));
  await bring(page, 'meaning', chatgptHistory([...HISTORY, ...more]));
  await openMemory(page);
  await part(page, 'Pictures');
  const marks = page.getByRole('region', { name: 'Topic map' }).locator('svg a');
  await expect(marks).toHaveCount(20);
  const seen: string[] = [];
  for (let at = 0; at < 20; at++) {
    const title = ((await marks.nth(at).getAttribute('aria-label')) ?? '').split(', ')[0] as string;
    seen.push(title);
    if (at % 2 === 0) await marks.nth(at).click();
    else {
      // Tab stops at the chart once; arrow keys move from mark to mark.
      await marks.first().focus();
      for (let step = 0; step < at; step++) await page.keyboard.press('ArrowRight');
      await expect(marks.nth(at)).toBeFocused();
      await page.keyboard.press('Enter');
    }
    await expect(page).toHaveURL(/\/c\//);
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
    await page.goBack();
    await expect(marks).toHaveCount(20);
  }
  expect(seen.sort()).toEqual([...HISTORY, ...more].map(({ title }) => title as string).sort());
});

test('every day of the calendar leads to what happened on it, years back as well, with the pointer and the keyboard', async ({
  page,
}) => {
  await openApp(page);
  const talks = JSON.parse(chatgptHistory(HISTORY.slice(0, 3)));
  // The first two took place three years ago, two days apart.
  const long = (new Date().getFullYear() - 3 - 1970) * 31_556_952 + 200 * 86_400;
  for (const [at, talk] of talks.slice(0, 2).entries()) {
    const begun = long + at * 2 * 86_400;
    talk.create_time = begun;
    talk.update_time = begun;
    for (const node of Object.values<{ message: { create_time: number } | null }>(talk.mapping))
      if (node.message) node.message.create_time = begun;
  }
  await bring(page, 'words', JSON.stringify(talks));
  await openMemory(page);
  await part(page, 'Pictures');
  const calendar = page.getByRole('region', { name: 'Calendar' });
  const marks = calendar.locator('svg a');
  const day = page.locator('[aria-live=polite]').filter({ has: page.getByRole('heading', { level: 3 }) });
  await expect(marks).toHaveCount(1);
  await marks.first().click();
  await day.getByRole('button', { name: 'Balcony tomatoes' }).click();
  await expect(page.getByRole('heading', { name: 'Balcony tomatoes' })).toBeVisible();
  await page.goBack();

  const year = calendar.getByRole('button', { name: String(new Date().getFullYear() - 3) });
  await year.focus();
  await page.keyboard.press('Enter');
  await expect(year).toHaveAttribute('aria-pressed', 'true');
  await expect(marks).toHaveCount(2);
  await expect(calendar.getByRole('figure').or(calendar.locator('svg[aria-label]'))).toHaveAttribute(
    'aria-label',
    'Calendar of 2 conversations',
  );
  for (const [at, title] of ['Backup of the photos', '数据库备份'].entries()) {
    await year.click();
    await marks.first().focus();
    if (at > 0) await page.keyboard.press('ArrowRight');
    await expect(marks.nth(at)).toBeFocused();
    await page.keyboard.press('Enter');
    const link = day.getByRole('button');
    await expect(link).toHaveText(title);
    await link.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
    await page.goBack();
  }
  await year.click();
  await calendar.getByRole('button', { name: 'As a table' }).click();
  await expect(calendar.getByRole('row')).toHaveCount(3);
});

test('a long table lists more where its end is, and who works by keyboard goes on there', async ({
  page,
}) => {
  await openApp(page);
  const talks = Array.from({ length: 130 }, (_, n) => ({
    title: `Talk ${n}`,
    turns: [`Is lamp ${n} switched off?`, `Yes, lamp ${n} is.`],
  }));
  await bring(page, 'words', chatgptHistory(talks));
  await page.goto('/memory/pictures?console');
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByRole('button', { name: 'As a table' }).click();
  // A header, a hundred conversations and a link to the others.
  await expect(timeline.getByRole('row')).toHaveCount(102);
  await timeline.getByRole('button', { name: 'List more (30 left)' }).press('Enter');
  await expect(timeline.getByRole('row')).toHaveCount(131);
  await expect(timeline.getByRole('row').nth(101).getByRole('button')).toBeFocused();
});

test('a day on which a memory note came back leads to the notes', async ({ page }) => {
  await openApp(page);
  await page.evaluate(() =>
    globalThis.recollect?.app.notes.write({ text: 'The spare key of the boat hangs behind the clock.' }),
  );
  await bring(page, 'words');
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.fill('Where does the spare key of the boat hang?');
  await message.press('Enter');
  await expect(page.getByText('From memory, without a model')).toBeVisible();
  await remembered(page, 'words');
  await openMemory(page);
  await part(page, 'Pictures');
  const calendar = page.getByRole('region', { name: 'Calendar' });
  await calendar.getByRole('button', { name: 'Recalled', exact: true }).click();
  await calendar.locator('svg a').last().click();
  await page.getByRole('button', { name: 'Memory notes' }).click();
  await expect(page).toHaveURL(/\/memory\/notes/);
  await expect(page.getByRole('listitem').filter({ hasText: 'behind the clock' })).toBeVisible();
});

test('a day on which a passage went to a model leads to the conversation it is of', async ({ page }) => {
  const server = await startScriptedModel();
  try {
    await openApp(page);
    await bring(page);
    await page.evaluate(async (baseUrl) => {
      const settings = globalThis.recollect?.app.settings;
      await settings?.saveEndpoint({ id: 'scripted', label: 'Scripted', baseUrl, models: ['plain'] }, 'sk');
      await settings?.choose({ endpointId: 'scripted', model: 'plain' });
    }, server.baseUrl);
    const message = page.getByRole('textbox', { name: 'Message', exact: true });
    await message.fill('How often do you back up the photo disk?');
    await message.press('Enter');
    await expect(page.getByText(/^\d passages? from memory$/)).toBeVisible();
    expect(JSON.stringify(server.chats().at(-1)?.messages)).toContain('Run restic every night');
    await remembered(page, 'words');
    await openMemory(page);
    await part(page, 'Pictures');
    const calendar = page.getByRole('region', { name: 'Calendar' });
    await calendar.getByRole('button', { name: 'Recalled', exact: true }).click();
    // The app recalled nothing on any other day.
    await expect(calendar.locator('svg a')).toHaveCount(1);
    await calendar.locator('svg a').click();
    await page.locator('[aria-live=polite]').getByRole('button', { name: 'Backup of the photos' }).click();
    await expect(page.getByRole('heading', { name: 'Backup of the photos', level: 1 })).toBeVisible();
  } finally {
    await server.close();
  }
});

test('a new sensitive word is said to hold for what was read before; one in other capitals is there already', {
  tag: '@gate',
}, async ({ page }) => {
  await openApp(page);
  await page.goto('/settings/privacy?console');
  const word = page.getByRole('textbox', { name: 'Add a word' });
  await word.fill('PASSWORD');
  await word.press('Enter');
  await expect(page.getByText('It is in the list already.')).toBeVisible();
  await word.fill('code word');
  await word.press('Enter');
  await expect(page.getByText('What was read before is read again with this automatically.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove api_key' }).click();
  await expect(word).toBeFocused();
});
