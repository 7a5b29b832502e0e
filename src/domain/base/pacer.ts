// Limits how often a costly function runs.

// Declared here because `domain` has no types of the platform.
declare const setTimeout: (work: () => void, ms: number) => number;
declare const clearTimeout: (timer: number | undefined) => void;

/**
 * Calls `act` at most once in `ms`: at once when it is quiet, at the end of the interval when it is not. A function is
 * asked for the interval after each call. `stop` ends its timer.
 */
export function createPacer(ms: number | (() => number), act: () => void) {
  let timer: number | undefined;
  let waiting = false;
  const tick = () => {
    timer = undefined;
    if (!waiting) return;
    waiting = false;
    act();
    timer = setTimeout(tick, typeof ms === 'number' ? ms : ms());
  };
  return {
    touch: () => {
      waiting = true;
      if (timer === undefined) tick();
    },
    flush: () => {
      if (waiting) act();
      waiting = false;
    },
    stop: () => clearTimeout(timer),
  };
}

/**
 * Pauses in ms: for the first words, for an answer of 20,000 characters, for one that is too fast to read along with.
 */
const [SHORTEST_MS, LONG_MS, LONGEST_MS] = [50, 250, 400];
const CHARACTERS_PER_MS = 100;
/** Characters per ms that a person can still follow (65 tokens a second), and ms that each further one adds. */
const [FOLLOWED, MS_PER_SPEED] = [0.3, 120];

/**
 * Longest wait of a model's new words, ms. `length`: characters so far; `speed`: characters that arrive in one ms.
 * Layout and painting cost more on a longer page, and people cannot read hundreds of words a second.
 */
export const pauseWhileWriting = (length: number, speed: number): number =>
  Math.min(
    LONGEST_MS,
    Math.min(LONG_MS, SHORTEST_MS + length / CHARACTERS_PER_MS) +
      Math.max(0, speed - FOLLOWED) * MS_PER_SPEED,
  );

/** Characters in one ms; at least over a second, since the first piece says nothing of the next. */
export const speedOf = (characters: number, ms: number): number => characters / Math.max(1000, ms);
