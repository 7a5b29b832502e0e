import { describe, expect, it } from 'vitest';
import { blendQuestion, lastLineOf } from '../../../src/domain/memory/question-blend.ts';

describe('the last line', () => {
  it('is that of a question of several lines, where it asks anything', () => {
    expect(lastLineOf('We went to the lake.\n\n  Which trail was it again?  \n')).toBe(
      'Which trail was it again?',
    );
    expect(lastLineOf('去年去了湖边。\n是哪条步道来着？')).toBe('是哪条步道来着？');
    for (const text of [
      '',
      'One line only?',
      'if (ready) {\n  start();\n}',
      'All of this works now.\nThanks!',
    ])
      expect(lastLineOf(text)).toBeNull();
  });
});

describe('blendQuestion', () => {
  const unit = (x: number, y: number) => Float32Array.from([x / Math.hypot(x, y), y / Math.hypot(x, y)]);
  const [whole, last] = [unit(1, 0), unit(0, 1)];

  it('moves a vector towards the last line and keeps its length', () => {
    const { vector } = blendQuestion({ vector: whole }, { vector: last });
    expect(Math.hypot(...vector)).toBeCloseTo(1);
    expect(vector[1]).toBeGreaterThan(0);
    expect(vector[0]).toBeGreaterThan(vector[1] as number);
    const same = blendQuestion({ vector: whole }, { vector: whole }).vector;
    expect([...same]).toEqual([...whole]);
  });

  it('weighs the pieces of both, and keeps those that say most', () => {
    const pieces = (count: number, value: number, weight: number) => ({
      vector: whole,
      tokens: new Float32Array(count * 2).fill(value),
      weights: new Float32Array(count).fill(weight),
    });
    const few = blendQuestion(pieces(2, 1, 5), pieces(1, 2, 9));
    expect(few.weights?.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1);
    expect(few.tokens).toHaveLength(6);
    expect([...(few.tokens ?? [])].filter((one) => one === 2)).toHaveLength(2);
    const many = blendQuestion(pieces(90, 1, 1), pieces(3, 2, 1));
    expect(many.weights).toHaveLength(40);
    expect([...(many.tokens ?? [])].filter((one) => one === 2)).toHaveLength(6);
    expect(blendQuestion({ vector: whole }, { vector: last }).weights).toHaveLength(0);
  });
});
