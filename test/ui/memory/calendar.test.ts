import { describe, expect, it } from 'vitest';
import { type ConversationId, NOTES } from '../../../src/domain/base/ids.ts';
import { daysOf, isWithin, stretchOf, yearsOf } from '../../../src/ui/memory/calendar.ts';

const A = 'a' as ConversationId;
const B = 'b' as ConversationId;
const day = (year: number, month: number, date: number, hour = 12) =>
  new Date(year, month - 1, date, hour).getTime();
const NOW = day(2026, 11, 20);

describe('the calendar of memory', () => {
  it('has notes that came back, and nothing of conversations that are gone', () => {
    const days = daysOf({
      conversations: [{ id: A, said: [day(2026, 3, 1), day(2026, 3, 1, 18), 0] }],
      recalled: [
        { at: day(2026, 3, 1), conversationId: A },
        { at: day(2026, 3, 2), conversationId: NOTES as ConversationId },
        { at: day(2026, 3, 3), conversationId: B },
      ],
    });
    expect([...days.values()].map(({ written, recalled }) => [written, recalled])).toEqual([
      [[A], [A]],
      [[], [NOTES]],
    ]);
  });

  it('goes back by the years that have something, where one stretch does not hold it all', () => {
    const daysWith = (...said: number[]) =>
      daysOf({ conversations: [{ id: A, said }], recalled: [] }).values();
    expect(yearsOf(daysWith(day(2026, 1, 5), day(2025, 12, 1)), NOW)).toEqual([]);
    expect(yearsOf(daysWith(day(2023, 7, 1), day(2026, 11, 1), day(2024, 2, 29)), NOW)).toEqual([
      2026, 2024, 2023,
    ]);
  });

  it('draws whole weeks up to today, or a whole year', () => {
    const latest = stretchOf(null, NOW);
    expect(latest.from.getDay()).toBe(1);
    expect(latest.to).toEqual(new Date(2026, 10, 20));
    expect(isWithin(new Date(2025, 10, 21), latest)).toBe(true);
    const year = stretchOf(2024, NOW);
    expect([year.from, year.to]).toEqual([new Date(2024, 0, 1), new Date(2024, 11, 31)]);
    expect(isWithin(new Date(2025, 0, 1), year)).toBe(false);
  });
});
