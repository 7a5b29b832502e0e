// The embedding model with damaged files, and with a service that makes the vectors instead.
import type { Page } from '@playwright/test';
import { startScriptedModel } from '../test/server/scripted-model.ts';
import {
  asFile,
  bringExport,
  chatgptHistory,
  expect,
  goToSettings,
  HISTORY,
  host,
  importThroughDialog,
  openApp,
  remembered,
  test,
} from './app.ts';

test.use({ firstStart: true });

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });

/** One conversation about backups, and the question that its words do not answer. */
const TALK = asFile('conversations.json', chatgptHistory(HISTORY.slice(0, 1)), 'application/json');
const recalled = (page: Page) =>
  page.evaluate(async () => {
    const found = await globalThis.recollect?.app.memory.recall({
      text: 'when is everything saved at night',
      signal: new AbortController().signal,
    });
    return `${found?.mode} ${[...(found?.passages ?? []), ...(found?.nearMisses ?? [])][0]?.passage}`;
  });

test('a damaged file of the model is fetched anew: recall goes on by words until the right one comes, and then by meaning', async ({
  browser,
}) => {
  const noise = Uint8Array.from({ length: 1_000_000 }, (_, at) => (at * 7919) % 251);
  const weights = '/models/multilingual-e5-small-en-zh/onnx/encoder_quantized.onnx_data';
  let damaged = true;
  const app = await host((path) => (damaged && path === weights ? noise : undefined));
  const context = await browser.newContext({ serviceWorkers: 'allow' });
  try {
    const page = await context.newPage();
    await openApp(page, `${app.url}/?console`);
    await importThroughDialog(page, [TALK]);
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await remembered(page, 'words');
    await page.goto(`${app.url}/memory/index?console`);
    await expect(
      page.getByText(/file of the embedding model is damaged or cut off: encoder_quantized/).first(),
    ).toBeVisible();
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await composer(page).fill('/recall restic snapshots');
    await composer(page).press('Enter');
    await expect(page.getByText(/restic every night at three/).first()).toBeVisible();

    // Caches the damaged file, as an earlier version of the app did.
    await page.evaluate(async (weights) => {
      await navigator.serviceWorker.ready;
      await (await caches.open('recollect-models')).put(weights, await fetch(weights));
    }, weights);
    damaged = false;
    const means = async () => {
      await page.goto(`${app.url}/?console`);
      await remembered(page, 'meaning');
      await expect.poll(() => recalled(page)).toMatch(/^hybrid .*restic every night at three/);
    };
    await means();

    // A host without Git LFS serves a pointer instead of the weights.
    await page.evaluate(async (weights) => {
      const pointer = 'version https://git-lfs.github.com/spec/v1';
      const headers = { 'content-length': String(pointer.length) };
      await (await caches.open('recollect-models')).put(weights, new Response(pointer, { headers }));
    }, weights);
    await means();
    const kept = () =>
      page.evaluate(async (weights) => (await (await caches.match(weights))?.blob())?.size ?? 0, weights);
    await expect.poll(kept, 'the right one, for the next start').toBeGreaterThan(38_000_000);
  } finally {
    await context.close();
    app.close();
  }
});

test('a service makes the vectors instead: words work meanwhile, a wrong key says so, and the local ones are still there afterwards', async ({
  page,
}) => {
  const server = await startScriptedModel();
  const asked = () => server.requests.filter(({ path }) => path === '/v1/embeddings');
  const keys = () => [...new Set(asked().map(({ headers }) => headers.authorization))];
  const provider = page.getByRole('group', { name: 'Where it runs' });
  const press = async (name: string) => {
    await page.getByRole('button', { name }).click();
    // The button goes once the change is saved.
    await expect(page.getByRole('button', { name })).toHaveCount(0);
  };
  const toSettings = async () => {
    await goToSettings(page);
    await page.getByRole('button', { name: 'Memory and recall' }).click();
  };
  try {
    await openApp(page);
    await bringExport(page, chatgptHistory(HISTORY.slice(0, 1)));
    await remembered(page);

    await page.goto('/settings/memory?console');
    await provider.getByRole('radio', { name: /Other service/ }).check();
    await page.getByLabel('Base URL').fill(server.baseUrl);
    await page.getByLabel('Model', { exact: true }).fill('held');
    await page.getByLabel('Dimensions').fill('8');
    await page.getByLabel('Key', { exact: true }).fill('wrong-key');
    await expect(page.getByText(/4 messages are read again/)).toContainText(
      `sent to ${new URL(server.origin).host}`,
    );
    await press('Change model');
    await page.getByRole('link', { name: 'Memory', exact: true }).click();
    await page.getByRole('button', { name: 'Index', exact: true }).click();
    await expect(page.getByText('The embedding service did not answer as it should.').first()).toBeVisible();
    expect(keys()).toEqual(['Bearer wrong-key']);
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await composer(page).fill('/recall restic snapshots');
    await composer(page).press('Enter');
    await expect(page.getByRole('region', { name: '/recall restic snapshots' })).toContainText(
      'restic every night at three',
    );

    // The right key. Until the service answers, search by words works.
    await toSettings();
    await page.getByLabel('Key', { exact: true }).fill('right-key');
    await press('Save');
    await expect.poll(() => keys()).toEqual(['Bearer wrong-key', 'Bearer right-key']);
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').getByRole('combobox').fill('restic snapshots');
    await expect(page.getByRole('option', { name: /restic every night at three/ })).toBeVisible();
    await page.keyboard.press('Escape');
    server.go();
    await remembered(page);
    await expect.poll(() => recalled(page)).toMatch(/^hybrid /);
    expect(
      asked()
        .map(({ body }) => JSON.stringify(body))
        .at(-1),
    ).toContain('when is everything saved at night');

    await toSettings();
    await page.evaluate(() => {
      const status = globalThis.recollect?.app.memory.status;
      const waited = [status?.get().waiting];
      status?.subscribe(() => waited.push(status.get().waiting));
      Object.assign(globalThis, { waited });
    });
    await provider.getByRole('radio', { name: /On this device/ }).check();
    await press('Change model');
    await expect(async () => {
      const { length } = asked();
      expect(await recalled(page)).toMatch(/^hybrid .*restic every night at three/);
      expect(asked(), 'questions to the service').toHaveLength(length);
    }).toPass();
    await remembered(page);
    const waited = await page.evaluate(() => (globalThis as { waited?: number[] }).waited);
    expect(new Set(waited), 'messages that waited for new vectors').toEqual(new Set([0]));
  } finally {
    await server.close();
  }
});
