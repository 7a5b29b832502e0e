// Keeps the app itself for offline use. The shell is kept at installation; model files when they are first used.
// A new version waits until the person chooses to reload.
/// <reference lib="webworker" />
import { clientsClaim } from 'workbox-core';
import {
  addPlugins,
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  precacheAndRoute,
} from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { CacheFirst } from 'workbox-strategies';
import { isFile, MODEL_CACHE } from '../adapters/browser/model-cache.ts';
import { keepArrival, SHARE_PATH } from './shared-arrivals.ts';
import { type ListedFile, soundFiles } from './sound-files.ts';

declare const self: ServiceWorkerGlobalScope & {
  __WB_MANIFEST: (string | { url: string; revision: string | null })[];
};

/** As the build lists them (vite.config.ts). */
const files = self.__WB_MANIFEST as readonly (ListedFile & { readonly later?: boolean })[];
/** The thread that reads weights compares their digest itself: here, a copy of them would lie in memory for nothing. */
const sound = soundFiles(files, (path) => /\.onnx(?:_data)?$/.test(path));

clientsClaim();
cleanupOutdatedCaches();
addPlugins([sound.reading]);
precacheAndRoute(files.flatMap(({ url, revision, later }) => (later ? [] : [{ url, revision }])));
// A file is a file, also when it is opened by itself. Ids of conversations may be anybody's, dots and all.
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
    // Hosts that say `Vary: Origin` would hide a kept file from the next asker: a module import names its origin, a fetch does not.
    matchOptions: { ignoreVary: true },
    // A damaged file that was let go of must not come again from the browser's own cache, unless the host still has the same.
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

/** A notice that a phone showed: brings the app to the front at its conversation, or opens it there. */
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
