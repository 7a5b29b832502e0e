// What every journey through the built app needs: a page with the app, history to import, and ways to wait for states.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  type BrowserContext,
  test as base,
  chromium,
  expect,
  type Locator,
  type Page,
} from '@playwright/test';
import type { App } from '../src/services/app.ts';
import { ensureBrowser, JOURNEY_ARGS } from '../test/browser.ts';

export { chatgptHistory, HISTORY } from './history.ts';

/** The app's own handle for the console, on pages opened with `?console`. */
export interface Console {
  readonly app: App;
}
declare global {
  var recollect: Console | undefined;
}

/** Opens the app and waits until the library is on the screen. */
export async function openApp(page: Page, path = '/?console'): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole('textbox', { name: /^(Message|消息)$/ })).toBeVisible();
  // The composer does not wait for the list.
  await expect
    .poll(() => page.evaluate(() => globalThis.recollect?.app.documents.library.get().ready))
    .toBe(true);
}

/** Waits until everything in the log can be found, by words or also by meaning. */
export async function remembered(page: Page, by: 'words' | 'meaning' = 'meaning'): Promise<void> {
  const look = async (wanted: 'words' | 'meaning') => {
    const app = globalThis.recollect?.app;
    const status = app?.memory.status.get();
    if (!app || !status || status.state === 'starting' || status.state === 'failed')
      return JSON.stringify(status);
    // Asks for row counts only when the status says that nothing is left: counting
    // takes time of the thread that indexes.
    const done =
      status.unread === 0 && (wanted === 'words' || (status.waiting === 0 && status.state === 'ready'));
    if (!done) return JSON.stringify(status);
    // The status may be older than the last change, so the rows decide.
    const stats = await app.memory.stats().catch(() => null);
    // The index may refuse for a moment; the poll asks again.
    if (!stats) return JSON.stringify(status);
    const listed = app.documents.library.get().entries.filter((entry) => entry.deletedAt === null);
    const said = listed.reduce((sum, entry) => sum + entry.messageCount, 0);
    return stats.messages >= said && (wanted === 'words' || stats.vectors === stats.chunks)
      ? 'remembered'
      : JSON.stringify({ ...status, ...stats, said });
  };
  // A slow processor needs long for the vectors.
  const timeout = by === 'meaning' ? 240_000 : 100_000;
  await expect.poll(() => page.evaluate(look, by), { timeout, intervals: [200] }).toBe('remembered');
}

/**
 * Waits until recall over `HISTORY` uses meaning. Asks again, because recall waits only briefly for a model that loads.
 */
export const recallsByMeaning = (page: Page): Promise<void> =>
  expect(async () => {
    const result = await page.evaluate(() =>
      globalThis.recollect?.app.memory.recall({
        text: 'what was wrong with the slow page of orders',
        signal: new AbortController().signal,
      }),
    );
    expect(result?.mode).toBe('hybrid');
    expect(result?.passages.map((passage) => passage.title)).toContain('Slow orders query');
  }).toPass({ timeout: 60_000 });

/** The context panel, opened if it is closed. */
export async function openContext(page: Page): Promise<Locator> {
  const panel = page.getByRole('complementary', { name: 'Context' });
  const show = page.getByRole('button', { name: 'Show context' });
  await expect(panel.or(show).first()).toBeVisible();
  if (!(await panel.isVisible())) await show.click();
  await expect(panel).toBeVisible();
  return panel;
}

/** Waits until everything on the screen is in the log: only then may a test leave the page. */
export const saved = (page: Page): Promise<void> =>
  expect
    .poll(() => page.evaluate(() => globalThis.recollect?.app.documents.saving.get().state))
    .toBe('saved');

/**
 * Waits until no answer is being written. What is drawn may not be in the log yet: a page that is left before that
 * comes back with an answer that broke off.
 */
export const ended = (page: Page): Promise<void> =>
  expect(page.getByRole('button', { name: 'Stop' })).toBeHidden();

/** Hovers the latest toast, which keeps it open. A newer toast that slides over it keeps all of them open as well. */
export async function holdToast(page: Page): Promise<void> {
  const box = await page
    .locator('[data-sonner-toast][data-front=true]')
    .boundingBox({ timeout: 5_000 })
    .catch(() => null);
  if (box) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
}

/** Waits until two elements do not overlap, e.g. a toast and what it must not cover. */
export const apart = (one: Locator, other: Locator): Promise<void> =>
  expect
    .poll(async () => {
      const [a, b] = [await one.boundingBox(), await other.boundingBox()];
      if (!a || !b) return false;
      const beside = a.x + a.width <= b.x || b.x + b.width <= a.x;
      return beside || a.y + a.height <= b.y || b.y + b.height <= a.y;
    })
    .toBe(true);

/** Imports a ChatGPT export past the dialog; the problem of each file, or null. */
export const bringExport = (page: Page, json: string): Promise<readonly (string | null)[] | undefined> =>
  page.evaluate(async (json) => {
    const bytes = new TextEncoder().encode(json);
    const reports = await globalThis.recollect?.app.library.importFiles([
      { path: 'conversations.json', size: bytes.length, modifiedAt: 0, bytes: async () => bytes },
    ]);
    return reports?.map(({ problem }) => problem?.code ?? null);
  }, json);

/** A file for a file picker. */
export const asFile = (
  name: string,
  contents: string | Uint8Array,
  mimeType = 'application/octet-stream',
) => ({
  name,
  mimeType,
  buffer: Buffer.from(contents),
});

/** Opens the settings by the sidebar's link, or by its button where the sidebar is collapsed. */
export const goToSettings = (page: Page): Promise<void> =>
  page
    .getByRole('link', { name: 'Settings' })
    .or(page.getByRole('button', { name: 'Settings' }))
    .first()
    .click();

