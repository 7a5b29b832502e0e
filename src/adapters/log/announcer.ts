// Tells listeners that the log changed. A listener that throws harms neither the others nor the write that is already on disk.
import type { LogChange } from './conversation-log.ts';

export interface Announcer {
  tell(change: LogChange): void;
  subscribe(listener: (change: LogChange) => void): () => void;
}

export function createAnnouncer(): Announcer {
  const listeners = new Set<(change: LogChange) => void>();
  return {
    tell: (change) => {
      for (const listener of [...listeners])
        try {
          listener(change);
        } catch (error) {
          console.error('A listener of the log failed', error);
        }
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
