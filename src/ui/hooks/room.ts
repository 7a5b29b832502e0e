// How much of the allowed size is taken, measured again as the library grows.
import { useEffect, useState } from 'react';
import { ignore } from '../../domain/base/log.ts';
import type { StorageSpace } from '../../services/library/storage-space.ts';
import { useApp, useReadable } from './app.tsx';

/** After the start, and after a change: the measuring gives way to what a person is doing, ms. */
const SETTLED_MS = 3000;
/** Conversations grow without becoming more: measured again this often, ms. */
const AGAIN_MS = 300_000;

/** Null until it was measured. */
export function useRoom(): StorageSpace | null {
  const { library, documents, settings } = useApp();
  const limit = useReadable(settings.config, (config) => config.storage.max_size_mb);
  const conversations = useReadable(documents.library, ({ entries }) => entries.length);
  const ended = useReadable(
    library.activities,
    (all) => all.filter(({ state }) => state !== 'running' && state !== 'paused').length,
  );
  const [room, setRoom] = useState<StorageSpace | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: these say that there is something to measure
  useEffect(() => {
    let gone = false;
    const measure = () => {
      // Nobody is warned on a guess; what cannot be written says so itself.
      ignore(
        library.room().then((now) => {
          if (!gone) setRoom(now);
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
  return room;
}
