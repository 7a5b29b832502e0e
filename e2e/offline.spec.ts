// After a restart of the browser and without a server, everything but the model works from what the device kept.
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { SECTION_IDS } from '../src/ui/settings/sections.ts';
import {
  asFile,
  chatgptHistory,
  doneImporting,
  expect,
  HISTORY,
  host,
  importThroughDialog,
  openApp,
  ownBrowser,
  remembered,
  saved,
  test,
} from './app.ts';

test.use({ firstStart: true });

test.use({ serviceWorkers: 'allow' });

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const say = async (page: Page, words: string) => {
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await composer(page).fill(words);
  await composer(page).press('Enter');
};
/** Goes to a page within the app, without a reload. */
const visit = (page: Page, path: string) =>
  page.evaluate((path) => {
    history.pushState(history.state, '', path);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  }, path);

/** Content that needs lazily loaded code. */
const LESSON = {
  title: 'Areas',
  turns: [
    'How large is a circle?',
    'As $A = \\pi r^2$ says:\n\n```ts\nconst area = Math.PI * radius ** 2;\n```',
  ],
};

test('closed, without any server, and opened again: ask, find, import, export, and look at everything', async () => {
  test.setTimeout(240_000);
  const app = await host(() => undefined);
  const browser = ownBrowser();
  try {
    const before = await browser.open();
    const first = before.pages()[0] ?? (await before.newPage());
    await openApp(first, `${app.url}/?console`);
    await importThroughDialog(first, [
      asFile('conversations.json', chatgptHistory(HISTORY), 'application/json'),
    ]);
    await first.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await first.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    // The service worker caches the model as it passes.
    await openApp(first, `${app.url}/?console`);
    await remembered(first);
    const kept = () =>
      first.evaluate(async () =>
        (await (await caches.open('recollect-models')).keys()).map((request) => request.url).join(' '),
      );
    for (const file of ['encoder_quantized.onnx_data', 'tokenizer.json', 'tokenizer_config.json'])
      await expect.poll(kept).toContain(file);
    await before.close();
    app.close();

    const context = await browser.open();
    const page = context.pages()[0] ?? (await context.newPage());
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await openApp(page, `${app.url}/?console`);

    await say(page, 'What did we say about the backup of the photo disk?');
    // In a fresh browser the index opens first.
    await expect(page.getByText('From memory, without a model')).toBeVisible({ timeout: 90_000 });
    const answer = page.getByRole('article').last();
    await expect(answer).toContainText('How often should the photo disk be backed up?');
    await answer.getByRole('button', { name: 'Open the message in “Backup of the photos”' }).first().click();
    await expect(page.getByText('Run restic every night at three')).toBeVisible();

    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').getByRole('combobox').fill('potassium');
    await page.keyboard.press('Enter');
    await expect(page.getByText('feed them with potassium')).toBeVisible();
    await expect(page).toHaveURL(/\?m=/);

    // The app does not wait for a model that still loads.
    const mode = () =>
      page.evaluate(async () => {
        const signal = new AbortController().signal;
        return (await globalThis.recollect?.app.memory.recall({ text: 'backup', signal }))?.mode;
      });
    await expect.poll(mode).toBe('hybrid');
    await say(page, '/recall 数据库是几点备份的');
    const outcome = page.getByRole('region', { name: '/recall 数据库是几点备份的' });
    await expect(outcome.getByRole('listitem').first()).toContainText('数据库备份');
    await expect(outcome).toContainText('凌晨三点');
    await expect(outcome).not.toContainText('By words only');

    await importThroughDialog(page, [
      asFile('more.json', chatgptHistory([...HISTORY, LESSON]), 'application/json'),
    ]);
    await doneImporting(page);
    await page.getByRole('link', { name: LESSON.title, exact: true }).click();
    const lesson = page.getByRole('article').last();
    await expect(lesson.locator('.katex').first()).toBeVisible();
    const colours = () =>
      lesson
        .locator('pre span')
        .evaluateAll((spans) => new Set(spans.map((span) => getComputedStyle(span).color)).size);
    await expect.poll(colours).toBeGreaterThan(1);

    await visit(page, '/settings/storage');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'As JSON' }).click();
    const exported = readFileSync(await (await download).path(), 'utf8');
    for (const words of ['restic every night at three', '凌晨三点', 'const area'])
      expect(exported).toContain(words);

    for (const path of [
      '/memory',
      '/memory/pictures',
      ...SECTION_IDS.map((id) => `/settings/${id}`),
      '/pair',
    ]) {
      await visit(page, path);
      await expect(page.getByRole('main').getByRole('heading').first(), path).toBeVisible();
      await expect(page.getByRole('alert'), path).toHaveCount(0);
    }
    await visit(page, '/memory/pictures');
    await expect(page.getByRole('region', { name: 'Timeline' }).locator('svg a').first()).toBeVisible();
    await say(page, '/help');
    await expect(page.getByRole('region', { name: '/help' })).toContainText('/recall');
    await saved(page);

    await openApp(page, `${app.url}/?console`);
    await expect(page.getByRole('link', { name: LESSON.title, exact: true })).toBeVisible();
    expect(errors).toEqual([]);
  } finally {
    await browser.dispose();
    app.close();
  }
});
