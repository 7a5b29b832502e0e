// A classifier head: softmax regression on sentences' vectors and cues. It has a few thousand numbers, so it ships for
// the bundled model and is trained on the device, once, for any other.

/** Learning rates of vector and cue weights, and the ridge; chosen by the examples alone. */
const [VECTOR_GAIN, CUE_GAIN, RIDGE] = [4, 0.3, 0.001];
const STEPS = 120;
const RATE = 0.1;

export interface Head {
  readonly classes: number;
  /** Numbers of a text: its vector's, its cues', and a constant. */
  readonly width: number;
  /** Row by row, one for each class. */
  readonly weights: Float32Array;
}

/** Computes the probabilities of the classes, which add up to 1. */
export function probabilities(head: Head, vector: ArrayLike<number>, cues: readonly number[]): number[] {
  const { classes, width, weights } = head;
  const scores = Array.from({ length: classes }, (_, row) => {
    const from = row * width;
    let sum = weights[from + width - 1] as number;
    for (let at = 0; at < vector.length; at++) sum += (weights[from + at] as number) * (vector[at] as number);
    for (let at = 0; at < cues.length; at++)
      sum += (weights[from + vector.length + at] as number) * (cues[at] as number);
    return sum;
  });
  const largest = Math.max(...scores);
  const shares = scores.map((score) => Math.exp(score - largest));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

interface Taught {
  readonly vector: ArrayLike<number>;
  readonly cues: readonly number[];
  /** Number of its class. */
  readonly as: number;
}

/**
 * Trains a head step by step, so that the caller can yield between two steps: a step over 1,200 examples of 384
 * numbers takes some 20 ms. Adam on the cross entropy with a ridge; deterministic.
 */
export function createTraining(
  taught: readonly Taught[],
  classes: number,
): { step(): boolean; head(): Head } {
  const length = taught[0]?.vector.length ?? 0;
  const width = length + (taught[0]?.cues.length ?? 0) + 1;
  const rows = new Float32Array(taught.length * width);
  taught.forEach(({ vector, cues }, row) => {
    for (let at = 0; at < length; at++) rows[row * width + at] = (vector[at] as number) * VECTOR_GAIN;
    for (const [at, cue] of cues.entries()) rows[row * width + length + at] = cue * CUE_GAIN;
    rows[row * width + width - 1] = 1;
  });
  const weights = new Float32Array(classes * width);
  const [mean, square] = [new Float32Array(weights.length), new Float32Array(weights.length)];
  const slope = new Float32Array(weights.length);
  const scores = new Float64Array(classes);
  let steps = 0;

  /** Gradient of the loss over all examples, without the ridge. */
  const measure = (): void => {
    slope.fill(0);
    for (const [row, { as }] of taught.entries()) {
      const from = row * width;
      let largest = Number.NEGATIVE_INFINITY;
      for (let one = 0; one < classes; one++) {
        let sum = 0;
        const at = one * width;
        for (let i = 0; i < width; i++) sum += (weights[at + i] as number) * (rows[from + i] as number);
        scores[one] = sum;
        largest = Math.max(largest, sum);
      }
      let total = 0;
      for (let one = 0; one < classes; one++) {
        scores[one] = Math.exp((scores[one] as number) - largest);
        total += scores[one] as number;
      }
      for (let one = 0; one < classes; one++) {
        const miss = ((scores[one] as number) / total - Number(one === as)) / taught.length;
        const at = one * width;
        for (let i = 0; i < width; i++)
          slope[at + i] = (slope[at + i] as number) + miss * (rows[from + i] as number);
      }
    }
  };

  return {
    step: () => {
      if (steps >= STEPS) return false;
      steps += 1;
      measure();
      const rate = steps > STEPS * 0.6 ? RATE * 0.3 : RATE;
      const [early, late] = [1 - 0.9 ** steps, 1 - 0.99 ** steps];
      for (let at = 0; at < weights.length; at++) {
        const gradient = (slope[at] as number) + RIDGE * (weights[at] as number);
        mean[at] = 0.9 * (mean[at] as number) + 0.1 * gradient;
        square[at] = 0.99 * (square[at] as number) + 0.01 * gradient * gradient;
        weights[at] =
          (weights[at] as number) -
          (rate * ((mean[at] as number) / early)) / (Math.sqrt((square[at] as number) / late) + 1e-8);
      }
      return steps < STEPS;
    },
    head: () => ({
      classes,
      width,
      weights: weights.map((weight, at) => {
        const column = at % width;
        return column < length ? weight * VECTOR_GAIN : column < width - 1 ? weight * CUE_GAIN : weight;
      }),
    }),
  };
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Levels of a written weight on each side of zero. */
const LEVELS = 2047;

/** Writes a head as text: for each class the largest weight, then two letters a weight. */
export function writeHead({ classes, width, weights }: Head): string {
  const rows = Array.from({ length: classes }, (_, row) => {
    const own = weights.subarray(row * width, (row + 1) * width);
    const largest = own.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9);
    let letters = '';
    for (const weight of own) {
      const level = Math.round((weight / largest) * LEVELS) + LEVELS;
      letters += `${LETTERS[level >> 6]}${LETTERS[level & 63]}`;
    }
    return `${largest.toPrecision(6)} ${letters}`;
  });
  return `${width}\n${rows.join('\n')}`;
}

/** Reads the text of `writeHead`; null for anything else. */
export function readHead(text: string): Head | null {
  const [first = '', ...rows] = text.split('\n');
  const width = Number(first);
  if (!Number.isInteger(width) || width < 1 || rows.length === 0) return null;
  const weights = new Float32Array(rows.length * width);
  for (const [row, line] of rows.entries()) {
    const [largest = '', letters = ''] = line.split(' ');
    if (!(Number(largest) > 0) || letters.length !== 2 * width) return null;
    for (let at = 0; at < width; at++) {
      const level =
        LETTERS.indexOf(letters[2 * at] as string) * 64 + LETTERS.indexOf(letters[2 * at + 1] as string);
      weights[row * width + at] = (Number(largest) * (level - LEVELS)) / LEVELS;
    }
  }
  return { classes: rows.length, width, weights };
}
