import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topicsOf } from '../../../src/domain/memory/topics.ts';

describe('topics', () => {
  it('are named by what sets a region apart', () => {
    const around = (x: number, y: number, keywords: string[], count: number) =>
      Array.from({ length: count }, (_, at) => ({ x: x + at / 1000, y, keywords }));
    const topics = topicsOf(
      [
        ...around(0, 0, ['question', 'bread', 'oven'], 6),
        ...around(1, 1, ['question', 'postgres', 'index'], 5),
        ...around(1, 0, ['问题', '杭州'], 4),
      ],
      3,
    );
    expect(topics.map(({ label, size }) => [label, size])).toEqual([
      ['bread', 6],
      ['postgres', 5],
      ['问题', 4],
    ]);
  });

  it('never name two regions alike, and never more than wanted', () => {
    const place = fc.record({
      x: fc.double({ min: 0, max: 1, noNaN: true }),
      y: fc.double({ min: 0, max: 1, noNaN: true }),
      keywords: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 30 }), fc.integer({ min: 0, max: 6 }), (places, wanted) => {
        const topics = topicsOf(places, wanted);
        expect(topics.length).toBeLessThanOrEqual(wanted);
        expect(new Set(topics.map(({ label }) => label)).size).toBe(topics.length);
      }),
    );
  });
});
