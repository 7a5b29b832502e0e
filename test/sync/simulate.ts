// npm run simulate -- --seeds N --from S [--turns T] [--scenario NAME]: runs seeds one after the other; the first failures are printed with their seeds.
import './seeded.ts';
import { parseArgs } from 'node:util';
import { type Scenario, SimulationError, simulate } from './simulator.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    scenario: { type: 'string' },
    turns: { type: 'string', default: '40' },
    'stop-after': { type: 'string', default: '5' },
  },
});
const [seeds, from] = [Number(values.seeds), Number(values.from)];
const started = performance.now();
let failed = 0;
const totals = { messages: 0, kills: 0, frames: 0, events: 0 };
let ran = 0;
// A seed in which everybody waits for something that never comes ends the process without a word.
process.on('exit', (code) => {
  if (code === 13) console.log(`seed ${from + ran} never ended`);
});
for (let seed = from; seed < from + seeds; seed += 1) {
  const began = performance.now();
  try {
    const outcome = await simulate(seed, {
      only: values.scenario as Scenario | undefined,
      turns: Number(values.turns),
    });
    for (const key of ['messages', 'kills', 'frames', 'events'] as const) totals[key] += outcome[key];
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
  `${ran - failed} of ${ran} seeds passed (${from} to ${from + ran - 1}) in ${((performance.now() - started) / 1000).toFixed(1)} s; ${JSON.stringify(totals)}`,
);
process.exit(failed === 0 ? 0 : 1);
