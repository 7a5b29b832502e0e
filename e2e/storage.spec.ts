// Storage: clean-up, the size limit, and a durability promise that the app refuses because it could not keep it.
import type { Page } from '@playwright/test';
import {
  asFile,
  bringExport,
  chatgptHistory,
  expect,
  HISTORY,
  importThroughDialog,
  openApp,
  remembered,
  saved,
  test,
} from './app.ts';

test.use({ firstStart: true });

const bring = (page: Page, talks: Parameters<typeof chatgptHistory>[0], name = 'talk-') =>
  bringExport(page, chatgptHistory(talks).replaceAll('talk-', name));
const lines = (page: Page) =>
  page.evaluate(() => {
    const all = globalThis.recollect?.app.documents.library.get().entries ?? [];
    const titles = (some: typeof all) => some.map(({ title }) => title).sort();
    return {
      shown: titles(all.filter(({ archived, deletedAt }) => !archived && deletedAt === null)),
      archived: titles(all.filter(({ archived, deletedAt }) => archived && deletedAt === null)),
      trash: titles(all.filter(({ deletedAt }) => deletedAt !== null)),
    };
  });
const set = (page: Page, values: Record<string, unknown>) =>
  page.evaluate(async (values) => {
    for (const [path, value] of Object.entries(values))
      await globalThis.recollect?.app.settings.set(path as never, value as never);
  }, values);

test('the clean-up says what it will do, archives, deletes only after consent, and every run is taken back', async ({
  page,
}) => {
  await openApp(page);
  await bring(page, HISTORY);
  // The history is one to six weeks old. Clean-up leaves pinned conversations.
  await page.evaluate(async () => {
    const documents = globalThis.recollect?.app.documents;
    const entry = documents?.library.get().entries.find(({ title }) => title === 'Backup of the photos');
    if (entry) await documents?.change(entry.id, { meta: { pinned: true } });
  });
  await page.goto('/settings/storage?console');
  const group = page.getByRole('region', { name: 'Clean up', exact: true });
  await expect(group.getByRole('switch', { name: 'Clean up once a day' })).not.toBeChecked();
  await set(page, { 'storage.cleanup.enabled': true, 'storage.cleanup.archive_after_days': 20 });
  await expect(group.getByText('The next run archives 3 conversations.')).toBeVisible();
  expect((await lines(page)).archived, 'nothing before it runs').toEqual([]);
  await group.getByRole('button', { name: 'Run now' }).click();
  await expect
    .poll(async () => (await lines(page)).archived)
    .toEqual(['Balcony tomatoes', '数据库备份', '杭州两日游'].sort());
  await expect(group.getByText(/: 3 archived$/)).toBeVisible();
  // The app lists what it would delete and asks for consent.
  await set(page, { 'storage.cleanup.delete_archived_after_days': 1 });
  await group.getByRole('button', { name: 'Agree…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Agree', exact: true }).click();
  await expect(
    group.getByText('3 archived conversations go to the trash on the day beside each:').first(),
  ).toBeVisible();
  expect((await lines(page)).trash).toEqual([]);
  // The report survives a reload, and one click undoes the clean-up.
  await page.reload();
  await group.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await lines(page)).archived).toEqual([]);
  await expect(group.getByText('Undone', { exact: true })).toBeVisible();
  expect((await lines(page)).shown).toContain('Backup of the photos');
});

test('the size that was allowed: an import beyond it is refused with the figures, and nothing is changed', async ({
  page,
}) => {
  await openApp(page);
  await bring(page, HISTORY);
  const before = await lines(page);
  await set(page, { 'storage.max_size_mb': 64 });
  const filler = Array.from({ length: 24 }, (_, talk) => ({
    title: `Large ${talk}`,
    turns: [`${talk} `.repeat(400_000), 'An answer'],
  }));
  await importThroughDialog(page, [
    asFile('large.json', chatgptHistory(filler).replaceAll('talk-', 'large-'), 'application/json'),
  ]);
  const report = page.getByRole('dialog');
  await expect(report.getByText(/This import needs about \d+ MB more, and/)).toBeVisible();
  await report.getByRole('button', { name: 'Done' }).click();
  expect(await lines(page)).toEqual(before);
});

