// The sums that every embedding needs.

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

/** What the vectors of a model have in common. */
export interface Centre {
  /** The mean of all. */
  readonly mean: Float32Array;
  /** From where English lies to where Chinese does, half of the way: what a text's language alone adds. */
  readonly language: Float32Array;
}

/** How Chinese a text is, 0–1: its Han characters against its other words, which take about two pieces each. Of neither: 0.5. */
export function hanWeight(text: string): number {
  const some = text.slice(0, 4_000);
  const han = some.match(/\p{Script=Han}/gu)?.length ?? 0;
  const words = some.match(/(?:(?!\p{Script=Han})\p{L})+/gu)?.length ?? 0;
  return han + words === 0 ? 0.5 : han / (han + 2 * words);
}

/**
 * Takes away what all vectors of a model have in common, and half of what those of the text's language have; scales to length 1 again; in
 * place. (Mu and Viswanath, "All-but-the-Top", 2018, its first step.) Ranks better as well as reading better, and what is said in one
 * language is found by the other: measured in the README.
 */
export function centred(vector: Float32Array, centre: Centre | null, text: string): Float32Array {
  if (!centre) return vector;
  const { mean, language } = centre;
  const weight = hanWeight(text) - 0.5;
  for (let at = 0; at < vector.length; at++)
    vector[at] = (vector[at] as number) - (mean[at] as number) - weight * (language[at] as number);
  return unit(vector);
}
