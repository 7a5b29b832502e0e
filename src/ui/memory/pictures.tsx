// Pictures of the library: when conversations took place, their subjects, and the days on which the person wrote and
// memory brought something back. Each has a table with the same marks.
import * as Plot from '@observablehq/plot';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Overview } from '../../adapters/index/memory-index.ts';
import type { MapPoint } from '../../adapters/projection/projection.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { topicsOf } from '../../domain/memory/topics.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useReadAnew } from '../hooks/read.ts';
import { formatDate, formatList, locale } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Skeleton, Spinner } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { Loading, ReadFailed } from '../shell/reading.tsx';
import { Calendar } from './calendar-picture.tsx';
import { dotSizes, radiiOf } from './dot-sizes.ts';
import { LABEL_SIZE, placeLabels } from './map-labels.ts';
import { dotMarks, type OverviewConversation, openPath, Picture, Rows } from './picture.tsx';
import { PlotFigure } from './plot.tsx';
import { AXIS_HEIGHT, layoutTimeline, timeLabels } from './timeline.ts';

/** Answer of an index that cannot be asked. */
const NOT_YET = Promise.resolve(undefined);

export function Pictures() {
  const { t } = useTranslation('memory');
  const { memory } = useApp();
  const state = useReadable(memory.status, ({ state }) => state);
  // The pictures stay while the index works on, and are drawn anew with each of its states.
  const read = useCallback(
    () => (state === 'starting' || state === 'failed' ? NOT_YET : memory.overview()),
    [memory, state],
  );
  const { value: overview, problem, again } = useReadAnew<Overview | undefined>(read);
  const trouble = useReadable(memory.status, ({ problem }) => problem);
  // A damaged entry or an unreachable endpoint does not hide what is already known.
  const notice = problem ? (
    <ReadFailed problem={problem} onRetry={again} />
  ) : (
    trouble && <ProblemNotice problem={trouble} />
  );
  if (!overview)
    return (
      <div className="space-y-6">
        {notice}
        {state !== 'failed' && problem === null && <Waiting />}
      </div>
    );
  if (overview.conversations.length === 0)
    return (
      <div className="space-y-6">
        {notice}
        <p className="text-ink-2">{t('pictures.nothing')}</p>
      </div>
    );
  return (
    <div className="space-y-10">
      {notice}
      <Calendar overview={overview} />
      <TopicMap conversations={overview.conversations} />
      <Timeline conversations={overview.conversations} />
    </div>
  );
}

const Waiting = () => (
  <Loading className="space-y-6">
    <Skeleton className="h-40 w-full" />
    <Skeleton className="h-72 w-full" />
  </Loading>
);

// ── timeline ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Room for a label of the axis, px; more labels show no more. */
const TICK_WIDTH = 80;
const MOST_TICKS = 9;

function Timeline({ conversations }: { conversations: readonly OverviewConversation[] }) {
  const { t } = useTranslation('memory');
  const navigation = useNavigation();
  const follow = useCallback((path: string) => openPath(navigation, path), [navigation]);
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const { dots, height, from, to, left, right } = layoutTimeline(
        conversations.map(({ updatedAt, messages }) => ({ at: updatedAt, size: messages })),
        width,
      );
      return {
        height,
        marginTop: 0,
        marginBottom: AXIS_HEIGHT,
        x: {
          type: 'time',
          domain: [new Date(from), new Date(to)],
          range: [left, right],
          label: null,
          grid: true,
          ticks: Math.min(MOST_TICKS, width / TICK_WIDTH),
          // Plot passes all ticks, although its types do not say so.
          tickFormat: ((_: Date, at: number, ticks: Date[]) => timeLabels(ticks, locale())[at] ?? '') as (
            tick: Date,
            at: number,
          ) => string,
        },
        marks: [
          dotMarks(
            conversations.flatMap((one, at) => {
              const dot = dots[at];
              return dot ? [{ ...dot, one }] : [];
            }),
            t,
          ),
        ],
      };
    },
    [conversations, t],
  );
  // Newest first; some have no known time.
  const dated = conversations.map(({ updatedAt }) => updatedAt).filter((at) => at > 0);
  return (
    <Picture
      title={t('pictures.timeline.title')}
      help={t('pictures.timeline.help')}
      table={() => <Rows conversations={conversations} />}
    >
      <PlotFigure
        options={options}
        onFollow={follow}
        label={t('pictures.timeline.label', {
          count: conversations.length,
          from: formatDate(dated.at(-1) ?? 0),
          to: formatDate(dated[0] ?? 0),
        })}
      />
    </Picture>
  );
}

// ── map ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Space between the outermost places and the frame, px: room for half a dot and for a name. */
const MAP_MARGIN = 32;
/** Least number of conversations on a map, as even dots with stray words are no topics. */
const LEAST_ON_MAP = 20;
const mapHeight = (width: number): number => Math.min(480, Math.max(260, width * 0.6));

const byLatest = (conversations: readonly OverviewConversation[]): OverviewConversation[] =>
  conversations.toSorted((a, b) => b.updatedAt - a.updatedAt);

