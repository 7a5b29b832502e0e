// Does something often asked for only as often as it is worth its cost.

// The platform's, which this floor does not know.
declare const setTimeout: (work: () => void, ms: number) => number;
declare const clearTimeout: (timer: number | undefined) => void;

/**
 * Calls `act` at most once in `ms`: at once when it is quiet, at the end of the interval when it is not. A function is asked for the interval
 * after each call. `stop` ends its timer.
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
