// The security policy in force: injected script does not run, and page and workers ask no host that the person did not
// configure. The app works under it, the embedding model's threads included.
import type { Page, Request, Worker } from '@playwright/test';
import { type ScriptedModelServer, startScriptedModel } from '../test/server/scripted-model.ts';
import {
  asFile,
  chatgptHistory,
  expect,
  HISTORY,
  importThroughDialog,
  openApp,
  remembered,
  test,
} from './app.ts';

test.use({ firstStart: true });

let server: ScriptedModelServer;
test.beforeAll(async () => {
  server = await startScriptedModel();
});
test.afterAll(() => server.close());
test.beforeEach(() => server.reset());

/** The address of a worker's script, from the list of files that are kept for offline use. */
const workerUrl = (page: Page, name: string): Promise<string> =>
  page.evaluate(async (name) => {
    const list = await (await fetch('/service-worker.js')).text();
    const [path] = new RegExp(`assets/${name}\\.worker-[\\w-]+\\.js`).exec(list) ?? [];
    return new URL(path ?? '', `${location.origin}/`).href;
  }, name);

/** Starts another worker of the app, for inspection. */
async function startWorker(page: Page, name: string): Promise<Worker> {
  const url = await workerUrl(page, name);
  const [worker] = await Promise.all([
    // Ignores workers that the app itself starts meanwhile.
    page.waitForEvent('worker', (started) => started.url() === url),
    page.evaluate((url) => {
      Object.assign(globalThis, { started: new Worker(url, { type: 'module' }) });
    }, url),
  ]);
  return worker;
}

/** `reached` or `refused`. In a page and in a worker. */
const reach = (url: string): Promise<string> =>
  fetch(url).then(
    () => 'reached',
    () => 'refused',
  );
const runForeign = (): Promise<string> =>
  import(/* @vite-ignore */ `data:text/javascript,${'export default 1'}`).then(
    () => 'ran',
    () => 'refused',
  );

test('every file comes with the policy, and what reaches out is named', { tag: '@gate' }, async ({
  page,
  request,
}) => {
  await openApp(page);
  const headersOf = async (path: string) => (await request.get(path)).headers();
  for (const path of [
    '/',
    '/c/anything',
    '/theme.js',
    '/start.js',
    '/service-worker.js',
    await workerUrl(page, 'projection'),
  ]) {
    const headers = await headersOf(path);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'permissions-policy': expect.stringContaining('microphone=(self), camera=(self), geolocation=()'),
      'cross-origin-embedder-policy': 'require-corp',
    });
    expect(headers['content-security-policy']).toContain("connect-src 'self';");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  }
  for (const name of ['network', 'engine', 'embedding', 'sync'])
    expect((await headersOf(await workerUrl(page, name)))['content-security-policy']).toContain(
      "script-src 'self' 'wasm-unsafe-eval'",
    );
});

test('in the page, injected script does not run and no other origin is asked', { tag: '@gate' }, async ({
  page,
}) => {
  await openApp(page);
  const injected = await page.evaluate(async () => {
    const violations: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) =>
      violations.push(event.effectiveDirective),
    );
    const script = document.createElement('script');
    script.textContent = 'globalThis.injected = true';
    document.body.append(script);
    const holder = document.createElement('div');
    holder.innerHTML = '<img src="/nothing" onerror="globalThis.injected = true">';
    document.body.append(holder);
    while (new Set(violations).size < 2) await new Promise(requestAnimationFrame);
    return { injected: 'injected' in globalThis, violations };
  });
  expect(injected.injected).toBe(false);
  expect([...new Set(injected.violations)].sort()).toEqual(['script-src-attr', 'script-src-elem']);
  expect(await page.evaluate(reach, `${server.baseUrl}/models`)).toBe('refused');
  expect(await page.evaluate(runForeign)).toBe('refused');
  expect(server.requests).toEqual([]);
});

