// Nothing that was said to be saved may be lost: tabs, renderers and whole browsers are
// killed at random moments, on both engines.
import type { BrowserContext, Page } from '@playwright/test';
import { seeded } from '../test/bench/corpus.ts';
import {
  bringExport,
  chatgptHistory,
  expect,
  HISTORY,
  openApp,
  ownBrowser,
  remembered,
  test,
} from './app.ts';

const BASE = `http://localhost:${process.env.E2E_PORT ?? 4317}`;
const WANTED = 200;

/** Writes messages one after the other and reports each as soon as it is saved. Ends with the page. */
async function writeAndReport(page: Page, conversation: string, saved: (id: string) => void): Promise<void> {
  await page.exposeFunction('reportSaved', saved);
  await page.evaluate(async (conversation) => {
    const app = globalThis.recollect?.app;
    const report = (globalThis as unknown as { reportSaved: (id: string) => Promise<void> }).reportSaved;
    for (;;) {
      const id = crypto.randomUUID();
      await app?.documents.change(conversation as never, {
        messages: [
          {
            id: id as never,
            parentId: null,
            role: 'user',
            kind: 'message',
            createdAt: Date.now(),
            parts: [{ type: 'text', text: `acknowledged ${id}` }],
          },
        ],
        meta: { title: 'Under fire' },
      });
      void report(id);
    }
  }, conversation);
}

const idsIn = (page: Page, conversation: string): Promise<string[]> =>
  page.evaluate(
    async (conversation) => [
      ...((await globalThis.recollect?.app.documents.read(conversation as never))?.messages.keys() ?? []),
    ],
    conversation,
  );

for (const engine of ['opfs', 'indexeddb'] as const)
  test(`${WANTED} acknowledged messages survive random kills of tab and renderer (${engine})`, async () => {
    const random = seeded(engine === 'opfs' ? 11 : 12);
    const browser = ownBrowser();
    const acknowledged = new Set<string>();
    const conversation = '00000000-0000-7000-8000-00000000000a';
    try {
      let context: BrowserContext = await browser.open();
      let page = context.pages()[0] ?? (await context.newPage());
      await openApp(page, `${BASE}/?console`);
      await page.evaluate(
        (engine) => globalThis.recollect?.app.settings.set('storage.engine', engine),
        engine,
      );
      let kills = 0;
      while (acknowledged.size < WANTED || kills < 6) {
        const before = acknowledged.size;
        const writing = writeAndReport(page, conversation, (id) => acknowledged.add(id)).catch(() => {});
        await expect
          .poll(() => acknowledged.size, { intervals: [5] })
          .toBeGreaterThan(before + Math.floor(random() * 40));
        // A tab that is closed, a renderer that crashes, a browser that is killed.
        const way = kills++ % 3;
        if (way === 0) await page.close({ runBeforeUnload: false });
        else if (way === 1) await page.goto('chrome://crash').catch(() => {});
        else browser.kill();
        await writing;
        if (way === 2) {
          await context.close().catch(() => {});
          context = await browser.open();
        } else if (way === 1) await page.close().catch(() => {});
        page = await context.newPage();
        await openApp(page, `${BASE}/?console`);
        const kept = new Set(await idsIn(page, conversation));
        expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
      }
      console.log(`${engine}: ${acknowledged.size} acknowledged, ${kills} kills, 0 lost`);
      // The index follows: what was written can be found.
      await remembered(page, 'words');
      const one = [...acknowledged][0] as string;
      const found = await page.evaluate(
        async (words) =>
          await new Promise<number>((resolve) => {
            void globalThis.recollect?.app.memory.search({
              text: words,
              filter: {},
              limit: 5,
              signal: new AbortController().signal,
              onHits: (hits, final) => final && resolve(hits.length),
            });
          }),
        one,
      );
      expect(found).toBeGreaterThan(0);
      expect(await page.evaluate(() => globalThis.recollect?.app.memory.status.get().engine)).toBe(engine);
    } finally {
      await browser.dispose();
    }
  });

test('the index moves from OPFS to IndexedDB and back; nothing is lost and everything is found', async ({
  page,
}) => {
  await openApp(page);
  await bringExport(page, chatgptHistory(HISTORY));
  await remembered(page, 'words');
  for (const [label, engine] of [
    ['IndexedDB', 'indexeddb'],
    ['OPFS', 'opfs'],
  ] as const) {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('main').getByText('Storage', { exact: true }).first().click();
    await page.getByRole('combobox', { name: 'Where the index is kept' }).click();
    await page.getByRole('option', { name: new RegExp(`^${label}`) }).click();
    await page.getByRole('button', { name: 'Switch and rebuild' }).click();
    await expect(page.getByText(`In use now: ${label}`)).toBeVisible({ timeout: 60_000 });
    await remembered(page, 'words');
    if (engine === 'indexeddb') {
      // The choice is still in force after a reload.
      await openApp(page);
      await remembered(page, 'words');
    }
    expect(await page.evaluate(() => globalThis.recollect?.app.memory.status.get().engine)).toBe(engine);
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').getByRole('combobox').fill('potassium');
    await expect(page.getByRole('option', { name: /potassium/ }).first()).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    const kept = await page.evaluate(() => globalThis.recollect?.app.documents.library.get().entries.length);
    expect(kept).toBe(HISTORY.length);
  }
});

test('two tabs: the leader is killed in mid-write, the other one goes on and finds everything', {
  tag: '@gate',
}, async () => {
  const browser = ownBrowser();
  const conversation = '00000000-0000-7000-8000-00000000000b';
  const acknowledged = new Set<string>();
  try {
    const context = await browser.open();
    const leader = context.pages()[0] ?? (await context.newPage());
    await openApp(leader, `${BASE}/?console`);
    await remembered(leader, 'words');
    const other = await context.newPage();
    await openApp(other, `${BASE}/?console`);
    await remembered(other, 'words');
    const writing = writeAndReport(leader, conversation, (id) => acknowledged.add(id)).catch(() => {});
    await expect.poll(() => acknowledged.size, { intervals: [5] }).toBeGreaterThan(40);
    await leader.goto('chrome://crash').catch(() => {});
    await writing;
    await leader.close().catch(() => {});
    await expect
      .poll(async () => (await idsIn(other, conversation)).filter((id) => acknowledged.has(id)).length)
      .toBe(acknowledged.size);
    await other.evaluate(async () => {
      await globalThis.recollect?.app.documents.change('00000000-0000-7000-8000-00000000000b' as never, {
        messages: [
          {
            id: crypto.randomUUID() as never,
            parentId: null,
            role: 'user',
            kind: 'message',
            createdAt: Date.now(),
            parts: [{ type: 'text', text: 'written after the leader was gone: zanzibar' }],
          },
        ],
      });
    });
    await remembered(other, 'words');
    await other.keyboard.press('ControlOrMeta+k');
    await other.getByRole('dialog').getByRole('combobox').fill('zanzibar');
    await expect(other.getByRole('option', { name: /zanzibar/ }).first()).toBeVisible();
  } finally {
    await browser.dispose();
  }
});
