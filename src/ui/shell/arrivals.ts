// Handles what the system hands to the installed app: shared text and links, opened files, its own shortcuts.
import { useEffect, useEffectEvent } from 'react';
import { toast } from 'sonner';
import { launchedFiles } from '../../adapters/browser/launched-files.ts';
import { takeSharedFiles } from '../../adapters/browser/shared-files.ts';
import { fileOf } from '../../adapters/importers/source-file.ts';
import { ignore } from '../../domain/base/log.ts';
import { SHARED_FIELDS, sharedWords } from '../../domain/chat/shared-words.ts';
import { useApp } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';

const OPEN = 'open';

/** Draws nothing. */
export function Arrivals(): null {
  const session = useSession();
  const { lock } = useApp();
  const { t } = useTranslation('shell');
  const sayLost = useEffectEvent(() => toast.error(t('sharedLost')));
  useEffect(() => {
    const { search, pathname, hash } = location;
    const rest = new URLSearchParams(search);
    const words = sharedWords((name) => rest.get(name));
    const opens = rest.get(OPEN);
    for (const name of [...SHARED_FIELDS, OPEN]) rest.delete(name);
    // Otherwise a reload would insert it again.
    if (words || opens !== null)
      history.replaceState(history.state, '', `${pathname}${rest.size > 0 ? `?${rest}` : ''}${hash}`);
    if (opens === 'search') session.floating.set('palette');
    // Kept until a composer exists, which then inserts them.
    const insert = async (words: string) => {
      const composer = session.composer.get();
      composer?.insert(words);
      return (await composer?.keep()) ?? false;
    };
    const take = () => {
      if (!session.composer.get()) return false;
      ignore(
        (async () => {
          if (words) await insert(words);
          await lock.takeShared(insert);
          if (opens !== 'files') return;
          const files = await takeSharedFiles();
          if (files.length > 0) session.composer.get()?.addFiles(files);
          else sayLost();
        })(),
        'words that were shared; they wait for the next start',
      );
      return true;
    };
    if (take()) return;
    const stop = session.composer.subscribe(() => {
      if (take()) stop();
    });
    return stop;
  }, [session, lock]);

  useEffect(() => {
    const launched = launchedFiles();
    const take = () => {
      const files = launched.get();
      if (files.length === 0) return;
      launched.set([]);
      const read = Promise.all(files.map(async (handle) => fileOf(await handle.getFile())));
      ignore(read, 'files that could not be opened: the import dialog says so');
      session.dropped.set(read);
      session.floating.set('import');
    };
    take();
    return launched.subscribe(take);
  }, [session]);
  return null;
}
