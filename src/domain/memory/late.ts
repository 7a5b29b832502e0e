// Late interaction: each token vector of a question is compared with the nearest one of a passage (Khattab and Zaharia,
// "ColBERT", 2020). Passages keep only the signs of their token vectors. This is the definition; the index computes the
// same with tables, many times as fast (`adapters/index/late-tables.ts`).

/** Numbers in a token vector, and bits kept of it. */
const WIDTH = 256;
const BYTES = WIDTH / 8;
/**
 * Signs of a vector of length 1 have this size. The cosine with a vector is at most about 0.8 (the square
 * root of 2/π), which is not corrected.
 */
const SIGN = 1 / Math.sqrt(WIDTH);

/** Token vectors of a question: `weights.length` vectors of `WIDTH` numbers and length 1, with their weights. */
export interface QueryTokenVectors {
  readonly tokens: Float32Array;
  readonly weights: Float32Array;
}

/**
 * Makes the comparison for one question: the weighted mean, over its token vectors, of the best cosine with any of the
 * passage, -0.8–0.8. `bits`: 32 bytes a token vector, lowest bit first. Null if the question or the passage has none.
 */
export function lateInteraction({ tokens, weights }: QueryTokenVectors): (bits: Uint8Array) => number | null {
  const count = weights.length;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (count === 0 || !(total > 0) || tokens.length !== count * WIDTH) return () => null;
  const maxSim = (asked: number, bits: Uint8Array, vector: number): number => {
    let sum = 0;
    for (let at = 0; at < WIDTH; at++) {
      const sign = ((bits[vector * BYTES + (at >> 3)] as number) >> (at & 7)) & 1 ? SIGN : -SIGN;
      sum += (tokens[asked * WIDTH + at] as number) * sign;
    }
    return sum;
  };
  return (bits) => {
    const vectors = Math.floor(bits.length / BYTES);
    if (vectors === 0) return null;
    let score = 0;
    for (let asked = 0; asked < count; asked++) {
      let best = Number.NEGATIVE_INFINITY;
      for (let vector = 0; vector < vectors; vector++) best = Math.max(best, maxSim(asked, bits, vector));
      score += best * (weights[asked] as number);
    }
    return score / total;
  };
}
