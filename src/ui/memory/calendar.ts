// Groups events by day and chooses the days that the calendar shows. Pure; days are local, from midnight.
import type { Overview } from '../../adapters/index/memory-index.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { isNotes } from '../../domain/memory/notes.ts';

export interface CalendarDay {
  /** Local midnight. */
  readonly date: Date;
  /** Conversations with a message on this day, each once. */
  readonly written: readonly ConversationId[];
  /** Conversations that recalled passages came from, each once. */
  readonly recalled: readonly ConversationId[];
}

/** View of the calendar: messages written on a day, or passages recalled on it. */
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
 * Days with events, by local midnight in ms. Leaves out recalls from conversations that are gone, since a mark must
 * lead somewhere, and messages without a known time.
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

/** Days of a calendar year; null: a year of whole weeks up to today. */
export function stretchOf(year: number | null, now: number): Stretch {
  if (year !== null) return { from: new Date(year, 0, 1), to: new Date(year, 11, 31) };
  const to = new Date(midnight(now));
  const from = new Date(to);
  from.setDate(from.getDate() - weekdayOf(to) - (WEEKS - 1) * 7);
  return { from, to };
}

/** True if the day lies in the stretch, including both ends. */
export const isWithin = (date: Date, { from, to }: Stretch): boolean => date >= from && date <= to;

/** Years to choose from, newest first: those with events; empty if the latest twelve months contain everything. */
export function yearsOf(days: Iterable<CalendarDay>, now: number): number[] {
  const latest = stretchOf(null, now);
  const all = [...days];
  if (all.every(({ date }) => isWithin(date, latest))) return [];
  return [...new Set(all.map(({ date }) => date.getFullYear()))].sort((a, b) => b - a);
}
