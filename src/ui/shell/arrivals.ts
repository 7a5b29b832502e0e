// What the system hands to the installed app: words and links that were shared with it, files that are opened with it, its own shortcuts.
import { useEffect } from 'react';
import { fileOf } from '../../adapters/importers/source-file.ts';
import { ignore } from '../../domain/base/log.ts';
import { useSession } from '../hooks/session.tsx';

/** Names in the address, as the web app manifest has them (`vite.config.ts`). */
const SHARED = ['shared_title', 'shared_text', 'shared_url'] as const;
const OPEN = 'open';

interface LaunchQueue {
  setConsumer(consumer: (launch: { readonly files?: readonly FileSystemFileHandle[] }) => void): void;
}

/** What was shared, as a message begins with it: each piece once, one below the other. Empty where nothing was. */
export function sharedWords(query: string): string {
  const given = new URLSearchParams(query);
  const pieces = SHARED.map((name) => given.get(name)?.trim() ?? '').filter(Boolean);
  return pieces
    .filter(
      (piece, at) =>
        !pieces.some((other, o) => o !== at && (o < at || other !== piece) && other.includes(piece)),
    )
    .join('\n');
}

/** Draws nothing. */
export function Arrivals(): null {
  const session = useSession();
  useEffect(() => {
    const { search, pathname, hash } = location;
    const words = sharedWords(search);
    const rest = new URLSearchParams(search);
    const opens = rest.get(OPEN);
    for (const name of [...SHARED, OPEN]) rest.delete(name);
    // Loaded again, the page must not bring it once more.
    if (words || opens !== null)
      history.replaceState(history.state, '', `${pathname}${rest.size > 0 ? `?${rest}` : ''}${hash}`);
    if (opens === 'search') session.floating.set('palette');
    if (!words) return;
    const insert = () => {
      const composer = session.composer.get();
      if (!composer) return false;
      composer.insert(words);
      return true;
    };
    if (insert()) return;
    const stop = session.composer.subscribe(() => {
      if (insert()) stop();
    });
    return stop;
  }, [session]);

  useEffect(() => {
    const queue = (globalThis as { launchQueue?: LaunchQueue }).launchQueue;
    queue?.setConsumer(({ files = [] }) => {
      if (files.length === 0) return;
      const read = Promise.all(files.map(async (handle) => fileOf(await handle.getFile())));
      ignore(read, 'files that could not be opened: the import dialog says so');
      session.dropped.set(read);
      session.floating.set('import');
    });
  }, [session]);
  return null;
}
