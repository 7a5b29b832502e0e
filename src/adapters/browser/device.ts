// The browser as a device: network, storage promises, installation, new versions.
import { Workbox } from 'workbox-window';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { ignore, log, orElse } from '../../domain/base/log.ts';
import { type Readable, type Writable, writable } from '../../domain/base/readable.ts';
import { createDictation, type Dictation } from './dictation.ts';
import { isFile, MODEL_CACHE } from './model-cache.ts';
import { looksPrivate } from './private-window.ts';

export interface StorageStatus {
  /** Bytes the origin uses and may use; null where the browser does not say. */
  readonly usage: number | null;
  readonly quota: number | null;
  /** True if the browser promised to keep the data; null if it cannot be asked. */
  readonly persisted: boolean | null;
  /** Bytes of model files kept for offline use. */
  readonly modelBytes: number;
}

export interface Device {
  readonly online: Readable<boolean>;
  storage(): Promise<StorageStatus>;
  /** Asks the browser to keep the data; true when it promised. */
  persist(): Promise<boolean>;
  /** This window looks private: what it keeps may be gone when it is closed. False until that is known, and where it cannot be. */
  readonly isPrivate: Readable<boolean>;
  /** Speech into words; null where the browser has no recogniser. */
  readonly dictation: Dictation | null;
  /** Non-null when the app can be installed right now. */
  readonly install: Readable<(() => Promise<void>) | null>;
  /** Non-null when a new version waits; calling it reloads into it. */
  readonly update: Readable<(() => void) | null>;
  /** Something this tab cannot do without (no storage at all, a newer log …): shown instead of the app. */
  readonly fatal: Readable<Problem | null>;
  close(): void;
}

/** However busy the page, the app is kept for offline use from this time after the start on, ms. */
const REGISTER_WITHIN_MS = 20_000;

/** A new version that was asked for has taken over by then, or the page is loaded again all the same, ms. */
const SWITCH_WITHIN_MS = 10_000;

/** Until then it is asked for again and again, ms: Chromium lets an old version that was just waking up live on for half a minute otherwise. */
const NUDGE_MS = 1_000;

/** A page that does not come within this time is asked for once more, ms: one that Chromium hands to an old version just ending never comes. */
const COMES_WITHIN_MS = 8_000;

/** For so long after that the page is loaded again by itself once the new version takes over; later, and once the person does something, they are asked, ms. */
const STILL_WANTED_MS = 30_000;

/** The event of Chromium's installation prompt; no type for it ships with TypeScript. */
interface InstallPromptEvent extends Event {
  prompt(): Promise<unknown>;
}

/**
 * Listens to the browser until `close`. Registers the service worker once `busy` has settled, but no later than REGISTER_WITHIN_MS. Looks
 * for a new version then, on return to the tab and every hour. `serviceWorker`: its URL; absent in development.
 */
export function createDevice(options: {
  serviceWorker?: string;
  busy?: Promise<unknown>;
  fatal: Problem | null;
}): Device {
  const closing = new AbortController();
  const { signal } = closing;
  const online = writable(navigator.onLine);
  const install = writable<(() => Promise<void>) | null>(null);
  const update = writable<(() => void) | null>(null);
  const isPrivate = writable(false);
  ignore(
    looksPrivate(navigator.storage).then(isPrivate.set),
    'whether this window looks private; nothing is said then',
  );

  window.addEventListener('online', () => online.set(true), { signal });
  window.addEventListener('offline', () => online.set(false), { signal });
  window.addEventListener(
    'beforeinstallprompt',
    (event) => {
      event.preventDefault();
      install.set(async () => {
        install.set(null);
        await (event as InstallPromptEvent).prompt();
      });
    },
    { signal },
  );
  window.addEventListener('appinstalled', () => install.set(null), { signal });

  if (options.serviceWorker && 'serviceWorker' in navigator)
    new AppUpdates(options.serviceWorker, update, signal).begin(options.busy ?? Promise.resolve());

  return {
    online,
    install,
    update,
    isPrivate,
    dictation: createDictation(),
    fatal: writable(options.fatal),
    storage: async () => {
      const { storage } = navigator;
      const estimate = await known(storage?.estimate?.(), 'the estimate of the storage in use');
      return {
        usage: estimate?.usage ?? null,
        quota: estimate?.quota ?? null,
        persisted: (await known(storage?.persisted?.(), 'whether storage is persistent')) ?? null,
        modelBytes: await modelBytes(),
      };
    },
    persist: async () => (await known(navigator.storage?.persist?.(), 'persistent storage')) ?? false,
    close: () => closing.abort(),
  };
}

