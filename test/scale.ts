// How much a test tries: little in the gate, everything in `npm run test:all`. What must hold is the same.

/** True in `npm run test:all`. */
export const ALL = Boolean(import.meta.env.TEST_ALL);

/** `full` in `npm run test:all`; in the gate `few`, a fifth unless it is given. */
export const runs = (full: number, few: number = Math.ceil(full / 5)): number => (ALL ? full : few);
