// Computes progress from reports that only say how much is left. Pure.

export interface Counters {
  readonly done: number;
  readonly left: number;
}

/**
 * Updates the counters with `left`: work that vanished was done, more work raises the total, and
 * the next work after zero starts again.
 */
export const updateCounters = (before: Counters, left: number): Counters =>
  left <= 0
    ? { done: 0, left: 0 }
    : { done: before.left === 0 ? 0 : before.done + Math.max(0, before.left - left), left };
