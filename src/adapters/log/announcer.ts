// Tells listeners that something changed. A listener that throws harms neither the others nor the write that is already on disk.
import { log } from '../../domain/base/log.ts';

interface Announcer<Change> {
  notify(change: Change): void;
  /** Returns how to stop. */
  subscribe(listener: (change: Change) => void): () => void;
}

/** Tells every listener of a change; one that throws is logged and keeps no other from hearing it. */
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
