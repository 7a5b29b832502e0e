// Days of the person, wherever they live.
import { afterEach, expect, it, vi } from 'vitest';
import { localDay } from '../../../src/domain/base/time.ts';

afterEach(() => vi.unstubAllEnvs());

it.each(['America/Los_Angeles', 'UTC', 'Asia/Shanghai', 'Pacific/Kiritimati'])(
  'names the day on the clock of %s, from its first minute to its last',
  (zone) => {
    vi.stubEnv('TZ', zone);
    const [first, last] = [new Date(2026, 2, 5, 0, 0), new Date(2026, 2, 5, 23, 59)];
    expect([first, last].map((at) => localDay(at.getTime()))).toEqual(['2026-03-05', '2026-03-05']);
  },
);

it('pads what is short, so that days sort as texts', () => {
  expect(localDay(new Date(2026, 0, 2, 12).getTime())).toBe('2026-01-02');
  const early = new Date(2026, 0, 2, 12);
  early.setFullYear(987);
  expect(localDay(early.getTime())).toBe('0987-01-02');
});
