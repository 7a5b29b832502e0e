import { describe, expect, it } from 'vitest';
import { closenessOf, nearOnes, reasonsOf } from '../../../src/ui/memory/closeness.ts';
import type { ShownScores } from '../../../src/ui/memory/score-parts.ts';

const scores = (more: Partial<ShownScores>): ShownScores => ({
  vector: null,
  keyword: null,
  hybrid: 0,
  decay: 1,
  final: 0,
  ...more,
});

describe('how near a passage is', () => {
  it('falls with the score, so that a list never contradicts itself', () => {
    const order = ['veryClose', 'close', 'weak'];
    const steps = [1, 0.95, 0.9, 0.89, 0.6, 0.59, 0.03, 0].map((final) =>
      order.indexOf(closenessOf({ final })),
    );
    expect(steps).toEqual([...steps].sort());
    expect(new Set(steps).size).toBe(3);
  });

  it('is weak where it was not close enough to be used, whatever the line was', () => {
    expect(closenessOf({ final: 0.88 }, false)).toBe('weak');
  });

  it('says why, in the order in which it weighs', () => {
    const boosts = [
      { name: 'context', factor: 1.3 },
      { name: 'pin', factor: 1.5 },
    ];
    expect(reasonsOf(scores({ meaning: 0.8, keyword: 0.5, boosts, above: 2 }))).toEqual([
      'sameThing',
      'someWords',
      'pin',
      'context',
      'ahead',
    ]);
  });

  it('names what lowered it, and what raised it only where it did', () => {
    const boosts = [
      { name: 'question', factor: 0.9 },
      { name: 'context', factor: 0.8 },
      { name: 'of a newer app', factor: 2 },
    ];
    expect(reasonsOf(scores({ vector: 0.4, boosts }))).toEqual(['similar', 'question']);
  });

  it('always has a reason, also for older answers', () => {
    expect(reasonsOf(scores({ final: 0.9 }))).toEqual(['little']);
  });
});

it('leaves out what is far, but not what the person called not related', () => {
  const of = (final: number, name?: string) => ({
    scores: { final, boosts: name ? [{ name, factor: 0.3 }] : [] },
  });
  const [near, far, judged] = [of(0.4), of(0.03), of(0.03, 'not-related')];
  expect(nearOnes([near, far, judged])).toEqual([near, judged]);
});
