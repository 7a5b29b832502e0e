// Late interaction: a question's pieces compared with a passage's pieces, each with the one it is nearest to (Khattab and Zaharia,
// "ColBERT", 2020). Passages keep only the signs of their pieces' vectors. This says what is meant; the index does the same with tables, many
// times as fast (`adapters/index/late-tables.ts`).

/** Numbers in a piece's vector, and bits kept of it. */
const WIDTH = 256;
const BYTES = WIDTH / 8;
/** The cosine of a vector and the signs of another is at most about 0.8 (the square root of 2/π); what a sign costs is not given back. */
const SIGN = 1 / Math.sqrt(WIDTH);

/** A question's pieces: `weights.length` vectors of `WIDTH` numbers and length 1, and how much each says. */
export interface QueryPieces {
  readonly tokens: Float32Array;
  readonly weights: Float32Array;
}

/**
 * Makes the comparison for one question: the weighted mean, over its pieces, of the best likeness to any piece of the passage, -0.8–0.8.
 * `bits`: 32 bytes a piece, lowest bit first. Null where the question or the passage has no pieces.
 */
export function lateInteraction({ tokens, weights }: QueryPieces): (bits: Uint8Array) => number | null {
  const count = weights.length;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (count === 0 || !(total > 0) || tokens.length !== count * WIDTH) return () => null;
  const maxSim = (asked: number, bits: Uint8Array, piece: number): number => {
    let sum = 0;
    for (let at = 0; at < WIDTH; at++) {
      const sign = ((bits[piece * BYTES + (at >> 3)] as number) >> (at & 7)) & 1 ? SIGN : -SIGN;
      sum += (tokens[asked * WIDTH + at] as number) * sign;
    }
    return sum;
  };
  return (bits) => {
    const pieces = Math.floor(bits.length / BYTES);
    if (pieces === 0) return null;
    let score = 0;
    for (let asked = 0; asked < count; asked++) {
      let best = Number.NEGATIVE_INFINITY;
      for (let piece = 0; piece < pieces; piece++) best = Math.max(best, maxSim(asked, bits, piece));
      score += best * (weights[asked] as number);
    }
    return score / total;
  };
}