test('a new index takes no more of the quota than it is long', async ({ page }) => {
  await openApp(page);
  await remembered(page, 'words');
  // Chromium reserves a megabyte for each of some 400 files while they are written.
  const used = () =>
    page.evaluate(async () => {
      const { usageDetails } = (await navigator.storage.estimate()) as {
        usageDetails?: { fileSystem?: number };
      };
      return usageDetails?.fileSystem ?? 0;
    });
  const bytes = await used();
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThan(100_000_000);
});

test('an index that stops in the middle of its work is opened again without a word, with all it had', async ({
  page,
}) => {
  await openApp(page);
  await bring(page, HISTORY);
  await remembered(page);
  const engineOf = () => page.workers().filter((worker) => worker.url().includes('engine.worker'));
  const before = engineOf();
  expect(before).toHaveLength(1);
  // An error of the file system without a Postgres number ends Postgres.
  await before[0]?.evaluate(() => {
    FileSystemSyncAccessHandle.prototype.write = () => {
      throw new Error('No more file handles');
    };
  });
  await bring(page, [{ title: 'Sourdough', turns: ['When do I feed the starter?', 'At nine.'] }], 'bread-');
  await expect.poll(() => engineOf().length === 1 && engineOf()[0] !== before[0]).toBe(true);
  await remembered(page);
  const composer = page.getByRole('textbox', { name: 'Message' });
  for (const [query, found] of [
    ['/recall feed the starter', /At nine/],
    ['/recall restic every night', /Run restic every night at three/],
  ] as const) {
    await composer.fill(query);
    await composer.press('Enter');
    await expect(page.getByRole('region', { name: query }).getByText(found).first()).toBeVisible();
  }
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(await page.evaluate(() => globalThis.recollect?.app.memory.status.get().engine)).toBe('opfs');
});

for (const width of [1280, 390])
  test(`what is below the figures does not move when they come, ${width} wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.addInitScript(() => {
      const estimate = navigator.storage.estimate.bind(navigator.storage);
      navigator.storage.estimate = async () => {
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        return estimate();
      };
    });
    await page.goto('/settings/storage?console');
    const top = async () =>
      (await page.getByRole('button', { name: 'Import', exact: true }).boundingBox())?.y;
    await expect(page.getByRole('region', { name: 'What is kept' })).toHaveAttribute('aria-busy', 'true');
    const before = await top();
    await expect(page.getByText(/of .+ this browser allows/)).toBeVisible();
    expect(Math.abs(((await top()) ?? 0) - (before ?? 0))).toBeLessThan(8);
  });

test('J and K walk the messages, O opens what was recalled, Alt with arrows walks the conversations', async ({
  page,
}) => {
  await openApp(page);
  await bring(page, HISTORY);
  await page.getByRole('link', { name: 'Backup of the photos', exact: true }).first().click();
  await remembered(page, 'words');
  const messages = page.locator('[data-message-id]');
  await expect(messages).toHaveCount(4);
  await messages.first().getByText('How often should the photo disk').click();
  const focused = () =>
    page.evaluate(
      () => document.activeElement?.closest('[data-message-id]')?.textContent?.slice(0, 400) ?? '',
    );
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await expect.poll(focused).toContain('How often should the photo disk');
  await page.keyboard.press('j');
  await expect.poll(focused).toContain('Run restic every night');
  await page.keyboard.press('j');
  await expect.poll(focused).toContain('And where does the password live?');
  await page.keyboard.press('k');
  await expect.poll(focused).toContain('Run restic every night');

  const here = page.url();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(page).not.toHaveURL(here);
  await page.keyboard.press('Alt+ArrowDown');
  await expect(page).toHaveURL(here);

  // An answer from memory has a card; O collapses and opens it.
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('What do balcony tomatoes need?');
  await page.keyboard.press('Enter');
  const card = page.locator('[data-recall]').last().locator('button[aria-expanded]').first();
  await expect(card).toBeVisible();
  // An answer becomes a message when it is complete.
  await expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();
  await saved(page);
  await expect(messages.last()).toContainText('From memory');
  // Clicks in the list: the panel has the same words, but a click there takes a few frames to lead on.
  await messages.getByText('What do balcony tomatoes need?').first().click();
  await expect.poll(focused).toContain('What do balcony tomatoes need?');
  await page.keyboard.press('j');
  await expect.poll(focused).toContain('From memory');
  const before = await card.getAttribute('aria-expanded');
  await page.keyboard.press('o');
  await expect(card).not.toHaveAttribute('aria-expanded', before ?? '');
});
