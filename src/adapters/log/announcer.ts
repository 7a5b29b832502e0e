// Notifies listeners of changes. A listener that throws affects neither the others nor
// the write, which is on disk already.
import { log } from '../../domain/base/log.ts';

interface Announcer<Change> {
  notify(change: Change): void;
  /** Returns how to stop. */
  subscribe(listener: (change: Change) => void): () => void;
}

/** Makes the announcer. An error of a listener is logged, and the others are still called. */
export function createAnnouncer<Change>(): Announcer<Change> {
  const listeners = new Set<(change: Change) => void>();
  return {
    notify: (change) => {
      for (const listener of [...listeners])
        try {
          listener(change);
        } catch (error) {
          log.error('A listener of the log failed', error);
        }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
