// Everything on this device is deleted on purpose: in every tab, also where nothing unlocks it,
// and also when the deletion was cut off.
import type { Page } from '@playwright/test';
import {
  bringExport,
  chatgptHistory,
  expect,
  filesWith,
  type OwnBrowser,
  openApp,
  ours,
  ownBrowser,
  remembered,
  saved,
  test,
} from './app.ts';

test.use({ firstStart: true });

// With service workers, because their caches must go as well.
test.use({ serviceWorkers: 'allow' });

const BASE = `http://localhost:${process.env.E2E_PORT ?? 4317}`;
const SAID = 'zqx7wkv3jhm9tpl2fdy5';

async function withSomethingSaid(browser: OwnBrowser): Promise<Page> {
  const context = await browser.open();
  const page = context.pages()[0] ?? (await context.newPage());
  await openApp(page, `${BASE}/?console`);
  await bringExport(page, chatgptHistory([{ title: 'Kettles', turns: [`The code is ${SAID}.`, 'Noted.'] }]));
  await page.evaluate((words) => globalThis.recollect?.app.settings.set('chat.instructions', words), SAID);
  await remembered(page, 'words');
  await saved(page);
  return page;
}

/** The page of a first visit, with nothing in it. */
async function isNew(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: /Just look around/ })).toBeVisible();
  await openApp(page, `${BASE}/?console`);
  const kept = await page.evaluate(() => ({
    entries: globalThis.recollect?.app.documents.library.get().entries.length,
    instructions: globalThis.recollect?.app.settings.config.get().chat.instructions,
    mark: localStorage.getItem('recollect.erase'),
  }));
  expect(kept).toEqual({ entries: 0, instructions: '', mark: null });
}

async function eraseByDialog(page: Page): Promise<void> {
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete everything' });
  await expect(confirm).toBeDisabled();
  await page.getByLabel('Type “delete” to go on').fill('Delete');
  await confirm.click();
}

test('all of it goes on purpose, in every tab, and nothing of what was said is left in what the app keeps', async () => {
  const browser = ownBrowser();
  try {
    const page = await withSomethingSaid(browser);
    const other = await page.context().newPage();
    await openApp(other, `${BASE}/?console`);
    expect(ours(filesWith(browser.profile, SAID)).length).toBeGreaterThan(0);
    await page.goto(`${BASE}/settings/privacy?console`);
    await page.getByRole('button', { name: 'Delete everything…' }).click();
    await eraseByDialog(page);
    for (const tab of [page, other]) await isNew(tab);
    await page.context().close();
    expect(ours(filesWith(browser.profile, SAID))).toEqual([]);
  } finally {
    await browser.dispose();
  }
});

test('a deletion that was cut off goes on at the next start', async () => {
  const browser = ownBrowser();
  try {
    const page = await withSomethingSaid(browser);
    await page.evaluate(() => localStorage.setItem('recollect.erase', 'yes'));
    await page.context().close();
    const context = await browser.open();
    const again = context.pages()[0] ?? (await context.newPage());
    await again.goto(`${BASE}/`);
    await isNew(again);
  } finally {
    await browser.dispose();
  }
});
