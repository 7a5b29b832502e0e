// Measures how a model's cosines read, from pairs of our own writing, for models without published figures.

import { CALIBRATION_PAIRS } from './calibration-pairs.ts';
import type { Calibration, EmbeddingProvider } from './embedding-provider.ts';
import { cosine } from './vector.ts';

/** A labelled cosine. */
export interface Labelled {
  readonly cosine: number;
  readonly related: boolean;
}

/**
 * Logistic regression of one variable, both classes weighted alike, by Newton's method on standardised cosines.
 * The small ridge (as if by a few pairs lying on the curve) keeps the spread finite where the classes do not overlap.
 */
export function fitCalibration(pairs: readonly Labelled[]): Calibration {
  const count = {
    yes: pairs.filter(({ related }) => related).length,
    no: pairs.filter(({ related }) => !related).length,
  };
  const mean = pairs.reduce((sum, { cosine: x }) => sum + x, 0) / pairs.length;
  const deviation =
    Math.sqrt(pairs.reduce((sum, { cosine: x }) => sum + (x - mean) ** 2, 0) / pairs.length) || 1;
  const ridge = 0.02;
  let [slope, offset] = [1, 0];
  for (let round = 0; round < 100; round++) {
    let [gs, go, hss, hso, hoo] = [-ridge * slope, 0, ridge, 0, 0];
    for (const pair of pairs) {
      const x = (pair.cosine - mean) / deviation;
      const weight = 0.5 / (pair.related ? count.yes : count.no);
      const p = 1 / (1 + Math.exp(-(slope * x + offset)));
      const miss = weight * ((pair.related ? 1 : 0) - p);
      const bend = weight * p * (1 - p);
      gs += miss * x;
      go += miss;
      hss += bend * x * x;
      hso += bend * x;
      hoo += bend;
    }
    const determinant = hss * hoo - hso * hso || 1e-12;
    const [tilt, shift] = [(gs * hoo - go * hso) / determinant, (go * hss - gs * hso) / determinant];
    slope += tilt;
    offset += shift;
    if (Math.abs(tilt) + Math.abs(shift) < 1e-9) break;
  }
  // A model that knows nothing of the pairs gives no slope, or a wrong one: then nothing is told apart, and nothing promised.
  const usable = Math.max(slope, 0.05);
  return { related: mean - (offset / usable) * deviation, spread: deviation / usable };
}

/** Makes a provider's `calibration`: measured once, at the first call; a failure is forgotten and tried again. */
export function createCalibration(embed: EmbeddingProvider['embed']): EmbeddingProvider['calibration'] {
  let measured: Promise<Calibration> | null = null;
  return (signal) => {
    signal.throwIfAborted();
    measured ??= measure(embed).catch((error: unknown) => {
      measured = null;
      throw error;
    });
    // The measure is everybody's, so one who gives up leaves it running for the others.
    return unlessAborted(measured, signal);
  };
}

async function measure(embed: EmbeddingProvider['embed']): Promise<Calibration> {
  const { signal } = new AbortController();
  const queries = await embed(
    CALIBRATION_PAIRS.map(({ query }) => query),
    { kind: 'query', signal },
  );
  const passages = await embed(
    CALIBRATION_PAIRS.map(({ passage }) => passage),
    { kind: 'passage', signal },
  );
  return fitCalibration(
    CALIBRATION_PAIRS.map(({ related }, at) => ({
      related,
      cosine: cosine(queries[at] as Float32Array, passages[at] as Float32Array),
    })),
  );
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