/** Imports through the dialog; resolves when the report is there. */
export async function importThroughDialog(
  page: Page,
  files: { name: string; mimeType: string; buffer: Buffer }[],
): Promise<void> {
  await goToSettings(page);
  await page.getByRole('main').getByText('Storage', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.locator('input[data-import=files]').setInputFiles(files);
  await expect(page.getByRole('dialog').getByText('Import report')).toBeVisible();
}

/** Closes the report and begins a new conversation. */
export async function doneImporting(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
}

/**
 * What a host changes about the built app's answer: text before or after a file, a delayed rest,
 * other bytes, a status, or a later one.
 */
type Change =
  | { readonly before?: string; readonly after?: string }
  | { readonly from: string; readonly until: Promise<unknown> }
  | Uint8Array
  | number
  | Promise<number>;

async function sendLate(
  answer: IncomingMessage,
  response: ServerResponse,
  { from, until }: { readonly from: string; readonly until: Promise<unknown> },
): Promise<void> {
  const bytes = await buffer(answer);
  const at = bytes.indexOf(from);
  response.write(bytes.subarray(0, at));
  await until;
  response.end(bytes.subarray(at));
}

/** A host in front of the built app that answers as `change` says. */
export async function host(change: (path: string) => Change | undefined) {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const wanted = change(path);
    if (wanted instanceof Promise) return void wanted.then((status) => response.writeHead(status).end());
    if (typeof wanted === 'number') return void response.writeHead(wanted).end();
    if (wanted instanceof Uint8Array)
      return void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(wanted);
    get(`http://localhost:${process.env.E2E_PORT ?? 4317}${path}`, (answer) => {
      const { 'content-length': _, ...headers } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, { ...headers, 'cache-control': 'no-cache' });
      if (wanted && 'from' in wanted) return sendLate(answer, response, wanted);
      if (wanted?.before) response.write(wanted.before);
      answer.on('end', () => response.end(wanted?.after)).pipe(response, { end: false });
    }).on('error', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A browser of its own with a profile on disk: what is in it survives the browser's death. */
export interface OwnBrowser {
  /** Its folder. */
  readonly profile: string;
  open(): Promise<BrowserContext>;
  /** Ends every process of this browser with SIGKILL, as a crash or a power cut would. */
  kill(): void;
  dispose(): Promise<void>;
}

/** `args`: more of the browser's own, e.g. a camera made of a file. `opened`: a profile to copy, else a new one. */
export function ownBrowser(args: readonly string[] = [], opened?: string): OwnBrowser {
  const profile = mkdtempSync(join(tmpdir(), 'recollect-e2e-'));
  if (opened) cpSync(opened, profile, { recursive: true });
  let context: BrowserContext | undefined;
  return {
    profile,
    open: async () => {
      context = await chromium.launchPersistentContext(profile, {
        executablePath: ensureBrowser(),
        args: [...JOURNEY_ARGS, ...args],
        locale: 'en-US',
        viewport: { width: 1280, height: 800 },
        acceptDownloads: true,
      });
      return context;
    },
    kill: () => {
      for (const pid of processesWith(profile)) spawnSync('kill', ['-9', pid]);
    },
    dispose: async () => {
      await context?.close().catch(() => {});
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Files of the profile that contain the words in any encoding of the browser, without its own records of titles. */
export function filesWith(profile: string, words: string): string[] {
  const forms = [Buffer.from(words), Buffer.from(words, 'utf16le')];
  return readdirSync(profile, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => {
      try {
        const bytes = readFileSync(path);
        return forms.some((form) => bytes.includes(form));
      } catch (error) {
        // A running browser may delete files meanwhile.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw error;
      }
    })
    .map((path) => path.slice(profile.length + 1));
}
/** Those of the files in which the app stores something. */
export const ours = (files: readonly string[]) =>
  files.filter((path) =>
    /IndexedDB|File System|Local Storage|Session Storage|WebStorage|Service Worker|shared_proto_db/.test(
      path,
    ),
  );

/** Ids of running processes with `marker` in their command line (Linux). */
export function processesWith(marker: string, also = ''): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return line.includes(marker) && line.includes(also) && pid !== String(process.pid);
      } catch {
        return false;
      }
    });
}

/** Opens the app in a new profile until memory is ready, and closes it. */
async function openOnce(browser: OwnBrowser): Promise<void> {
  const context = await browser.open();
  const page = context.pages()[0] ?? (await context.newPage());
  await openApp(page, `http://localhost:${process.env.E2E_PORT ?? 4317}/?console`);
  await page.waitForFunction(() => globalThis.recollect?.app.memory.status.get().state === 'ready');
  await context.close();
}

/**
 * Gives every journey a browser with a profile on disk, as people have. In Playwright's private window the index's
 * files lie in the memory of another process: a start took twice as long there, a look at the index five times.
 * It is a copy of one in which the app was opened once: the first start makes many files, half of the work of a short
 * journey. Journeys to which the first start matters say `test.use({ firstStart: true })`.
 */
export const test = base.extend<{ firstStart: boolean }, { opened: string }>({
  firstStart: [false, { option: true }],
  opened: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of what a fixture needs from its pattern
    async ({}, use) => {
      const browser = ownBrowser();
      await openOnce(browser);
      await use(browser.profile);
      await browser.dispose();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  context: async ({ firstStart, opened }, use) => {
    const browser = ownBrowser([], firstStart ? undefined : opened);
    await use(await browser.open());
    await browser.dispose();
  },
  page: async ({ context }, use) => use(context.pages()[0] ?? (await context.newPage())),
});
export { expect };
