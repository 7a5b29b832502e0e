// How well private words are found does not get worse unnoticed; `npm run eval -- --privacy` prints all of it.
import { expect, it } from 'vitest';
import { measure, readLabelled } from './privacy.ts';

it.each([
  ['first', 0.98, 0.97],
  ['second', 0.95, 0.95],
  ['third', 0.97, 0.97],
  ['fourth', 0.95, 0.95],
] as const)('the %s set of sentences', (name, precision, recall) => {
  const { sentences, negatives, figures } = measure(readLabelled(name));
  expect(negatives / sentences).toBeGreaterThanOrEqual(0.5);
  expect(figures.all?.precision).toBeGreaterThanOrEqual(precision);
  expect(figures.all?.recall).toBeGreaterThanOrEqual(recall);
});
