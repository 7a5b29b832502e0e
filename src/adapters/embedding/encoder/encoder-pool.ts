// Reads passages concurrently. Each worker of the pool is a thread of its own over one copy of the weights, so
// both cores of a small machine work and the thread that is asked stays free for a question. Workers start when
// they are needed and end with the model.

import { z } from 'zod';
import { isAbort } from '../../../domain/base/errors.ts';
import { attempt, log } from '../../../domain/base/log.ts';
import { type Caller, createCaller, serveCalls } from '../../../domain/threads/calls.ts';
import { type MessageEndpoint, type Thread, withTransfer } from '../../../domain/threads/endpoint.ts';
import type { Encoder, EncoderShare } from './encoder.ts';
import { joinEncoder, STATES_BYTES } from './encoder.ts';

/**
 * Calls of a worker: first it takes the model, then it reads texts. Null: it could not read a text.
 * Only this app's own threads speak here.
 */
const workerCalls = {
  join: { given: z.custom<EncoderShare>(), answer: z.null() },
  read: {
    given: z.object({ ids: z.array(z.number().int()), buffer: z.instanceof(ArrayBuffer) }),
    answer: z.custom<Float32Array>((value) => value instanceof Float32Array).nullable(),
  },
};

interface PoolWorker extends Caller<typeof workerCalls> {
  readonly thread: Thread;
  /** How many texts the worker has not answered yet. */
  waiting: number;
}

interface EncoderPool {
  /** How many texts to hand over at the same time; null when every worker is gone. */
  readonly most: number | null;
  /**
   * Reads a text on the worker with the least to do and makes something of its states (as `Encoder.run` returns them)
   * at once: their buffer is used again.
   */
  run<Made>(ids: readonly number[], make: (states: Float32Array) => Made): Promise<Made>;
  /** Ends all workers; texts they have not answered reject with `AbortError`. */
  close(): void;
}

/**
 * Makes the pool. A worker that cannot start, or breaks, is given up: `here` reads its texts on this thread.
 * @param count most workers, 1 to `SHARES`
 */
export function createEncoderPool(deps: {
  readonly count: number;
  readonly spawn: () => Thread;
  readonly share: () => EncoderShare;
  readonly here: Encoder;
}): EncoderPool {
  let pool: PoolWorker[] = [];
  let left = deps.count;
  /** Buffers are used again: a browser collects memory outside a thread's own heap late, a hundred megabytes of it. */
  const buffers: ArrayBuffer[] = [];

  const drop = (worker: PoolWorker) => {
    pool = pool.filter((other) => other !== worker);
    worker.thread.terminate();
    worker.refuse(new Error('An encoder thread broke'));
  };
  /** Starts a worker; null where no more can be had. */
  const start = (): PoolWorker | null => {
    left--;
    let thread: Thread | undefined;
    const fewer = (error: unknown) => {
      log.info('Passages are read on fewer threads', error);
      left = 0;
    };
    try {
      thread = deps.spawn();
      const worker: PoolWorker = { ...createCaller(workerCalls, thread), thread, waiting: 0 };
      worker.call.join(deps.share()).catch((error: unknown) => {
        if (isAbort(error) || !pool.includes(worker)) return;
        fewer(error);
        drop(worker);
      });
      const onError = (event: { preventDefault(): void }) => {
        // An unhandled error of the worker would end this thread as well.
        event.preventDefault();
        drop(worker);
      };
      thread.addEventListener('error', onError);
      thread.addEventListener('messageerror', onError);
      pool.push(worker);
      return worker;
    } catch (error) {
      fewer(error);
      thread?.terminate();
      return null;
    }
  };
  const freest = (): PoolWorker | undefined => pool.toSorted((a, b) => a.waiting - b.waiting)[0];

  /** Null where the worker cannot read the text: reading it again on this thread gives the better error. */
  const readThere = async (worker: PoolWorker, ids: readonly number[]): Promise<Float32Array | null> => {
    worker.waiting++;
    try {
      const buffer = buffers.pop() ?? new ArrayBuffer(STATES_BYTES);
      return await worker.call.read(withTransfer({ ids: [...ids], buffer }, [buffer]));
    } catch (error) {
      if (isAbort(error)) throw error;
      if (pool.includes(worker)) drop(worker);
      return null;
    } finally {
      worker.waiting--;
    }
  };

  return {
    get most() {
      const count = pool.length + left;
      // One more than there are workers, so that the next text is ready when one is done.
      return count > 0 ? count + 1 : null;
    },
    run: async (ids, make) => {
      const free = freest();
      const worker = (left > 0 && (!free || free.waiting > 0) ? start() : null) ?? free;
      const states = worker && (await readThere(worker, ids));
      if (!states) return make(deps.here.run(ids));
      try {
        return make(states);
      } finally {
        const { buffer } = states;
        if (buffer instanceof ArrayBuffer && buffer.byteLength === STATES_BYTES) buffers.push(buffer);
      }
    },
    close: () => {
      left = 0;
      for (const { thread, refuse } of pool.splice(0)) {
        thread.terminate();
        refuse(new DOMException('The embedding model was let go.', 'AbortError'));
      }
    },
  };
}

/** Serves as a worker of the pool, in its own thread. */
export function servePoolWorker(scope: MessageEndpoint): void {
  let encoder: Encoder | null = null;
  serveCalls(workerCalls, scope, {
    join: (share) => {
      encoder = joinEncoder(share);
      return null;
    },
    read: ({ ids, buffer }) => {
      const states = attempt(() => encoder?.run(ids, buffer) ?? null, null, 'a text on an encoder thread');
      return states && withTransfer(states, [states.buffer]);
    },
  });
}
