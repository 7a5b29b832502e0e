// Measures how much of the allowed size is used, again as the library grows.
import { useEffect, useState } from 'react';
import { ignore } from '../../domain/base/log.ts';
import type { StorageSpace } from '../../services/library/storage-space.ts';
import { useApp, useReadable } from './app.tsx';

/** Delay after the start and after a change, ms, so that measuring does not slow the person's work. */
const SETTLED_MS = 3000;
/** Interval for measuring again, ms: conversations grow without becoming more. */
const AGAIN_MS = 300_000;

/** Null until measured. */
export function useStorageSpace(): StorageSpace | null {
  const { library, documents, settings } = useApp();
  const limit = useReadable(settings.config, (config) => config.storage.max_size_mb);
  const conversations = useReadable(documents.library, ({ entries }) => entries.length);
  const ended = useReadable(
    library.activities,
    (all) => all.filter(({ state }) => state !== 'running' && state !== 'paused').length,
  );
  const [space, setSpace] = useState<StorageSpace | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of these means something to measure
  useEffect(() => {
    let gone = false;
    const measure = () => {
      // Without figures there is no warning; a failed write reports itself.
      ignore(
        library.storageSpace().then((now) => {
          if (!gone) setSpace(now);
        }),
        'how much room is left',
      );
    };
    const soon = setTimeout(measure, SETTLED_MS);
    const again = setInterval(measure, AGAIN_MS);
    return () => {
      gone = true;
      clearTimeout(soon);
      clearInterval(again);
    };
  }, [library, limit, conversations, ended]);
  return space;
}
