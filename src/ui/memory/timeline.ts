// Positions of the timeline's dots and the labels of its axis. Pure; lengths are px
// from the picture's upper left corner.
import { radiiOf } from './dot-sizes.ts';

interface TimelineDot {
  readonly x: number;
  readonly y: number;
  readonly r: number;
}

interface TimelineLayout {
  /** In the order of the input; each entirely above the axis and between the sides. */
  readonly dots: readonly TimelineDot[];
  /** Height of the whole picture, including its axis. */
  readonly height: number;
  /** First and last moment of the axis, ms since 1970, and their positions. */
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly right: number;
}

/** Height below the dots: a tick and two lines of labels. */
export const AXIS_HEIGHT = 36;
/** Space at both sides, so that a label at the first or last moment is not cut off. */
const SIDE = 20;
const LEAST_HEIGHT = 56;
const MOST_SPACE = 280;
/** Gap between dots, and between dots and the edge. */
const GAP = 1;
const SMALLEST = 1.5;
/** Factor on the size of dots that do not fit. */
const SHRINK = 0.85;
/** Shortest axis, ms: a shorter one would count hours, and its labels would not show the date. */
const SHORTEST = 14 * 86_400_000;
/** Golden ratio: any part of this sequence is spread evenly over 0–1. */
const GOLDEN = 0.618034;

interface Moment {
  /** ms since 1970; 0 if unknown: such a dot lies at the beginning. */
  readonly at: number;
  readonly size: number;
}

/**
 * Lays dots side by side around a middle line, each exactly at its time, with areas by size. The picture grows to hold
 * the highest stack; dots shrink if it would be too high, and overlap if even the smallest do not fit.
 */
export function layoutTimeline(moments: readonly Moment[], width: number): TimelineLayout {
  const known = moments.map(({ at }) => at).filter((at) => at > 0);
  const to = Math.max(SHORTEST, ...known);
  const from = Math.min(to - SHORTEST, ...known);
  const sizes = moments.map(({ size }) => size);
  const inTime = moments.map((_, at) => at).sort((a, b) => (moments[a]?.at ?? 0) - (moments[b]?.at ?? 0));
  for (
    let base = Math.max(SMALLEST, Math.min(9, (width / Math.max(40, moments.length)) * 1.6));
    ;
    base *= SHRINK
  ) {
    const isLast = base * SHRINK < SMALLEST;
    const largest = base * 1.6;
    const side = Math.max(SIDE, largest + GAP);
    const right = Math.max(side, width - side);
    const radii = radiiOf(sizes, [base * 0.6, largest]);
    const around = inTime.map((index) => ({
      index,
      x: side + (Math.max(0, (moments[index]?.at ?? 0) - from) / (to - from)) * (right - side),
      r: radii[index] ?? 0,
    }));
    const heights = stack(around, MOST_SPACE / 2 - GAP, isLast);
    if (!heights) continue;
    const radius = (at: number) => around[at]?.r ?? 0;
    const top = Math.min(0, ...heights.map((y, at) => y - radius(at)));
    const bottom = Math.max(0, ...heights.map((y, at) => y + radius(at)));
    const plotHeight = Math.max(LEAST_HEIGHT, bottom - top + 2 * GAP);
    const dots: TimelineDot[] = [];
    around.forEach(({ index, x, r }, at) => {
      dots[index] = { x, y: (plotHeight - top - bottom) / 2 + (heights[at] ?? 0), r };
    });
    return { dots, height: plotHeight + AXIS_HEIGHT, from, to, left: side, right };
  }
}

/**
 * Height of each dot above or below the middle, within `reach`, so that none touch; dots come from left to right.
 * Null if a dot finds no place, unless they `mayOverlap`.
 */
function stack(
  dots: readonly { readonly x: number; readonly r: number }[],
  reach: number,
  mayOverlap: boolean,
): number[] | null {
  const widest = Math.max(0, ...dots.map(({ r }) => r));
  const heights: number[] = [];
  let near: { x: number; y: number; r: number }[] = [];
  for (const { x, r } of dots) {
    near = near.filter((other) => x - other.x < 2 * widest + GAP);
    const taken = near
      .map((other) => {
        const apart = r + other.r + GAP;
        const half = Math.sqrt(Math.max(0, apart ** 2 - (x - other.x) ** 2));
        return [other.y - half, other.y + half] as const;
      })
      .sort((a, b) => a[0] - b[0]);
    const fits = gapsNearMiddle(taken).find((y) => Math.abs(y) + r <= reach);
    if (fits === undefined && !mayOverlap) return null;
    if (fits !== undefined) near.push({ x, y: fits, r });
    heights.push(fits ?? (((heights.length * GOLDEN) % 1) * 2 - 1) * (reach - r));
  }
  return heights;
}

/** Free heights closest to 0 outside of ordered stretches: 0 itself, or the ends of the stretch that covers it. */
function gapsNearMiddle(taken: readonly (readonly [from: number, to: number])[]): number[] {
  let [from, to] = [0, 0];
  let isOpen = false;
  for (const [begin, end] of taken) {
    if (isOpen && begin < to) to = Math.max(to, end);
    else if (isOpen && to > 0) break;
    else [from, to, isOpen] = [begin, end, true];
  }
  return isOpen && from < 0 && to > 0 ? [from, to].sort((a, b) => Math.abs(a) - Math.abs(b)) : [0];
}

/**
 * Labels below the ticks of an axis, in `locale`: years, months or days, whichever the ticks count, and on a second
 * line the next larger unit, if it begins or changes there.
 */
export function timeLabels(ticks: readonly Date[], locale: string): string[] {
  const is = (what: (tick: Date) => boolean) => ticks.every(what);
  const countsMonths = is((tick) => tick.getDate() === 1);
  const countsYears = countsMonths && ticks.length > 1 && is((tick) => tick.getMonth() === 0);
  const written = (shape: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, shape);
    return (tick: Date) => format.format(tick);
  };
  const year = written({ year: 'numeric' });
  if (countsYears) return ticks.map(year);
  const [small, large] = countsMonths
    ? [written({ month: 'short' }), year]
    : [written({ day: 'numeric' }), written({ month: 'short' })];
  return ticks.map((tick, at) => {
    const before = ticks[at - 1];
    return before && large(before) === large(tick) ? small(tick) : `${small(tick)}\n${large(tick)}`;
  });
}
