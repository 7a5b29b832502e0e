// Late interaction sixteen pieces at a time: that it gives what the plain one gives.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLateTables } from '../../../src/adapters/index/late-tables.ts';
import { lateInteraction } from '../../../src/domain/memory/late.ts';
import { compileAssembled } from '../assembled.ts';

const compareByTables = createLateTables(await compileAssembled('late-tables'));
const WIDTH = 256;
const unit = (values: readonly number[]): number[] => {
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
};

const spanOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + Math.abs(number), 0);
const vector = fc
  .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: WIDTH, maxLength: WIDTH })
  .map(unit);

describe('late interaction by tables', () => {
  it('gives what the plain one gives, but for the rounding of its tables, whatever is asked and said (property)', () => {
    const asked = fc.array(fc.tuple(vector, fc.double({ min: 0.01, max: 9, noNaN: true })), {
      minLength: 1,
      maxLength: 12,
    });
    const passages = fc.array(
      fc.integer({ min: 1, max: 70 }).chain((pieces) => {
        const minLength = (pieces * WIDTH) / 8;
        return fc.uint8Array({ minLength, maxLength: minLength });
      }),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(asked, passages, (question, said) => {
        const pieces = {
          tokens: Float32Array.from(question.flatMap(([values]) => values)),
          weights: Float32Array.from(question.map(([, weight]) => weight)),
        };
        const [plain, tables] = [lateInteraction(pieces), compareByTables(pieces)];
        // Half an entry for each table and piece; entries to one of similarity are as
        // the numbers of each piece have it.
        const widest = question.map(([values]) =>
          Math.max(
            ...Array.from({ length: WIDTH / 4 }, (_, table) =>
              spanOf(values.slice(table * 4, table * 4 + 4)),
            ),
          ),
        );
        const total = question.reduce((sum, [, weight]) => sum + weight, 0);
        const most = question.reduce(
          (sum, [, weight], piece) => sum + (weight / total) * ((4 * (widest[piece] as number)) / 1_023),
          0,
        );
        for (const bits of said)
          expect(
            Math.abs((tables(Buffer.from(bits).toString('hex')) as number) - (plain(bits) as number)),
          ).toBeLessThanOrEqual(most + 1e-5);
      }),
      { numRuns: 60 },
    );
  });

  it('is nearer than that for what a model says: the roundings of its many tables lift each other', () => {
    const drawn = { seed: 1, numRuns: 24 };
    const vectors = fc.sample(fc.noBias(vector), drawn);
    const pieces = {
      tokens: Float32Array.from(vectors.flat()),
      weights: Float32Array.from(vectors, (_, piece) => 0.1 + piece / 24),
    };
    const [plain, tables] = [lateInteraction(pieces), compareByTables(pieces)];
    const said = fc.uint8Array({ minLength: 40 * 32, maxLength: 40 * 32 });
    for (const bits of fc.sample(fc.noBias(said), { ...drawn, numRuns: 100 }))
      expect(tables(Buffer.from(bits).toString('hex'))).toBeCloseTo(plain(bits) as number, 3);
  });

  it('takes a passage and a question larger than what was there before', () => {
    const values = unit(Array.from({ length: WIDTH }, (_, at) => Math.sin(at * 7)));
    const pieces = {
      tokens: Float32Array.from(Array.from({ length: 300 }, () => values).flat()),
      weights: new Float32Array(300).fill(1),
    };
    const bits = Uint8Array.from({ length: 2_000 * 32 }, (_, at) => (at * 131) % 251);
    expect(compareByTables(pieces)(Buffer.from(bits).toString('hex'))).toBeCloseTo(
      lateInteraction(pieces)(bits) as number,
      3,
    );
  });

  it('says nothing where there is nothing to compare', () => {
    const one = { tokens: new Float32Array(WIDTH).fill(1 / 16), weights: Float32Array.of(1) };
    expect(
      compareByTables({ tokens: new Float32Array(0), weights: new Float32Array(0) })('00'.repeat(32)),
    ).toBeNull();
    expect(compareByTables({ ...one, weights: Float32Array.of(0) })('00'.repeat(32))).toBeNull();
    expect(compareByTables(one)('')).toBeNull();
    expect(compareByTables(one)('ff'.repeat(32))).toBeCloseTo(1, 3);
  });
});
