// What is remembered: how far the index is, what a sentence would bring back, and every conversation by time.
import { Brain, Pause, Play, RefreshCw, Search, SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { IndexStats } from '../../adapters/index/memory-index.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { asConversationId, asMessageId } from '../../domain/base/ids.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import type { MemoryStatus, RecallResult } from '../../services/memory/memory.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import {
  formatBytes,
  formatDuration,
  formatExact,
  formatNumber,
  formatRelative,
  locale,
} from '../i18n/index.ts';
import {
  Badge,
  Button,
  Confirm,
  classes,
  EmptyState,
  Progress,
  Skeleton,
  Spinner,
} from '../shell/controls.tsx';
import { Header } from '../shell/header.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { RecallCard } from './recall-card.tsx';

/** Figures change while the index is built: looked at again this often, ms. */
const FIGURES_MS = 2000;

/** What the index holds, read again as it grows. Null until it was read once. */
export function useIndexStats(): IndexStats | null {
  const { memory } = useApp();
  const [stats, setStats] = useState<IndexStats | null>(null);
  const state = useReadable(memory.status, (status) => status.state);
  const busy = state === 'indexing' || state === 'starting';
  useEffect(() => {
    if (state === 'starting' || state === 'failed') return;
    let gone = false;
    const read = () => {
      memory.stats().then(
        (now) => {
          if (!gone) setStats(now);
        },
        // The status says why; the figures stay as they were.
        () => {},
      );
    };
    read();
    const timer = busy ? setInterval(read, FIGURES_MS) : undefined;
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [memory, state, busy]);
  return stats;
}

export function MemoryScreen() {
  const { t } = useTranslation('memory');
  const { ready, entries } = useReadable(useApp().documents.library);
  const session = useSession();
  const navigation = useNavigation();
  const listed = useMemo(
    () => entries.filter((entry) => entry.deletedAt === null && !entry.child),
    [entries],
  );
  return (
    <>
      <Header>
        <h1 className="truncate font-semibold">{t('screen.title')}</h1>
      </Header>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="mx-auto w-full max-w-200 space-y-10 px-4 pt-4 pb-20 md:px-8">
          <p className="mb-6 text-ink-2">{t('screen.lead')}</p>
          <IndexStatus />
          {ready && listed.length === 0 ? (
            <EmptyState
              icon={<Brain size={26} aria-hidden />}
              title={t('screen.list.empty')}
              actions={
                <>
                  <Button variant="primary" onClick={() => session.floating.set('import')}>
                    {t('screen.list.import')}
                  </Button>
                  <Button onClick={() => navigation.newConversation()}>{t('screen.list.start')}</Button>
                </>
              }
            >
              {t('screen.list.emptyText')}
            </EmptyState>
          ) : (
            <>
              <TryIt />
              <Conversations ready={ready} entries={listed} />
            </>
          )}
        </div>
      </div>
    </>
  );
}

const Section = ({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) => (
  <section aria-label={title}>
    <div className="mb-2.5 flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
      <h2 className="flex-1 font-semibold text-base">{title}</h2>
      {aside}
    </div>
    {children}
  </section>
);

// ── the index ──────────────────────────────────────────────────────────────────────────────────────────────────────

function IndexStatus() {
  const { t } = useTranslation('memory');
  const app = useApp();
  const navigation = useNavigation();
  const status = useReadable(app.memory.status);
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
              onClick={() => app.memory.setPaused(!paused)}
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
          <Figure name={t('screen.figures.messages')} value={stats && formatNumber(stats.messages)} />
          <Figure name={t('screen.figures.chunks')} value={stats && formatNumber(stats.chunks)} />
          <Figure name={t('screen.figures.vectors')} value={stats && formatNumber(stats.vectors)} />
          <Figure name={t('screen.figures.size')} value={stats && formatBytes(stats.bytes)} />
        </dl>
        <div className="flex flex-wrap items-center gap-x-5 gap-y-1 border-t px-4 py-2.5 text-ink-3 text-xs">
          <span className="min-w-0 truncate">
            {t('screen.facts.model')}: <span className="text-ink-2">{model}</span> (
            {t(`screen.facts.modelState.${status.embedding.status}`)})
          </span>
          {status.engine && (
            <span>
              {t('screen.facts.engine')}:{' '}
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
      {status.embedding.status === 'failed' && (
        <ProblemNotice problem={status.embedding.problem} className="mt-3" />
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('screen.rebuildTitle')}
        action={t('screen.rebuildAction')}
        onConfirm={rebuild}
      >
        {t('screen.rebuildText', { count: stats?.messages ?? 0 })}
      </Confirm>
    </Section>
  );
}

function StatusSentence({ status, stats }: { status: MemoryStatus; stats: IndexStats | null }) {
  const { t } = useTranslation('memory');
  const { state, unread, waiting, rate, embedding } = status;
  const lines: string[] = [];
  if (state === 'starting') lines.push(t('screen.detail.starting'));
  else if (state === 'paused') lines.push(t('screen.detail.paused'));
  if (state !== 'starting' && state !== 'failed') {
    if (unread > 0) lines.push(t('screen.detail.unread', { count: unread }));
    if (waiting > 0) lines.push(t('screen.detail.waiting', { count: waiting }));
    if (unread === 0 && waiting === 0 && state === 'ready')
      lines.push(
        stats?.messages === 0
          ? t('screen.detail.empty')
          : embedding.status === 'failed'
            ? t('screen.detail.readyWords')
            : t('screen.detail.ready'),
      );
  }
  const facts = [
    embedding.status === 'loading' ? t('screen.detail.loading') : '',
    rate > 0
      ? t('screen.detail.rate', { rate: formatNumber(rate, { maximumFractionDigits: rate < 10 ? 1 : 0 }) })
      : '',
    rate > 0 && waiting > 0 ? t('screen.detail.left', { time: formatDuration((waiting / rate) * 1000) }) : '',
  ].filter(Boolean);
  const done = stats ? Math.max(0, stats.messages - waiting) : 0;
  const total = stats ? stats.messages + unread : 0;
  const settled = state === 'ready' && unread === 0 && waiting === 0;
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
                ? 'bg-memory-strong'
                : state === 'indexing' || state === 'starting'
                  ? 'animate-pulse bg-memory-strong'
                  : 'border-2 border-ink-3',
          )}
        />
        {state === 'ready' && !settled ? t('screen.state.indexing') : t(`screen.state.${state}`)}
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

function Figure({ name, value }: { name: string; value: string | null }) {
  return (
    <div>
      <dt className="text-ink-3 text-xs">{name}</dt>
      <dd className="mt-0.5 font-semibold text-lg leading-6 tabular-nums tracking-tight">
        {value ?? <Skeleton className="mt-1 h-4 w-12" />}
      </dd>
    </div>
  );
}

// ── what would come back ───────────────────────────────────────────────────────────────────────────────────────────

type Trial =
  | { readonly state: 'idle' | 'asking' }
  | { readonly state: 'done'; readonly result: RecallResult }
  | { readonly state: 'failed'; readonly problem: Problem };

function TryIt() {
  const { t } = useTranslation('memory');
  const { memory } = useApp();
  const navigation = useNavigation();
  const [text, setText] = useState('');
  const [trial, setTrial] = useState<Trial>({ state: 'idle' });
  const wanted = text.trim();
  // What was asked while memory woke up is asked again when it is awake.
  const awake = useReadable(memory.status, (status) => status.state !== 'starting');

  // biome-ignore lint/correctness/useExhaustiveDependencies: `awake` asks again
  useEffect(() => {
    if (wanted === '') {
      setTrial({ state: 'idle' });
      return;
    }
    const asking = new AbortController();
    const timer = setTimeout(() => {
      setTrial((before) => (before.state === 'done' ? before : { state: 'asking' }));
      memory.recall({ text: wanted, signal: asking.signal }).then(
        (result) => {
          if (!asking.signal.aborted) setTrial({ state: 'done', result });
        },
        (error: unknown) => {
          if (!asking.signal.aborted && !isAbort(error))
            setTrial({ state: 'failed', problem: toProblem(error) });
        },
      );
    }, 250);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [memory, wanted, awake]);

  return (
    <Section
      title={t('screen.try.title')}
      aside={
        <button
          type="button"
          onClick={() => navigation.openScreen('settings', 'memory')}
          className="touchable rounded-xs text-accent text-xs hover:underline"
        >
          {t('screen.try.settings')}
        </button>
      }
    >
      <div className="relative">
        <Search size={16} aria-hidden className="absolute top-1/2 left-3 -translate-y-1/2 text-ink-3" />
        <input
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder={t('screen.try.placeholder')}
          aria-label={t('screen.try.label')}
          aria-describedby="try-help"
          className="h-11 w-full rounded-lg border border-line-strong bg-paper pr-3 pl-9 text-base [&::-webkit-search-cancel-button]:hidden hover:border-ink-3 focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0"
        />
      </div>
      <p id="try-help" className="mt-1.5 text-ink-3 text-xs">
        {t('screen.try.help')}
      </p>
      <div className="mt-3" aria-live="polite">
        {trial.state === 'asking' && <Spinner className="text-ink-3" />}
        {trial.state === 'failed' && <ProblemNotice problem={trial.problem} />}
        {trial.state === 'done' && (
          <>
            {trial.result.degraded && (
              <ProblemNotice problem={trial.result.degraded} compact className="mb-3" />
            )}
            {trial.result.passages.length === 0 && trial.result.nearMisses.length === 0 ? (
              <p className="text-ink-2">{t('screen.try.none')}</p>
            ) : (
              <RecallCard
                key={trial.result.query}
                passages={trial.result.passages}
                nearMisses={trial.result.nearMisses}
                threshold={trial.result.threshold}
                query={trial.result.query}
                defaultOpen
                onOpen={(passage) =>
                  navigation.openConversation(
                    asConversationId(passage.conversationId),
                    asMessageId(passage.messageId),
                  )
                }
              />
            )}
            <p className="mt-1.5 text-ink-3 text-xs">
              {[
                t('screen.try.took', { time: formatDuration(trial.result.tookMs) }),
                trial.result.mode === 'keyword' ? t('screen.try.wordsOnly') : '',
              ]
                .filter(Boolean)
                .join(' · ')}
            </p>
          </>
        )}
      </div>
    </Section>
  );
}

// ── the conversations ──────────────────────────────────────────────────────────────────────────────────────────────

type View = 'all' | 'imported' | 'archived';

/** Rows drawn at first, and with each "more": the page stays quick with thousands of conversations. */
const PAGE = 60;

function Conversations({ ready, entries }: { ready: boolean; entries: readonly LibraryEntry[] }) {
  const { t } = useTranslation('memory');
  const navigation = useNavigation();
  const [view, setView] = useState<View>('all');
  const [filter, setFilter] = useState('');
  const [room, setRoom] = useState(PAGE);
  const words = useDeferredValue(filter.trim().toLowerCase());
  const views = (['all', 'imported', 'archived'] as const).filter(
    (one) =>
      one === 'all' || entries.some((entry) => (one === 'archived' ? entry.archived : entry.source !== null)),
  );
  const shown = useMemo(
    () =>
      entries.filter(
        (entry) =>
          (view === 'all' || (view === 'archived' ? entry.archived : entry.source !== null)) &&
          (words === '' || entry.title.toLowerCase().includes(words)),
      ),
    [entries, view, words],
  );
  const months = useMemo(() => {
    const format = new Intl.DateTimeFormat(locale(), { year: 'numeric', month: 'long' });
    const groups: { name: string; entries: LibraryEntry[] }[] = [];
    for (const entry of shown.slice(0, room)) {
      const name = format.format(entry.updatedAt);
      const last = groups.at(-1);
      if (last?.name === name) last.entries.push(entry);
      else groups.push({ name, entries: [entry] });
    }
    return groups;
  }, [shown, room]);
  return (
    <Section
      title={t('screen.list.title')}
      aside={<span className="text-ink-3 text-xs">{t('screen.list.count', { count: shown.length })}</span>}
    >
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <input
          type="search"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          placeholder={t('screen.list.filter')}
          aria-label={t('screen.list.filter')}
          className="touchable h-8 min-w-40 flex-1 rounded-md border border-line-strong bg-paper px-2.5 hover:border-ink-3 focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 pointer-coarse:text-base"
        />
        {views.length > 1 && (
          <div className="flex gap-1">
            {views.map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={view === one}
                onClick={() => setView(one)}
                className="touchable h-8 rounded-md px-2.5 text-ink-2 hover:bg-fill aria-pressed:bg-fill aria-pressed:font-medium aria-pressed:text-ink"
              >
                {t(`screen.list.${one}`)}
              </button>
            ))}
          </div>
        )}
      </div>
      {!ready && (
        <div className="space-y-3 py-3">
          <Skeleton className="h-4 w-2/3" />
          <Skeleton className="h-4 w-1/2" />
          <Skeleton className="h-4 w-3/5" />
        </div>
      )}
      {ready && shown.length === 0 && <p className="py-6 text-center text-ink-3">{t('screen.list.none')}</p>}
      {months.map((month) => (
        <div key={month.name}>
          <h3 className="pt-4 pb-1 text-ink-3 text-xs">{month.name}</h3>
          <ul className="divide-y divide-line">
            {month.entries.map((entry) => (
              <li key={entry.id}>
                <button
                  type="button"
                  onClick={() => navigation.openConversation(entry.id)}
                  className="-mx-2 flex min-h-10 w-[calc(100%+1rem)] items-center gap-3 rounded-md px-2 py-2 text-left hover:bg-fill pointer-coarse:min-h-11"
                >
                  <span className="min-w-0 flex-1 truncate">{entry.title || t('untitled')}</span>
                  {entry.sample && <Badge>{t('screen.list.sample')}</Badge>}
                  {entry.archived && <Badge>{t('screen.list.archived')}</Badge>}
                  {entry.source && (
                    <span className="shrink-0 text-ink-3 text-xs max-sm:hidden">
                      {t('screen.list.from', { tool: entry.source.tool })}
                    </span>
                  )}
                  <span className="w-24 shrink-0 text-right text-ink-3 text-xs tabular-nums max-sm:hidden">
                    {t('screen.list.messages', { count: entry.messageCount })}
                  </span>
                  <time
                    dateTime={new Date(entry.updatedAt).toISOString()}
                    title={formatExact(entry.updatedAt)}
                    className="w-24 shrink-0 truncate text-right text-ink-3 text-xs"
                  >
                    {formatRelative(entry.updatedAt)}
                  </time>
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
      {shown.length > room && (
        <div className="pt-4 text-center">
          <Button size="sm" onClick={() => setRoom(room + 4 * PAGE)}>
            {t('screen.list.more', { count: shown.length - room })}
          </Button>
        </div>
      )}
    </Section>
  );
}
