// The owner's side of the model's thread: starts it with the first connection, forgets it when it retires, and
// transfers ports to other threads. One thread serves them all.
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { createCaller, serveCalls } from '../../domain/threads/calls.ts';
import { type Thread, withTransfer } from '../../domain/threads/endpoint.ts';
import { joinNews } from '../../domain/threads/news.ts';
import type { ModelConnection, Port } from './protocol.ts';
import { RETIRED } from './protocol.ts';

const port = z.custom<Port>((value) => typeof value === 'object' && value !== null);
export const threadNewsSchema = z.discriminatedUnion('type', [
  /** From the owner to the thread: serve this port too. */
  z.object({ type: z.literal('connect'), port }),
  /** From the thread to its owner: it has retired and may be ended. */
  z.object({ type: z.literal('retired') }),
]);
/**
 * Call by which another thread asks the owner for a port. The port is transferred at once; the
 * answer comes when the connection is lost.
 */
const transferCalls = {
  connect: { given: z.null(), progress: z.object({ port }), answer: z.object({ retired: z.boolean() }) },
};

interface Running {
  readonly thread: Thread;
  readonly gone: AbortController;
  readonly say: (news: z.infer<typeof threadNewsSchema>) => void;
}

interface EmbeddingThread {
  /** Opens a new connection; starts the thread if none runs. */
  connect(): ModelConnection;
  /** Answers another thread's `connectByTransfer` on this port, until the port closes or the owner does. */
  serve(port: Port): void;
  /** Ends the thread. Waiting requests reject with `AbortError`; a later `connect` starts a new one. */
  close(): void;
}

/** Makes the owner. `spawn` starts the worker. */
export function createEmbeddingThread(spawn: () => Thread): EmbeddingThread {
  let running: Running | null = null;

  const end = (mine: Running | null, reason: unknown) => {
    if (!mine) return;
    if (running === mine) running = null;
    mine.thread.terminate();
    mine.gone.abort(reason);
  };

  const start = () => {
    const thread = spawn();
    const say = joinNews(thread, threadNewsSchema, ({ type }) => type === 'retired' && end(mine, RETIRED));
    const mine: Running = { thread, say, gone: new AbortController() };
    const failed = ({ message }: { readonly message?: string }) => {
      const detail = message || 'its script did not load';
      end(
        mine,
        new RecollectError('embedding-broken', `The embedding thread failed: ${detail}`, {
          params: { detail },
          retry: true,
        }),
      );
    };
    thread.addEventListener('error', failed);
    thread.addEventListener('messageerror', failed);
    running = mine;
    return mine;
  };

  const connect = (): ModelConnection => {
    const { say, gone } = running ?? start();
    const { port1, port2 } = new MessageChannel();
    say(withTransfer({ type: 'connect', port: port2 } as const, [port2]));
    return { port: port1, lost: gone.signal };
  };
  const transferPort = (handOver: (transferred: { port: Port }) => void) =>
    new Promise<{ retired: boolean }>((resolve, reject) => {
      const { port, lost } = connect();
      handOver(withTransfer({ port }, [port]));
      lost.addEventListener('abort', () => {
        if (lost.reason instanceof RecollectError) reject(lost.reason);
        else resolve({ retired: lost.reason === RETIRED });
      });
    });

  return {
    connect,
    serve: (port) =>
      serveCalls(transferCalls, port, { connect: (_, { progress }) => transferPort(progress) }),
    close: () => end(running, new DOMException('The embedding thread was ended.', 'AbortError')),
  };
}

/**
 * The other side of `serve`, in a thread that does not own the model's worker: makes the
 * `connect` of `createLocalEmbedding`.
 * @param port leads to the owner's `serve`
 */
export function connectByTransfer(port: Port): () => Promise<ModelConnection> {
  const { call } = createCaller(transferCalls, port);
  return () =>
    new Promise((resolve) => {
      const gone = new AbortController();
      const opened = ({ port }: { port: Port }) => resolve({ port, lost: gone.signal });
      call.connect(null, { onProgress: opened }).then(
        ({ retired }) =>
          gone.abort(retired ? RETIRED : new DOMException('The embedding thread was ended.', 'AbortError')),
        (error: unknown) => gone.abort(error),
      );
    });
}
