// Says how close a passage is and why, in a person's terms, from the scores stored with it. Pure.
import type { ShownScores } from './score-parts.ts';

export type Closeness = 'veryClose' | 'close' | 'weak';
/** Least probabilities that a person would call the passage related. */
const VERY_CLOSE = 0.9;
const CLOSE = 0.6;

/** Least probability at which a passage that was not used is near enough to be shown. */
const NEAR = 0.2;

/** Passages that were not used and yet are near, and those that the person called not related: they can be undone. */
export const nearOnes = <P extends { readonly scores: Pick<ShownScores, 'final' | 'boosts'> }>(
  nearMisses: readonly P[],
): readonly P[] =>
  nearMisses.filter(
    ({ scores }) => scores.final >= NEAR || scores.boosts?.some(({ name }) => name === 'not-related'),
  );

/**
 * Closeness of a used passage or of a search hit. Passages below the requested
 * threshold (`used` false) are always weak.
 */
export const closenessOf = ({ final }: Pick<ShownScores, 'final'>, used = true): Closeness =>
  !used || final < CLOSE ? 'weak' : final < VERY_CLOSE ? 'close' : 'veryClose';

type Reason =
  | 'sameThing'
  | 'similar'
  | 'sameWords'
  | 'someWords'
  | 'context'
  | 'speaker'
  | 'time'
  | 'date'
  | 'note'
  | 'pin'
  | 'language'
  | 'ahead'
  | 'question'
  | 'not-related'
  | 'little';

/** Reasons that raised a score, by their stored name; `question` and `not-related` lowered it. */
const BY_BOOST: readonly Reason[] = [
  'pin',
  'note',
  'speaker',
  'date',
  'time',
  'context',
  'language',
  'question',
  'not-related',
];
/** Least value of meaning or words that counts as a reason, 0–1. */
const STRONG = 0.7;
const SOME = 0.35;
/** Least lead over the best passage of any other conversation that counts as a reason, in standard deviations. */
const AHEAD = 1.5;

/** Reasons in order of importance for a person; at least one. */
export function reasonsOf(scores: ShownScores): readonly Reason[] {
  const reasons: Reason[] = [];
  const meaning = scores.meaning ?? scores.vector ?? 0;
  const words = scores.keyword ?? 0;
  if (meaning >= STRONG) reasons.push('sameThing');
  else if (meaning >= SOME) reasons.push('similar');
  if (words >= STRONG) reasons.push('sameWords');
  else if (words >= SOME) reasons.push('someWords');
  const names = new Set(
    (scores.boosts ?? [])
      .filter(({ name, factor }) => (name === 'question' || name === 'not-related' ? factor < 1 : factor > 1))
      .map(({ name }) => name),
  );
  reasons.push(...BY_BOOST.filter((reason) => names.has(reason)));
  if ((scores.above ?? 0) >= AHEAD) reasons.push('ahead');
  return reasons.length > 0 ? reasons : ['little'];
}
