// What the report says of a set at the two thresholds: how often something comes, how much of
// it is right, how often any of it is.
import { expect, it } from 'vitest';
import type { Scores } from '../../src/domain/memory/rank.ts';
import type { Origin } from './recorded.ts';
import { type Answered, calledLines, promiseLine } from './report.ts';

const scored = (final: number): Scores => ({
  vector: null,
  keyword: null,
  late: null,
  meaning: null,
  hybrid: final,
  stands: 0,
  above: 0,
  lane: 0,
  decay: 1,
  boosts: [],
  final,
});
const answered = (
  right: readonly string[],
  found: readonly (readonly [string, number])[],
  origin: Origin = 'own',
): Answered => ({
  asked: {
    set: 'made',
    store: 'a',
    origin,
    groups: right.map((unit) => [unit]),
    slice: origin,
    question: 'q',
    now: 0,
    scale: { related: 0, spread: 1 },
    idf: [],
    languages: 'any',
    asked: { calls: false, breadth: null },
    candidates: [],
  },
  ranked: found.map(([unit, final]) => ({
    unit,
    conversation: 'c',
    scores: scored(final),
    evidence: { score: final, zScore: 0, margin: 0, words: 0, lane: 0 },
    lane: 'person',
  })),
});

it('tells what is shown and what is injected unasked, of the questions of a set’s own people', () => {
  const all = [
    answered(
      ['a'],
      [
        ['a', 0.95],
        ['b', 0.8],
      ],
    ),
    answered(['c'], [['d', 0.76]]),
    answered(['e'], [['e', 0.5]]),
    answered([], []),
    answered([], [['a', 0.99]], 'stranger'),
  ];
  // Shown: two of four questions get three passages, one of them right. Injected: one question, one passage.
  expect(promiseLine('made', all)).toBe('| made | 50.0 / 33.3 / 50.0 | 25.0 / 100.0 / 100.0 |');
});

it('tells how many are right of what is called so probable, of passages that may be shown', () => {
  const all = [
    answered(
      ['a'],
      [
        ['a', 0.95],
        ['b', 0.92],
        ['c', 0.8],
        ['d', 0.1],
      ],
    ),
    answered(['e'], [['e', 0.9]]),
    answered([], [['a', 0.99]], 'stranger'),
  ];
  expect(calledLines(all).map((line) => line.trim())).toEqual([
    'called 0.00–0.25: right   0.0 % of 1',
    'called 0.75–0.90: right   0.0 % of 1',
    'called 0.90–1.00: right  66.7 % of 3',
  ]);
});
