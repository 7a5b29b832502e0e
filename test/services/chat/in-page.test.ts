// Tabs of a real Chromium that stream into one IndexedDB: reloads, crashes, and a second tab that must not steal.
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { BROWSER_ARGS, ensureBrowser } from '../../browser.ts';
import { type PageServer, servePage } from '../../server/page-server.ts';
import { type ScriptedModelServer, startScriptedModel } from '../../server/scripted-model.ts';
import type { TabApi } from './page.ts';

declare const tab: TabApi;

let server: ScriptedModelServer;
let app: PageServer;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  server = await startScriptedModel();
  app = await servePage({ '/page.js': new URL('./page.ts', import.meta.url) });
  browser = await chromium.launch({ executablePath: ensureBrowser(), args: [...BROWSER_ARGS] });
}, 120_000);
beforeEach(async () => {
  server.reset();
  context = await browser.newContext();
});
afterEach(() => context.close());
afterAll(async () => {
  await browser?.close();
  app?.close();
  await server.close();
});

const ready = async (page: Page) => {
  await page.waitForFunction(() => 'tab' in globalThis);
  return page;
};
const openTab = async (model: string) => {
  const page = await context.newPage();
  await page.goto(`${app.url}#${server.baseUrl}|${model}`);
  return await ready(page);
};
const send = (page: Page, text: string, id: string | null = null) =>
  page.evaluate(
    ([words, conversation]) => tab.send(words as string, conversation as string | null),
    [text, id],
  );
const transcript = (page: Page, id: string) =>
  page.evaluate((conversation) => tab.transcript(conversation), id);
const now = (page: Page, id: string) => page.evaluate((conversation) => tab.now(conversation), id);
const rows = (page: Page) => page.evaluate(() => tab.rows());

/** A tab in the middle of an answer, its draft on the disk. */
async function streaming(text: string) {
  const page = await openTab('gated');
  const id = await send(page, text);
  await expect.poll(async () => (await now(page, id)).words).toBe('one two three ');
  await expect.poll(() => page.evaluate(() => tab.onDisk())).toContain('one two three ');
  return { page, id };
}

it('a reload in the middle of an answer keeps what had come, and what was queued', async () => {
  const { page, id } = await streaming('count');
  await send(page, 'and then?', id);
  await page.reload();
  await ready(page);
  await expect.poll(() => transcript(page, id)).toEqual(['user -: count', 'assistant cut: one two three ']);
  await expect.poll(async () => (await now(page, id)).queue).toEqual(['and then?']);
  await expect.poll(async () => (await rows(page)).filter((key) => key.startsWith('draft/'))).toEqual([]);
});

it('a second tab leaves a living answer alone, and takes it over when its tab is killed', async () => {
  const { page, id } = await streaming('count');
  const other = await openTab('echo');
  expect(await other.evaluate(() => tab.rescued)).toBe(0);
  expect(await transcript(other, id)).toEqual(['user -: count']);
  const session = await context.newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  // A crashed tab answers no more.
  session.send('Page.crash').catch(() => undefined);
  await crashed;
  await expect
    .poll(() => transcript(other, id), { timeout: 10_000 })
    .toEqual(['user -: count', 'assistant cut: one two three ']);
  expect(await rows(other)).toEqual([]);
  await send(other, 'go on', id);
  await expect
    .poll(() => transcript(other, id))
    .toEqual(['user -: count', 'assistant cut: one two three ', 'user -: go on', 'assistant stop: go on']);
});

it('a second tab sees the answer when it is whole, once', async () => {
  const { page, id } = await streaming('count');
  const other = await openTab('echo');
  server.go();
  const whole = ['user -: count', 'assistant stop: one two three four five six'];
  await expect.poll(() => transcript(page, id)).toEqual(whole);
  await expect.poll(() => transcript(other, id)).toEqual(whole);
  expect(await rows(other)).toEqual([]);
});
