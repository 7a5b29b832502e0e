// `npm run picture`: takes the picture of the README (`public/screenshot.png`) in the app as it is: the sample
// library, a question that memory answers, and a model that says what the scripted server is told.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright';
import { preview } from 'vite';
import { BROWSER_ARGS, ensureBrowser } from '../test/browser.ts';
import { startScriptedModel } from '../test/server/scripted-model.ts';
import { expect, openApp, remembered } from './app.ts';
import { atRest, settle, withLibrary } from './screens.ts';

const PORT = Number(process.env.E2E_PORT ?? 4399);
const MODEL = 'qwen3-30b';
const ANSWER = `A **partial index in the order of the sort**. The page filters by customer, leaves out what is archived, and shows the newest twenty:

\`\`\`sql
CREATE INDEX CONCURRENTLY orders_open_by_customer
  ON orders (customer_id, created_at DESC)
  WHERE status <> 'archived';
\`\`\`
`;

const model = await startScriptedModel();
model.answer(() => ({ steps: [{ text: ANSWER }, { finish: 'stop' }] }));
const outDir = mkdtempSync(join(tmpdir(), 'recollect-picture-'));
const server = await preview({ preview: { port: PORT, strictPort: true }, logLevel: 'silent' });
const context = await chromium.launchPersistentContext(outDir, {
  executablePath: ensureBrowser(),
  args: [...BROWSER_ARGS],
  locale: 'en-US',
  colorScheme: 'light',
  reducedMotion: 'reduce',
  viewport: { width: 1280, height: 920 },
});
try {
  const page = context.pages()[0] ?? (await context.newPage());
  await context.addInitScript('globalThis.__name = (made) => made');
  await openApp(page, `http://localhost:${PORT}/?console`);
  await withLibrary(page);
  await page.evaluate(
    async ({ baseUrl, model }) => {
      const app = globalThis.recollect?.app;
      if (!app) throw new Error('The console is missing');
      await app.settings.saveEndpoint({ id: 'local', label: 'Ollama', baseUrl, models: [model] }, 'sk-local');
      await app.settings.choose({ endpointId: 'local', model });
      const shop = await app.projects.create({ name: 'Web shop', face: { emoji: '', colour: 'green' } });
      await app.projects.create({ name: '毕业论文', face: { emoji: '', colour: 'violet' } });
      const slow = app.documents.library.get().entries.filter(({ title }) => /slow query/.test(title));
      await app.projects.move(
        slow.map(({ id }) => id),
        shop,
      );
    },
    { baseUrl: model.baseUrl, model: MODEL },
  );
  await settle(page);
  await page.getByRole('region', { name: 'Projects' }).getByRole('link', { name: 'Web shop' }).click();
  await page.getByRole('main').getByRole('button', { name: 'New conversation in it' }).click();
  await page
    .getByRole('textbox', { name: 'Message', exact: true })
    .fill('Which index was missing on the orders page?');
  await page.keyboard.press('Enter');
  await expect(page.getByText('orders_open_by_customer')).toBeVisible();
  await page
    .getByRole('button', { name: /passages/ })
    .first()
    .click();
  await remembered(page);
  await atRest(page);
  await page.screenshot({ path: resolve(import.meta.dirname, '../public/screenshot.png') });
} finally {
  await context.close();
  await server.close();
  await model.close();
  rmSync(outDir, { recursive: true, force: true });
}
