// Passages read side by side, each lane a thread of its own over one copy of the weights, so that both cores of a small machine read and the thread
// that is asked stays free for a question. Lanes start when they are needed and end with the model.

import { z } from 'zod';
import { log } from '../../domain/base/log.ts';
import type { Encoder, EncoderShare } from './encoder.ts';
import { joinEncoder, STATES_BYTES } from './encoder.ts';
import type { Thread } from './thread.ts';

/** What a lane is told: first the model, then texts. Only this app's own threads speak here. */
const orderSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('join'), share: z.custom<EncoderShare>() }),
  z.object({
    type: z.literal('read'),
    text: z.number().int(),
    ids: z.array(z.number().int()),
    room: z.instanceof(ArrayBuffer),
  }),
]);
type Order = z.infer<typeof orderSchema>;
const answerSchema = z.object({
  text: z.number().int(),
  states: z.custom<Float32Array>((value) => value instanceof Float32Array).nullable(),
});
type Answer = z.infer<typeof answerSchema>;

interface Waiting {
  readonly ids: readonly number[];
  /** Takes the states, and nothing of them is left behind. */
  resolve(states: Float32Array): void;
  reject(error: unknown): void;
}
interface Lane {
  readonly thread: Thread;
  readonly waiting: Map<number, Waiting>;
}

interface EncoderPool {
  /** How many texts are worth handing over at the same time; null where every lane is gone. */
  readonly most: number | null;
  /** What is made at once of a text's states: as of `Encoder.run`, on whichever lane has least to do. Their room goes to another text afterwards. */
  run<Made>(ids: readonly number[], make: (states: Float32Array) => Made): Promise<Made>;
  /** Ends all lanes; what they have not answered rejects with `AbortError`. */
  close(): void;
}

/**
 * Makes the lanes. One that cannot be started, or breaks, is done without: its texts are read `here`, on this thread.
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
  let texts = 0;
  /** Used again: what is not in a thread's own heap a browser collects late, a hundred megabytes of it. */
  const rooms: ArrayBuffer[] = [];

  const readHere = ({ ids, resolve, reject }: Waiting) => {
    try {
      resolve(deps.here.run(ids));
    } catch (error) {
      reject(error);
    }
  };
  /** Null where there can be no more. */
  const start = (): Lane | null => {
    left--;
    let thread: Thread | undefined;
    try {
      thread = deps.spawn();
      thread.postMessage({ type: 'join', share: deps.share() } satisfies Order, []);
    } catch (error) {
      log.info('Passages are read on fewer threads', error);
      thread?.terminate();
      left = 0;
      return null;
    }
    const lane: Lane = { thread, waiting: new Map() };
    const drop = (event?: Event) => {
      // Else it would end this thread as well.
      event?.preventDefault();
      if (!pool.includes(lane)) return;
      pool = pool.filter((other) => other !== lane);
      lane.thread.terminate();
      for (const waiting of lane.waiting.values()) readHere(waiting);
    };
    lane.thread.addEventListener('message', ({ data }) => {
      const parsed = answerSchema.safeParse(data);
      const waiting = parsed.success && lane.waiting.get(parsed.data.text);
      if (!waiting) return drop();
      lane.waiting.delete(parsed.data.text);
      if (parsed.data.states) {
        waiting.resolve(parsed.data.states);
        const { buffer } = parsed.data.states;
        if (buffer instanceof ArrayBuffer && buffer.byteLength === STATES_BYTES) rooms.push(buffer);
      }
      // It says what is wrong with a text better than a lane can.
      else readHere(waiting);
    });
    lane.thread.addEventListener('error', drop);
    lane.thread.addEventListener('messageerror', drop);
    pool.push(lane);
    return lane;
  };
  const freest = (): Lane | undefined => pool.toSorted((a, b) => a.waiting.size - b.waiting.size)[0];

  return {
    get most() {
      const count = pool.length + left;
      // One more than there are lanes: the next text lies ready where one is done.
      return count > 0 ? count + 1 : null;
    },
    run: <Made>(ids: readonly number[], make: (states: Float32Array) => Made) =>
      new Promise<Made>((resolve, reject) => {
        const waiting: Waiting = {
          ids,
          resolve: (states) => {
            try {
              resolve(make(states));
            } catch (error) {
              reject(error);
            }
          },
          reject,
        };
        const free = freest();
        const lane = (left > 0 && (!free || free.waiting.size > 0) ? start() : null) ?? free;
        if (!lane) return readHere(waiting);
        const text = ++texts;
        lane.waiting.set(text, waiting);
        const room = rooms.pop() ?? new ArrayBuffer(STATES_BYTES);
        lane.thread.postMessage({ type: 'read', text, ids: [...ids], room } satisfies Order, [room]);
      }),
    close: () => {
      left = 0;
      for (const { thread, waiting } of pool.splice(0)) {
        thread.terminate();
        for (const { reject } of waiting.values())
          reject(new DOMException('The embedding model was let go.', 'AbortError'));
      }
    },
  };
}

/** The far end, in the lane's own thread. */
export function serveLane(port: {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void;
}): void {
  let encoder: Encoder | null = null;
  port.addEventListener('message', ({ data }) => {
    const order = orderSchema.parse(data);
    let states: Float32Array | null = null;
    try {
      if (order.type === 'join') encoder = joinEncoder(order.share);
      else states = encoder?.run(order.ids, order.room) ?? null;
    } catch (error) {
      // Told as nothing read: the owner reads it again and hears why.
      log.debug('An encoder thread could not read a text', error);
    }
    if (order.type === 'join') return;
    port.postMessage(
      { text: order.text, states } satisfies Answer,
      states ? [states.buffer as ArrayBuffer] : [],
    );
  });
}
