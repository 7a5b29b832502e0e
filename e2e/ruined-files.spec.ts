// The app's own files in the browser's caches, ruined in every way a disk or a host can: the app comes up and mends
// them, or says so in a plain sentence with a button that mends them.
import type { Page } from '@playwright/test';
import { expect, host, openApp, test } from './app.ts';

test.use({ firstStart: true });

test.use({ serviceWorkers: 'allow' });

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });

/** Until the service worker holds the page and has kept the app. */
async function held(page: Page, url: string): Promise<void> {
  await openApp(page, url);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state ?? 'none'))
    .toBe('activated');
}

/** What every start needs of what is kept; the rest is mended when it is asked for. */
const SHELL = String.raw`^/(?:index\.html|theme\.js|start\.js|assets/index-(?!status)[^/]*)$`;

type Ruin = 'missing' | 'empty' | 'cut off' | 'of a wrong type' | 'a page instead' | 'flipped';

/** Ruins the kept files of the shell that `which` names; tells how many. */
const ruin = (page: Page, how: Ruin, which: string): Promise<number> =>
  page.evaluate(
    async ({ how, which }) => {
      let ruined = 0;
      for (const name of await caches.keys()) {
        if (!name.startsWith('workbox-precache')) continue;
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          if (!new RegExp(which).test(new URL(request.url).pathname)) continue;
          const kept = await cache.match(request);
          if (!kept) continue;
          const bytes = new Uint8Array(await kept.arrayBuffer());
          const headers = new Headers(kept.headers);
          ruined += 1;
          if (how === 'missing') await cache.delete(request);
          else if (how === 'empty') await cache.put(request, new Response('', { headers }));
          else if (how === 'cut off')
            await cache.put(request, new Response(bytes.slice(0, bytes.length / 2), { headers }));
          else if (how === 'a page instead')
            await cache.put(
              request,
              new Response('<!doctype html><title>404</title>', { headers: { 'content-type': 'text/html' } }),
            );
          else if (how === 'flipped') {
            bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0x5a;
            await cache.put(request, new Response(bytes, { headers }));
          } else {
            headers.set('content-type', 'application/octet-stream');
            await cache.put(request, new Response(bytes, { headers }));
          }
        }
      }
      return ruined;
    },
    { how, which },
  );

/** The shell as it is kept, by size. A wrong type is put right on the way out: the digest proves the rest. */
const kept = (page: Page): Promise<string[]> =>
  page.evaluate(async (shell) => {
    const lines: string[] = [];
    for (const name of await caches.keys()) {
      if (!name.startsWith('workbox-precache')) continue;
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        const { pathname } = new URL(request.url);
        if (!new RegExp(shell).test(pathname)) continue;
        const response = await cache.match(request);
        lines.push(`${pathname} ${(await response?.blob())?.size}`);
      }
    }
    return lines.sort();
  }, SHELL);

const WAYS: readonly Ruin[] = ['missing', 'empty', 'cut off', 'of a wrong type', 'a page instead', 'flipped'];

test('a ruined cache of the app costs a request: it comes up, and what it needs is whole again', async ({
  page,
  context,
}) => {
  test.slow();
  const app = await host(() => undefined);
  try {
    await held(page, `${app.url}/?console`);
    const before = await kept(page);
    expect(before.length).toBeGreaterThan(3);
    for (const how of WAYS) {
      expect(await ruin(page, how, SHELL), how).toBeGreaterThan(3);
      const next = await context.newPage();
      await next.goto(`${app.url}/?console`);
      await expect(composer(next), how).toBeVisible();
      await expect.poll(() => kept(next), how).toEqual(before);
      await next.close();
    }
  } finally {
    await page.close();
    app.close();
  }
});

test('ruined, and nobody to fetch from: a plain sentence, and the button mends it once there is one', async ({
  page,
  context,
}) => {
  test.slow();
  let down = false;
  const app = await host(() => (down ? 503 : undefined));
  await held(page, `${app.url}/?console`);
  const opened = async (which: string) => {
    await ruin(page, 'cut off', which);
    down = true;
    const next = await context.newPage();
    await next.goto(`${app.url}/`);
    return next;
  };
  try {
    const script = await opened('/assets/index-.*\\.js');
    await expect(script.getByRole('alert')).toContainText(
      /Recollect did not start: its file index-.*\.js is missing/,
    );
    await script.getByRole('button', { name: 'Repair and reload' }).click();
    await expect(script.getByText(/without a network/)).toBeVisible();
    down = false;
    await script.getByRole('button', { name: 'Repair and reload' }).click();
    await expect(composer(script)).toBeVisible();
    await held(script, `${app.url}/?console`);
    await script.close();

    const document = await opened('index\\.html');
    await expect(document.getByText(/files of Recollect on this device are damaged/)).toBeVisible();
    down = false;
    await document.getByRole('link', { name: /Try again/ }).click();
    await expect(composer(document)).toBeVisible();
  } finally {
    app.close();
  }
});
