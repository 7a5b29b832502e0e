import fc from 'fast-check';
import i18next from 'i18next';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { formatRelative } from '../../../src/ui/i18n/index.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

afterEach(() => vi.unstubAllEnvs());

const moment = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) });
const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Shanghai', 'Pacific/Apia');
/** A moment so many local days before or after another, at noon: what "yesterday" and "last month" mean. */
const shifted = (now: number, change: (date: Date) => void): Date => {
  const date = new Date(now);
  date.setHours(12, 0, 0, 0);
  change(date);
  return date;
};

describe('how long ago, in words', () => {
  it('means days of the calendar, not rounded hours', () => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    const sunday = new Date(2026, 10, 22, 23, 0).getTime();
    expect(formatRelative(new Date(2026, 10, 21, 8, 0).getTime(), sunday)).toBe('yesterday');
    expect(formatRelative(new Date(2026, 10, 20, 22, 0).getTime(), sunday)).toBe('2 days ago');
    expect(formatRelative(new Date(2026, 10, 22, 9, 30).getTime(), sunday)).toBe('13 hours ago');
    expect(formatRelative(new Date(2026, 10, 21, 23, 30).getTime(), sunday)).toBe('23 hours ago');
    const friday = new Date(2026, 10, 20, 23, 0).getTime();
    expect(formatRelative(friday, new Date(2026, 10, 22, 1, 0).getTime())).toBe('2 days ago');
  });

  it('says yesterday, last month and last year only of those', () => {
    fc.assert(
      fc.property(moment, fc.integer({ min: -800 * DAY, max: 0 }), zone, (now, away, tz) => {
        vi.stubEnv('TZ', tz);
        const words = formatRelative(now + away, now);
        const date = new Date(now + away);
        const sameDay = (other: Date) => date.toDateString() === other.toDateString();
        const by = (days: number) => shifted(now, (day) => day.setDate(day.getDate() + days));
        const monthsOf = (day: Date) => day.getFullYear() * 12 + day.getMonth();
        const today = new Date(now);
        if (words === 'yesterday') expect(sameDay(by(-1))).toBe(true);
        if (words === 'last month') expect(monthsOf(date)).toBe(monthsOf(today) - 1);
        if (words === 'last year') expect(date.getFullYear()).toBe(today.getFullYear() - 1);
        expect(words).not.toMatch(/^(last|this|next) week$|^this (month|year)$/);
        const days = /^(\d+) days ago$/.exec(words);
        if (days) expect(sameDay(by(Math.sign(away) * Number(days[1])))).toBe(true);
        const hours = /^(\d+) hours? ago$/.exec(words);
        if (hours) {
          expect(Number(hours[1]) * HOUR).toBeLessThanOrEqual(Math.abs(away));
          expect(Number(hours[1])).toBeLessThan(25);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('says at most a unit of the calendar more than has passed', () => {
    const unit = { minute: 1 / 1440, hour: 1 / 24, day: 1, week: 7, month: 30.4, year: 365.25 };
    const rough = (words: string): number => {
      if (words === 'now') return 0;
      if (words === 'today') return 0.9;
      if (words === 'yesterday') return 1;
      if (words === 'last month') return 30.4;
      if (words === 'last year') return 365.25;
      const [, count, name] = /^(\d+) (\w+?)s? ago$/.exec(words) ?? [];
      return Number(count) * unit[name as keyof typeof unit];
    };
    fc.assert(
      fc.property(moment, fc.nat(900 * DAY), zone, (now, away, tz) => {
        vi.stubEnv('TZ', tz);
        const said = rough(formatRelative(now - away, now));
        expect(said).not.toBeNaN();
        // A calendar's unit more than has passed, at most; two months of 30.4 days may be a February and an hour.
        expect(said).toBeLessThanOrEqual(away / DAY + (said >= 365 ? 366 : said >= 30 ? 33 : 1.1));
      }),
      { numRuns: 2_000 },
    );
  });

  it('says nothing of a time to come: another clock is ahead', () => {
    fc.assert(
      fc.property(moment, fc.nat(800 * DAY), (now, ahead) => {
        expect(formatRelative(now + ahead, now)).toBe('now');
      }),
    );
  });

  it('has the same sense in Chinese', async () => {
    if (!i18next.isInitialized) await i18next.init({ lng: 'en', resources: {} });
    await i18next.changeLanguage('zh');
    try {
      const sunday = new Date(2026, 10, 22, 23, 0).getTime();
      expect(formatRelative(new Date(2026, 10, 21, 8, 0).getTime(), sunday)).toBe('昨天');
      expect(formatRelative(new Date(2026, 10, 20, 23, 30).getTime(), sunday)).toBe('前天');
      expect(formatRelative(new Date(2026, 9, 2).getTime(), sunday)).toBe('上个月');
    } finally {
      await i18next.changeLanguage('en');
    }
  });
});
