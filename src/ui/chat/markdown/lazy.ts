// A module that is loaded when first needed. Until then, and if it cannot be
// loaded, the text stays readable without it.
import { useEffect, useSyncExternalStore } from 'react';
import { ignore, log } from '../../../domain/base/log.ts';

interface Lazy<T> {
  readonly subscribe: (notify: () => void) => () => void;
  /** The module once it is there. */
  readonly get: () => T | undefined;
  /** Loads it unless that was done; a failure is reported and tried again with the next request. */
  readonly request: () => Promise<void>;
}

/** Makes a module that is loaded at its first request. Fits `useSyncExternalStore`. */
export function createLazy<T>(load: () => Promise<T>): Lazy<T> {
  let value: T | undefined;
  let loading: Promise<void> | undefined;
  const listeners = new Set<() => void>();
  return {
    subscribe(notify) {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    get: () => value,
    request() {
      loading ??= load().then(
        (module) => {
          value = module;
          for (const notify of listeners) notify();
        },
        (error: unknown) => {
          // Offline before it was ever loaded.
          loading = undefined;
          log.warn('A part of the Markdown renderer could not be loaded', error);
        },
      );
      return loading;
    },
  };
}

/** The module, or undefined until it is there; asks for it if `wanted`. */
export function useLazy<T>(lazy: Lazy<T>, wanted: boolean): T | undefined {
  const module = useSyncExternalStore(lazy.subscribe, lazy.get);
  useEffect(() => {
    if (wanted) ignore(lazy.request(), 'it reports its own failure');
  }, [lazy, wanted]);
  return wanted ? module : undefined;
}
