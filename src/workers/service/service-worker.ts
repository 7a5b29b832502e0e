// Keeps the app itself for offline use. The shell is kept at installation; model files when they are first used.
// A new version waits until the person chooses to reload.
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
import { keepArrival, SHARE_PATH } from './shared-arrivals.ts';
import { type ListedFile, soundFiles } from './sound-files.ts';

declare const self: ServiceWorkerGlobalScope & {
  __WB_MANIFEST: (string | { url: string; revision: string | null })[];
};

/** As the build lists them (vite.config.ts). */
const files = self.__WB_MANIFEST as readonly (ListedFile & { readonly later?: boolean })[];
/** The thread that reads weights checks their digest itself: checking here would hold a second copy in memory. */
const sound = soundFiles(files, (path) => /\.onnx(?:_data)?$/.test(path));

clientsClaim();
cleanupOutdatedCaches();
addPlugins([sound.reading]);
precacheAndRoute(files.flatMap(({ url, revision, later }) => (later ? [] : [{ url, revision }])));
// An address with a file's name is a file even when opened by itself; ids of conversations may contain dots.
registerRoute(
  new NavigationRoute(createHandlerBoundToURL('/index.html'), {
    denylist: [/^\/(?!c\/)[^?]*\.[^/?]+(?:\?|$)/],
  }),
);

registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname === SHARE_PATH,
  ({ request }) => keepArrival(request),
  'POST',
);

// Large files that never change under their name: model weights, ONNX Runtime and tokenizers, which carry a hash.
registerRoute(
  ({ url, sameOrigin }) =>
    sameOrigin &&
    (url.pathname.startsWith('/models/') ||
      /\/(?:ort|o200k_base|cl100k_base)-[^/]+\.(?:wasm|mjs|js)$/.test(url.pathname)),
  new CacheFirst({
    cacheName: MODEL_CACHE,
    // With `Vary: Origin` a kept file would not match the next request: a module import names its origin, a fetch does not.
    matchOptions: { ignoreVary: true },
    // The browser's own cache may still hold the damaged copy of a deleted file, so the host is asked.
    fetchOptions: { cache: 'no-cache' },
    plugins: [
      {
        cacheWillUpdate: async ({ response }) => (isFile(response) ? response : null),
      },
      sound.reading,
      sound.writing,
    ],
  }),
);

self.addEventListener('message', (event) => {
  if ((event.data as { type?: unknown } | null)?.type === 'SKIP_WAITING') void self.skipWaiting();
});

/** Opens a conversation from a notification: brings the app to the front there, or opens it. */
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
