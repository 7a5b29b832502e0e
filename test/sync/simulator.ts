// Devices, a relay and everything that goes wrong between them, from one seed: a play, an
// ending, peace, and a verdict (`world/`).
import './seeded.ts';
import { type Clockwork, inWorld } from './seeded.ts';
import { AtRest } from './world/at-rest.ts';
import { foldOffline, playEnding } from './world/endings.ts';
import { Faults } from './world/faults.ts';
import { makePeace } from './world/peace.ts';
import { People } from './world/people.ts';
import { type Scenario, scenarioOf } from './world/scenarios.ts';
import { judge } from './world/verdict.ts';
import { type Play, World } from './world/world.ts';

export type { Scenario };

export interface Outcome {
  readonly seed: number;
  readonly scenario: string;
  readonly messages: number;
  readonly kills: number;
  readonly frames: number;
  readonly events: number;
  readonly conversations: number;
  readonly virtualSeconds: number;
  /** Sealed bodies that passed, were opened and searched. */
  readonly searched: number;
  /** What became of the rooms of conversations. */
  readonly fold: number;
  readonly squash: number;
  readonly heal: number;
  readonly move: number;
  /** Processes that died of one of these. */
  readonly struck: number;
  /** Folds of what another device folded as well. */
  readonly together: number;
}

export class SimulationError extends Error {
  override readonly name = 'SimulationError';
}

/** Runs one seed; throws a SimulationError that names it. */
export async function simulate(
  seed: number,
  {
    only,
    turns = 40,
    folds = seed % 3 > 0,
  }: {
    readonly only?: Scenario | undefined;
    readonly turns?: number;
    /** Rooms are folded early; otherwise a play is too short for a fold. */
    readonly folds?: boolean;
  } = {},
): Promise<Outcome> {
  const scenario = only ?? scenarioOf(seed);
  const quiet = { info: console.info, warn: console.warn, error: console.error };
  const logged: string[] = [];
  const hush = (...words: unknown[]) => void logged.push(words.map(String).join(' '));
  Object.assign(console, { info: hush, warn: hush, error: hush });
  try {
    return await inWorld(seed, (clockwork) => run({ seed, scenario, turns, folds }, clockwork, logged));
  } catch (error) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new SimulationError(
      `seed ${seed} (${scenario}): ${detail}\n${logged.slice(-10).join('\n')}\nAgain: npm run simulate -- --seeds 1 --from ${seed} --scenario ${scenario} --turns ${turns} --folds ${folds}`,
    );
  } finally {
    Object.assign(console, quiet);
  }
}

async function run(play: Play, clockwork: Clockwork, logged: readonly string[]): Promise<Outcome> {
  const world = new World(play, clockwork);
  await world.open();
  const people = new People(world);
  const atRest = new AtRest(world, people);
  const faults = new Faults(world, people, atRest);
  for (let turn = 0; turn < play.turns; turn += 1) {
    await people.act(world.one(world.machines));
    if (world.chance(0.7)) await clockwork.advance(world.random() * (world.chance(0.1) ? 20_000 : 900));
    await faults.disturb();
  }
  if (world.chance(0.3)) await foldOffline(world, people);
  const forgotten = await playEnding(world, people, faults);
  await makePeace(world, people, faults, atRest);
  await judge(world, people, { atRest, forgotten, logged, attacks: faults.attacks });
  for (const machine of world.machines) {
    machine.tab?.close();
    machine.device?.stop();
  }
  people.stop();
  return {
    seed: play.seed,
    scenario: play.scenario,
    messages: people.written.size,
    kills: world.kills,
    frames: world.network.frames(),
    events: clockwork.events(),
    conversations: people.conversations.size,
    virtualSeconds: Math.round(clockwork.time() / 1000),
    searched: world.eavesdropper.searched,
    ...world.upkept,
    struck: world.struck,
    together: world.together,
  };
}
