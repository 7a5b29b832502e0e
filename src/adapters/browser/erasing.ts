// Deletes everything that this device keeps. It is asked for by a mark in localStorage and done at a start, before anything is opened, so a start
// that is cut off goes on with it. Every tab starts anew: what another tab holds open could not be deleted.
import { onceReleased } from '../../domain/base/held-file.ts';
import { log } from '../../domain/base/log.ts';
import { exclusively } from './locks.ts';

const MARK = 'recollect.erase';
const CHANNEL = 'recollect:erase';

/** Parts that are used of https://wicg.github.io/storage-buckets, which is typed nowhere yet. */
interface StorageBuckets {
  keys(): Promise<readonly string[]>;
  delete(name: string): Promise<void>;
}
/** Directories can be listed; the types do not know it yet. */
type Listed = FileSystemDirectoryHandle & { keys(): AsyncIterable<string> };

/** Asks every tab to start anew, this one too; the first one deletes. Throws where the browser refuses localStorage: it keeps nothing then. */
export function eraseDevice(): void {
  localStorage.setItem(MARK, 'yes');
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
  location.replace('/');
}

/** Starts this tab anew when another one was asked to delete everything. */
export function startAnewWhenErased(signal: AbortSignal): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', () => location.replace('/'));
  signal.addEventListener('abort', () => channel.close());
}

/** True if everything is to be deleted. */
export function isEraseAsked(): boolean {
  try {
    return localStorage.getItem(MARK) !== null;
  } catch (error) {
    log.debug('A browser without localStorage keeps nothing', error);
    return false;
  }
}

const deleteDatabase = (name: string): Promise<void> =>
  new Promise((resolve, reject) => {
    // If another tab has it open, this waits until that tab has reloaded.
    const deleting = indexedDB.deleteDatabase(name);
    deleting.addEventListener('success', () => resolve());
    deleting.addEventListener('error', () => reject(deleting.error));
  });

async function deleteDatabases(): Promise<void> {
  const databases = await indexedDB.databases();
  await Promise.all(databases.map(({ name }) => (name === undefined ? undefined : deleteDatabase(name))));
}

async function deleteBuckets(): Promise<void> {
  const { storageBuckets: buckets } = navigator as { readonly storageBuckets?: StorageBuckets };
  if (buckets) for (const name of await buckets.keys()) await buckets.delete(name);
}

async function deleteFiles(): Promise<void> {
  const root = (await navigator.storage?.getDirectory?.()) as Listed | undefined;
  if (!root) return;
  // All names first: a list that loses entries while it is read may pass over others.
  const names: string[] = [];
  for await (const name of root.keys()) names.push(name);
  for (const name of names) await onceReleased(() => root.removeEntry(name, { recursive: true }));
}

async function deleteCaches(): Promise<void> {
  for (const name of await caches.keys()) await caches.delete(name);
}

/** The service worker, with the notices it shows; the badge of the installed app. */
async function deleteWorkers(): Promise<void> {
  const { serviceWorker, clearAppBadge } = navigator as Partial<Navigator>;
  for (const registration of (await serviceWorker?.getRegistrations()) ?? []) {
    for (const notice of await registration.getNotifications()) notice.close();
    await registration.unregister();
  }
  await clearAppBadge?.call(navigator);
}

/**
 * Deletes databases, files, caches, the service worker and what is kept for the first paint. Waits for tabs that have something open. Rejects with
 * what the browser says when something could not be deleted; the rest is deleted, and the mark stays for another try.
 */
export const deleteEverything = (): Promise<void> =>
  exclusively(CHANNEL, async () => {
    // Another tab has done it meanwhile.
    if (!isEraseAsked()) return;
    const parts = [deleteDatabases, deleteBuckets, deleteFiles, deleteCaches, deleteWorkers];
    const results = await Promise.allSettled(parts.map((part) => part()));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    sessionStorage.clear();
    localStorage.clear();
  });
