// The near end of the model's thread, for whoever owns the worker: starts it with the first line, forgets it when it retires,
// and serves lines to other threads. One thread serves them all.
import { z } from 'zod';
import { RecollectError, toError, toProblem } from '../../domain/base/errors.ts';
import { problemSchema } from '../../domain/base/problem-schema.ts';
import type { Line, Port } from './protocol.ts';
import { RETIRED } from './protocol.ts';

/** As much of a Worker as is needed. */
export interface Thread {
  postMessage(message: unknown, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void;
  addEventListener(type: 'error' | 'messageerror', listener: (event: Event) => void): void;
  terminate(): void;
}

/** What the thread says to its owner: it has retired and may be ended. */
const retiredSchema = z.object({ type: z.literal('retired') });
/** What the owner says to the thread, with a port: serve this line too. */
export const lineSchema = z.object({ type: z.literal('line') });

interface EmbeddingThread {
  /** A new line; starts the thread where none runs. */
  connect(): Line;
  /** Answers, on this port, another thread's `borrowLines`, until the port closes or the owner does. */
  serve(port: Port): void;
  /** Ends the thread. What waits on its lines rejects with `AbortError`; a later `connect` starts anew. */
  close(): void;
}

/** Makes the owner. `spawn` starts the worker. */
export function createEmbeddingThread(spawn: () => Thread): EmbeddingThread {
  let running: { readonly thread: Thread; readonly gone: AbortController } | null = null;

  const end = (mine: typeof running, reason: unknown) => {
    if (!mine) return;
    if (running === mine) running = null;
    mine.thread.terminate();
    mine.gone.abort(reason);
  };

  const start = () => {
    const mine = { thread: spawn(), gone: new AbortController() };
    mine.thread.addEventListener('message', ({ data }) => {
      if (retiredSchema.safeParse(data).success) end(mine, RETIRED);
    });
    const failed = (event: Event) =>
      end(
        mine,
        new RecollectError(
          'embedding-broken',
          `The embedding thread failed: ${(event as ErrorEvent).message || 'its script did not load'}`,
          { params: { detail: (event as ErrorEvent).message || 'its script did not load' }, retry: true },
        ),
      );
    mine.thread.addEventListener('error', failed);
    mine.thread.addEventListener('messageerror', failed);
    running = mine;
    return mine;
  };

  const connect = (): Line => {
    const { thread, gone } = running ?? start();
    const { port1, port2 } = new MessageChannel();
    thread.postMessage({ type: 'line' }, [port2]);
    return { port: port1, lost: gone.signal };
  };

  return {
    connect,
    serve: (port) => {
      port.addEventListener('message', ({ data }) => {
        const lineRequest = lineRequestSchema.safeParse(data);
        if (!lineRequest.success) return;
        const { id } = lineRequest.data;
        const line = connect();
        port.postMessage({ type: 'line', id } satisfies Loan, [line.port as unknown as Transferable]);
        line.lost.addEventListener('abort', () => {
          const { reason } = line.lost;
          const problem = reason instanceof RecollectError ? toProblem(reason) : null;
          port.postMessage({ type: 'lost', id, problem, retired: reason === RETIRED } satisfies Loan, []);
        });
      });
      port.start();
    },
    close: () => end(running, new DOMException('The embedding thread was ended.', 'AbortError')),
  };
}

const lineRequestSchema = z.object({ type: z.literal('wish'), id: z.number().int() });
const loanSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('line'), id: z.number().int() }),
  z.object({
    type: z.literal('lost'),
    id: z.number().int(),
    problem: problemSchema.nullable(),
    retired: z.boolean(),
  }),
]);
type Loan = z.infer<typeof loanSchema>;

/**
 * The other side of `serve`, in a thread that does not own the model's worker: makes the `connect` of `createLocalEmbedding`.
 * @param port leads to the owner's `serve`
 */
export function transferLines(port: Port): () => Promise<Line> {
  const waiting = new Map<number, (line: Line) => void>();
  const open = new Map<number, AbortController>();
  let wishes = 0;
  port.addEventListener('message', (event) => {
    const parsed = loanSchema.safeParse(event.data);
    if (!parsed.success) return;
    const loan = parsed.data;
    const gone = open.get(loan.id);
    if (!gone) return;
    if (loan.type === 'line') {
      const [line] = event.ports;
      if (line) waiting.get(loan.id)?.({ port: line, lost: gone.signal });
      waiting.delete(loan.id);
      return;
    }
    open.delete(loan.id);
    if (loan.retired) gone.abort(RETIRED);
    else if (!loan.problem) gone.abort(new DOMException('The embedding thread was ended.', 'AbortError'));
    else gone.abort(toError(loan.problem));
  });
  port.start();
  return () =>
    new Promise((resolve) => {
      const id = ++wishes;
      open.set(id, new AbortController());
      waiting.set(id, resolve);
      port.postMessage({ type: 'wish', id }, []);
    });
}
