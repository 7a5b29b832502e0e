// UMAP (McInnes, Healy, Melville 2018) by umap-js, seeded, on unit vectors. Runs in the
// thread of its caller: a worker in the app.
import { UMAP } from 'umap-js';
import type { MapPoint } from './projection.ts';

/** Least number of vectors for UMAP. Fewer have no neighbourhoods and stand in a circle in their order. */
const SMALLEST = 6;
const NEIGHBOURS = 12;

/** Computes a place for each vector, synchronously. */
export function projectVectors(vectors: readonly Float32Array[]): MapPoint[] {
  if (vectors.length === 0) return [];
  if (vectors.length < SMALLEST)
    return vectors.map((_, at) => ({
      x: 0.5 + 0.35 * Math.cos((2 * Math.PI * at) / vectors.length),
      y: 0.5 + 0.35 * Math.sin((2 * Math.PI * at) / vectors.length),
    }));
  const umap = new UMAP({
    nComponents: 2,
    nNeighbors: Math.min(NEIGHBOURS, vectors.length - 1),
    minDist: 0.25,
    spread: 1.2,
    random: seeded(7),
  });
  const laid = umap.fit(vectors.map((vector) => Array.from(unit(vector))));
  const [x, y] = [scaled(laid.map((one) => one[0] ?? 0)), scaled(laid.map((one) => one[1] ?? 0))];
  return laid.map((_, at) => ({ x: x[at] ?? 0.5, y: y[at] ?? 0.5 }));
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector;
}

function scaled(values: readonly number[]): number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (high > low ? (value - low) / (high - low) : 0.5));
}

/** mulberry32: a small generator with a fixed start, since the map must look the same each time it is drawn. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