/** The service worker of the page: registers it, looks for new versions of the app, and loads the page again when one takes over. */
class AppUpdates {
  readonly #workbox: Workbox;
  readonly #update: Writable<(() => void) | null>;
  readonly #signal: AbortSignal;
  /** The new version was asked for on this page. */
  #asked = false;
  /** Or a moment ago on the page before it, which could not wait any longer; who has begun to do something since is asked again. */
  #askedBefore = takeMark();

  constructor(url: string, update: Writable<(() => void) | null>, signal: AbortSignal) {
    this.#workbox = new Workbox(url, { scope: '/' });
    this.#update = update;
    this.#signal = signal;
  }

  /** Begins, and registers the service worker when `busy` has settled. */
  begin(busy: Promise<unknown>): void {
    if (this.#askedBefore) this.#goOnAsking();
    this.#followController();
    this.#workbox.addEventListener('waiting', () => this.#update.set(() => this.#takeOver()));
    const idle = Promise.race([
      busy,
      new Promise<void>((resolve) => this.#after(REGISTER_WITHIN_MS, resolve)),
    ]);
    idle
      .catch((error) => log.debug('What kept the page busy failed', error))
      .then(() => (this.#signal.aborted ? undefined : this.#workbox.register()))
      .then(() => this.#lookRegularly())
      .catch((error) => log.warn('The app cannot be kept for offline use', error));
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(act, ms);
    this.#signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  #reload(): void {
    let stays = false;
    const onLeaving = (event: Event) =>
      this.#after(0, () => {
        stays = event.defaultPrevented;
      });
    window.addEventListener('beforeunload', onLeaving, { once: true, signal: this.#signal });
    window.location.reload();
    this.#after(COMES_WITHIN_MS, () => {
      if (!stays) window.location.reload();
    });
  }

  /** The page before this one asked for the new version. */
  #goOnAsking(): void {
    const forget = () => {
      this.#askedBefore = false;
    };
    for (const doing of ['pointerdown', 'keydown'])
      window.addEventListener(doing, forget, { once: true, signal: this.#signal });
    this.#after(STILL_WANTED_MS, forget);
    // The old version's work ended with that page, but this page may still be the old version's: reload once more.
    navigator.serviceWorker
      .getRegistration()
      .then((found) => found?.waiting === null && this.#reload())
      // Otherwise the notice is there again, and one presses once more.
      .catch((error) => log.debug('The waiting version could not be looked up', error));
  }

  #followController(): void {
    const { serviceWorker } = navigator;
    let controller = serviceWorker.controller;
    // Not Workbox's own event: that comes once, and the first version's taking over may have used it up.
    serviceWorker.addEventListener(
      'controllerchange',
      () => {
        const before = controller;
        controller = serviceWorker.controller;
        if (this.#asked || this.#askedBefore) this.#reload();
        // Another tab wanted it: this one is of the old version, and has nothing to wait for any more.
        else if (before) this.#update.set(() => this.#reload());
      },
      { signal: this.#signal },
    );
  }

  /** The person asked for the new version. */
  #takeOver(): void {
    this.#asked = true;
    // The old version may have something to end first; who pressed the button must not wait for it without a sign.
    this.#after(SWITCH_WITHIN_MS, () => {
      leaveMark();
      this.#reload();
      // Still here, with words that are not saved: whoever chose to stay is asked again.
      this.#asked = false;
    });
    const nudge = () => {
      this.#workbox.messageSkipWaiting();
      this.#after(NUDGE_MS, () => this.#asked && nudge());
    };
    nudge();
  }

  /** Looks for a new version every hour, and on return to the tab. */
  #lookRegularly(): void {
    const look = () => {
      if (navigator.onLine) ignore(this.#workbox.update(), 'a look for a new version; the next one finds it');
    };
    const timer = setInterval(look, 3_600_000);
    this.#signal.addEventListener('abort', () => clearInterval(timer));
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && look(), {
      signal: this.#signal,
    });
  }
}

/** In the session of the tab: the page was loaded again before the new version had taken over. */
const MARK = 'recollect.new-version-asked';

function leaveMark(): void {
  try {
    sessionStorage.setItem(MARK, String(Date.now()));
  } catch (error) {
    // The notice is there again after the reload, and one presses once more.
    log.debug('Some private modes refuse the session storage', error);
  }
}

function takeMark(): boolean {
  try {
    const left = Number(sessionStorage.getItem(MARK) ?? 0);
    sessionStorage.removeItem(MARK);
    return Date.now() - left < STILL_WANTED_MS;
  } catch (error) {
    log.debug('Some private modes refuse the session storage', error);
    return false;
  }
}

/** Some browsers do not answer, and some private modes refuse: then it is undefined. */
const known = <T>(answer: Promise<T> | undefined, what: string): Promise<T | undefined> | undefined =>
  answer && orElse(answer, undefined, what);

async function modelBytes(): Promise<number> {
  if (!('caches' in globalThis)) return 0;
  try {
    const cache = await caches.open(MODEL_CACHE);
    let bytes = 0;
    for (const request of await cache.keys()) {
      const response = await cache.match(request, { ignoreVary: true });
      // Compressed answers do not tell their length; the kept body does, without being read.
      bytes += Number(response?.headers.get('content-length') ?? (await response?.blob())?.size ?? 0);
    }
    return bytes;
  } catch (error) {
    log.debug('Some private modes refuse caches; nothing is kept there then', error);
    return 0;
  }
}

/**
 * Keeps files for offline use: the service worker does as they pass, or this page while the worker does not control it yet. Fetches no
 * file twice, and gives up quietly offline: the next start tries again. True if all were kept already.
 */
export async function keepForOffline(urls: readonly string[], signal: AbortSignal): Promise<boolean> {
  if (!('caches' in globalThis) || !navigator.serviceWorker) return false;
  await navigator.serviceWorker.ready;
  const cache = await caches.open(MODEL_CACHE);
  let already = true;
  for (const url of urls) {
    signal.throwIfAborted();
    if (await cache.match(url, { ignoreVary: true })) continue;
    already = false;
    const held = navigator.serviceWorker.controller !== null;
    const response = await fetch(url, { signal });
    if (!isFile(response))
      throw new RecollectError('embedding-missing', `${url} is not there`, { params: { file: url } });
    // Reading it to the end lets the service worker finish its copy; nobody here needs the bytes, and a blob's lie outside the page.
    if (held) await response.blob();
    else await cache.put(url, response);
  }
  return already;
}

/** Bytes that must be free where something is kept that may never be wanted. */
const AMPLE = 1_000_000_000;

/** True if optional files may be fetched: there is ample room, and the browser was not asked to save data. */
export async function mayKeepMore(): Promise<boolean> {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
  if (connection?.saveData === true) return false;
  const { quota = 0, usage = 0 } = (await navigator.storage?.estimate?.()) ?? {};
  return quota - usage >= AMPLE;
}

/** Lets go of kept files below `folder` that are not among `known` any more, paths of this origin: an earlier version's. */
export async function letGoOfOthers(folder: string, known: ReadonlySet<string>): Promise<void> {
  if (!('caches' in globalThis)) return;
  const cache = await caches.open(MODEL_CACHE);
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith(folder) && !known.has(pathname))
      await cache.delete(request, { ignoreVary: true });
  }
}
