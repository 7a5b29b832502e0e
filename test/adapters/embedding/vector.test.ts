// What vectors have in common is taken away, by the language of their texts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centred, cosine, hanWeight } from '../../../src/adapters/embedding/vector.ts';

describe('how Chinese a text is', () => {
  it.each([
    ['We moved the backup to three.', 0],
    ['备份改到三点。', 1],
    ['', 0.5],
    ['12:30 → 14:00', 0.5],
    ['我在用 Kubernetes 部署', 5 / 7],
    ['vielen Dank für alles', 0],
  ])('%s', (text, weight) => {
    expect(hanWeight(text)).toBeCloseTo(weight, 6);
  });

  it('lies between 0 and 1 (property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const weight = hanWeight(text);
        expect(weight >= 0 && weight <= 1).toBe(true);
      }),
    );
  });
});

describe('a centre', () => {
  // Axis 0: what all have in common; axis 1: the language; axes 2 and 3: what is said.
  const centre = { mean: Float32Array.of(0.8, 0, 0, 0), language: Float32Array.of(0, 0.4, 0, 0) };
  const said = (text: string, language: number, matter: readonly [number, number]) =>
    centred(Float32Array.of(0.8, language, ...matter), centre, text);

  it('leaves what is said: the same in two languages is nearer than another thing in one', () => {
    const [english, chinese] = [said('backup', -0.2, [0.3, 0]), said('备份', 0.2, [0.3, 0])];
    const other = said('garden', -0.2, [0, 0.3]);
    expect(cosine(english, chinese)).toBeCloseTo(1, 5);
    expect(cosine(english, other)).toBeCloseTo(0, 5);
  });

  it('is of length 1, and nothing is done without a centre', () => {
    expect(Math.hypot(...said('备份', 0.2, [0.1, 0.2]))).toBeCloseTo(1, 6);
    const vector = Float32Array.of(0.6, 0.8);
    expect(centred(vector, null, 'x')).toBe(vector);
  });
});
