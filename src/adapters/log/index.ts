// The store this browser can give: one that lasts, or where it refuses, one that lives as long as the tab.
import { RecollectError } from '../../domain/base/errors.ts';
import type { Store } from './conversation-log.ts';
import { createInMemoryStore } from './in-memory.ts';
import { type IndexedDbOptions, openIndexedDbStore } from './indexed-db.ts';

/**
 * Opens the persistent store; falls back to memory only where the browser gives this site no storage at all (`kind` says so, and `onProblem` hears why).
 * Every other failure (`newer-log`, `storage-held`, `storage-full`, `storage-failed`) is thrown: behind it a person's
 * conversations may be waiting, and an empty library in memory would hide them.
 */
export async function openStore(options: IndexedDbOptions = {}): Promise<Store> {
  try {
    return await openIndexedDbStore(options);
  } catch (error) {
    if (error instanceof RecollectError && error.problem.code === 'storage-unavailable') {
      options.onProblem?.(error.problem);
      return createInMemoryStore(options.now ? { now: options.now } : {});
    }
    throw error;
  }
}
