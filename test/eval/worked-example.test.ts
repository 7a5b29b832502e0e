// Holds the passage that docs/evaluation.md works out by hand to what the ranker makes of it.
import { expect, it } from 'vitest';
import { exampleByHand, rankedExample } from './worked-example.ts';

it('the passage by hand is what the ranker gives, at every step', () => {
  const byHand = exampleByHand();
  const scores = rankedExample();
  const [context] = scores.boosts;
  expect(scores.boosts).toHaveLength(1);
  const ranked = {
    words: scores.keyword,
    vector: scores.vector,
    late: scores.late,
    meaning: scores.meaning,
    hybrid: scores.hybrid,
    score: scores.hybrid * (context?.factor ?? 1),
    zScore: scores.stands,
    margin: scores.above,
    lane: scores.lane,
    final: scores.final,
  };
  const { words, vector, late, meaning, hybrid, score, zScore, margin, final } = byHand;
  const steps = { words, vector, late, meaning, hybrid, score, zScore, margin, lane: 0, final };
  for (const [step, figure] of Object.entries(steps))
    expect(ranked[step as keyof typeof ranked], step).toBeCloseTo(figure, 9);
});

it('is an example of which no limit hides a step', () => {
  const { words, meaning, zScore, margin, final } = exampleByHand();
  for (const half of [words, meaning, final]) expect(half).toBeLessThan(1);
  expect(zScore).toBeLessThan(8);
  expect(margin).toBeGreaterThan(0);
  expect(margin).toBeLessThan(3);
});
