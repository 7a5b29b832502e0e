// The browser as a device: network, storage promises, installation, new versions.
import { Workbox } from 'workbox-window';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { ignore, log, orElse } from '../../domain/base/log.ts';
import { type Readable, type Writable, writable } from '../../domain/base/readable.ts';
import { createDictation, type Dictation } from './dictation.ts';
import { isFile, MODEL_CACHE } from './model-cache.ts';
import { looksPrivate } from './private-window.ts';

export interface StorageStatus {
  /** Bytes that the origin uses and may use; null if the browser does not say. */
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
  /** True if this window looks private, so that its data may be gone once it is closed. False while that is unknown. */
  readonly isPrivate: Readable<boolean>;
  /** Turns speech into words; null if the browser has no recogniser. */
  readonly dictation: Dictation | null;
  /** Non-null when the app can be installed right now. */
  readonly install: Readable<(() => Promise<void>) | null>;
  /** Non-null when a new version waits; calling it reloads into it. */
  readonly update: Readable<(() => void) | null>;
  /** A problem without which this tab cannot run (no storage, a newer log …), shown instead of the app. */
  readonly fatal: Readable<Problem | null>;
  close(): void;
}

/** Interval of the checks for a new version, in ms. */
const CHECK_EVERY_MS = 3_600_000;

/** Latest time after the start at which the app is stored for offline use, however busy the page is, in ms. */
const REGISTER_WITHIN_MS = 20_000;

/** Longest wait for a requested version to take over before the page reloads anyway, in ms. */
const SWITCH_WITHIN_MS = 10_000;

/**
 * Interval at which the request is repeated until then, in ms: otherwise Chromium may keep a waking old version for
 * half a minute.
 */
const NUDGE_MS = 1_000;

/**
 * Time after which a page that did not load is requested once more, in ms: if Chromium hands it to an ending old
 * version, it never loads.
 */
const COMES_WITHIN_MS = 8_000;

/**
 * Time in which the page reloads by itself once the new version takes over, in ms. Later, or after any action of the
 * person, they are asked.
 */
const STILL_WANTED_MS = 30_000;

/** Chromium's event for the installation prompt; TypeScript ships no type for it. */
interface InstallPromptEvent extends Event {
  prompt(): Promise<unknown>;
}

/**
 * Listens to the browser until `close`. Registers the service worker after `busy` or REGISTER_WITHIN_MS, and looks
 * for new versions then, on return to the tab and hourly. `serviceWorker`: its URL; absent in development.
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

/** Registers the service worker, looks for new versions of the app, and reloads the page when one takes over. */
class AppUpdates {
  readonly #workbox: Workbox;
  readonly #update: Writable<(() => void) | null>;
  readonly #signal: AbortSignal;
  /** True if the new version was requested on this page. */
  #asked = false;
  /**
   * True if the previous page requested it moments ago and could not wait. A person who has started to do something
   * is asked again.
   */
  #askedBefore = takeMark();

  constructor(url: string, update: Writable<(() => void) | null>, signal: AbortSignal) {
    this.#workbox = new Workbox(url, { scope: '/' });
    this.#update = update;
    this.#signal = signal;
  }

