// Makes a model's states of a text's tokens small, for late interaction. Each token becomes the signs
// of `TOKEN_BITS` numbers of its rotated state (32 bytes), which nearly keeps the order of cosines.
// Only the centre is learnt from data.
import type { TokenVectors } from './protocol.ts';
import { unit } from './vector.ts';

/** Signs kept for each token of a passage. */
export const TOKEN_BITS = 256;
/** Most tokens of a question that are compared: those with the most weight. */
export const QUERY_TOKENS = 32;
/** Most tokens of a passage that are kept. */
export const PASSAGE_TOKENS = 384;
/** Tokens as frequent as this in the model's vocabulary (natural logarithm of their share) have no weight. */
const COMMON = -5;

/** +1 or -1 for each position, the same on every device and for ever: an integer hash (Wang's) of the position. */
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
 * Makes a random rotation of a model's states (signs flipped, then a fast Walsh–Hadamard transform; Ailon and Chazelle,
 * "The Fast Johnson–Lindenstrauss Transform", 2009). It spreads information: the first numbers then stand for all.
 */
function turner(dimensions: number): (state: Float32Array, into: Float32Array) => void {
  const rotate = rotation(dimensions);
  return (state, into) => {
    rotate(state, into);
    unit(into);
  };
}

/** The same without scaling: `into` gets the first `TOKEN_BITS` numbers of the rotated state. Linear in the state. */
export function rotation(dimensions: number): (state: Float32Array, into: Float32Array) => void {
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
  };
}

/** Centres states (rows of `dimensions` numbers) in place: scales to length 1, subtracts the common part. */
function centreStates(states: Float32Array, dimensions: number, centre: Float32Array | null): void {
  for (let from = 0; from < states.length; from += dimensions) {
    const row = unit(states.subarray(from, from + dimensions));
    if (centre)
      for (let at = 0; at < dimensions; at++) row[at] = (row[at] as number) - (centre[at] as number);
  }
}

/** The states of a text's own tokens, as a model made them. */
interface OwnStates {
  /** Rows of `dimensions` numbers; the receiver may change them. */
  readonly states: Float32Array;
  readonly dimensions: number;
  readonly kind: 'query' | 'passage';
  /** Without its prefix and without its context. */
  readonly text: string;
  /** Natural logarithm of each token's share of the model's vocabulary; null if the model gives none. */
  readonly logProbabilities: readonly number[] | null;
}

/** Turns states into the form that late interaction compares. */
export type ReduceTokens = (own: OwnStates) => TokenVectors;

/** The shipped way: a passage's tokens become signs, a question's become vectors with weights. */
export const reduceWith =
  (centre: Float32Array | null): ReduceTokens =>
  ({ states, dimensions, kind, logProbabilities }) => {
    centreStates(states, dimensions, centre);
    return kind === 'query'
      ? { bits: new Uint8Array(0), ...queryTokens(states, dimensions, logProbabilities) }
      : { bits: bitsOf(states, dimensions), tokens: new Float32Array(0), weights: new Float32Array(0) };
  };

/** Packs the signs of each row. */
function bitsOf(states: Float32Array, dimensions: number): Uint8Array {
  const turn = turner(dimensions);
  const count = Math.min(PASSAGE_TOKENS, states.length / dimensions);
  const bits = new Uint8Array((count * TOKEN_BITS) / 8);
  const row = new Float32Array(TOKEN_BITS);
  for (let token = 0; token < count; token++) {
    turn(states.subarray(token * dimensions, (token + 1) * dimensions), row);
    for (let at = 0; at < TOKEN_BITS; at++)
      if ((row[at] as number) > 0) {
        const byte = (token * TOKEN_BITS + at) >> 3;
        bits[byte] = (bits[byte] as number) | (1 << (at & 7));
      }
  }
  return bits;
}

/** Weight of a question's token by its share of the vocabulary (natural logarithm): zero from `COMMON` upwards. */
export const logWeight = (logProbability: number | undefined): number =>
  Math.max(0, COMMON - (logProbability ?? COMMON));

/**
 * The question's tokens with their weights: how rare each is by the vocabulary's log probabilities. That measures as
 * good as counting rarity in the library. `scores` null: all weigh the same.
 */
function queryTokens(
  states: Float32Array,
  dimensions: number,
  scores: readonly number[] | null,
): { tokens: Float32Array; weights: Float32Array } {
  const turn = turner(dimensions);
  const count = states.length / dimensions;
  const weigh = (token: number) => (scores ? logWeight(scores[token]) : 1);
  const kept = Array.from({ length: count }, (_, token) => ({ token, weight: weigh(token) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, QUERY_TOKENS);
  const tokens = new Float32Array(kept.length * TOKEN_BITS);
  kept.forEach(({ token }, at) => {
    turn(
      states.subarray(token * dimensions, (token + 1) * dimensions),
      tokens.subarray(at * TOKEN_BITS, (at + 1) * TOKEN_BITS),
    );
  });
  return { tokens, weights: Float32Array.from(kept, ({ weight }) => weight) };
}
