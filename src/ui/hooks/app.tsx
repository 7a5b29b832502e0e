// Passes the tab's services down through React, with one hook that watches anything that changes.
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Readable } from '../../domain/base/readable.ts';
import type { App } from '../../services/app.ts';
import type { MemoryStatus } from '../../services/memory/memory.ts';

const AppContext = createContext<App | null>(null);

export function AppProvider({ app, children }: { app: App; children: ReactNode }) {
  return <AppContext value={app}>{children}</AppContext>;
}

/** The services. Throws outside of `AppProvider`, which can only be a programming error. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp needs an <AppProvider> above it');
  return app;
}

/**
 * Current value of a readable; renders again when it changes. With `select`, only when the
 * selected value changes (by `Object.is`).
 */
export function useReadable<T>(readable: Readable<T>): T;
export function useReadable<T, S>(readable: Readable<T>, select: (value: T) => S): S;
export function useReadable<T, S>(readable: Readable<T>, select?: (value: T) => S): T | S {
  const subscribe = useCallback((listener: () => void) => readable.subscribe(listener), [readable]);
  const get = useMemo((): (() => T | S) => {
    if (!select) return () => readable.get();
    // One value selects once, so that what is selected keeps its identity; a
    // thrown-away render takes this memory along.
    let last: { readonly from: T; readonly to: S } | undefined;
    return () => {
      const from = readable.get();
      if (!last || !Object.is(last.from, from)) last = { from, to: select(from) };
      return last.to;
    };
  }, [readable, select]);
  return useSyncExternalStore(subscribe, get);
}

const isStartingIn = ({ state }: MemoryStatus): boolean => state === 'starting';
const isReadyIn = ({ embedding }: MemoryStatus): boolean => embedding.status === 'ready';

/**
 * How far memory has started: questions asked earlier are asked again at the next step. `meaning`:
 * the embedding model has loaded once.
 */
export function useAwake(): 'starting' | 'words' | 'meaning' {
  const { status } = useApp().memory;
  const isStarting = useReadable(status, isStartingIn);
  const isReady = useReadable(status, isReadyIn);
  // A model that unloads again is no reason to ask, which would load it.
  const [hasLoaded, setHasLoaded] = useState(isReady);
  if (isReady && !hasLoaded) setHasLoaded(true);
  if (isStarting) return 'starting';
  return hasLoaded ? 'meaning' : 'words';
}
