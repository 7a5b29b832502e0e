// Half of the 200 seeds that every gate runs; the other half is beside it, so that two cores share them. `npm run simulate` runs any number.
import './seeded.ts';
import { expect, it } from 'vitest';
import { simulate } from './simulator.ts';

const SEEDS = Array.from({ length: 100 }, (_, at) => 101 + at);

it.each(SEEDS)(
  'seed %i: all devices have the same, nothing is lost, nobody in between saw a word',
  async (seed) => {
    expect((await simulate(seed, { turns: 12 })).messages).toBeGreaterThan(0);
  },
);
