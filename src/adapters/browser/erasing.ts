// Deletes everything that this device stores. A mark in localStorage requests it and the next start does it
// before anything is opened, so an interrupted start continues. Every tab reloads first, since data held
// open by another tab cannot be deleted.
import { z } from 'zod';
import { onceReleased } from '../../domain/base/held-file.ts';
import { log } from '../../domain/base/log.ts';
import { joinNews, postNews } from '../../domain/threads/news.ts';
import { exclusively } from './locks.ts';

const MARK = 'recollect.erase';
const CHANNEL = 'recollect:erase';

/** The parts in use of https://wicg.github.io/storage-buckets, for which there are no types yet. */
interface StorageBuckets {
  keys(): Promise<readonly string[]>;
  delete(name: string): Promise<void>;
}
/** Adds listing of directories, which the types lack. */
type Listed = FileSystemDirectoryHandle & { keys(): AsyncIterable<string> };

/**
 * Makes every tab reload, this one too; the first to start deletes. Throws if the browser refuses localStorage, since
 * it stores nothing then.
 */
export function eraseDevice(): void {
  localStorage.setItem(MARK, 'yes');
  const channel = new BroadcastChannel(CHANNEL);
  postNews(channel, null);
  channel.close();
  location.replace('/');
}

/** Reloads this tab when another tab requests to delete everything. */
export function startAnewWhenErased(signal: AbortSignal): void {
  joinNews(new BroadcastChannel(CHANNEL), z.null(), () => location.replace('/'), signal);
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
  // Collects all names first: a list that changes while it is read may skip entries.
  const names: string[] = [];
  for await (const name of root.keys()) names.push(name);
  for (const name of names) await onceReleased(() => root.removeEntry(name, { recursive: true }));
}

async function deleteCaches(): Promise<void> {
  for (const name of await caches.keys()) await caches.delete(name);
}

/** Removes the service worker with its notifications, and the badge of the installed app. */
async function deleteWorkers(): Promise<void> {
  const { serviceWorker, clearAppBadge } = navigator as Partial<Navigator>;
  for (const registration of (await serviceWorker?.getRegistrations()) ?? []) {
    for (const notice of await registration.getNotifications()) notice.close();
    await registration.unregister();
  }
  await clearAppBadge?.call(navigator);
}

/**
 * Deletes databases, files, caches, the service worker and the state for the first paint, after tabs have closed
 * them. Rejects with the browser's error if some could not be deleted; the mark then stays for another try.
 */
export const deleteEverything = (): Promise<void> =>
  exclusively(CHANNEL, async () => {
    // Another tab has already done it.
    if (!isEraseAsked()) return;
    const parts = [deleteDatabases, deleteBuckets, deleteFiles, deleteCaches, deleteWorkers];
    const results = await Promise.allSettled(parts.map((part) => part()));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    sessionStorage.clear();
    localStorage.clear();
  });
