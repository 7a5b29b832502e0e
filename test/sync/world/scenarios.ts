// What a play of the simulator can be about, and what goes wrong in each.

const SCENARIOS = [
  'calm',
  'storm',
  'crashes',
  'relay-kills',
  'relay-empty',
  'relay-backup',
  'clocks',
  'offline',
  'attacker',
  'erasing',
  'storage-full',
  'everything',
] as const;
/**
 * Faults of their own, which `everything` does not have: its seeds mean what they always meant. `worst` has them all.
 */
const FURTHER = ['revoking', 'liar', 'tabs', 'worst'] as const;
const ALL = [...SCENARIOS, ...FURTHER] as const;
/**
 * Played by name only, so that seeds go on meaning what they mean:
 * - `setback` puts devices back from copies of their disks, `alone` does so where there is but one
 * - `narrow`: rooms that larger conversations nearly fill
 * - `gone`: a machine that never comes back, and is locked out; `excluding`: a folder that is excluded later
 * - `forgetting`: something is forgotten everywhere while somebody is offline, and then somebody is locked out
 * - `locked`: a machine is locked at rest now and then (`at-rest.ts`)
 */
const BY_NAME = ['setback', 'alone', 'narrow', 'gone', 'excluding', 'forgetting', 'locked'] as const;
export type Scenario = (typeof ALL)[number] | (typeof BY_NAME)[number];

/** The scenario of a seed that names none. */
export const scenarioOf = (seed: number): Scenario => ALL[seed % ALL.length] as Scenario;

/** What goes wrong in a scenario. */
export interface Wrongs {
  /** One of these, or all of them. */
  is(...names: Scenario[]): boolean;
  /** One that `everything` does not have. */
  isAlso(name: (typeof FURTHER)[number]): boolean;
  readonly isSetBack: boolean;
  readonly isLockingOut: boolean;
  readonly isAtRest: boolean;
}

export function wrongsOf(scenario: Scenario): Wrongs {
  const isAlso: Wrongs['isAlso'] = (name) => scenario === 'worst' || scenario === name;
  return {
    is: (...names) =>
      scenario === 'everything' ||
      scenario === 'worst' ||
      names.includes(scenario) ||
      (scenario === 'locked' && (names.includes('offline') || names.includes('crashes'))),
    isAlso,
    isSetBack: scenario === 'setback' || scenario === 'alone',
    isAtRest: scenario === 'locked',
    isLockingOut: isAlso('revoking') || scenario === 'gone' || scenario === 'forgetting',
  };
}
