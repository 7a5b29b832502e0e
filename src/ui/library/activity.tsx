// Shows all long work in one place: imports, exports, reading, vectors, models, with counts, rate, time left, pause and cancel.
import { Activity as ActivityIcon, Check, CircleSlash, Pause, Play, TriangleAlert, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useApp } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useReading } from '../hooks/reading.ts';
import { formatBytes, formatDuration, formatNumber, formatPercent } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, IconButton, Popover, Progress } from '../shell/controls.tsx';
import { useProblemWords } from '../shell/problem-notice.tsx';
import { type Line, shareOf, useLines } from './lines.ts';

/** Shows that work is going on and opens the list. Hidden while there is nothing to report. */
export function ActivityButton() {
  const { t } = useTranslation('library');
  const app = useApp();
  const navigation = useNavigation();
  const lines = useLines();
  const { setPaused } = useReading();
  const [open, setOpen] = useState(false);
  const running = lines.filter((line) => line.state === 'running');
  const failed = lines.some((line) => line.calls);
  const announcement = useAnnouncement(lines);
  const label =
    running.length > 0 ? t('activity.openRunning', { count: running.length }) : t('activity.open');
  const share = shareOf(running);
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
              lines.length === 0 && !open && 'opacity-60',
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
            className="rounded-xs text-accent text-xs hover:underline"
            onClick={() => {
              setOpen(false);
              navigation.openScreen('memory', 'index');
            }}
          >
            {t('activity.memory')}
          </button>
        </header>
        {lines.length === 0 ? (
          <div className="px-4 py-6 text-center">
            <p>{t('activity.none')}</p>
            <p className="mt-0.5 text-ink-3 text-xs">{t('activity.noneText')}</p>
          </div>
        ) : (
          <ul className="max-h-96 divide-y divide-line overflow-y-auto">
            {lines.map((line) => (
              <ActivityLine
                key={line.id}
                line={line}
                onPause={setPaused}
                onCancel={() => app.library.cancel(line.id)}
                onDismiss={() => app.library.dismiss(line.id)}
              />
            ))}
          </ul>
        )}
      </Popover>
    </>
  );
}

/** Announces to screen readers when a piece of work ends. */
function useAnnouncement(lines: readonly Line[]): string {
  const { t } = useTranslation('library');
  const before = useRef(new Map<string, Line['state']>());
  const [words, setWords] = useState('');
  useEffect(() => {
    for (const line of lines) {
      if (before.current.get(line.id) !== 'running') continue;
      const label = t(`activity.label.${line.label}`);
      if (line.state === 'finished') setWords(t('activity.announceDone', { label }));
      if (line.state === 'failed') setWords(t('activity.announceFailed', { label }));
    }
    before.current = new Map(lines.map((line) => [line.id, line.state]));
  }, [lines, t]);
  return words;
}

function ActivityLine({
  line,
  onPause,
  onCancel,
  onDismiss,
}: {
  line: Line;
  onPause: (paused: boolean) => void;
  onCancel: () => void;
  onDismiss: () => void;
}) {
  const { t } = useTranslation('library');
  const words = useProblemWords();
  const label =
    line.name === null
      ? t(`activity.label.${line.label}`)
      : t(`activity.labelNamed.${line.label}`, { name: line.name });
  const amount = (value: number) => (line.unit === 'bytes' ? formatBytes(value) : formatNumber(value));
  const left = line.left ?? (line.total > 0 ? line.total - line.done : 0);
  const going = line.state === 'running' || line.state === 'paused';
  const facts = [
    line.state === 'running' ? '' : t(`activity.state.${line.state}`),
    line.left !== null
      ? t('activity.waiting', { count: line.left })
      : line.unit === 'share'
        ? going && line.total > 0
          ? formatPercent(line.done / line.total)
          : ''
        : line.total > 0
          ? t('activity.of', { done: amount(line.done), total: amount(line.total) })
          : line.done > 0
            ? amount(line.done)
            : '',
    line.state === 'running' && line.rate > 0 && line.unit !== 'share'
      ? t('activity.rate', {
          rate:
            line.unit === 'bytes'
              ? formatBytes(line.rate)
              : formatNumber(line.rate, { maximumFractionDigits: line.rate < 10 ? 1 : 0 }),
        })
      : '',
    line.state === 'running' && line.rate > 0 && left > 0
      ? t('activity.left', { time: formatDuration((left / line.rate) * 1000) })
      : '',
  ].filter(Boolean);
  return (
    <li className="px-4 py-3">
      <div className="flex items-center gap-2">
        <StateIcon state={line.state} />
        <span className="min-w-0 flex-1 truncate">{label}</span>
        {line.can === 'pause' && (
          <IconButton
            size="sm"
            label={line.state === 'paused' ? t('activity.resume') : t('activity.pause')}
            icon={line.state === 'paused' ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
            onClick={() => onPause(line.state !== 'paused')}
          />
        )}
        {line.can === 'cancel' && (
          <IconButton
            size="sm"
            label={t('activity.cancel')}
            icon={<X size={15} aria-hidden />}
            onClick={onCancel}
          />
        )}
        {line.can === 'dismiss' && (
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
          <Progress value={line.total > 0 ? line.done / line.total : null} label={label} />
        </div>
      )}
      {facts.length > 0 && <p className="mt-1.5 text-ink-3 text-xs tabular-nums">{facts.join(' · ')}</p>}
      {line.problem && (
        <p className="mt-1 text-danger text-xs">
          {words(line.problem).what} <span className="text-ink-2">{words(line.problem).todo}</span>
        </p>
      )}
    </li>
  );
}

function StateIcon({ state }: { state: Line['state'] }) {
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
