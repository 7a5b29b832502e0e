// Products of many rows in assembly: that the sums are right.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDotProducts, queryTop, ROW_TOP } from '../../../src/adapters/index/dot-products.ts';
import { compileAssembled } from '../assembled.ts';

const code = await compileAssembled('dot-products');

describe('products of a query with many rows', () => {
  it('are exact, whatever the numbers, their count and how often memory grew (property)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400 }).chain((dimensions) => {
          const numbers = (top: number) =>
            fc.array(fc.integer({ min: -top, max: top }), { minLength: dimensions, maxLength: dimensions });
          return fc.record({
            query: numbers(queryTop(dimensions)),
            row: numbers(ROW_TOP),
            dimensions: fc.constant(dimensions),
          });
        }),
        fc.integer({ min: 1, max: 9_000 }),
        ({ query, row, dimensions }, count) => {
          const products = createDotProducts(dimensions, code);
          // Every row another rotation of the same numbers.
          const at = (place: number, one: number) => row[(one + place) % dimensions] as number;
          for (let place = 0; place < count; place++)
            products.row(place).set(row.map((_, one) => at(place, one)));
          let heard = 0;
          products.each(Int16Array.from(query), count, (place, product) => {
            expect(place).toBe(heard++);
            if (place % 997 > 2) return;
            expect(product).toBe(query.reduce((sum, value, one) => sum + value * at(place, one), 0));
          });
          expect(heard).toBe(count);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('do not overflow where every number is as large as it can be', () => {
    for (const dimensions of [384, 3_072, 8_192]) {
      const products = createDotProducts(dimensions, code);
      const top = queryTop(dimensions);
      products.row(0).fill(-ROW_TOP);
      const sums: number[] = [];
      products.each(new Int16Array(dimensions).fill(top), 1, (_, product) => sums.push(product));
      expect(sums).toEqual([-dimensions * ROW_TOP * top]);
    }
  });

  it('refuse what has no numbers, or too many', () => {
    expect(() => createDotProducts(0, code)).toThrow(RangeError);
    expect(() => createDotProducts(8_193, code)).toThrow(RangeError);
  });
});
