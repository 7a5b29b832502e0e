// One quiet strip above the page: a new version waits, or there is no network.
import { CloudOff, RefreshCw, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApp, useReadable } from '../hooks/app.tsx';
import { Button, IconButton } from './controls.tsx';
import { ProblemNotice } from './problem-notice.tsx';

/** A new version is offered, never forced: an answer that streams is not cut. */
export function UpdateNotice() {
  const app = useApp();
  const { t } = useTranslation('shell');
  const update = useReadable(app.device.update);
  const [later, setLater] = useState(false);
  if (!update || later) return null;
  return (
    <div
      role="status"
      className="flex shrink-0 items-center gap-2 border-b bg-accent-soft py-1 pr-2 pl-4 text-sm"
    >
      <RefreshCw size={15} aria-hidden className="text-accent" />
      <span className="min-w-0 flex-1">{t('updateWaits')}</span>
      <Button size="sm" variant="primary" onClick={update}>
        {t('updateNow')}
      </Button>
      <IconButton
        size="sm"
        label={t('later')}
        icon={<X size={15} aria-hidden />}
        onClick={() => setLater(true)}
      />
    </div>
  );
}

/** What a person must know of their data stays until they have read it. */
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

/** Beside the title while there is no network. */
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
