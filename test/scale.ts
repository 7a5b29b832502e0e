// How much a test tries: little in the gate, everything in `npm run test:all`. What must hold is the same.
import { it } from 'vitest';

/** True in `npm run test:all`. */
export const ALL = Boolean(import.meta.env.TEST_ALL);

/** `full` in `npm run test:all`; in the gate `few`, a fifth unless it is given. */
export const runs = (full: number, few: number = Math.ceil(full / 5)): number => (ALL ? full : few);

/** All of them in `npm run test:all`; in the gate the first `few`. */
export const some = <T>(all: readonly T[], few: number): readonly T[] => (ALL ? all : all.slice(0, few));

/**
 * A test that only `npm run test:all` runs: a cheaper one beside it fails of the same fault, or
 * shows the same part in its main case.
 */
export const deep = it.runIf(ALL);
