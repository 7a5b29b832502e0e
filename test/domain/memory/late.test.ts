import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lateInteraction } from '../../../src/domain/memory/late.ts';

const WIDTH = 256;
const piece = (of: (at: number) => number): number[] => {
  const raw = Array.from({ length: WIDTH }, (_, at) => of(at));
  const length = Math.hypot(...raw);
  return raw.map((value) => value / length);
};
const signs = (pieces: readonly number[][]): Uint8Array => {
  const bits = new Uint8Array((pieces.length * WIDTH) / 8);
  pieces.forEach((values, at) => {
    values.forEach((value, place) => {
      const byte = (at * WIDTH + place) >> 3;
      if (value > 0) bits[byte] = (bits[byte] as number) | (1 << (place & 7));
    });
  });
  return bits;
};
const query = (pieces: readonly number[][], weights = pieces.map(() => 1)) => ({
  tokens: Float32Array.from(pieces.flat()),
  weights: Float32Array.from(weights),
});

describe('late interaction', () => {
  const [one, other, third] = [11, 23, 37].map((step) => piece((at) => Math.sin(at * step))) as [
    number[],
    number[],
    number[],
  ];

  it('is the weighted mean of the best similarity of each piece, as the sum of signs says', () => {
    const plain = (asked: number[], said: readonly number[][]) =>
      Math.max(
        ...said.map((values) =>
          asked.reduce((sum, value, at) => sum + (value * ((values[at] as number) > 0 ? 1 : -1)) / 16, 0),
        ),
      );
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 9, noNaN: true }), (weight) => {
        const compare = lateInteraction(query([one, other], [1, weight]));
        const said = [other, third];
        const expected = (plain(one, said) + weight * plain(other, said)) / (1 + weight);
        expect(compare(signs(said))).toBeCloseTo(expected, 4);
      }),
    );
  });

  it('finds what was said wherever it stands, and prefers it to what was not', () => {
    const compare = lateInteraction(query([one]));
    expect(compare(signs([third, other, one]))).toBeCloseTo(compare(signs([one])) as number, 5);
    expect(compare(signs([one]))).toBeGreaterThan(0.5);
    expect(compare(signs([third]))).toBeLessThan(0.3);
  });

  it('says nothing where there is nothing to compare', () => {
    expect(lateInteraction(query([]))(signs([one]))).toBeNull();
    expect(lateInteraction(query([one], [0]))(signs([one]))).toBeNull();
    expect(lateInteraction(query([one]))(new Uint8Array(0))).toBeNull();
  });
});
