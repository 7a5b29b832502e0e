// One worker for one call: whatever it does, it can be ended at any moment, and nothing of it is left.
import type { Cancellation } from './readable.ts';

/** What of a `Worker` is needed here; the ground floor knows no browser. */
interface CallableWorker {
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'error', listener: (event: { readonly message?: string }) => void): void;
  postMessage(message: unknown): void;
  terminate(): void;
}

interface Call<T> {
  readonly message: unknown;
  /** Hears what the worker says until it makes a result of it; undefined: there is more to come. What it throws is thrown. */
  readonly read: (data: unknown) => T | undefined;
  /** What the call gives where the worker stopped by itself; `why` is empty where nobody knows. What it throws is thrown. */
  readonly stopped: (why: string) => T;
  readonly signal: Cancellation;
}

/** Starts a worker, gives it `message`, and ends it with its result. Rejects with the reason of `signal`. */
export function callWorker<T>(
  start: () => CallableWorker,
  { message, read, stopped, signal }: Call<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const worker = start();
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort);
      worker.terminate();
      settle();
    };
    const onAbort = () => end(() => reject(signal.reason));
    const attempt = (work: () => T | undefined) => {
      try {
        const result = work();
        if (result !== undefined) end(() => resolve(result));
      } catch (error) {
        end(() => reject(error));
      }
    };
    signal.addEventListener('abort', onAbort, { once: true });
    worker.addEventListener('message', ({ data }) => attempt(() => read(data)));
    worker.addEventListener('error', ({ message: why = '' }) => attempt(() => stopped(why)));
    attempt(() => {
      worker.postMessage(message);
      return undefined;
    });
  });
}
