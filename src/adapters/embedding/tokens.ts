// A model's own states of a text's pieces made small: what late interaction compares. Each piece becomes the signs of `TOKEN_BITS`
// turned numbers (32 bytes), which keeps the order of cosines almost as it was. Nothing here is learnt but the centre.
import { unit } from './vector.ts';

/** Signs kept of each piece of a passage. */
const TOKEN_BITS = 256;
/** Most pieces of a question that are compared: those that say most. */
const QUERY_TOKENS = 32;
/** Most pieces of a passage that are kept. */
const PASSAGE_TOKENS = 384;
/** Pieces as frequent as this in the model's own vocabulary (natural logarithm of their share) say nothing. */
const COMMON = -5;

/** +1 or -1 for each place, the same on every device and for ever: an integer hash (Wang's) of the place. */
function flips(width: number): Float32Array {
  return Float32Array.from({ length: width }, (_, at) => {
    let hash = (at ^ 61 ^ (at >>> 16)) >>> 0;
    hash = Math.imul(hash, 9) >>> 0;
    hash = (hash ^ (hash >>> 4)) >>> 0;
    hash = Math.imul(hash, 0x27d4eb2d) >>> 0;
    return ((hash ^ (hash >>> 15)) >>> 0) & 1 ? 1 : -1;
  });
}

/**
 * Makes the turner of a model's states: a random rotation (signs flipped, then a fast Walsh–Hadamard transform, as in Ailon and Chazelle,
 * "The Fast Johnson–Lindenstrauss Transform", 2009) that spreads what a state says evenly, so that its first numbers stand for all.
 */
function turner(dimensions: number): (state: Float32Array, into: Float32Array) => void {
  let width = TOKEN_BITS;
  while (width < dimensions) width *= 2;
  const signs = flips(width);
  const work = new Float32Array(width);
  return (state, into) => {
    work.fill(0);
    for (let at = 0; at < dimensions; at++) work[at] = (state[at] as number) * (signs[at] as number);
    for (let half = 1; half < width; half *= 2)
      for (let from = 0; from < width; from += half * 2)
        for (let at = from; at < from + half; at++) {
          const [a, b] = [work[at] as number, work[at + half] as number];
          work[at] = a + b;
          work[at + half] = a - b;
        }
    into.set(work.subarray(0, TOKEN_BITS));
    unit(into);
  };
}

/** States (rows of `dimensions` numbers) centred: length 1, the common part taken away. In place. */
export function centreStates(states: Float32Array, dimensions: number, centre: Float32Array | null): void {
  for (let from = 0; from < states.length; from += dimensions) {
    const row = unit(states.subarray(from, from + dimensions));
    if (centre)
      for (let at = 0; at < dimensions; at++) row[at] = (row[at] as number) - (centre[at] as number);
  }
}

/** The signs of each row. */
export function bitsOf(states: Float32Array, dimensions: number): Uint8Array {
  const turn = turner(dimensions);
  const count = Math.min(PASSAGE_TOKENS, states.length / dimensions);
  const bits = new Uint8Array((count * TOKEN_BITS) / 8);
  const row = new Float32Array(TOKEN_BITS);
  for (let piece = 0; piece < count; piece++) {
    turn(states.subarray(piece * dimensions, (piece + 1) * dimensions), row);
    for (let at = 0; at < TOKEN_BITS; at++)
      if ((row[at] as number) > 0) {
        const byte = (piece * TOKEN_BITS + at) >> 3;
        bits[byte] = (bits[byte] as number) | (1 << (at & 7));
      }
  }
  return bits;
}

/**
 * The pieces of a question with what they weigh: how rare each is in the language, by the vocabulary's own log probabilities. Measured as
 * good as its rarity in the library, and nothing has to be counted. `scores` null: all alike.
 */
export function queryTokens(
  states: Float32Array,
  dimensions: number,
  scores: readonly number[] | null,
): { tokens: Float32Array; weights: Float32Array } {
  const turn = turner(dimensions);
  const count = states.length / dimensions;
  const weigh = (piece: number) => (scores ? Math.max(0, COMMON - (scores[piece] ?? COMMON)) : 1);
  const kept = Array.from({ length: count }, (_, piece) => ({ piece, weight: weigh(piece) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, QUERY_TOKENS);
  const tokens = new Float32Array(kept.length * TOKEN_BITS);
  kept.forEach(({ piece }, at) => {
    turn(
      states.subarray(piece * dimensions, (piece + 1) * dimensions),
      tokens.subarray(at * TOKEN_BITS, (at + 1) * TOKEN_BITS),
    );
  });
  return { tokens, weights: Float32Array.from(kept, ({ weight }) => weight) };
}