/** Says what dots and words of the map stand for. */
function Legend({ archived }: { archived: boolean }) {
  const { t } = useTranslation('memory');
  const dot = (tone: string) => <span aria-hidden className={`shrink-0 rounded-full ${tone}`} />;
  const items = [
    { mark: dot('size-1.5 bg-memory-strong'), words: t('pictures.map.short') },
    { mark: dot('size-4 bg-memory-strong'), words: t('pictures.map.long') },
    ...(archived ? [{ mark: dot('size-2.5 bg-line-strong'), words: t('pictures.map.archived') }] : []),
    {
      mark: <b className="text-ink">{t('pictures.map.name')}</b>,
      words: t('pictures.map.nameHelp'),
    },
  ];
  return (
    <ul
      aria-label={t('pictures.map.legend')}
      className="flex flex-wrap gap-x-4 gap-y-1 border-b px-3 py-2 text-ink-3 text-xs"
    >
      {items.map(({ mark, words }) => (
        <li key={words} className="flex items-center gap-1.5">
          {mark}
          {words}
        </li>
      ))}
    </ul>
  );
}

/** Places of conversations on the map, null while they are computed; computes none unless `wanted`. */
function usePlaces(known: readonly { readonly vector: Float32Array }[], wanted: boolean) {
  const { projection } = useApp();
  const [places, setPlaces] = useState<readonly MapPoint[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another `attempt` draws it again
  useEffect(() => {
    if (!wanted) return;
    const drawing = new AbortController();
    setPlaces(null);
    setProblem(null);
    projection
      .project(
        known.map(({ vector }) => vector),
        drawing.signal,
      )
      .then(setPlaces, (error: unknown) => {
        if (!isAbort(error)) setProblem(toProblem(error));
      });
    return () => drawing.abort(new DOMException('Not looked at any more', 'AbortError'));
  }, [projection, known, wanted, attempt]);
  return { places, problem, again: async () => setAttempt(attempt + 1) };
}

function TopicMap({ conversations }: { conversations: readonly OverviewConversation[] }) {
  const { t } = useTranslation('memory');
  const navigation = useNavigation();
  // In the order in which they began: the layout depends on it, and must be the same after an older one went on.
  const known = useMemo(
    () =>
      conversations
        .filter((one): one is OverviewConversation & { vector: Float32Array } => one.vector !== null)
        .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
    [conversations],
  );
  const isEnough = known.length >= LEAST_ON_MAP;
  const { places, problem, again } = usePlaces(known, isEnough);
  const placed = useMemo(
    () =>
      (places ?? []).flatMap((place, at) => {
        const one = known[at];
        return one ? [{ ...place, one, title: one.title, keywords: one.keywords }] : [];
      }),
    [places, known],
  );
  const topics = useMemo(() => topicsOf(placed, Math.min(12, Math.ceil(Math.sqrt(placed.length)))), [placed]);
  const follow = useCallback((path: string) => openPath(navigation, path), [navigation]);
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const height = mapHeight(width);
      const radii = radiiOf(
        placed.map(({ one }) => one.messages),
        dotSizes(width * height, placed.length),
      );
      const dots = placed.map(({ x, y, one }, at) => ({
        x: MAP_MARGIN + x * (width - 2 * MAP_MARGIN),
        y: height - MAP_MARGIN - y * (height - 2 * MAP_MARGIN),
        r: radii[at] ?? 0,
        one,
      }));
      const labels = placeLabels(
        topics.map(({ label, members }) => ({
          text: label,
          beside: members.flatMap((at) => dots[at] ?? []),
        })),
        dots,
        width,
        height,
      );
      return {
        height,
        marks: [
          dotMarks(dots, t),
          Plot.text(labels, {
            x: { value: 'x', scale: null },
            y: { value: 'y', scale: null },
            text: 'text',
            fontSize: LABEL_SIZE,
            fontWeight: 600,
            fill: 'var(--ink)',
            stroke: 'var(--paper)',
            strokeWidth: 4,
            pointerEvents: 'none',
          }),
        ],
      };
    },
    [placed, topics, t],
  );
  const topicOf = (one: OverviewConversation): string =>
    topics.find(({ members }) => members.some((at) => placed[at]?.one === one))?.label ?? '';
  return (
    <Picture
      title={t('pictures.map.title')}
      help={
        known.length < conversations.length
          ? t('pictures.map.waiting', { count: conversations.length - known.length })
          : t('pictures.map.help')
      }
      table={() => <Rows conversations={byLatest(known)} last={topicOf} />}
    >
      {problem && <ReadFailed problem={problem} onRetry={again} compact />}
      {!isEnough ? (
        <p className="rounded-lg border border-line border-dashed px-4 py-10 text-center text-ink-3">
          {t('pictures.map.few', { count: known.length, least: LEAST_ON_MAP })}
        </p>
      ) : places ? (
        <div className="rounded-lg border border-line">
          <Legend archived={known.some(({ archived }) => archived)} />
          <PlotFigure
            options={options}
            onFollow={follow}
            label={t('pictures.map.label', {
              count: known.length,
              topics: formatList(topics.map(({ label }) => label)),
            })}
          />
        </div>
      ) : (
        !problem && (
          <div className="grid h-60 place-items-center text-ink-3">
            <Spinner label={t('pictures.map.drawing')} />
          </div>
        )
      )}
    </Picture>
  );
}
