// One line at the bottom left: whether everything is saved, and where else it is. It never claims more than is known.
import { TriangleAlert } from 'lucide-react';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { syncLine } from '../sync/status-words.ts';
import { useSyncStatus, useWhereabouts } from '../sync/use-sync.ts';
import { classes } from './controls.tsx';

export function StatusLine({ onOpened }: { onOpened: () => void }) {
  const app = useApp();
  const { t } = useTranslation(['shell', 'sync']);
  const navigation = useNavigation();
  const saving = useReadable(app.documents.saving);
  const online = useReadable(app.device.online);
  const behind = useReadable(app.memory.status, (status) => Math.max(status.unread, status.waiting));
  const sync = useSyncStatus();
  const where = useWhereabouts(useReadable(useSession().current));
  const isPrivate = useReadable(app.device.isPrivate);
  const broken = useReadable(app.memory.status, (status) => status.state === 'failed');

  const line = syncLine(sync, where, online);
  // Unsynced changes come before anything else; place and index progress stand side by side.
  const urgent = line !== null && (line.tone !== 'ok' || sync.waiting > 0);
  const said = line && wordsFor('sync', `line.${line.key}`, line.values);

  const [tone, words, section] = ((): ['danger' | 'ok' | 'busy' | 'plain', string, ('storage' | 'sync')?] => {
    if (saving.state === 'failed')
      return [
        'danger',
        t(saving.problem.code === 'storage-full' ? 'status.notSavedFull' : 'status.notSaved'),
      ];
    if (app.storageKind === 'memory') return ['danger', t('status.fleeting')];
    if (saving.state === 'saving') return ['busy', t('status.saving')];
    if (line && said && urgent) return [line.tone, said, 'sync'];
    if (!online) return ['plain', t('status.offline')];
    if (broken) return ['ok', t('status.savedNoIndex')];
    if (line && said)
      return [line.tone, behind > 0 ? `${said} · ${t('status.behind', { count: behind })}` : said, 'sync'];
    // Kept only on this device, and lost when the browser window closes.
    if (isPrivate) return ['plain', t('status.savedPrivate')];
    if (behind > 0) return ['ok', t('status.savedBehind', { count: behind })];
    return ['ok', t('status.saved')];
  })();

  return (
    <button
      type="button"
      onClick={() => {
        navigation.openScreen('settings', section ?? 'storage');
        onOpened();
      }}
      className={classes(
        'touchable flex min-h-7 min-w-0 flex-1 items-center gap-2 rounded-sm px-2 py-1 text-left text-xs hover:bg-fill',
        tone === 'danger' ? 'text-danger' : 'text-ink-3',
      )}
    >
      {tone === 'danger' ? (
        <TriangleAlert size={13} aria-hidden className="shrink-0" />
      ) : (
        <span
          aria-hidden
          className={classes(
            'mx-1 size-2 shrink-0 rounded-full',
            tone === 'ok' && 'bg-ok-strong',
            tone === 'busy' && 'animate-pulse bg-ink-3',
            tone === 'plain' && 'border-2 border-ink-3',
          )}
        />
      )}
      <span role="status" className="min-w-0 leading-4">
        {words}
      </span>
    </button>
  );
}
