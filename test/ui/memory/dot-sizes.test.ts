import { expect, it } from 'vitest';
import { dotSizes, radiiOf } from '../../../src/ui/memory/dot-sizes.ts';

const AREA = 720 * 432;

it('few dots of a map are large, many small enough to be told apart', () => {
  expect(dotSizes(AREA, 12)).toEqual([3, 9]);
  const [, largest] = dotSizes(AREA, 2000);
  expect(2000 * Math.PI * largest ** 2).toBeLessThan(AREA / 2);
  expect(dotSizes(AREA, 1_000_000)[0]).toBeGreaterThanOrEqual(1.5);
});

it('the area of a dot grows with the size, and the largest is no larger than it may be', () => {
  expect(radiiOf([0, 25, 100], [2, 10])).toEqual([2, 6, 10]);
  expect(radiiOf([], [2, 10])).toEqual([]);
});
