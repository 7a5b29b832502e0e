// Checks the app's own files in the browser's caches by their digest whenever one is used. A missing or damaged file is
// fetched again, and a wrong type corrected, so that a ruined cache costs a request and not the app.
import type { WorkboxPlugin } from 'workbox-core';
import { orElse } from '../../domain/base/log.ts';

/** An entry of the build's list of files. */
export interface ListedFile {
  /** Below the origin's root. */
  readonly url: string;
  /** Workbox' mark of the version; null if the name has a hash. */
  readonly revision: string | null;
  /** SHA-256 in hexadecimal; absent if the build could not read the file. */
  readonly digest?: string;
}

/** Types by the ending of the name. Browsers refuse scripts and WebAssembly under another type. */
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

/**
 * Returns the response with the type that its name demands: itself if it has that type, since the browser
 * keeps compiled code with the object.
 */
function typed(path: string, response: Response): Response {
  const wanted = TYPES[/\.(\w+)$/.exec(path)?.[1] ?? ''];
  if (wanted === undefined || essence(response.headers.get('content-type')) === essence(wanted))
    return response;
  const headers = new Headers(response.headers);
  headers.set('content-type', wanted);
  return new Response(response.body, { status: response.status, headers });
}

/**
 * True if a page is being opened. The event says so; Workbox may have replaced its request by that for `/index.html`.
 */
const isForPage = (event: unknown): boolean =>
  event instanceof FetchEvent && event.request.mode === 'navigate';

/** Returns the SHA-256 of the body in hexadecimal, and leaves the body unread. */
async function digestOf(response: Response): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await response.clone().arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Page that a person sees when the app can be neither read nor fetched. It uses no file of the app. */
const NOTHING_LEFT = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Recollect</title>
<body style="font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto 0;padding:0 1rem">
<p>The files of Recollect on this device are damaged, and new ones cannot be fetched without a network. Your conversations are untouched. Go online, then try again.</p>
<p lang="zh">这台设备上的 Recollect 文件已损坏，没有网络时无法重新下载。你的对话没有受到影响。请联网后重试。</p>
<p><a href="/">Try again · 重试</a></p>`;

/**
 * Makes two plugins of Workbox: `reading` takes only intact files from a cache, and repairs the cache; `writing` lets
 * only intact files in. Files without a digest, and paths for which `exempt` is true, pass unchecked.
 * @param files the build's list
 */
export function createIntegrityPlugins(
  files: readonly ListedFile[],
  exempt: (path: string) => boolean,
): { readonly reading: WorkboxPlugin; readonly writing: WorkboxPlugin } {
  const digests = new Map(
    files.flatMap(({ url, digest }) => (digest === undefined ? [] : [[pathOf(url), digest] as const])),
  );
  const isIntact = async (path: string, response: Response): Promise<boolean> =>
    response.ok && (await digestOf(response)) === digests.get(path);

  const reading: WorkboxPlugin = {
    cachedResponseWillBeUsed: async ({ cachedResponse, request, cacheName, event }) => {
      const path = pathOf(request.url);
      if (!digests.has(path) || exempt(path)) return cachedResponse;
      if (cachedResponse && (await isIntact(path, cachedResponse))) return typed(path, cachedResponse);
      // A missing file is no damage during the installation, which fetches it.
      if (!cachedResponse && event?.type === 'install') return undefined;
      const fetched = await orElse(fetch(path, { cache: 'reload' }), null, `fetching ${path} again`);
      if (!fetched?.ok) return undefined;
      const digest = await digestOf(fetched);
      // A host may modify a file each time, such as a page into which it inserts a script. The cached
      // copy is then as good as a new one.
      if (cachedResponse && digest === (await digestOf(cachedResponse))) return typed(path, cachedResponse);
      if (digest !== digests.get(path)) return undefined;
      // Browsers refuse a redirected response for a page, and a new object forgets the redirect.
      const fresh = typed(path, new Response(fetched.body, { headers: fetched.headers }));
      const cache = await caches.open(cacheName);
      const kept = cache.put(request, fresh.clone()).catch((error: unknown) => {
        console.warn(`${path} was damaged; the new copy could not be stored`, error);
      });
      // The page need not wait for the cache. `waitUntil` keeps the browser from ending this
      // worker before the file is written.
      if (event instanceof ExtendableEvent) event.waitUntil(kept);
      else await kept;
      return fresh;
    },

    // A server's error must not be shown in place of the page: after a throw, the cache or `handlerDidError` answers.
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
      return (await isIntact(path, response)) ? typed(path, response) : null;
    },
  };
  return { reading, writing };
}
