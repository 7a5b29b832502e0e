// Keeps the engine paused as long as there is a reason. It forgets a pause that is not said again, in case a tab died.
import type { Memory } from './memory.ts';

/** A pause is said again this often, ms. */
const PAUSE_REPEAT_MS = 5000;

/** Why the background waits. */
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
