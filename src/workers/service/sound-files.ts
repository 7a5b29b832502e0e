// Checks the app's own files in the browser's caches by digest each time one is used: a missing, empty, truncated or wrongly typed file is
// fetched again and replaced, so that a ruined cache costs a request and not the app.
import type { WorkboxPlugin } from 'workbox-core';
import { orElse } from '../../domain/base/log.ts';

/** A line of the build's list of files. */
export interface ListedFile {
  readonly url: string;
  readonly revision: string | null;
  /** SHA-256 in hexadecimal; absent if the build could not read the file. */
  readonly digest?: string;
}

/** Browsers refuse scripts and WebAssembly under any other type. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  mjs: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
  webmanifest: 'application/manifest+json',
  wasm: 'application/wasm',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};

const pathOf = (address: string): string => new URL(address, self.location.href).pathname;
const essence = (type: string | null): string => (type ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Returns the answer with the type of its name's ending. A new object only if it differs: the browser keeps compiled code with the old one. */
function typed(path: string, response: Response): Response {
  const wanted = TYPES[/\.(\w+)$/.exec(path)?.[1] ?? ''];
  if (wanted === undefined || essence(response.headers.get('content-type')) === essence(wanted))
    return response;
  const headers = new Headers(response.headers);
  headers.set('content-type', wanted);
  return new Response(response.body, { status: response.status, headers });
}

/** The request in hand may be a stand-in for the page's own. */
const isForPage = (event: unknown): boolean =>
  event instanceof FetchEvent && event.request.mode === 'navigate';

async function digestOf(response: Response): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await response.clone().arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Page for a person when nothing of the app can be had; it uses no file of the app. */
const NOTHING_LEFT = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Recollect</title>
<body style="font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto 0;padding:0 1rem">
<p>The files of Recollect on this device are damaged, and new ones cannot be fetched without a network. Your conversations are untouched. Go online, then try again.</p>
<p lang="zh">这台设备上的 Recollect 文件已损坏，没有网络时无法重新下载。你的对话没有受到影响。请联网后重试。</p>
<p><a href="/">Try again · 重试</a></p>`;

/**
 * Makes two plugins: `reading` takes only sound files from a cache, and repairs the cache; `writing` lets only sound files in. Files without a
 * digest,
 * and those that `exempt` names, pass unchecked.
 * @param files the build's list, urls below the origin's root
 */
export function soundFiles(
  files: readonly ListedFile[],
  exempt: (path: string) => boolean,
): { readonly reading: WorkboxPlugin; readonly writing: WorkboxPlugin } {
  const digests = new Map(
    files.flatMap(({ url, digest }) => (digest === undefined ? [] : [[pathOf(url), digest] as const])),
  );
  const isSound = async (path: string, response: Response): Promise<boolean> =>
    response.ok && (await digestOf(response)) === digests.get(path);

  const reading: WorkboxPlugin = {
    cachedResponseWillBeUsed: async ({ cachedResponse, request, cacheName, event }) => {
      const path = pathOf(request.url);
      if (!digests.has(path) || exempt(path)) return cachedResponse;
      if (cachedResponse && (await isSound(path, cachedResponse))) return typed(path, cachedResponse);
      // The installation or the first use fetches a missing file.
      if (!cachedResponse && event?.type === 'install') return undefined;
      const fetched = await orElse(fetch(path, { cache: 'reload' }), null, `fetching ${path} again`);
      if (!fetched?.ok) return undefined;
      const digest = await digestOf(fetched);
      // A host may serve a modified file, such as a page with something inserted, every time.
      if (cachedResponse && digest === (await digestOf(cachedResponse))) return typed(path, cachedResponse);
      if (digest !== digests.get(path)) return undefined;
      // A page must not get an answer that was redirected.
      const fresh = typed(path, new Response(fetched.body, { headers: fetched.headers }));
      const cache = await caches.open(cacheName);
      const kept = cache.put(request, fresh.clone()).catch((error: unknown) => {
        console.warn(`${path} was damaged; the new copy could not be stored`, error);
      });
      // The cache is written after the page has its answer; the browser must not end this thread before.
      if (event instanceof ExtendableEvent) event.waitUntil(kept);
      else await kept;
      return fresh;
    },

    // An error answer of a server must not replace the page.
    fetchDidSucceed: async ({ response, event }) => {
      if (isForPage(event) && !response.ok) throw new TypeError(`the server answered ${response.status}`);
      return response;
    },

    handlerDidError: async ({ event }) =>
      isForPage(event)
        ? new Response(NOTHING_LEFT, { headers: { 'content-type': 'text/html; charset=utf-8' } })
        : undefined,
  };

  const writing: WorkboxPlugin = {
    cacheWillUpdate: async ({ request, response }) => {
      const path = pathOf(request.url);
      if (response.status !== 200) return null;
      if (!digests.has(path) || exempt(path)) return response;
      return (await isSound(path, response)) ? typed(path, response) : null;
    },
  };
  return { reading, writing };
}
