import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AXIS_HEIGHT, layoutTimeline, timeLabels } from '../../../src/ui/memory/timeline.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 25);

describe('the dots of the timeline', () => {
  const inside = (moments: readonly { at: number; size: number }[], width: number) => {
    const { dots, height } = layoutTimeline(moments, width);
    expect(dots).toHaveLength(moments.length);
    for (const { x, y, r } of dots) {
      expect(r).toBeGreaterThan(0);
      expect(x - r).toBeGreaterThanOrEqual(0);
      expect(x + r).toBeLessThanOrEqual(width);
      expect(y - r).toBeGreaterThanOrEqual(0);
      expect(y + r).toBeLessThanOrEqual(height - AXIS_HEIGHT);
    }
    expect(height).toBeLessThanOrEqual(320);
    return dots;
  };
  const apart = (dots: readonly { x: number; y: number; r: number }[]) =>
    dots.every((a, at) =>
      dots.slice(at + 1).every((b) => Math.hypot(a.x - b.x, a.y - b.y) >= a.r + b.r - 1e-9),
    );

  it('are all wholly inside, at every width and with any number on one day', () => {
    const moment = fc.record({
      at: fc.oneof(fc.integer({ min: NOW - 400 * DAY, max: NOW }), fc.constantFrom(0, NOW)),
      size: fc.integer({ min: 0, max: 500 }),
    });
    fc.assert(
      fc.property(
        fc.array(moment, { minLength: 1, maxLength: 120 }),
        fc.integer({ min: 240, max: 1600 }),
        (moments, width) => {
          inside(moments, width);
        },
      ),
    );
  });

  it('stack without touching where there is room, and shrink before they overlap', () => {
    const onOneDay = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ at: NOW - at * 60_000, size: 1 + (at % 7) }));
    expect(apart(inside(onOneDay(4), 360))).toBe(true);
    const [few, many] = [inside(onOneDay(4), 360), inside(onOneDay(30), 360)];
    expect(apart(many)).toBe(true);
    expect(many[0]?.r).toBeLessThan(few[0]?.r ?? 0);
    inside(onOneDay(3000), 360);
  });

  it('lie at their time', () => {
    const { dots, left, right, from, to } = layoutTimeline(
      [0, 50, 100].map((days) => ({ at: NOW - days * DAY, size: 3 })),
      700,
    );
    expect(dots.map(({ x }) => x)).toEqual([right, (left + right) / 2, left]);
    expect([from, to]).toEqual([NOW - 100 * DAY, NOW]);
  });
});

describe('the axis of the timeline', () => {
  const months = [new Date(2025, 9, 1), new Date(2026, 0, 1), new Date(2026, 3, 1)];

  it('speaks the language of the app', () => {
    expect(timeLabels(months, 'en')).toEqual(['Oct\n2025', 'Jan\n2026', 'Apr']);
    expect(timeLabels(months, 'zh-CN')).toEqual(['10月\n2025年', '1月\n2026年', '4月']);
  });

  it('counts years, months or days, as its ticks do', () => {
    expect(timeLabels([new Date(2024, 0, 1), new Date(2025, 0, 1)], 'en')).toEqual(['2024', '2025']);
    const days = [new Date(2026, 9, 25), new Date(2026, 10, 1), new Date(2026, 10, 8)];
    expect(timeLabels(days, 'en')).toEqual(['25\nOct', '1\nNov', '8']);
    expect(timeLabels(days, 'zh-CN')).toEqual(['25日\n10月', '1日\n11月', '8日']);
  });
});
