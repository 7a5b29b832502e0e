// The library as pictures: when conversations took place, what they are about, on which days one wrote and what memory brought back.
// Each has a table behind it with the same marks.
import * as Plot from '@observablehq/plot';
import type { TFunction } from 'i18next';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Overview } from '../../adapters/index/memory-index.ts';
import type { Place } from '../../adapters/projection/projection.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { isNotes } from '../../domain/memory/notes.ts';
import { topicsOf } from '../../domain/memory/topics.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { type Navigation, pathOf, routeOf, useNavigation } from '../hooks/navigation.tsx';
import { formatDate, formatNumber, locale } from '../i18n/index.ts';
import { Button, Skeleton, Spinner } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { type CalendarDay, daysOf, isWithin, stretchOf, weekdayOf, yearsOf } from './calendar.ts';
import { dotSizes, radiiOf } from './dot-sizes.ts';
import { LABEL_SIZE, placeLabels } from './map-labels.ts';
import { PlotFigure } from './plot.tsx';
import { Section } from './section.tsx';
import { AXIS_HEIGHT, layoutTimeline, timeLabels } from './timeline.ts';

type Conversation = Overview['conversations'][number];

/** Memory notes are read as one more conversation, and have a place of their own. */
const pathTo = (conversationId: ConversationId): string =>
  pathOf(
    isNotes(conversationId)
      ? { screen: 'memory', section: 'notes' }
      : { screen: 'conversation', conversationId, messageId: null },
  );
/** Follows a mark that was made with it. */
const openPath = (navigation: Navigation, path: string): void => {
  const route = routeOf(path, '');
  if (route.screen === 'conversation' && route.conversationId !== null)
    navigation.openConversation(route.conversationId);
  else if (route.screen === 'memory') navigation.openScreen('memory', route.section);
};

const TABLE_ROWS = 100;

export function Pictures() {
  const { t } = useTranslation('memory');
  const { memory } = useApp();
  const state = useReadable(memory.status, ({ state }) => state);
  const [overview, setOverview] = useState<Overview | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (state === 'starting' || state === 'failed') return;
    let gone = false;
    memory.overview().then(
      (seen) => {
        if (gone) return;
        setOverview(seen);
        setProblem(null);
      },
      (error: unknown) => {
        if (!gone && !isAbort(error)) setProblem(toProblem(error));
      },
    );
    return () => {
      gone = true;
    };
  }, [memory, state]);
  const trouble = useReadable(memory.status, ({ problem }) => problem);
  const shown = problem ?? trouble;
  // A damaged entry or an endpoint that is away takes nothing from what is known already.
  const notice = shown && <ProblemNotice problem={shown} />;
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
  <div className="space-y-6">
    <Skeleton className="h-40 w-full" />
    <Skeleton className="h-72 w-full" />
  </div>
);

/** A picture and, behind a button, the same as a table. */
function Picture({
  title,
  help,
  aside,
  controls,
  children,
  table,
}: {
  title: string;
  help: string;
  aside?: ReactNode;
  /** What is shown, above the picture as above the table. */
  controls?: ReactNode;
  children: ReactNode;
  table: () => ReactNode;
}) {
  const { t } = useTranslation('memory');
  const [asTable, setAsTable] = useState(false);
  return (
    <Section
      title={title}
      aside={
        <div className="flex flex-wrap gap-1.5">
          {aside}
          <Button size="sm" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            {asTable ? t('pictures.asPicture') : t('pictures.asTable')}
          </Button>
        </div>
      }
    >
      <p className="mb-3 text-ink-3 text-xs">{help}</p>
      {controls}
      {asTable ? (
        <div className="max-h-120 overflow-auto rounded-lg border border-line">{table()}</div>
      ) : (
        children
      )}
    </Section>
  );
}

/** Buttons of which one is pressed. */
function Choice<V extends string | number | null>({
  of,
  chosen,
  onChoose,
  nameOf,
}: {
  of: readonly V[];
  chosen: V;
  onChoose: (value: V) => void;
  nameOf: (value: V) => ReactNode;
}) {
  return of.map((value) => (
    <Button
      key={value}
      size="sm"
      variant="ghost"
      aria-pressed={chosen === value}
      className="aria-pressed:bg-fill aria-pressed:text-ink"
      onClick={() => onChoose(value)}
    >
      {nameOf(value)}
    </Button>
  ));
}

