// Late interaction: a question's pieces compared with a passage's pieces, each with the one it is nearest to (Khattab and Zaharia,
// "ColBERT", 2020). Passages keep only the signs of their pieces' vectors, so a comparison is a walk through small tables.

/** Numbers in a piece's vector, and bits kept of it. */
const WIDTH = 256;
const BYTES = WIDTH / 8;
/** The cosine of a vector and the signs of another is at most about this (the square root of 2/π); what a sign costs is not given back. */
const SIGN = 1 / Math.sqrt(WIDTH);
/** Likenesses are added as whole numbers of this many parts: that is twice as fast as fractions, and exact to six digits. */
const PARTS = 1 << 22;

/** A question's pieces: `weights.length` vectors of `WIDTH` numbers and length 1, and how much each says. */
export interface QueryPieces {
  readonly tokens: Float32Array;
  readonly weights: Float32Array;
}

/**
 * Makes the comparison for one question: the weighted mean, over its pieces, of the best likeness to any piece of the passage, -0.8–0.8.
 * Null where the question or the passage has no pieces.
 */
export function lateInteraction({ tokens, weights }: QueryPieces): (bits: Uint8Array) => number | null {
  const count = weights.length;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (count === 0 || !(total > 0) || tokens.length !== count * WIDTH) return () => null;
  // For each piece and each byte of signs: what those eight signs add.
  const tables = new Int32Array(count * BYTES * 256);
  const part = SIGN * PARTS;
  const sum = new Float64Array(256);
  for (let piece = 0; piece < count; piece++)
    for (let byte = 0; byte < BYTES; byte++) {
      const table = (piece * BYTES + byte) * 256;
      const from = piece * WIDTH + byte * 8;
      let none = 0;
      for (let bit = 0; bit < 8; bit++) none -= (tokens[from + bit] as number) * part;
      sum[0] = none;
      tables[table] = Math.round(none);
      for (let signs = 1; signs < 256; signs++) {
        const lowest = 31 - Math.clz32(signs & -signs);
        const likeness = (sum[signs & (signs - 1)] as number) + 2 * part * (tokens[from + lowest] as number);
        sum[signs] = likeness;
        tables[table + signs] = Math.round(likeness);
      }
    }
  return (bits) => {
    const pieces = Math.floor(bits.length / BYTES);
    if (pieces === 0) return null;
    let score = 0;
    for (let asked = 0; asked < count; asked++) {
      let best = Number.MIN_SAFE_INTEGER;
      for (let piece = 0; piece < pieces; piece++) {
        // Four sums side by side: none waits for the one before it.
        let [one, two, three, four] = [0, 0, 0, 0];
        let table = asked * BYTES * 256;
        for (let byte = piece * BYTES, end = byte + BYTES; byte < end; byte += 4, table += 1024) {
          one = (one + (tables[table + (bits[byte] as number)] as number)) | 0;
          two = (two + (tables[table + 256 + (bits[byte + 1] as number)] as number)) | 0;
          three = (three + (tables[table + 512 + (bits[byte + 2] as number)] as number)) | 0;
          four = (four + (tables[table + 768 + (bits[byte + 3] as number)] as number)) | 0;
        }
        const likeness = (one + two + three + four) | 0;
        if (likeness > best) best = likeness;
      }
      score += (best / PARTS) * (weights[asked] as number);
    }
    return score / total;
  };
}
