// ZIPs in a real Chromium, as the app serves it: no eval, no worker from a blob: URL.
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BROWSER_ARGS, ensureBrowser } from '../../browser.ts';
import { branched, exportFiles } from '../../fixtures/chatgpt.ts';
import { type PageServer, servePage } from '../../server/page-server.ts';
import type { PageApi } from './page.ts';

declare const api: PageApi;

let app: PageServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  app = await servePage({ '/page.js': new URL('./page.ts', import.meta.url) });
  browser = await chromium.launch({ executablePath: ensureBrowser(), args: [...BROWSER_ARGS] });
  page = await browser.newPage();
  await page.goto(app.url);
  await page.waitForFunction(() => 'api' in globalThis);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  app?.close();
});

it('writes and reads ZIPs in a page that allows no eval and no foreign worker', async () => {
  const texts = {
    'conversations.json': exportFiles['conversations.json'],
    'a/你好.txt': '文字 '.repeat(50_000),
  };
  const result = await page.evaluate((files) => api.roundTrip(files), texts);
  expect(result.paths).toEqual(Object.keys(texts));
  expect(result.texts).toEqual(Object.values(texts));
  expect(result.conversations[0]).toEqual({ id: branched.conversation_id, messages: 6 });
  expect(result.workers).toBe(0);
  expect(await page.evaluate(() => api.violations)).toEqual([]);
});

it('refuses a bomb there as well', async () => {
  expect(await page.evaluate(() => api.bomb(40 * 1024 * 1024))).toBe('import-bomb');
});
