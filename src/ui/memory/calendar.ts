// Events by day, and the days that the calendar shows at once. Pure; days are the person's own, by local midnight.
import type { Overview } from '../../adapters/index/memory-index.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { isNotes } from '../../domain/memory/notes.ts';

export interface CalendarDay {
  /** Local midnight. */
  readonly date: Date;
  /** Conversations in which something was said, each once. */
  readonly written: readonly ConversationId[];
  /** Conversations that recalled passages came from, one for each. */
  readonly recalled: readonly ConversationId[];
}

/** View of a day: messages written on it, or passages recalled on it. */
export type Layer = 'written' | 'recalled';

/** First and last day, local midnights. */
export interface Stretch {
  readonly from: Date;
  readonly to: Date;
}

const WEEKS = 53;

const midnight = (time: number): number => new Date(time).setHours(0, 0, 0, 0);
/** Days since Monday. */
export const weekdayOf = (date: Date): number => (date.getDay() + 6) % 7;

/**
 * The days with something, by local midnight in ms. What came back from a conversation that is gone by now is left out: a mark leads
 * somewhere. So is what was said at an unknown time.
 */
export function daysOf({
  conversations,
  recalled,
}: {
  conversations: readonly Pick<Overview['conversations'][number], 'id' | 'said'>[];
  recalled: Overview['recalled'];
}): ReadonlyMap<number, CalendarDay> {
  const found = new Map<number, { written: Set<ConversationId>; recalled: ConversationId[] }>();
  const at = (time: number) => {
    const day = midnight(time);
    const known = found.get(day) ?? { written: new Set(), recalled: [] };
    found.set(day, known);
    return known;
  };
  for (const { id, said } of conversations) for (const time of said) if (time > 0) at(time).written.add(id);
  const there = new Set(conversations.map(({ id }) => id));
  for (const { at: time, conversationId } of recalled)
    if (there.has(conversationId) || isNotes(conversationId)) at(time).recalled.push(conversationId);
  return new Map(
    [...found].map(([day, { written, recalled }]) => [
      day,
      { date: new Date(day), written: [...written], recalled },
    ]),
  );
}

/** The days of a calendar year; null: whole weeks up to today, a year of them. */
export function stretchOf(year: number | null, now: number): Stretch {
  if (year !== null) return { from: new Date(year, 0, 1), to: new Date(year, 11, 31) };
  const to = new Date(midnight(now));
  const from = new Date(to);
  from.setDate(from.getDate() - weekdayOf(to) - (WEEKS - 1) * 7);
  return { from, to };
}

/** True if the day lies in the stretch; both ends count. */
export const isWithin = (date: Date, { from, to }: Stretch): boolean => date >= from && date <= to;

/** Years to go back to, newest first: those with something; none where the latest stretch has it all. */
export function yearsOf(days: Iterable<CalendarDay>, now: number): number[] {
  const latest = stretchOf(null, now);
  const all = [...days];
  if (all.every(({ date }) => isWithin(date, latest))) return [];
  return [...new Set(all.map(({ date }) => date.getFullYear()))].sort((a, b) => b - a);
}
