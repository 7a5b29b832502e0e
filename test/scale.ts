// How much a test tries: little in the gate, everything in `npm run test:all`. What must hold is the same.
import { it } from 'vitest';

/** True in `npm run test:all`. */
export const ALL = Boolean(import.meta.env.TEST_ALL);

/** `full` in `npm run test:all`; in the gate `few`, a fifth unless it is given. */
export const runs = (full: number, few: number = Math.ceil(full / 5)): number => (ALL ? full : few);

/** A test that only `npm run test:all` runs: it takes seconds, and a cheaper one beside it fails of the same fault. */
export const deep = it.runIf(ALL);
