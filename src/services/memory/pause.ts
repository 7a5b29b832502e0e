// Keeps the engine paused while there is a reason. The engine forgets a pause that is not repeated, in case a tab died.
import type { Memory } from './memory.ts';

/** Time between two repetitions of a pause, ms. */
const PAUSE_REPEAT_MS = 5000;

/** A reason for which the background waits. */
export interface Pause {
  set(why: 'person' | 'typing', paused: boolean): void;
}

/** Ends with the signal. */
export function createPause(engine: Pick<Memory, 'setPaused'>, signal: AbortSignal): Pause {
  const reasons = new Set<string>();
  let timer: ReturnType<typeof setInterval> | undefined;
  signal.addEventListener('abort', () => clearInterval(timer));
  return {
    set: (why, paused) => {
      const before = reasons.size > 0;
      if (paused) reasons.add(why);
      else reasons.delete(why);
      const now = reasons.size > 0;
      if (now === before) return;
      engine.setPaused(now);
      clearInterval(timer);
      if (now) timer = setInterval(() => engine.setPaused(true), PAUSE_REPEAT_MS);
    },
  };
}
