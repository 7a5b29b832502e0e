// Vector arithmetic that every embedding needs.

/**
 * Scales to length 1, in place. A vector of zeros (a text without any word) becomes the first
 * axis, so that length 1 always holds.
 */
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

/** The part that all vectors of a model share. */
export interface Centre {
  /** Mean of all vectors. */
  readonly mean: Float32Array;
  /** Half of the way from English to Chinese: the part that a text's language alone adds. */
  readonly language: Float32Array;
}

/**
 * How Chinese a text is, 0–1: its Han characters against its other words, which take about two
 * pieces each. A text with neither: 0.5.
 */
export function hanWeight(text: string): number {
  const some = text.slice(0, 4_000);
  const han = some.match(/\p{Script=Han}/gu)?.length ?? 0;
  const words = some.match(/(?:(?!\p{Script=Han})\p{L})+/gu)?.length ?? 0;
  return han + words === 0 ? 0.5 : han / (han + 2 * words);
}

/**
 * Subtracts a model's mean vector, and half of what the text's language adds, then scales to length 1; in place (Mu and
 * Viswanath, "All-but-the-Top", 2018, first step). Ranks better: docs/decisions/0010-centred-vectors.md.
 */
export function centred(vector: Float32Array, centre: Centre | null, text: string): Float32Array {
  if (!centre) return vector;
  const { mean, language } = centre;
  const weight = hanWeight(text) - 0.5;
  for (let at = 0; at < vector.length; at++)
    vector[at] = (vector[at] as number) - (mean[at] as number) - weight * (language[at] as number);
  return unit(vector);
}
