// Waiting that has an end. A signal made of others (`AbortSignal.any`, `.timeout`) may be collected before it fires in some browsers while
// nobody else holds it; this one is held by the wait itself, and its timer ends with it.
import type { Cancellation } from './readable.ts';

// The platform's, which this floor does not know: the signal it makes is of the kind it was given.
declare const AbortController: new () => { readonly signal: never; abort(reason: unknown): void };
declare const setTimeout: (work: () => void, ms: number) => number;
declare const clearTimeout: (timer: number) => void;

/**
 * Lets `work` run with a signal that is aborted with the given one, or after `ms` with an error that `isTooLate` knows. What the work
 * throws is thrown; work that does not look at its signal is waited for.
 */
export async function within<Signal extends Cancellation, T>(
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

/** The promise, or the signal's reason as soon as it is aborted: for work that is slow to notice, or goes on for others. */
export function unlessAborted<T>(work: Promise<T>, signal: Cancellation): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Like `within`, for work that may be slow to notice its signal, or goes on for others: it is left, not waited for. */
export const atMost = <Signal extends Cancellation, T>(
  signal: Signal,
  ms: number,
  work: (signal: Signal) => Promise<T>,
): Promise<T> => within(signal, ms, (bounded) => unlessAborted(work(bounded), bounded));

/** True for the error with which `within` ends what took too long. */
export const isTooLate = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && (error as { name?: unknown }).name === 'TimeoutError';
