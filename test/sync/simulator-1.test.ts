// Half of the seeds: 8 in the gate, 250 in `npm run test:all`; the other half is beside it, so that two cores share
// them. `npm run simulate` runs any number.
import './seeded.ts';
import { expect, it } from 'vitest';
import { ALL } from '../scale.ts';
import { simulate } from './simulator.ts';

const SEEDS = Array.from({ length: ALL ? 125 : 4 }, (_, at) => 1 + at);
const seen = { searched: 0, fold: 0, together: 0, squash: 0, struck: 0 };

it.each(SEEDS)(
  'seed %i: all devices have the same, nothing is lost, nobody in between saw a word',
  async (seed) => {
    const outcome = await simulate(seed, { turns: 12 });
    expect(outcome.messages).toBeGreaterThan(0);
    for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] += outcome[key];
  },
);

it.skipIf(!ALL)(
  'in them conversations were folded, by several devices at once too, and processes died of it',
  () => {
    expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
  },
);