  /** Registers the service worker when `busy` has settled. */
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
      .then(() => this.#checkRegularly())
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

  /** Continues the request that the previous page made for the new version. */
  #goOnAsking(): void {
    const forget = () => {
      this.#askedBefore = false;
    };
    for (const doing of ['pointerdown', 'keydown'])
      window.addEventListener(doing, forget, { once: true, signal: this.#signal });
    this.#after(STILL_WANTED_MS, forget);
    // The old version ended with that page, but this page may still be from the old version: reload once more.
    navigator.serviceWorker
      .getRegistration()
      .then((found) => found?.waiting === null && this.#reload())
      // If this fails, the notice is shown again and the person can repeat the request.
      .catch((error) => log.debug('The waiting version could not be looked up', error));
  }

  #followController(): void {
    const { serviceWorker } = navigator;
    let controller = serviceWorker.controller;
    // Workbox's own event fires only once, and the first version may already have used it.
    serviceWorker.addEventListener(
      'controllerchange',
      () => {
        const before = controller;
        controller = serviceWorker.controller;
        if (this.#asked || this.#askedBefore) this.#reload();
        // Another tab requested it, so this tab is from the old version and has nothing to wait for.
        else if (before) this.#update.set(() => this.#reload());
      },
      { signal: this.#signal },
    );
  }

  /** Handles the person's request for the new version. */
  #takeOver(): void {
    this.#asked = true;
    // The old version may still have work to end; the person should see a reaction meanwhile.
    this.#after(SWITCH_WITHIN_MS, () => {
      leaveMark();
      this.#reload();
      // The page is still here because of unsaved words: ask the person who chose to stay again.
      this.#asked = false;
    });
    const nudge = () => {
      this.#workbox.messageSkipWaiting();
      this.#after(NUDGE_MS, () => this.#asked && nudge());
    };
    nudge();
  }

  /** Checks for a new version every hour, and on return to the tab. */
  #checkRegularly(): void {
    if (this.#signal.aborted) return;
    const check = () => {
      if (navigator.onLine)
        ignore(this.#workbox.update(), 'a check for a new version; the next one finds it');
    };
    const timer = setInterval(check, CHECK_EVERY_MS);
    this.#signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && check(), {
      signal: this.#signal,
    });
  }
}

/** Key in the tab's session storage: the page was reloaded before the new version had taken over. */
const MARK = 'recollect.new-version-asked';

function leaveMark(): void {
  try {
    sessionStorage.setItem(MARK, String(Date.now()));
  } catch (error) {
    // Without it, the notice is shown again after the reload and the person can repeat the request.
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

/** Resolves with undefined if the browser does not answer or a private mode refuses. */
const known = <T>(answer: Promise<T> | undefined, what: string): Promise<T | undefined> | undefined =>
  answer && orElse(answer, undefined, what);

async function modelBytes(): Promise<number> {
  if (!('caches' in globalThis)) return 0;
  try {
    const cache = await caches.open(MODEL_CACHE);
    let bytes = 0;
    for (const request of await cache.keys()) {
      const response = await cache.match(request, { ignoreVary: true });
      // Compressed responses do not give their length; the cached body does, without being read.
      bytes += Number(response?.headers.get('content-length') ?? (await response?.blob())?.size ?? 0);
    }
    return bytes;
  } catch (error) {
    log.debug('Some private modes refuse caches; nothing is kept there then', error);
    return 0;
  }
}

/**
 * Stores files for offline use: through the service worker, or from this page while no worker controls it. Fetches no
 * file twice and gives up quietly offline; the next start tries again. True if all were stored already.
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
    // Reading it to the end lets the service worker finish its copy; the bytes of a blob stay outside the page.
    if (held) await response.blob();
    else await cache.put(url, response);
  }
  return already;
}

/** Free bytes that are needed before storing files that may never be used. */
const AMPLE = 1_000_000_000;

/** True if optional files may be fetched: there is ample room, and the browser was not asked to save data. */
export async function mayKeepMore(): Promise<boolean> {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } };
  if (connection?.saveData === true) return false;
  const { quota = 0, usage = 0 } = (await navigator.storage?.estimate?.()) ?? {};
  return quota - usage >= AMPLE;
}

/**
 * Deletes cached files below `folder` that are not in `known` (paths of this origin): they belong to an earlier
 * version.
 */
export async function letGoOfOthers(folder: string, known: ReadonlySet<string>): Promise<void> {
  if (!('caches' in globalThis)) return;
  const cache = await caches.open(MODEL_CACHE);
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith(folder) && !known.has(pathname))
      await cache.delete(request, { ignoreVary: true });
  }
}
