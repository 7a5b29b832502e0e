// Opens the store that this browser offers: a persistent one, or if it refuses, one that lives as long as the tab.
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import type { Store } from './conversation-log.ts';
import { createInMemoryStore } from './in-memory.ts';
import { type IndexedDbOptions, openIndexedDbStore } from './indexed-db.ts';
import { withCopy } from './recovering.ts';

/** Name of the log's database, and of its second copy. */
export const LOG_NAME = 'recollect';

/**
 * Opens the persistent store with its second copy; in memory only if the browser gives this site no storage (`kind`
 * says so, `onProblem` gets the problem).
 * @throws all other failures (`newer-log`, `storage-held` …): an empty library would hide conversations
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
          // This problem waits until the copy was read, which shows if anything is lost.
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
