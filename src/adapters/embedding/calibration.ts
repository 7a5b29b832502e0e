// Measures how a model's cosines are to be read, from pairs written for this project,
// for models without published figures.

import { z } from 'zod';
import { hashOfText } from '../../domain/base/hash.ts';
import { orElse } from '../../domain/base/log.ts';
import { unlessAborted } from '../../domain/base/time-limit.ts';
import { CALIBRATION_PAIRS } from './calibration-pairs.ts';
import { CALIBRATIONS, type Calibration, type EmbeddingProvider } from './embedding-provider.ts';
import { cosine } from './vector.ts';

const LANGUAGES = ['en', 'zh', 'mixed'] as const;
/** A model that separates related from unrelated pairs less often than this does not know the language. */
const KNOWN_FROM = 0.85;
/** A model that separates them less often than this separates nothing: chance alone gives half. */
const TELLS_FROM = 0.6;

/**
 * Factor on the spread: written pairs separate more sharply than people's own messages. On the bundled models
 * MemoryBank's spread is 2.0 and 1.7 times theirs (test/eval/calibration/fit.ts).
 */
const SPREAD_FACTOR = 1.8;

/** One pair: its cosine and its label. */
export interface Labelled {
  readonly cosine: number;
  readonly related: boolean;
}

/**
 * Fits a logistic regression of one variable, both classes weighted equally, by Newton's method on standardised
 * cosines. A small ridge (worth a few pairs on the curve) keeps the spread finite if the classes do not overlap.
 */
export function fitCalibration(pairs: readonly Labelled[]): Calibration {
  const count = {
    yes: pairs.filter(({ related }) => related).length,
    no: pairs.filter(({ related }) => !related).length,
  };
  const mean = pairs.reduce((sum, { cosine: x }) => sum + x, 0) / pairs.length;
  const deviation =
    Math.sqrt(pairs.reduce((sum, { cosine: x }) => sum + (x - mean) ** 2, 0) / pairs.length) || 1;
  const ridge = 0.002;
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
  // A model that knows nothing of the pairs gives no slope, or a wrong one: then it
  // separates nothing and promises nothing.
  const usable = Math.max(slope, 0.05);
  return { related: mean - (offset / usable) * deviation, spread: deviation / usable };
}

/** Stores a measured calibration beyond the life of its tab: the device's key-value store. */
export interface CalibrationKeyValues {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
}

const keptSchema = z.object({ related: z.number(), spread: z.number().positive() });
/** Raise the number when the pairs or the way of measuring change. */
const KEPT = `${CALIBRATIONS}1/`;

/**
 * Makes a provider's `calibration`: measured once, at the first call, and kept if there is a key-value store; after a
 * failure the next call measures again. It reads some 240 texts, which takes a slow device half a minute or costs
 * money; until then recall searches by words.
 * @param kept store, and name of all that a cosine of this model depends on. A measure that separates nothing is not
 *   kept: a server may be set up wrongly, and later rightly
 */
export function createCalibration(
  embed: EmbeddingProvider['embed'],
  kept?: { readonly keyValues: CalibrationKeyValues; readonly name: string },
): EmbeddingProvider['calibration'] {
  const take = async (): Promise<Calibration> => {
    if (!kept) return (await measure(embed)).calibration;
    // The name may hold an address; a hash keeps it out of reports that list keys.
    const key = KEPT + hashOfText(kept.name);
    // An entry that cannot be read is measured again; nothing else is lost.
    const known = keptSchema.safeParse(
      await orElse(kept.keyValues.get(key), undefined, 'a calibration that was kept'),
    ).data;
    if (known) return known;
    const { calibration, tells } = await measure(embed);
    if (tells) await orElse(kept.keyValues.set(key, calibration), undefined, 'keeping a calibration');
    return calibration;
  };
  let measured: Promise<Calibration> | null = null;
  return (signal) => {
    signal.throwIfAborted();
    measured ??= take().catch((error: unknown) => {
      measured = null;
      throw error;
    });
    // All callers share one measurement, so one caller's abort leaves it running for the others.
    return unlessAborted(measured, signal);
  };
}

/** `tells`: true if related pairs are separated from the others at all. */
async function measure(
  embed: EmbeddingProvider['embed'],
): Promise<{ readonly calibration: Calibration; readonly tells: boolean }> {
  const { signal } = new AbortController();
  const queries = await embed(
    CALIBRATION_PAIRS.map(({ query }) => query),
    { kind: 'query', signal },
  );
  const passages = await embed(
    CALIBRATION_PAIRS.map(({ passage }) => passage),
    { kind: 'passage', signal },
  );
  const pairs = CALIBRATION_PAIRS.map(({ related, language }, at) => ({
    related,
    language,
    cosine: cosine(queries[at] as Float32Array, passages[at] as Float32Array),
  }));
  // Languages that the model was not made for are left out: they would blur the figures of the others.
  const known = LANGUAGES.map((language) => pairs.filter((pair) => pair.language === language)).filter(
    (some) => separation(some) >= KNOWN_FROM,
  );
  const { related, spread } = fitCalibration(known.length > 0 ? known.flat() : pairs);
  return { calibration: { related, spread: spread * SPREAD_FACTOR }, tells: separation(pairs) >= TELLS_FROM };
}

/** Computes the chance that the related of two pairs has the higher cosine (area under the ROC curve). */
function separation(pairs: readonly Labelled[]): number {
  const [yes, no] = [pairs.filter(({ related }) => related), pairs.filter(({ related }) => !related)];
  const wins = yes.flatMap((one) =>
    no.map((other) => (one.cosine > other.cosine ? 1 : one.cosine === other.cosine ? 0.5 : 0)),
  );
  return wins.reduce<number>((sum, win) => sum + win, 0) / wins.length;
}
