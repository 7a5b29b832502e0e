// Diagnostics log of this tab and its workers, to read and copy when something goes wrong.
import { Copy } from 'lucide-react';
import { useState } from 'react';
import { type LogLine, log, logAsText } from '../../domain/base/log.ts';
import { useReadable } from '../hooks/app.tsx';
import { formatExact } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, Dialog } from '../shell/controls.tsx';
import { useCopy } from '../shell/problem-notice.tsx';
import { Group, Row } from './rows.tsx';

const TONES: Record<LogLine['level'], string> = {
  debug: 'text-ink-3',
  info: 'text-ink-3',
  warn: 'text-ink-2',
  error: 'text-danger',
};

export function DiagnosticsGroup({ version }: { version: string }) {
  const { t } = useTranslation('settings');
  const [open, setOpen] = useState(false);
  return (
    <Group title={t('diagnostics.title')}>
      <Row label={t('diagnostics.log')} help={t('diagnostics.text')}>
        <Button size="sm" onClick={() => setOpen(true)}>
          {t('diagnostics.view')}
        </Button>
      </Row>
      <DiagnosticsDialog open={open} onOpenChange={setOpen} version={version} />
    </Group>
  );
}

function DiagnosticsDialog({
  open,
  onOpenChange,
  version,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  version: string;
}) {
  const { t } = useTranslation('settings');
  const entries = useReadable(log);
  const [copy, copied] = useCopy();
  const text = () =>
    [`Recollect ${version}`, navigator.userAgent, new Date().toISOString(), logAsText(entries)].join('\n');
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      size="lg"
      title={t('diagnostics.log')}
      description={t('diagnostics.text')}
      footer={
        entries.length > 0 && (
          <Button icon={<Copy size={15} aria-hidden />} onClick={() => copy(text())}>
            <span aria-live="polite">{t(copied ? 'diagnostics.copied' : 'diagnostics.copy')}</span>
          </Button>
        )
      }
    >
      {entries.length === 0 ? (
        <p className="text-ink-3">{t('diagnostics.empty')}</p>
      ) : (
        <ol className="divide-y divide-line">
          {entries.toReversed().map((entry) => (
            <Entry key={`${entry.level} ${entry.thread} ${entry.message} ${entry.error}`} entry={entry} />
          ))}
        </ol>
      )}
    </Dialog>
  );
}

function Entry({ entry: { level, thread, message, error, at, count } }: { entry: LogLine }) {
  const { t } = useTranslation('settings');
  return (
    <li className="py-2">
      <div className="flex flex-wrap gap-x-3 text-ink-3 text-xs">
        <span className={classes('font-medium', TONES[level])}>{t(`diagnostics.level.${level}`)}</span>
        <span>{thread || 'page'}</span>
        <time dateTime={new Date(at).toISOString()}>{formatExact(at)}</time>
        {count > 1 && <span>{t('diagnostics.times', { count })}</span>}
      </div>
      {/* The log is in English so that helpers can read it. */}
      <p lang="en" className="mt-0.5 [overflow-wrap:anywhere]">
        {message}
      </p>
      {error && (
        <p lang="en" className="mt-0.5 font-mono text-ink-3 text-xs [overflow-wrap:anywhere]">
          {error}
        </p>
      )}
    </li>
  );
}
