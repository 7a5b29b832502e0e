// Plays that run by name only: one seed of each in the gate, more in `npm run test:all`.
import './seeded.ts';
import { expect, it } from 'vitest';
import { ALL } from '../scale.ts';
import { type Scenario, simulate } from './simulator.ts';

const SCENARIOS: readonly Scenario[] = ['narrow', 'gone', 'excluding', 'forgetting', 'locked'];
const PLAYS = SCENARIOS.flatMap((only) =>
  Array.from({ length: ALL ? 12 : 1 }, (_, at) => [only, 1 + at] as const),
);
const seen = { fold: 0, squash: 0, move: 0 };

it.each(PLAYS)('%s, seed %i: all devices have the same, nothing is lost', async (only, seed) => {
  const outcome = await simulate(seed, { only, turns: 12 });
  expect(outcome.messages).toBeGreaterThan(0);
  for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] += outcome[key];
});

it.each(['forgetting', ...(ALL ? (['locked'] as const) : [])] as const)(
  '%s: a seed plays the same way each time, however busy the machine is',
  async (only) => {
    const play = () => simulate(2, { only, turns: 12 });
    expect(await play()).toEqual(await play());
  },
);

it.skipIf(!ALL)('in them conversations were folded, squashed and moved', () => {
  expect(Object.entries(seen).filter(([, count]) => count === 0)).toEqual([]);
});
