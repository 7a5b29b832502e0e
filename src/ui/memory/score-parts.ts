// Computes the parts of a passage's score from the numbers stored with it, for the bar. Pure.
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { FIT } from '../../domain/memory/fit.ts';
import { withDecay } from '../../domain/memory/rank.ts';

type Written = RecalledPassage['scores'];
/** Scores as stored with a passage, or as the ranking returns them. */
export type ShownScores = Omit<Written, 'boosts'> & {
  readonly boosts?: readonly { readonly name: string; readonly factor: number }[] | undefined;
};

/** Lengths on a bar of 1: `meaning + words + boosts` is the final score, `lost` is what its age took away. */
interface ScoreParts {
  readonly meaning: number;
  readonly words: number;
  readonly boosts: number;
  readonly lost: number;
}

const clamped = (value: number): number => Math.max(0, Math.min(1, value));

/**
 * Share of meaning in the hybrid score. The weights of that time are not stored with a passage, but
 * `hybrid = w·meaning + (1 − w)·keyword` gives them if the two differ.
 */
function shareOfMeaning(scores: ShownScores): number {
  const { vector, late = null, keyword, hybrid } = scores;
  // Older answers lack the value of meaning: it was the vector's score at first, later
  // the mean of vector and token vectors.
  const older = vector === null || late === null ? (vector ?? late) : (vector + late) / 2;
  const half = scores.meaning === undefined ? older : scores.meaning;
  if (half === null || half <= 0) return 0;
  if (keyword === null || keyword <= 0) return 1;
  const weight = Math.abs(half - keyword) > 0.02 ? clamped((hybrid - keyword) / (half - keyword)) : 0.6;
  const [meaning, words] = [weight * half, (1 - weight) * keyword];
  return meaning + words > 0 ? meaning / (meaning + words) : 0;
}

/**
 * Divides the final score: first the part from boosts (none if they lowered it; all if only context spoke for the
 * passage), the rest between meaning and words. Age is undone on the odds, to which it was applied.
 */
export function scoreParts(scores: ShownScores): ScoreParts {
  const { hybrid, boosts = [], decay } = scores;
  const final = clamped(scores.final);
  const raised = boosts.reduce((all, { factor }) => all * factor, 1);
  const boosted = hybrid <= 0 ? 1 : raised > 1 ? 1 - 1 / raised : 0;
  const meaning = shareOfMeaning(scores);
  const young = decay > 0 && decay < 1 ? withDecay(final, decay ** -FIT.age) : final;
  return {
    meaning: final * (1 - boosted) * meaning,
    words: final * (1 - boosted) * (1 - meaning),
    boosts: final * boosted,
    lost: Math.max(0, young - final),
  };
}
