// npm run simulate -- --seeds N --from S [--turns T] [--scenario NAME] [--folds true|false]: runs seeds one after the
// other; the first failures are printed with their seeds. npm run simulate -- --story [--from S] [--at N | --every K]:
// the story of seed S once for each of its writes, of which a process dies, before and after.
import './seeded.ts';
import { parseArgs } from 'node:util';
import { type Scenario, SimulationError, simulate } from './simulator.ts';
import { type Death, playStory } from './story.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    scenario: { type: 'string' },
    turns: { type: 'string', default: '40' },
    folds: { type: 'string' },
    'stop-after': { type: 'string', default: '5' },
    story: { type: 'boolean', default: false },
    at: { type: 'string' },
    every: { type: 'string', default: '1' },
  },
});
const [seeds, from] = [Number(values.seeds), Number(values.from)];
const started = performance.now();
const secondsSince = (from: number): string => ((performance.now() - from) / 1000).toFixed(1);
let failed = 0;
const totals = {
  messages: 0,
  kills: 0,
  frames: 0,
  events: 0,
  searched: 0,
  fold: 0,
  together: 0,
  squash: 0,
  move: 0,
  heal: 0,
  struck: 0,
};
let ran = 0;
// Where all promises of a seed wait forever, Node ends the process silently.
process.on('exit', (code) => {
  if (code === 13) console.log(`seed ${from + ran} never ended`);
});
if (values.story) {
  const { operations } = await playStory(from, null);
  const deaths = Array.from({ length: operations }, (_, at) => 1 + at)
    .filter((at) => (values.at === undefined ? at % Number(values.every) === 0 : at === Number(values.at)))
    .flatMap((operation): Death[] => [
      { operation, when: 'before' },
      { operation, when: 'after' },
    ]);
  console.log(
    `story ${from} has ${operations} writes: ${deaths.length} deaths to tell (--every 50 tells fewer)`,
  );
  for (const [at, death] of deaths.entries()) {
    // Told in tenths, since all of it takes many minutes.
    if (at > 0 && Math.floor((at * 10) / deaths.length) > Math.floor(((at - 1) * 10) / deaths.length))
      console.log(`${at} told, ${failed} ended badly, ${secondsSince(started)} s`);
    try {
      await playStory(from, death);
    } catch (error) {
      failed += 1;
      console.log(error instanceof Error ? error.message : error);
      if (failed >= Number(values['stop-after'])) break;
    }
  }
  console.log(`${operations} writes; ${failed} of ${deaths.length} deaths in story ${from} ended badly`);
  process.exit(failed === 0 ? 0 : 1);
}
for (let seed = from; seed < from + seeds; seed += 1) {
  const began = performance.now();
  try {
    const outcome = await simulate(seed, {
      only: values.scenario as Scenario | undefined,
      turns: Number(values.turns),
      ...(values.folds === undefined ? {} : { folds: values.folds === 'true' }),
    });
    for (const key of Object.keys(totals) as (keyof typeof totals)[]) totals[key] += outcome[key];
    if (seeds <= 20) console.log(JSON.stringify(outcome), Math.round(performance.now() - began), 'ms');
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    failed += 1;
    console.log(error.message);
  }
  ran += 1;
  if (failed >= Number(values['stop-after'])) break;
}
console.log(
  `${ran - failed} of ${ran} seeds passed (${from} to ${from + ran - 1}) in ${secondsSince(started)} s; ${JSON.stringify(totals)}`,
);
process.exit(failed === 0 ? 0 : 1);