/** Leads to what a table leaves out, where it does. */
function MoreRows({ count, columns, onMore }: { count: number; columns: number; onMore: () => void }) {
  const { t } = useTranslation('memory');
  if (count <= 0) return null;
  return (
    <tr className="border-t">
      <td colSpan={columns} className="px-3 py-2 text-xs">
        <button type="button" onClick={onMore} className="touchable rounded-xs text-accent hover:underline">
          {t('pictures.more', { count })}
        </button>
      </td>
    </tr>
  );
}

function Rows({
  conversations,
  last,
}: {
  conversations: readonly Conversation[];
  last?: (one: Conversation) => string;
}) {
  const { t } = useTranslation('memory');
  const [shown, setShown] = useState(TABLE_ROWS);
  // Who lists more goes on with the first of them: the button below may be gone.
  const firstNew = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (shown > TABLE_ROWS) firstNew.current?.focus({ preventScroll: true });
  }, [shown]);
  const navigation = useNavigation();
  return (
    <table className="w-full text-left text-sm">
      <thead className="sticky top-0 bg-paper text-ink-3 text-xs">
        <tr>
          <th className="px-3 py-2 font-normal">{t('pictures.column.conversation')}</th>
          <th className="px-3 py-2 text-right font-normal">{t('pictures.column.messages')}</th>
          <th className="px-3 py-2 text-right font-normal">{t('pictures.column.last')}</th>
        </tr>
      </thead>
      <tbody>
        {conversations.slice(0, shown).map((one, at) => (
          <tr key={one.id} className="border-t">
            <td className="max-w-0 px-3 py-1.5">
              <button
                ref={at === shown - TABLE_ROWS ? firstNew : undefined}
                type="button"
                onClick={() => navigation.openConversation(one.id)}
                className="touchable block max-w-full truncate rounded-xs text-left hover:underline"
              >
                {one.title || t('untitled')}
              </button>
              {last && <span className="text-ink-3 text-xs">{last(one)}</span>}
            </td>
            <td className="w-24 px-3 py-1.5 text-right tabular-nums">{formatNumber(one.messages)}</td>
            <td className="w-32 px-3 py-1.5 text-right text-ink-3 text-xs">{formatDate(one.updatedAt)}</td>
          </tr>
        ))}
        <MoreRows
          count={conversations.length - shown}
          columns={3}
          onMore={() => setShown(shown + TABLE_ROWS)}
        />
      </tbody>
    </table>
  );
}

/** Conversations as dots that lead to them, placed in px. */
const dotMarks = (
  dots: readonly { x: number; y: number; r: number; one: Conversation }[],
  t: TFunction<'memory'>,
) =>
  Plot.dot(
    dots.map(({ one, ...place }) => ({
      ...place,
      fill: one.archived ? 'var(--line-strong)' : 'var(--memory-strong)',
      href: pathTo(one.id),
      title: [
        one.title || t('untitled'),
        formatDate(one.updatedAt),
        t('screen.list.messages', { count: one.messages }),
      ].join('\n'),
    })),
    {
      x: { value: 'x', scale: null },
      y: { value: 'y', scale: null },
      r: { value: 'r', scale: null },
      fill: 'fill',
      fillOpacity: 0.85,
      href: 'href',
      title: 'title',
    },
  );

// ── timeline ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Room for a label of the axis, px; more labels than these say no more. */
const TICK_WIDTH = 80;
const MOST_TICKS = 9;

function Timeline({ conversations }: { conversations: readonly Conversation[] }) {
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
          // The library gives all ticks too, though its types do not say so.
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
          from: formatDate(Math.min(...conversations.map(({ updatedAt }) => updatedAt))),
          to: formatDate(Math.max(...conversations.map(({ updatedAt }) => updatedAt))),
        })}
      />
    </Picture>
  );
}

// ── map ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Between the outermost places and the frame, px: room for half a dot, and for a name. */
const MAP_MARGIN = 32;
const mapHeight = (width: number): number => Math.min(480, Math.max(260, width * 0.6));

