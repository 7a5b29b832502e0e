// The service worker: keeps the app itself for offline use, the shell at installation and model files when they are
// first used. A new version waits until the person chooses to reload.
import { clientsClaim } from 'workbox-core';
import {
  addPlugins,
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  precacheAndRoute,
} from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { CacheFirst } from 'workbox-strategies';
import { isFile, MODEL_CACHE } from '../../adapters/browser/model-cache.ts';
import { TAKE_FILES } from '../../domain/chat/shared-words.ts';
import { createIntegrityPlugins, type ListedFile } from './file-integrity.ts';
import { handOverFiles, SHARE_PATH, takeShare } from './share-target.ts';

declare const self: ServiceWorkerGlobalScope & {
  __WB_MANIFEST: (string | { url: string; revision: string | null })[];
};

/** The build's list of files (vite.config.ts). `later`: kept at first use, not at installation. */
const files = self.__WB_MANIFEST as readonly (ListedFile & { readonly later?: boolean })[];
/** The embedding worker checks the digest of weights itself: a check here would need a second copy in memory. */
const integrity = createIntegrityPlugins(files, (path) => /\.onnx(?:_data)?$/.test(path));

clientsClaim();
cleanupOutdatedCaches();
addPlugins([integrity.reading]);
precacheAndRoute(files.flatMap(({ url, revision, later }) => (later ? [] : [{ url, revision }])));
// An address with a file's name is a file even when opened by itself; ids of conversations may contain dots.
registerRoute(
  new NavigationRoute(createHandlerBoundToURL('/index.html'), {
    denylist: [/^\/(?!c\/)[^?]*\.[^/?]+(?:\?|$)/],
  }),
);

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname === SHARE_PATH,
  ({ request, event }) => takeShare(request, event),
  'POST',
);

// Large files whose contents never change under their name: model weights, and ONNX Runtime
// and tokenizers with a hash in theirs.
registerRoute(
  ({ url, sameOrigin }) =>
    sameOrigin &&
    (url.pathname.startsWith('/models/') ||
      /\/(?:ort|o200k_base|cl100k_base)-[^/]+\.(?:wasm|mjs|js)$/.test(url.pathname)),
  new CacheFirst({
    cacheName: MODEL_CACHE,
    // A host may send `Vary: Origin`, and a module import names its origin where a fetch
    // does not: a kept file would not match.
    matchOptions: { ignoreVary: true },
    // The browser's HTTP cache may still hold the damaged copy of a file that was deleted here, so the host is asked.
    fetchOptions: { cache: 'no-cache' },
    plugins: [
      {
        cacheWillUpdate: async ({ response }) => (isFile(response) ? response : null),
      },
      integrity.reading,
      integrity.writing,
    ],
  }),
);

self.addEventListener('message', (event) => {
  const type = (event.data as { type?: unknown } | null)?.type;
  if (type === 'SKIP_WAITING') void self.skipWaiting();
  const [port] = event.ports;
  if (type === TAKE_FILES && port) handOverFiles(port);
});

/**
 * Opens a conversation from a notification: in the window that is open, or in a new one.
 * Anything but an id opens the start page.
 */
async function openFrom(conversation: unknown): Promise<void> {
  const path = typeof conversation === 'string' ? `/c/${encodeURIComponent(conversation)}` : '/';
  const [open] = await self.clients.matchAll({ type: 'window' });
  if (!open) return void (await self.clients.openWindow(path));
  await open.focus();
  if (new URL(open.url).pathname !== path) await open.navigate(path);
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openFrom((event.notification.data as { conversation?: unknown } | null)?.conversation));
});
