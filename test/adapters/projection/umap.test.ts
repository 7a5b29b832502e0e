import { describe, expect, it } from 'vitest';
import { projectVectors } from '../../../src/adapters/projection/umap.ts';

/** Two heaps of vectors around two directions. */
const heaps = (each: number) =>
  Array.from({ length: 2 * each }, (_, at) =>
    Float32Array.from({ length: 16 }, (_, i) =>
      (at < each ? i < 8 : i >= 8) ? 1 + 0.1 * Math.sin(at * 7 + i) : 0.1 * Math.cos(at * 3 + i),
    ),
  );

describe('the map', () => {
  it('puts what is alike together, inside of the sheet, the same each time', () => {
    const places = projectVectors(heaps(20));
    expect(places).toHaveLength(40);
    for (const { x, y } of places) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(1);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(1);
    }
    const far = (a: number, b: number) =>
      Math.hypot((places[a]?.x ?? 0) - (places[b]?.x ?? 0), (places[a]?.y ?? 0) - (places[b]?.y ?? 0));
    const mean = (pairs: [number, number][]) =>
      pairs.reduce((sum, [a, b]) => sum + far(a, b), 0) / pairs.length;
    const all = [...Array(20).keys()];
    const within = mean(all.slice(1).map((at) => [0, at] as [number, number]));
    const between = mean(all.map((at) => [0, 20 + at] as [number, number]));
    expect(within).toBeLessThan(between);
    expect(projectVectors(heaps(20))).toEqual(places);
  });

  it('has a place for the few and for none', () => {
    expect(projectVectors([])).toEqual([]);
    for (const count of [1, 2, 5, 6, 7]) expect(projectVectors(heaps(4).slice(0, count))).toHaveLength(count);
    expect(projectVectors(Array.from({ length: 8 }, () => new Float32Array(4)))).toHaveLength(8);
  });
});
