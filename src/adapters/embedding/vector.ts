// The two sums that every embedding needs.

/** Scales to length 1, in place. A vector of zeros (a text without any word) becomes the first axis, so that length 1 always holds. */
export function unit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!(sum > 0)) {
    vector.fill(0);
    vector[0] = 1;
    return vector;
  }
  const scale = 1 / Math.sqrt(sum);
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) * scale;
  return vector;
}

/** Cosine of two vectors of length 1. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/**
 * Takes away what all vectors of a model have in common, and scales to length 1 again; in place. (Mu and Viswanath, "All-but-the-Top",
 * 2018, its first step.) Ranks better as well as reading better.
 */
export function centred(vector: Float32Array, centre: Float32Array | null): Float32Array {
  if (!centre) return vector;
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) - (centre[at] as number);
  return unit(vector);
}
