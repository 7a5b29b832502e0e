// Waits with a time limit. A signal made of others (`AbortSignal.any`, `.timeout`) may be collected before it fires in
// some browsers while no other code holds it; the wait itself holds this signal, and its timer ends with it.
import type { Cancellation } from './readable.ts';

// Declared here because `domain` has no types of the platform; the signal is of the kind that the caller gave.
declare const AbortController: new () => { readonly signal: never; abort(reason: unknown): void };
declare const setTimeout: (work: () => void, ms: number) => number;
declare const clearTimeout: (timer: number) => void;

/**
 * Runs `work` with a signal that aborts with the given one, or after `ms` with an error that `isTimeout` knows. Rejects
 * with the error of the work; waits for work that ignores its signal.
 */
export async function withTimeLimit<Signal extends Cancellation, T>(
  signal: Signal,
  ms: number,
  work: (signal: Signal) => Promise<T>,
): Promise<T> {
  const bounded = new AbortController();
  const leave = () => bounded.abort(signal.reason);
  const timer = setTimeout(
    () => bounded.abort(Object.assign(new Error('Too late'), { name: 'TimeoutError' })),
    ms,
  );
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await work(bounded.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
  }
}

/**
 * Settles with the promise, or rejects at once when the signal aborts: for work that reacts
 * slowly or continues for other callers.
 */
export function unlessAborted<T>(work: Promise<T>, signal: Cancellation): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Like `withTimeLimit`, but does not wait for work that reacts slowly to its signal or continues for other callers. */
export const withDeadline = <Signal extends Cancellation, T>(
  signal: Signal,
  ms: number,
  work: (signal: Signal) => Promise<T>,
): Promise<T> => withTimeLimit(signal, ms, (bounded) => unlessAborted(work(bounded), bounded));

/** True for the error with which `withTimeLimit` ends work that took too long. */
export const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && (error as { name?: unknown }).name === 'TimeoutError';
