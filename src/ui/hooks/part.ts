// Loads parts of the interface ahead, with all words, and draws them at once: React delays lazily
// loaded components by a third of a second.
import { useEffect, useState } from 'react';
import { loadPart } from '../../domain/base/part.ts';
import { writable } from '../../domain/base/readable.ts';
import { allWords } from '../i18n/index.ts';
import { useReadable } from './app.tsx';

/**
 * Makes a part from `bring`. `load` throws `part-missing`; `use` gives null while it loads, and if it cannot be loaded,
 * the boundary around the component reports that.
 */
export function createPart<Loaded>(bring: () => Promise<Loaded>) {
  const there = writable<{ readonly loaded: Loaded } | null>(null);
  const load = async (): Promise<void> => {
    if (there.get() !== null) return;
    const [loaded] = await loadPart(() => Promise.all([bring(), allWords()]));
    there.set({ loaded });
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
