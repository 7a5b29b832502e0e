// Draws the calendar with Plot: a cell per day, a column per week, darker for more.
import * as Plot from '@observablehq/plot';
import type { TFunction } from 'i18next';
import { formatDate, locale } from '../i18n/index.ts';
import { type CalendarDay, type Layer, type Stretch, weekdayOf } from './calendar.ts';

/** Margins, and the width that the short name of a month takes, px. */
const [LEFT, RIGHT, MONTH_NAME] = [36, 4, 28];
/** Lines from one row of weeks to the next. */
const APART = 10;

/** A day; `href` is null where nothing was said. */
interface Cell {
  readonly week: number;
  readonly weekday: number;
  readonly date: Date;
  readonly count: number;
  readonly href: string | null;
  readonly title: string;
}

/** `days` by local midnight in ms; `width` in px. */
export function calendarPlot({
  days,
  layer,
  stretch,
  width,
  t,
}: {
  days: ReadonlyMap<number, CalendarDay>;
  layer: Layer;
  stretch: Stretch;
  width: number;
  t: TFunction<'memory'>;
}): Plot.PlotOptions {
  const lead = weekdayOf(stretch.from);
  const cells: Cell[] = [];
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
  // A phone is too narrow for a year in one row.
  const rows = width < 560 ? 2 : 1;
  const weeks = Math.ceil(((cells.at(-1)?.week ?? 0) + 1) / rows);
  const rowOf = ({ week }: { week: number }) => Math.floor(week / weeks);
  const across = ({ week }: { week: number }) => week % weeks;
  /** Each row has a line for month names above its seven days; two more keep the names of the second off the first. */
  const line = (week: number, weekday: number) => rowOf({ week }) * APART + 1 + weekday;
  const lines = 8 + (rows - 1) * APART;
  const down = ({ week, weekday }: { week: number; weekday: number }) => line(week, weekday);
  const most = Math.max(1, ...cells.map(({ count }) => count));
  const column = (width - LEFT - RIGHT) / weeks;
  // A row that begins within a month names it, too: the first of that month may stand where no name fits.
  const named = cells.filter(
    (cell, at) => cell.date.getDate() === 1 || rowOf(cell) !== rowOf(cells[at - 1] ?? { week: -1 }),
  );
  const months = named.filter((cell, at) => {
    const next = named[at + 1];
    const space =
      next && rowOf(next) === rowOf(cell)
        ? (across(next) - across(cell)) * column
        : (weeks - across(cell) - 0.5) * column + RIGHT;
    return space >= MONTH_NAME;
  });
  const monthName = new Intl.DateTimeFormat(locale(), { month: 'short' });
  const dayName = new Intl.DateTimeFormat(locale(), { weekday: 'short' });
  const strong = layer === 'written' ? 'var(--ink-2)' : 'var(--memory-strong)';
  return {
    height: Math.round(column) * lines + 4,
    marginLeft: LEFT,
    marginTop: 0,
    marginRight: RIGHT,
    marginBottom: 4,
    padding: 0,
    x: { axis: null, type: 'band', domain: Array.from({ length: weeks }, (_, week) => week) },
    y: {
      type: 'band',
      domain: Array.from({ length: lines }, (_, at) => at),
      ticks: Array.from({ length: rows }, (_, row) => [0, 2, 4].map((one) => line(row * weeks, one))).flat(),
      tickSize: 0,
      label: null,
      tickFormat: (at: number) => dayName.format(new Date(2024, 0, at % APART)),
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
}
