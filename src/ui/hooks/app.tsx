// Passes the tab's services down through React, with one hook that watches anything that changes.
import { createContext, type ReactNode, useCallback, useContext, useRef, useSyncExternalStore } from 'react';
import type { Readable } from '../../domain/base/readable.ts';
import type { App } from '../../services/app.ts';

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

/** Current value of a readable; renders again when it changes. With `select`, only when the selected value changes (by `Object.is`). */
export function useReadable<T>(readable: Readable<T>): T;
export function useReadable<T, S>(readable: Readable<T>, select: (value: T) => S): S;
export function useReadable<T, S>(readable: Readable<T>, select?: (value: T) => S): T | S {
  const seen = useRef<{ from: T; by: unknown; to: T | S } | null>(null);
  const subscribe = useCallback((listener: () => void) => readable.subscribe(listener), [readable]);
  return useSyncExternalStore(subscribe, () => {
    const from = readable.get();
    const last = seen.current;
    if (last && Object.is(last.from, from) && last.by === select) return last.to;
    const to = select ? select(from) : from;
    seen.current = { from, by: select, to };
    return to;
  });
}

/**
 * How far memory has started: questions asked earlier are asked again at the next step. `meaning`: the embedding model has loaded once.
 */
export function useAwake(): 'starting' | 'words' | 'meaning' {
  const { status } = useApp().memory;
  // A model that unloads again is no reason to ask, which would load it.
  const loaded = useRef(false);
  return useReadable(status, ({ state, embedding }) => {
    loaded.current ||= embedding.status === 'ready';
    if (state === 'starting') return 'starting';
    return loaded.current ? 'meaning' : 'words';
  });
}
