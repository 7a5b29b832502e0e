// One worker for one call: whatever it does, it can be ended at any moment, and nothing of it is left.
import { RecollectError } from '../base/errors.ts';
import type { Cancellation } from '../base/readable.ts';
import {
  type Answer,
  type CallOptions,
  type Contract,
  createCaller,
  type Given,
  type Progress,
} from './calls.ts';
import type { Endpoint } from './endpoint.ts';

/** What of a `Worker` is needed here. */
interface CallableWorker extends Endpoint {
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'error', listener: (event: { readonly message?: string }) => void): void;
  terminate(): void;
}

/**
 * Starts a worker, asks it, and ends it with its answer. Rejects as a call does; where the worker stopped by itself, with what is known of
 * that as the message, which is empty where nobody knows.
 */
export async function callWorker<C extends Contract, V extends keyof C>(
  start: () => CallableWorker,
  contract: C,
  verb: V,
  given: Given<C[V]>,
  options: CallOptions<Progress<C[V]>> & { readonly signal: Cancellation },
): Promise<Answer<C[V]>> {
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