function TopicMap({ conversations }: { conversations: readonly Conversation[] }) {
  const { t } = useTranslation('memory');
  const { projection } = useApp();
  const navigation = useNavigation();
  const known = useMemo(
    () => conversations.filter((one): one is Conversation & { vector: Float32Array } => one.vector !== null),
    [conversations],
  );
  const [places, setPlaces] = useState<readonly Place[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
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
  }, [projection, known]);
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
  const topicOf = (one: Conversation): string =>
    topics.find(({ members }) => members.some((at) => placed[at]?.one === one))?.label ?? '';
  return (
    <Picture
      title={t('pictures.map.title')}
      help={
        known.length < conversations.length
          ? t('pictures.map.waiting', { count: conversations.length - known.length })
          : t('pictures.map.help')
      }
      table={() => <Rows conversations={known} last={topicOf} />}
    >
      {problem && <ProblemNotice problem={problem} compact />}
      {known.length === 0 ? (
        <p className="rounded-lg border border-line border-dashed px-4 py-10 text-center text-ink-3">
          {t('pictures.map.none')}
        </p>
      ) : places ? (
        <div className="rounded-lg border border-line">
          <PlotFigure
            options={options}
            onFollow={follow}
            label={t('pictures.map.label', {
              count: known.length,
              topics: topics.map(({ label }) => label).join(', '),
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

// ── calendar ───────────────────────────────────────────────────────────────────────────────────────────────────────

type Layer = 'written' | 'recalled';

function Calendar({ overview }: { overview: Overview }) {
  const { t } = useTranslation('memory');
  const navigation = useNavigation();
  const [layer, setLayer] = useState<Layer>('written');
  /** Null: the latest twelve months. */
  const [year, setYear] = useState<number | null>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const days = useMemo(() => daysOf(overview), [overview]);
  const years = useMemo(() => yearsOf(days.values(), Date.now()), [days]);
  const stretch = useMemo(() => stretchOf(year, Date.now()), [year]);
  const shown = useMemo(
    () => [...days.values()].filter((day) => day[layer].length > 0 && isWithin(day.date, stretch)),
    [days, layer, stretch],
  );
  const follow = useCallback((day: string) => setChosen(Number(day.replace(/^#/, ''))), []);
  const options = useCallback(
    (width: number): Plot.PlotOptions => {
      const lead = weekdayOf(stretch.from);
      const cells = [];
      for (let at = 0; ; at++) {
        const date = new Date(stretch.from);
        date.setDate(date.getDate() + at);
        if (date > stretch.to) break;
        const count = days.get(date.getTime())?.[layer].length ?? 0;
        cells.push({
          week: Math.floor((lead + at) / 7),
          weekday: weekdayOf(date),
          date,
          count,
          href: count > 0 ? `#${date.getTime()}` : null,
          title: `${formatDate(date.getTime())}\n${t(`pictures.calendar.count.${layer}`, { count })}`,
        });
      }
      // A phone has no room for a year in one row.
      const rows = width < 560 ? 2 : 1;
      const weeks = Math.ceil(((cells.at(-1)?.week ?? 0) + 1) / rows);
      const across = ({ week }: { week: number }) => week % weeks;
      /** Each row has a line for the names of the months above its seven days. */
      const line = (week: number, weekday: number) => Math.floor(week / weeks) * 8 + 1 + weekday;
      const down = ({ week, weekday }: { week: number; weekday: number }) => line(week, weekday);
      const most = Math.max(1, ...cells.map(({ count }) => count));
      const months = cells.filter(({ date }) => date.getDate() === 1);
      const monthName = new Intl.DateTimeFormat(locale(), { month: 'short' });
      const dayName = new Intl.DateTimeFormat(locale(), { weekday: 'short' });
      const strong = layer === 'written' ? 'var(--ink-2)' : 'var(--memory-strong)';
      return {
        height: Math.round((width - 40) / weeks) * 8 * rows + 4,
        marginLeft: 36,
        marginTop: 0,
        marginRight: 4,
        marginBottom: 4,
        padding: 0,
        x: { axis: null, type: 'band', domain: Array.from({ length: weeks }, (_, week) => week) },
        y: {
          type: 'band',
          domain: Array.from({ length: 8 * rows }, (_, at) => at),
          ticks: Array.from({ length: rows }, (_, row) =>
            [0, 2, 4].map((one) => line(row * weeks, one)),
          ).flat(),
          tickSize: 0,
          label: null,
          tickFormat: (at: number) => dayName.format(new Date(2024, 0, at % 8)),
        },
        marks: [
          Plot.cell(cells, { x: across, y: down, fill: 'var(--fill)', inset: 1, rx: 2 }),
          Plot.cell(
            cells.filter(({ count }) => count > 0),
            {
              x: across,
              y: down,
              fill: strong,
              fillOpacity: (cell) => 0.25 + 0.75 * Math.sqrt(cell.count / most),
              inset: 1,
              rx: 2,
              href: 'href',
              title: 'title',
            },
          ),
          Plot.text(months, {
            x: across,
            y: ({ week }) => line(week, -1),
            text: ({ date }) => monthName.format(date),
            textAnchor: 'start',
          }),
        ],
      };
    },
    [days, stretch, layer, t],
  );
  const day = shown.find(({ date }) => date.getTime() === chosen);
  const ids = new Set(day?.[layer]);
  const listed = [
    ...[...ids].filter(isNotes).map((id) => ({ id, title: t('notes.title') })),
    ...overview.conversations.filter(({ id }) => ids.has(id)),
  ];
  const total =
    layer === 'written'
      ? new Set(shown.flatMap(({ written }) => written)).size
      : shown.reduce((sum, { recalled }) => sum + recalled.length, 0);
  return (
    <div>
      <Picture
        title={t('pictures.calendar.title')}
        help={t('pictures.calendar.help')}
        aside={
          <Choice
            of={['written', 'recalled'] as const}
            chosen={layer}
            onChoose={setLayer}
            nameOf={(one) => t(`pictures.calendar.${one}`)}
          />
        }
        controls={
          years.length > 0 && (
            <fieldset className="mb-2 flex flex-wrap gap-1">
              <legend className="sr-only">{t('pictures.calendar.period')}</legend>
              <Choice
                of={[null, ...years]}
                chosen={year}
                onChoose={setYear}
                nameOf={(one) => one ?? t('pictures.calendar.latest')}
              />
            </fieldset>
          )
        }
        table={() => <DayTable days={shown} layer={layer} onChoose={follow} />}
      >
        <PlotFigure
          options={options}
          onFollow={follow}
          label={t(`pictures.calendar.label.${layer}`, { count: total })}
        />
        {layer === 'recalled' && [...days.values()].every(({ recalled }) => recalled.length === 0) && (
          <p className="mt-2 text-ink-3">{t('pictures.calendar.noneRecalled')}</p>
        )}
      </Picture>
      {day && (
        <div className="mt-3 rounded-lg border border-line px-4 py-3" aria-live="polite">
          <h3 className="font-medium">
            {formatDate(day.date.getTime())}
            <span className="ml-2 font-normal text-ink-3 text-xs">
              {t(`pictures.calendar.count.${layer}`, {
                count: day[layer].length,
              })}
            </span>
          </h3>
          <ul className="mt-1 -mx-1.5">
            {listed.map(({ id, title }) => (
              <li key={id}>
                <button
                  type="button"
                  onClick={() => openPath(navigation, pathTo(id))}
                  className="touchable block w-full truncate rounded-sm px-1.5 py-1 text-left hover:bg-fill"
                >
                  {title || t('untitled')}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function DayTable({
  days,
  layer,
  onChoose,
}: {
  days: readonly CalendarDay[];
  layer: Layer;
  onChoose: (day: string) => void;
}) {
  const { t } = useTranslation('memory');
  const rows = [...days].sort((a, b) => b.date.getTime() - a.date.getTime());
  return (
    <table className="w-full text-left text-sm">
      <thead className="sticky top-0 bg-paper text-ink-3 text-xs">
        <tr>
          <th className="px-3 py-2 font-normal">{t('pictures.column.day')}</th>
          <th className="px-3 py-2 text-right font-normal">{t(`pictures.calendar.${layer}`)}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((day) => (
          <tr key={day.date.getTime()} className="border-t">
            <td className="px-3 py-1.5">
              <button
                type="button"
                onClick={() => onChoose(String(day.date.getTime()))}
                className="touchable rounded-xs hover:underline"
              >
                {formatDate(day.date.getTime())}
              </button>
            </td>
            <td className="px-3 py-1.5 text-right tabular-nums">{formatNumber(day[layer].length)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
