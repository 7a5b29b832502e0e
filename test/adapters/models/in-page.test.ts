// The adapter in a real Chromium, as the app serves it: isolated (COEP require-corp), under a policy without eval.
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BROWSER_ARGS, ensureBrowser } from '../../browser.ts';
import { type PageServer, servePage } from '../../server/page-server.ts';
import { type ScriptedModelServer, startScriptedModel } from '../../server/scripted-model.ts';
import { endOf, said } from '../../suites/chat-model.suite.ts';
import type { PageApi } from './page.ts';

declare const api: PageApi;

let server: ScriptedModelServer;
let app: PageServer;
let browser: Browser;
let page: Page;

/** `page`: requests from the page itself, which its policy must then allow. `worker`: as the app does it. */
const WAYS = ['page', 'worker'] as const;

beforeAll(async () => {
  server = await startScriptedModel();
  app = await servePage({
    '/page.js': new URL('./page.ts', import.meta.url),
    '/network.js': new URL('../../../src/workers/network.worker.ts', import.meta.url),
  });
  browser = await chromium.launch({ executablePath: ensureBrowser(), args: [...BROWSER_ARGS] });
  page = await browser.newPage();
  await page.goto(app.url);
  await page.waitForFunction(() => 'api' in globalThis);
}, 120_000);
beforeEach(() => server.reset());
afterAll(async () => {
  await browser?.close();
  app?.close();
  await server.close();
});

const ask = (model: string, way: (typeof WAYS)[number], baseUrl = server.baseUrl) =>
  page.evaluate(([url, id, by]) => api.ask(url as string, id as string, by as 'page'), [baseUrl, model, way]);
const test = (way: (typeof WAYS)[number], baseUrl = server.baseUrl) =>
  page.evaluate(([url, by]) => api.test(url as string, by as 'page'), [baseUrl, way]);

describe.each(WAYS)('in a page, through the %s', (way) => {
  it('streams, and tells thoughts, words and tokens', async () => {
    const events = await ask('reasoning', way);
    expect(said(events, 'reasoning-delta')).toContain('The person');
    expect(said(events)).toBe('Backups run at three.');
    expect(events.some((event) => event.type === 'usage')).toBe(true);
    expect(endOf(events).finish).toBe('stop');
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-test');
    expect(server.requests[0]?.headers.referer).toBeUndefined();
  });

  it('gives every character through', async () => {
    expect(said(await ask('echo', way))).toBe('你好 hello');
  });

  it.each([
    ['cut', 'cut', 'model-cut'],
    ['error-401', 'error', 'model-key'],
    ['error-429', 'error', 'model-rate'],
    ['malformed-only', 'error', 'model-format'],
  ])('explains %s', async (model, finish, code) => {
    const end = endOf(await ask(model, way));
    expect(end).toMatchObject({ finish, problem: { code } });
    if (code === 'model-rate') expect(end.problem?.params?.seconds).toBe(7);
  });

  it('tells no permission from nobody there', async () => {
    server.setCors(false);
    expect(endOf(await ask('plain', way)).problem).toMatchObject({
      code: 'model-cors',
      params: { reason: 'local' },
    });
    expect(await test(way)).toMatchObject({ ok: false, problem: { code: 'model-cors' } });
    const gone = await startScriptedModel();
    await gone.close();
    expect(endOf(await ask('plain', way, gone.baseUrl)).problem).toMatchObject({
      code: 'model-network',
      params: { reason: 'unreachable' },
    });
    expect(await test(way, gone.baseUrl)).toMatchObject({ ok: false, problem: { code: 'model-network' } });
  });

  it('follows no redirect, and says that there is one', async () => {
    server.next({ status: 307, headers: { location: 'http://127.0.0.1:9/elsewhere' }, body: '' });
    expect(endOf(await ask('plain', way)).problem).toMatchObject({
      code: 'model-not-found',
      params: { reason: 'redirect' },
    });
    expect(server.chats()).toHaveLength(1);
  });

  it('tests a connection', async () => {
    expect(await test(way)).toMatchObject({ ok: true });
    expect(await test(way, server.origin)).toMatchObject({
      problem: { params: { suggestion: server.baseUrl } },
    });
  });
});

it('needs no eval', async () => {
  const violations = await page.evaluate(() => api.violations);
  expect(violations).toEqual([]);
});