test('in workers, foreign script does not run and only what is configured is asked', {
  tag: '@gate',
}, async ({ page }) => {
  await openApp(page);
  const plain = await startWorker(page, 'projection');
  expect(await plain.evaluate(runForeign)).toBe('refused');
  expect(await plain.evaluate(reach, `${server.baseUrl}/models`)).toBe('refused');
  const network = await startWorker(page, 'network');
  expect(await network.evaluate(runForeign)).toBe('refused');
  const through = (origins: string[]) =>
    page.evaluate(
      async ({ origins, url }) => {
        const worker = (globalThis as unknown as { started: Worker }).started as unknown as globalThis.Worker;
        const answer = new Promise<string>((resolve) =>
          worker.addEventListener(
            'message',
            ({ data }) => resolve('problem' in data ? 'failed' : data.progress.type),
            { once: true },
          ),
        );
        worker.postMessage({ type: 'allow', origins });
        const given = { url, method: 'GET', headers: [], body: null, mode: 'cors' };
        // The worker answers each call number once.
        const call = origins.length + 1;
        worker.postMessage({ from: '', asked: { call, verb: 'request', given } });
        return await answer;
      },
      { origins, url: `${server.baseUrl}/models` },
    );
  expect(await through([])).toBe('failed');
  expect(server.requests).toEqual([]);
  expect(await through([server.origin])).toBe('head');
});

test.describe('with a service worker, which asks as well', () => {
  test.use({ serviceWorkers: 'allow' });

  test('over a whole session nobody is asked but the app’s own host and the endpoint that was named', {
    tag: '@gate',
  }, async ({ page, context, baseURL }) => {
    const asked: Request[] = [];
    const sockets: string[] = [];
    context.on('request', (request) => asked.push(request));
    page.on('websocket', (socket) => sockets.push(socket.url()));
    await openApp(page);
    await importThroughDialog(page, [
      asFile('conversations.json', chatgptHistory(HISTORY.slice(0, 2)), 'application/json'),
    ]);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.evaluate(async (baseUrl) => {
      const settings = globalThis.recollect?.app.settings;
      await settings?.saveEndpoint({ id: 's', label: 'Scripted', baseUrl, models: ['plain'] }, 'sk-test');
      await settings?.choose({ endpointId: 's', model: 'plain' });
    }, server.baseUrl);
    // Again with the service worker in control, so that the test sees its requests as well.
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await page.goto('/?console');
    await remembered(page);

    const composer = page.getByRole('textbox', { name: 'Message', exact: true });
    server.next({
      steps: [
        {
          text: 'At three. ![A picture](https://pictures.example/at-three.png) [More](https://more.example/)',
        },
        { finish: 'stop' },
      ],
    });
    await composer.fill('When does the backup of the photo disk run?');
    await composer.press('Enter');
    await expect(page.getByRole('article').getByRole('link', { name: 'More' })).toBeVisible();
    await composer.fill('/recall 数据库是几点备份的');
    await composer.press('Enter');
    await expect(page.getByRole('region', { name: '/recall 数据库是几点备份的' })).toContainText(
      '数据库备份',
    );
    await page.getByRole('link', { name: 'Memory', exact: true }).click();
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toHaveText('Memory');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    const sections = page.getByRole('navigation', { name: 'Settings' }).getByRole('button');
    await expect(sections.first()).toBeVisible();
    for (const section of await sections.all()) {
      await section.click();
      // On a phone the details stand below the title.
      const [title = ''] = await section.locator('span > span').allTextContents();
      await expect(page.getByRole('heading', { level: 2, name: title, exact: true })).toBeVisible();
    }

    const origins = asked
      .map((request) => new URL(request.url()))
      .filter(({ protocol }) => protocol !== 'data:');
    expect(new Set(origins.map(({ origin }) => origin))).toEqual(new Set([baseURL, server.origin]));
    expect(sockets).toEqual([]);
    // The list has requests of the service worker and of workers that may use the network.
    expect(asked.some((request) => request.serviceWorker() !== null)).toBe(true);
    for (const path of [/\/models\/.+\.onnx_data$/, /\/chat\/completions$/])
      expect(
        asked.some((request) => path.test(request.url())),
        String(path),
      ).toBe(true);
  });
});

test('under it a model answers and a question is found by its meaning', async ({ page }) => {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
  });
  await openApp(page);
  await page.evaluate(async (baseUrl) => {
    const settings = globalThis.recollect?.app.settings;
    await settings?.saveEndpoint({ id: 's', label: 'Scripted', baseUrl, models: ['plain'] }, 'sk-test');
    await settings?.choose({ endpointId: 's', model: 'plain' });
  }, server.baseUrl);
  await page.getByRole('textbox', { name: 'Message' }).fill('When does the backup run?');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article').getByText('every night at three').first()).toBeVisible();
  await remembered(page, 'meaning');
  expect(complaints).toEqual([]);
});
