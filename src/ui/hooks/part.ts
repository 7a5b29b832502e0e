// Parts of the interface that are loaded ahead, and drawn at once where they are there: what React loads lazily it keeps back by a third of a second.
import { useEffect, useState } from 'react';
import { part } from '../../domain/base/part.ts';
import { writable } from '../../domain/base/readable.ts';
import { useReadable } from './app.tsx';

/**
 * Makes a part of what `load` brings. `load` throws `part-missing`; `use` gives null while it is loaded, and where it cannot be, the boundary around
 * whoever uses it says so.
 */
export function createPart<Loaded>(bring: () => Promise<Loaded>) {
  const there = writable<{ readonly loaded: Loaded } | null>(null);
  const load = async (): Promise<void> => {
    if (there.get() === null) there.set({ loaded: await part(bring) });
  };
  const use = (): Loaded | null => {
    const [failure, setFailure] = useState<{ readonly error: unknown } | null>(null);
    const shown = useReadable(there);
    useEffect(() => {
      load().catch((error: unknown) => setFailure({ error }));
    }, []);
    if (failure) throw failure.error;
    return shown?.loaded ?? null;
  };
  return { load, use };
}
