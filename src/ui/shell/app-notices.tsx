// A quiet strip above the page: a new version is ready, storage is nearly full, or there is no network.
import { CloudOff, HardDrive, RefreshCw, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ignore, orElse } from '../../domain/base/log.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useStorageSpace } from '../hooks/storage-space.ts';
import { formatBytes, formatPercent } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, IconButton } from './controls.tsx';
import { ProblemNotice } from './problem-notice.tsx';

/** Text and button of a strip, stacked on narrow screens or with large text. */
const STRIP_WORDS = 'flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1';

/** Offers a new version but never forces it, so that no running answer is cut off. */
export function UpdateNotice() {
  const app = useApp();
  const { t } = useTranslation('shell');
  const update = useReadable(app.device.update);
  /** The update that the person postponed; a later one, or one that another tab installed, is announced again. */
  const [later, setLater] = useState<{ readonly update: typeof update }>({ update: null });
  if (!update || later.update === update) return null;
  return (
    <div
      role="status"
      className="flex shrink-0 items-center gap-2 border-b bg-accent-soft py-1 pr-2 pl-4 text-sm"
    >
      <RefreshCw size={15} aria-hidden className="shrink-0 text-accent" />
      <div className={STRIP_WORDS}>
        <span className="min-w-[min(10rem,100%)] flex-1">{t('updateWaits')}</span>
        <Button size="sm" variant="primary" onClick={update}>
          {t('updateNow')}
        </Button>
      </div>
      <IconButton
        size="sm"
        label={t('later')}
        icon={<X size={15} aria-hidden />}
        onClick={() => setLater({ update })}
      />
    </div>
  );
}

/** Stores which storage warning was dismissed. */
const SPACE_NOTIFIED = 'room-told';

/** Warns once when the allowed size is nearly used and once when it is full, until dismissed. */
export function StorageNotice() {
  const app = useApp();
  const { t } = useTranslation('shell');
  const navigation = useNavigation();
  const space = useStorageSpace();
  const [notified, setNotified] = useState<unknown>(undefined);
  useEffect(() => {
    void orElse(
      app.settings.recallItem(SPACE_NOTIFIED),
      undefined,
      'which storage warning was dismissed; it is shown again',
    ).then((kept) => setNotified(kept ?? null));
  }, [app]);
  const state = space?.state ?? null;
  const notify = (what: string | null) => {
    setNotified(what);
    ignore(
      app.settings.keepItem(SPACE_NOTIFIED, what ?? undefined),
      'a notice that was shown; it comes again after the next start',
    );
  };
  const over = state === 'free' && typeof notified === 'string';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once there is room again, the next warning counts as new
  useEffect(() => {
    if (over) notify(null);
  }, [over]);
  if (!space || state === 'free' || notified === undefined || notified === state || notified === 'full')
    return null;
  // That page shows the figures and explains them.
  const { route } = navigation;
  if (route.screen === 'settings' && route.section === 'storage') return null;
  const limit = formatBytes(space.limit);
  return (
    <div role="status" className="flex shrink-0 items-center gap-2 border-b bg-fill py-1 pr-2 pl-4 text-sm">
      <HardDrive
        size={15}
        aria-hidden
        className={classes('shrink-0', state === 'full' ? 'text-danger' : 'text-ink-2')}
      />
      <div className={STRIP_WORDS}>
        <span className="min-w-[min(15rem,100%)] flex-1">
          {state === 'full'
            ? t('space.full', { limit })
            : t('space.warn', { limit, percent: formatPercent(space.used / space.limit) })}
        </span>
        <Button size="sm" onClick={() => navigation.openScreen('settings', 'storage')}>
          {t('space.open')}
        </Button>
      </div>
      <IconButton
        size="sm"
        label={t('later')}
        icon={<X size={15} aria-hidden />}
        onClick={() => notify(state)}
      />
    </div>
  );
}

/** Alert about the person's data; stays until the person has dismissed it. */
export function DataAlert() {
  const app = useApp();
  const { t } = useTranslation('shell');
  const problem = useReadable(app.alert);
  if (!problem) return null;
  return (
    <div className="shrink-0 border-b p-3">
      <ProblemNotice
        problem={problem}
        actions={
          <Button size="sm" onClick={() => app.dismissAlert()}>
            {t('close')}
          </Button>
        }
      />
    </div>
  );
}

/** Shown beside the title while there is no network. */
export function OfflineBadge() {
  const app = useApp();
  const { t } = useTranslation('shell');
  const online = useReadable(app.device.online);
  if (online) return null;
  return (
    <span
      title={t('status.offline')}
      className="inline-flex shrink-0 items-center gap-1 rounded-sm bg-fill px-1.5 py-0.5 text-ink-2 text-xs"
    >
      <CloudOff size={13} aria-hidden />
      {t('offline')}
    </span>
  );
}
