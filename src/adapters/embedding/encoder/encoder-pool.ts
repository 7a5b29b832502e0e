// Reads passages side by side. Each lane is a thread of its own over one copy of the weights, so both cores of a small machine work and the thread
// that is asked stays free for a question. Lanes start when they are needed and end with the model.

import { z } from 'zod';
import { isAbort } from '../../../domain/base/errors.ts';
import { attempt, log } from '../../../domain/base/log.ts';
import { type Caller, createCaller, serveCalls } from '../../../domain/threads/calls.ts';
import { type Endpoint, withTransfer } from '../../../domain/threads/endpoint.ts';
import type { Thread } from '../thread.ts';
import type { Encoder, EncoderShare } from './encoder.ts';
import { joinEncoder, STATES_BYTES } from './encoder.ts';

/** Calls of a lane: first it takes the model, then it reads texts. Null: it could not read a text. Only this app's own threads speak here. */
const laneCalls = {
  join: { given: z.custom<EncoderShare>(), answer: z.null() },
  read: {
    given: z.object({ ids: z.array(z.number().int()), room: z.instanceof(ArrayBuffer) }),
    answer: z.custom<Float32Array>((value) => value instanceof Float32Array).nullable(),
  },
};

interface Lane extends Caller<typeof laneCalls> {
  readonly thread: Thread;
  /** How many texts the lane has not answered yet. */
  waiting: number;
}

interface EncoderPool {
  /** How many texts to hand over at the same time; null when every lane is gone. */
  readonly most: number | null;
  /**
   * Reads a text on the lane with the least to do and makes something of its states (as `Encoder.run` returns them) at once: their buffer is used
   * again.
   */
  run<Made>(ids: readonly number[], make: (states: Float32Array) => Made): Promise<Made>;
  /** Ends all lanes; texts they have not answered reject with `AbortError`. */
  close(): void;
}

/**
 * Makes the lanes. A lane that cannot start, or breaks, is given up: `here` reads its texts on this thread.
 * @param count most lanes, 1 to `SHARES`
 */
export function createEncoderPool(deps: {
  readonly count: number;
  readonly spawn: () => Thread;
  readonly share: () => EncoderShare;
  readonly here: Encoder;
}): EncoderPool {
  let pool: Lane[] = [];
  let left = deps.count;
  /** Buffers are used again: a browser collects memory outside a thread's own heap late, a hundred megabytes of it. */
  const rooms: ArrayBuffer[] = [];

  const drop = (lane: Lane) => {
    pool = pool.filter((other) => other !== lane);
    lane.thread.terminate();
    lane.refuse(new Error('An encoder thread broke'));
  };
  /** Starts a lane; null where no more can be had. */
  const start = (): Lane | null => {
    left--;
    let thread: Thread | undefined;
    const fewer = (error: unknown) => {
      log.info('Passages are read on fewer threads', error);
      left = 0;
    };
    try {
      thread = deps.spawn();
      const lane: Lane = { ...createCaller(laneCalls, thread), thread, waiting: 0 };
      lane.call.join(deps.share()).catch((error: unknown) => {
        if (isAbort(error) || !pool.includes(lane)) return;
        fewer(error);
        drop(lane);
      });
      const onError = (event: Event) => {
        // An unhandled error of the lane would end this thread as well.
        event.preventDefault();
        drop(lane);
      };
      thread.addEventListener('error', onError);
      thread.addEventListener('messageerror', onError);
      pool.push(lane);
      return lane;
    } catch (error) {
      fewer(error);
      thread?.terminate();
      return null;
    }
  };
  const freest = (): Lane | undefined => pool.toSorted((a, b) => a.waiting - b.waiting)[0];

  /** Null where the lane cannot read the text: reading it again on this thread gives the better error. */
  const readThere = async (lane: Lane, ids: readonly number[]): Promise<Float32Array | null> => {
    lane.waiting++;
    try {
      const room = rooms.pop() ?? new ArrayBuffer(STATES_BYTES);
      return await lane.call.read(withTransfer({ ids: [...ids], room }, [room]));
    } catch (error) {
      if (isAbort(error)) throw error;
      if (pool.includes(lane)) drop(lane);
      return null;
    } finally {
      lane.waiting--;
    }
  };

  return {
    get most() {
      const count = pool.length + left;
      // One more than there are lanes, so that the next text is ready when a lane is done.
      return count > 0 ? count + 1 : null;
    },
    run: async (ids, make) => {
      const free = freest();
      const lane = (left > 0 && (!free || free.waiting > 0) ? start() : null) ?? free;
      const states = lane && (await readThere(lane, ids));
      if (!states) return make(deps.here.run(ids));
      try {
        return make(states);
      } finally {
        const { buffer } = states;
        if (buffer instanceof ArrayBuffer && buffer.byteLength === STATES_BYTES) rooms.push(buffer);
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

/** Serves a lane in its own thread. */
export function serveLane(scope: Endpoint): void {
  let encoder: Encoder | null = null;
  serveCalls(laneCalls, scope, {
    join: (share) => {
      encoder = joinEncoder(share);
      return null;
    },
    read: ({ ids, room }) => {
      const states = attempt(() => encoder?.run(ids, room) ?? null, null, 'a text on an encoder thread');
      return states && withTransfer(states, [states.buffer]);
    },
  });
}
