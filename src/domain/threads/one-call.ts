// Runs one call in a worker of its own, which can be ended at any moment and leaves nothing behind.
import { RecollectError } from '../base/errors.ts';
import type { Cancellation } from '../base/readable.ts';
import {
  type AnswerOf,
  type CallOptions,
  type Contract,
  createCaller,
  type GivenOf,
  type ProgressOf,
} from './calls.ts';
import type { Thread } from './endpoint.ts';

/**
 * Starts a worker, calls it, and ends it after its answer. Rejects as a call does; if the worker fails by itself, with
 * an error whose message is the browser's own, which may be empty.
 */
export async function callWorker<C extends Contract, V extends keyof C>(
  start: () => Thread,
  contract: C,
  verb: V,
  given: GivenOf<C[V]>,
  options: CallOptions<ProgressOf<C[V]>> & { readonly signal: Cancellation },
): Promise<AnswerOf<C[V]>> {
  if (options.signal.aborted) throw options.signal.reason;
  const worker = start();
  const { call, refuse } = createCaller(contract, worker);
  worker.addEventListener('error', ({ message = '' }) => refuse(new RecollectError('unexpected', message)));
  try {
    return await call[verb](given, options);
  } finally {
    worker.terminate();
  }
}
