// Shows all long work in one place: imports, exports, reading, vectors, models, with
// counts, rate, time left, pause and cancel.
import { Activity as ActivityIcon, Check, CircleSlash, Pause, Play, TriangleAlert, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useApp } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useReading } from '../hooks/reading.ts';
import { formatBytes, formatDuration, formatNumber, formatPercent } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, IconButton, Popover, Progress } from '../shell/controls.tsx';
import { useProblemWords } from '../shell/problem-notice.tsx';
import { type ActivityRow, overallShare, useActivityRows } from './activity-rows.ts';

/** Shows that work is going on and opens the list. Hidden while there is nothing to report. */
export function ActivityButton() {
  const { t } = useTranslation('library');
  const app = useApp();
  const navigation = useNavigation();
  const rows = useActivityRows();
  const { setPaused } = useReading();
  const [open, setOpen] = useState(false);
  const running = rows.filter((row) => row.state === 'running');
  const failed = rows.some((row) => row.needsAttention);
  const announcement = useAnnouncement(rows);
  const label =
    running.length > 0 ? t('activity.openRunning', { count: running.length }) : t('activity.open');
  const share = overallShare(running);
  return (
    <>
      <span role="status" className="sr-only">
        {announcement}
      </span>
      <Popover
        open={open}
        onOpenChange={setOpen}
        label={t('activity.title')}
        side="top"
        align="end"
        className="w-92 p-0!"
        trigger={
          <button
            type="button"
            aria-label={label}
            title={label}
            className={classes(
              'touchable relative inline-flex size-7 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-fill hover:text-ink aria-expanded:bg-fill',
              rows.length === 0 && !open && 'opacity-60',
            )}
          >
            {running.length > 0 ? (
              <Ring share={share} />
            ) : failed ? (
              <TriangleAlert size={15} aria-hidden className="text-danger" />
            ) : (
              <ActivityIcon size={15} aria-hidden />
            )}
          </button>
        }
      >
        <header className="flex items-center border-b px-4 py-2.5">
          <h2 className="flex-1 font-semibold">{t('activity.title')}</h2>
          <button
            type="button"
            className="touchable rounded-xs text-accent text-xs hover:underline"
            onClick={() => {
              setOpen(false);
              navigation.openScreen('memory', 'index');
            }}
          >
            {t('activity.memory')}
          </button>
        </header>
        {rows.length === 0 ? (
          <div className="px-4 py-6 text-center">
            <p>{t('activity.none')}</p>
            <p className="mt-0.5 text-ink-3 text-xs">{t('activity.noneText')}</p>
          </div>
        ) : (
          <ul className="max-h-96 divide-y divide-line overflow-y-auto">
            {rows.map((row) => (
              <ActivityRowView
                key={row.id}
                row={row}
                onPause={setPaused}
                onCancel={() => app.library.cancel(row.id)}
                onDismiss={() => app.library.dismiss(row.id)}
              />
            ))}
          </ul>
        )}
      </Popover>
    </>
  );
}

/** Announces to screen readers when a piece of work ends. */
function useAnnouncement(rows: readonly ActivityRow[]): string {
  const { t } = useTranslation('library');
  const before = useRef(new Map<string, ActivityRow['state']>());
  const [words, setWords] = useState('');
  useEffect(() => {
    for (const row of rows) {
      if (before.current.get(row.id) !== 'running') continue;
      const label = t(`activity.label.${row.label}`);
      if (row.state === 'finished') setWords(t('activity.announceDone', { label }));
      if (row.state === 'failed') setWords(t('activity.announceFailed', { label }));
    }
    before.current = new Map(rows.map((row) => [row.id, row.state]));
  }, [rows, t]);
  return words;
}

function ActivityRowView({
  row,
  onPause,
  onCancel,
  onDismiss,
}: {
  row: ActivityRow;
  onPause: (paused: boolean) => void;
  onCancel: () => void;
  onDismiss: () => void;
}) {
  const { t } = useTranslation('library');
  const words = useProblemWords();
  const label =
    row.name === null
      ? t(`activity.label.${row.label}`)
      : t(`activity.labelNamed.${row.label}`, { name: row.name });
  const amount = (value: number) => (row.unit === 'bytes' ? formatBytes(value) : formatNumber(value));
  const left = row.left ?? (row.total > 0 ? row.total - row.done : 0);
  const going = row.state === 'running' || row.state === 'paused';
  const facts = [
    row.state === 'running' ? '' : t(`activity.state.${row.state}`),
    row.left !== null
      ? t('activity.waiting', { count: row.left })
      : row.unit === 'share'
        ? going && row.total > 0
          ? formatPercent(row.done / row.total)
          : ''
        : row.total > 0
          ? t('activity.of', { done: amount(row.done), total: amount(row.total) })
          : row.done > 0
            ? amount(row.done)
            : '',
    row.state === 'running' && row.rate > 0 && row.unit !== 'share'
      ? t('activity.rate', {
          rate:
            row.unit === 'bytes'
              ? formatBytes(row.rate)
              : formatNumber(row.rate, { maximumFractionDigits: row.rate < 10 ? 1 : 0 }),
        })
      : '',
    row.state === 'running' && row.rate > 0 && left > 0
      ? t('activity.left', { time: formatDuration((left / row.rate) * 1000) })
      : '',
  ].filter(Boolean);
  return (
    <li className="px-4 py-3">
      <div className="flex items-center gap-2">
        <StateIcon state={row.state} />
        <span className="min-w-0 flex-1 truncate">{label}</span>
        {row.can === 'pause' && (
          <IconButton
            size="sm"
            label={row.state === 'paused' ? t('activity.resume') : t('activity.pause')}
            icon={row.state === 'paused' ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
            onClick={() => onPause(row.state !== 'paused')}
          />
        )}
        {row.can === 'cancel' && (
          <IconButton
            size="sm"
            label={t('activity.cancel')}
            icon={<X size={15} aria-hidden />}
            onClick={onCancel}
          />
        )}
        {row.can === 'dismiss' && (
          <IconButton
            size="sm"
            label={t('activity.dismiss')}
            icon={<X size={15} aria-hidden />}
            onClick={onDismiss}
          />
        )}
      </div>
      {going && (
        <div className="mt-1.5">
          <Progress value={row.total > 0 ? row.done / row.total : null} label={label} />
        </div>
      )}
      {facts.length > 0 && <p className="mt-1.5 text-ink-3 text-xs tabular-nums">{facts.join(' · ')}</p>}
      {row.problem && (
        <p className="mt-1 text-danger text-xs">
          {words(row.problem).what} <span className="text-ink-2">{words(row.problem).todo}</span>
        </p>
      )}
    </li>
  );
}

function StateIcon({ state }: { state: ActivityRow['state'] }) {
  const size = 15;
  switch (state) {
    case 'finished':
      return <Check size={size} aria-hidden className="shrink-0 text-ok" />;
    case 'failed':
      return <TriangleAlert size={size} aria-hidden className="shrink-0 text-danger" />;
    case 'cancelled':
      return <CircleSlash size={size} aria-hidden className="shrink-0 text-ink-3" />;
    default:
      return null;
  }
}

/** Ring with the overall progress; spins while that is unknown. */
function Ring({ share }: { share: number | null }) {
  const around = 2 * Math.PI * 6;
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={classes('size-4 -rotate-90 text-accent', share === null && 'animate-spin')}
    >
      <circle cx="8" cy="8" r="6" fill="none" stroke="var(--press)" strokeWidth="2.5" />
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeDasharray={`${(share ?? 0.25) * around} ${around}`}
      />
    </svg>
  );
}
