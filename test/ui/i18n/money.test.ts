import { expect, it } from 'vitest';
import { formatPrice } from '../../../src/ui/i18n/index.ts';

const dollars = (amount: number, significant?: number) =>
  formatPrice({ amount, currency: 'USD' }, significant);

it.each([
  [0, '$0'],
  [2, '$2'],
  [1.999, '$2'],
  [0.9999, '$1'],
  [2.5, '$2.50'],
  [0.1, '$0.10'],
  [0.25, '$0.25'],
  [0.0999, '$0.10'],
  [0.01, '$0.01'],
  [0.0012, '$0.0012'],
  [0.005, '$0.005'],
  [-0.1, '-$0.10'],
  [1234.5, '$1,234.50'],
  [1e-30, '$0'],
])('writes %d dollars whole or with two digits, below a cent with what says how much', (amount, words) => {
  expect(dollars(amount)).toBe(words);
});

it('keeps more digits of a price where they are wanted', () => {
  expect([0.1, 0.125, 1.125, 0.0375, 15].map((amount) => dollars(amount, 4))).toEqual([
    '$0.10',
    '$0.125',
    '$1.125',
    '$0.0375',
    '$15',
  ]);
});

it('knows that yen have no cents', () => {
  expect([0.5, 120.4, 3].map((amount) => formatPrice({ amount, currency: 'JPY' }))).toEqual([
    '¥0.5',
    '¥120',
    '¥3',
  ]);
});
