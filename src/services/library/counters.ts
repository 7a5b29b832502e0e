// How much of some work is done, where only what is left is ever told. Pure.

export interface Counters {
  readonly done: number;
  readonly left: number;
}

/** What is known after `left` was told: what vanished was done, what came is more to do, and at nothing left it begins anew. */
export const counted = (before: Counters, left: number): Counters =>
  left <= 0
    ? { done: 0, left: 0 }
    : { done: before.left === 0 ? 0 : before.done + Math.max(0, before.left - left), left };
