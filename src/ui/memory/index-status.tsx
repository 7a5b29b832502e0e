// Shows how far the index is and what it holds, with buttons to pause, hurry or rebuild it.
import { Pause, Play, RefreshCw, SlidersHorizontal } from 'lucide-react';
import { type ComponentProps, useEffect, useState } from 'react';
import type { IndexStats } from '../../adapters/index/memory-index.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { ignore } from '../../domain/base/log.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import type { MemoryStatus } from '../../services/memory/memory.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useReading } from '../hooks/reading.ts';
import { formatBytes, formatDuration, formatNumber } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Confirm, classes, Progress, Skeleton } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { Loading } from '../shell/reading.tsx';
import { wordsOfIndex } from './index-words.ts';
import { Section } from './section.tsx';

/** Interval at which the figures are read while the index is built, ms. */
const FIGURES_MS = 2000;

/** Contents of the index, read again as it grows; null until the first read. */
export function useIndexStats(): IndexStats | null {
  const { memory } = useApp();
  const [stats, setStats] = useState<IndexStats | null>(null);
  const state = useReadable(memory.status, (status) => status.state);
  const busy = state === 'indexing' || state === 'starting';
  // A few messages may be read before the state visibly changes, so the figures follow the counts, not the state.
  const left = useReadable(memory.status, (status) => status.unread + status.waiting);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `left` means there is more to count
  useEffect(() => {
    if (state === 'starting' || state === 'failed') return;
    let gone = false;
    const read = () => {
      // The status shows the reason; the figures stay as they were.
      ignore(
        memory.stats().then((now) => {
          if (!gone) setStats(now);
        }),
        'the figures of the index',
      );
    };
    read();
    const timer = busy ? setInterval(read, FIGURES_MS) : undefined;
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [memory, state, busy, left]);
  return stats;
}

export function IndexStatus() {
  const { t } = useTranslation('memory');
  const app = useApp();
  const navigation = useNavigation();
  const { status, setPaused } = useReading();
  const config = useReadable(app.settings.config, (all) => all.embedding);
  const stats = useIndexStats();
  const [asking, setAsking] = useState(false);
  const [rebuilding, setRebuilding] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const model =
    config.provider === 'local'
      ? config.local.model
      : `${config[config.provider].model} · ${config.provider}`;

  const rebuild = () => {
    setRebuilding(true);
    setProblem(null);
    app.memory
      .rebuild()
      .catch((error: unknown) => {
        if (!isAbort(error)) setProblem(toProblem(error));
      })
      .finally(() => setRebuilding(false));
  };
  const paused = status.state === 'paused';
  const behind = status.unread + status.waiting > 0;
  return (
    <Section
      title={t('screen.status')}
      aside={
        <div className="flex flex-wrap gap-1.5">
          {(paused || status.state === 'indexing') && (
            <Button
              size="sm"
              onClick={() => setPaused(!paused)}
              icon={paused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
            >
              {paused ? t('screen.resume') : t('screen.pause')}
            </Button>
          )}
          {status.state === 'ready' && behind && (
            <Button size="sm" onClick={() => app.memory.wake('now')}>
              {t('screen.readNow')}
            </Button>
          )}
          <Button
            size="sm"
            busy={rebuilding}
            disabled={status.state === 'starting'}
            onClick={() => setAsking(true)}
            icon={<RefreshCw size={14} aria-hidden />}
          >
            {rebuilding ? t('screen.rebuilding') : t('screen.rebuild')}
          </Button>
        </div>
      }
    >
      <div className="rounded-lg border border-line">
        <div className="px-4 py-3.5">
          <StatusSentence status={status} stats={stats} />
        </div>
        <dl className="grid grid-cols-[repeat(auto-fit,minmax(6.5rem,1fr))] gap-4 border-t px-4 py-3.5">
          {(['messages', 'chunks', 'vectors', 'bytes'] as const).map((name) => (
            <Figure key={name} name={name} value={stats?.[name]} isFailed={status.state === 'failed'} />
          ))}
        </dl>
        <div className="flex flex-wrap items-center gap-x-5 gap-y-1 border-t px-4 py-2.5 text-ink-3 text-xs">
          <span className="min-w-0 wrap-anywhere">
            {t('screen.facts.model')}
            <span className="text-ink-2">{model}</span>
            {t('screen.facts.aside', { words: t(`screen.facts.modelState.${status.embedding.status}`) })}
          </span>
          {status.engine && (
            <span>
              {t('screen.facts.engine')}
              <span className="text-ink-2">{t(`screen.facts.engines.${status.engine}`)}</span>
            </span>
          )}
          <button
            type="button"
            onClick={() => navigation.openScreen('settings', 'memory')}
            className="touchable ml-auto inline-flex items-center gap-1.5 rounded-xs text-accent hover:underline max-sm:ml-0"
          >
            <SlidersHorizontal size={13} aria-hidden />
            {t('screen.change')}
          </button>
        </div>
      </div>
      {problem && <ProblemNotice problem={problem} className="mt-3" />}
      {status.problem && <ProblemNotice problem={status.problem} className="mt-3" />}
      {status.embedding.status === 'failed' && status.embedding.problem.code !== status.problem?.code && (
        <ProblemNotice problem={status.embedding.problem} className="mt-3" />
      )}
      <ConfirmRebuild open={asking} onOpenChange={setAsking} messages={stats?.messages} onConfirm={rebuild} />
    </Section>
  );
}

/** Number of messages in the library, without the trash. */
const saidIn = ({ entries }: { readonly entries: readonly LibraryEntry[] }): number =>
  entries.reduce((sum, entry) => sum + (entry.deletedAt === null ? entry.messageCount : 0), 0);

/** Asks before rebuilding the index from this many messages; the library's count if there is no index. */
export function ConfirmRebuild({
  messages,
  ...rest
}: { messages: number | undefined } & Pick<
  ComponentProps<typeof Confirm>,
  'open' | 'onOpenChange' | 'onConfirm'
>) {
  const { t } = useTranslation('memory');
  const said = useReadable(useApp().documents.library, saidIn);
  return (
    <Confirm {...rest} title={t('screen.rebuildTitle')} action={t('screen.rebuildAction')}>
      {t('screen.rebuildText', { count: messages ?? said })}
    </Confirm>
  );
}

function StatusSentence({ status, stats }: { status: MemoryStatus; stats: IndexStats | null }) {
  const { t } = useTranslation('memory');
  const said = useReadable(useApp().documents.library, saidIn);
  const { unread, waiting, rate, embedding } = status;
  const { state, settled, details } = wordsOfIndex(status, stats?.messages ?? null, said);
  const lines = details.map(({ key, count }) =>
    count === undefined ? t(`screen.detail.${key}`) : t(`screen.detail.${key}`, { count }),
  );
  const facts = [
    embedding.status === 'loading' ? t('screen.detail.loading') : '',
    rate > 0
      ? t('screen.detail.rate', { rate: formatNumber(rate, { maximumFractionDigits: rate < 10 ? 1 : 0 }) })
      : '',
    rate > 0 && waiting > 0 ? t('screen.detail.left', { time: formatDuration((waiting / rate) * 1000) }) : '',
  ].filter(Boolean);
  const done = stats ? Math.max(0, stats.messages - waiting) : 0;
  const total = stats ? stats.messages + unread : 0;
  return (
    <>
      <p role="status" className="flex items-center gap-2.5 font-medium">
        <span
          aria-hidden
          className={classes(
            'size-2 shrink-0 rounded-full',
            state === 'failed'
              ? 'bg-danger'
              : settled
                ? 'bg-ink-3'
                : state === 'indexing' || state === 'starting'
                  ? 'animate-pulse bg-memory-strong'
                  : 'border-2 border-ink-3',
          )}
        />
        {t(`screen.state.${state}`)}
      </p>
      {lines.length > 0 && <p className="mt-1 text-ink-2">{lines.join(' · ')}</p>}
      {!settled && total > 0 && (unread > 0 || waiting > 0) && (
        <div className="mt-3">
          <Progress value={done / total} label={t('screen.state.indexing')} />
        </div>
      )}
      {facts.length > 0 && <p className="mt-1.5 text-ink-3 text-xs tabular-nums">{facts.join(' · ')}</p>}
    </>
  );
}

/** `value`: undefined until read; a failed index gives none. */
function Figure({
  name,
  value,
  isFailed,
}: {
  name: 'messages' | 'chunks' | 'vectors' | 'bytes';
  value: number | undefined;
  isFailed: boolean;
}) {
  const { t } = useTranslation('memory');
  const shown = value === undefined ? '–' : name === 'bytes' ? formatBytes(value) : formatNumber(value);
  return (
    <div>
      <dt className="text-ink-3 text-xs">{t(`screen.figures.${name === 'bytes' ? 'size' : name}`)}</dt>
      <dd className="mt-0.5 font-semibold text-lg leading-6 tabular-nums tracking-tight">
        {value === undefined && !isFailed ? (
          <Loading within>
            <Skeleton className="mt-1 h-4 w-12" />
          </Loading>
        ) : (
          shown
        )}
      </dd>
    </div>
  );
}
