import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIT } from '../../../src/domain/memory/fit.ts';
import { decayOf, type Rankable, type RankContext, rank } from '../../../src/domain/memory/rank.ts';
import { scoreParts } from '../../../src/ui/memory/score-parts.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);
const weights = { vector: 0.7, keyword: 0.3 };
const context: RankContext = {
  weights,
  scale: { related: 0.338, spread: 0.071 },
  idfWeights: [10, 10, 10],
  question: 'three words asked',
  decayFactor: 0.003,
  now: NOW,
};

const candidates = fc.array(
  fc.record({
    cosine: fc.option(fc.double({ min: -0.2, max: 0.8, noNaN: true }), { nil: null }),
    late: fc.option(fc.double({ min: 0, max: 0.9, noNaN: true }), { nil: null }),
    words: fc.double({ min: 0, max: 10, noNaN: true }),
    days: fc.integer({ min: 0, max: 1500 }),
    note: fc.boolean(),
    asks: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);
const scoresOf = (drawn: typeof candidates extends fc.Arbitrary<infer T> ? T : never, now: number) =>
  rank(
    drawn.map(
      ({ words, days, asks, ...more }, at): Rankable => ({
        chunkId: at,
        messageId: `m${at}`,
        conversationId: `c${at % 3}`,
        text: asks ? 'Which one is it?' : `passage ${at}`,
        createdAt: NOW - days * DAY,
        terms: [words, words / 2, 0],
        ...more,
      }),
    ),
    { ...context, now },
  );

describe('the parts of a score, as the ranking made it', () => {
  it('add up to it, none is negative, and none leaves the bar', () => {
    fc.assert(
      fc.property(candidates, (drawn) => {
        for (const { scores } of scoresOf(drawn, NOW)) {
          const { meaning, words, boosts, lost } = scoreParts(scores);
          for (const part of [meaning, words, boosts, lost]) expect(part).toBeGreaterThanOrEqual(0);
          expect(meaning + words + boosts).toBeCloseTo(scores.final, 9);
          expect(scores.final + lost).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });

  it('lose to time exactly what a passage of today would have more', () => {
    fc.assert(
      fc.property(candidates, (drawn) => {
        const old = scoresOf(drawn, NOW);
        const young = new Map(
          scoresOf(
            drawn.map((one) => ({ ...one, days: 0 })),
            NOW,
          ).map(({ candidate, scores }) => [candidate.messageId, scores.final]),
        );
        for (const { candidate, scores } of old)
          expect(scores.final + scoreParts(scores).lost).toBeCloseTo(young.get(candidate.messageId) ?? -1, 6);
      }),
    );
  });

  it('divide meaning and words as they were weighed, late interaction included', () => {
    fc.assert(
      fc.property(candidates, (drawn) => {
        for (const { scores } of scoresOf(drawn, NOW)) {
          const { vector, late, keyword, hybrid } = scores;
          if (vector === null || late === null || keyword === null || hybrid <= 0) continue;
          const half = (1 - FIT.late) * vector + FIT.late * late;
          if (Math.abs(half - keyword) <= 0.02) continue;
          const { meaning, words } = scoreParts(scores);
          if (meaning + words < 1e-6) continue;
          expect(meaning / (meaning + words)).toBeCloseTo((weights.vector * half) / hybrid, 6);
        }
      }),
    );
  });

  it('show what a boost raised, and nothing where it lowered', () => {
    const scores = { vector: 0.5, keyword: 0.5, late: 0.5, hybrid: 0.5, decay: 1, final: 0.6 };
    expect(scoreParts({ ...scores, boosts: [{ name: 'pin', factor: 1.5 }] }).boosts).toBeCloseTo(0.2, 9);
    expect(scoreParts({ ...scores, boosts: [{ name: 'not-related', factor: 0.3 }] }).boosts).toBe(0);
    // The passage scores nothing itself; its neighbours raised it.
    expect(scoreParts({ ...scores, vector: 0, late: 0, keyword: null, hybrid: 0, boosts: [] }).boosts).toBe(
      0.6,
    );
  });

  it('are read from older answers, which knew neither late interaction nor boosts', () => {
    const { meaning, words, boosts } = scoreParts({
      vector: 0.8,
      keyword: 0.2,
      hybrid: 0.56,
      decay: decayOf(NOW - 30 * DAY, NOW, 0.001),
      final: 0.5,
    });
    expect(boosts).toBe(0);
    expect(meaning / words).toBeCloseTo((0.6 * 0.8) / (0.4 * 0.2), 6);
  });
});
