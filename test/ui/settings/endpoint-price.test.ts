import { expect, it } from 'vitest';
import { priceFrom, priceWords } from '../../../src/ui/settings/endpoint-price.ts';

it('a price is read from its fields, and stands in them as it was', () => {
  const price = { currency: 'CNY', input: 0.75, output: 4.5 };
  expect(priceFrom(priceWords(price))).toEqual(price);
  expect(priceFrom(priceWords(undefined))).toBeNull();
  expect(priceFrom({ input: '0', output: '0', currency: 'USD' })).toEqual({
    currency: 'USD',
    input: 0,
    output: 0,
  });
  for (const [input, output] of [
    ['1', ''],
    ['', '1'],
    ['-1', '1'],
    ['1', 'x'],
    ['1', '1e9'],
  ] as const)
    expect(priceFrom({ input, output, currency: 'USD' })).toBeUndefined();
});
