import { expect, it } from 'vitest';
import { nearDay } from '../../../src/ui/hooks/today.ts';

const today = new Date(2026, 10, 23).getTime();

it('names today and yesterday by the local calendar, and no other day', () => {
  const at = (day: number, hours: number, minutes: number) =>
    new Date(2026, 10, day, hours, minutes).getTime();
  expect(nearDay(at(23, 0, 0), today)).toBe('today');
  expect(nearDay(at(23, 23, 59), today)).toBe('today');
  expect(nearDay(at(22, 23, 59), today)).toBe('yesterday');
  expect(nearDay(at(22, 0, 0), today)).toBe('yesterday');
  expect(nearDay(at(21, 23, 59), today)).toBeNull();
  expect(nearDay(at(24, 0, 0), today)).toBeNull();
});
