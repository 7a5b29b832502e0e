// The store this browser can give: one that lasts, or where it refuses, one that lives as long as the tab.
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import type { Store } from './conversation-log.ts';
import { createInMemoryStore } from './in-memory.ts';
import { type IndexedDbOptions, openIndexedDbStore } from './indexed-db.ts';
import { withCopy } from './recovering.ts';

/** Name of the log's database, and of its second copy. */
export const LOG_NAME = 'recollect';

/**
 * Opens the persistent store, with its second copy behind it; falls back to memory only where the browser gives this site no storage at all
 * (`kind` says so, and `onProblem` hears why). Every other failure (`newer-log`, `storage-held`, `storage-full`, `storage-failed`) is thrown:
 * behind it a person's conversations may be waiting, and an empty library in memory would hide them.
 */
export async function openStore(options: IndexedDbOptions = {}): Promise<Store> {
  const { name = LOG_NAME, onProblem } = options;
  let isOpen = false;
  let lost: Problem | undefined;
  try {
    const { store, restored } = await withCopy(
      name,
      await openIndexedDbStore({
        ...options,
        name,
        onProblem: (problem) => {
          // Whether it is lost is known once the copy was looked at: who reads the key-value store then tells of it.
          if (problem.code !== 'storage-lost' || isOpen) onProblem?.(problem);
          else lost = problem;
        },
      }),
    );
    isOpen = true;
    if (lost && restored === 0) onProblem?.(lost);
    return store;
  } catch (error) {
    if (error instanceof RecollectError && error.problem.code === 'storage-unavailable') {
      options.onProblem?.(error.problem);
      return createInMemoryStore(options.now ? { now: options.now } : {});
    }
    throw error;
  }
}
