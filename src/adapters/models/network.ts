// Requests to endpoints leave through a worker of their own, so that the page's security policy can forbid the page every other
// origin (`connect-src 'self'`) while a person adds and changes endpoints freely. The worker lets through configured origins only.
//
//   page: fetch(url) ──request──► worker ──► endpoint
//                    ◄──head, chunk, chunk …, end──
import { z } from 'zod';
import { createPacer, pauseWhileWriting, speedOf } from '../../domain/base/pacer.ts';
import { isSomebodyThere } from './presence.ts';

const requestSchema = z.object({
  type: z.literal('request'),
  id: z.number(),
  url: z.string(),
  method: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string().nullable(),
  mode: z.enum(['cors', 'no-cors']),
});
const toWorkerSchema = z.discriminatedUnion('type', [
  requestSchema,
  z.object({ type: z.literal('abort'), id: z.number() }),
  /** Origins that may be reached from now on; replaces the list before. */
  z.object({ type: z.literal('allow'), origins: z.array(z.string()) }),
]);
type ToWorker = z.infer<typeof toWorkerSchema>;

const fromWorkerSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('head'),
    id: z.number(),
    status: z.number(),
    statusText: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    opaque: z.boolean(),
  }),
  z.object({ type: z.literal('chunk'), id: z.number(), bytes: z.instanceof(Uint8Array<ArrayBuffer>) }),
  z.object({ type: z.literal('end'), id: z.number() }),
  z.object({ type: z.literal('failed'), id: z.number(), message: z.string() }),
]);
type FromWorker = z.infer<typeof fromWorkerSchema>;

/** Bytes of an event stream for each character of the answer: a token has an event of its own. */
const BYTES_PER_CHARACTER = 40;

/** Statuses whose responses may not carry a body. */
const BODILESS = new Set([101, 204, 205, 304]);

export interface Network {
  /** As the platform's `fetch`, for http(s) addresses and text bodies. Rejects with a TypeError where the network or the list refuses. */
  readonly fetch: typeof fetch;
  /** Replaces the list of origins that may be reached. */
  allow(origins: readonly string[]): void;
  close(): void;
}

/** The page's side. `start` makes the worker on first use. */
export function createNetwork(start: () => Worker): Network {
  let worker: Worker | undefined;
  let allowed: readonly string[] = [];
  let next = 0;
  const waiting = new Map<number, (message: FromWorker) => void>();

  const post = (message: ToWorker) => {
    if (!worker) {
      worker = start();
      worker.addEventListener('message', ({ data }) => {
        const message = fromWorkerSchema.safeParse(data);
        if (message.success) waiting.get(message.data.id)?.(message.data);
      });
      worker.addEventListener('error', () => {
        for (const [id, notify] of [...waiting])
          notify({ type: 'failed', id, message: 'The network worker ended' });
        worker?.terminate();
        worker = undefined;
      });
      worker.postMessage({ type: 'allow', origins: [...allowed] } satisfies ToWorker);
    }
    worker.postMessage(message);
  };

  const fetchThrough: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.text();
    const { signal } = request;
    signal.throwIfAborted();
    const id = ++next;
    return await new Promise<Response>((resolve, reject) => {
      let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
      const finish = () => {
        waiting.delete(id);
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = () => {
        finish();
        post({ type: 'abort', id });
        reject(signal.reason);
        stream?.error(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.set(id, (message) => {
        if (message.type === 'head') {
          const source = new ReadableStream<Uint8Array>({
            start: (controller) => {
              stream = controller;
            },
            cancel: () => {
              finish();
              post({ type: 'abort', id });
            },
          });
          // A Response cannot be made with status 0; what an opaque answer means is only "somebody is there". Nor can it with one that HTTP
          // does not know (999): then something between here and the endpoint is broken.
          const isKnown = message.status >= 200 && message.status <= 599;
          const status = message.opaque ? 204 : isKnown ? message.status : 502;
          resolve(
            new Response(BODILESS.has(status) ? null : source, {
              status,
              statusText: message.statusText,
              headers: message.headers,
            }),
          );
        } else if (message.type === 'chunk') stream?.enqueue(message.bytes);
        else if (message.type === 'end') {
          finish();
          stream?.close();
        } else {
          finish();
          const error = new TypeError(message.message);
          reject(error);
          stream?.error(error);
        }
      });
      post({
        type: 'request',
        id,
        url: request.url,
        method: request.method,
        headers: [...request.headers],
        body,
        mode: request.mode === 'no-cors' ? 'no-cors' : 'cors',
      });
    });
  };

  return {
    fetch: fetchThrough,
    allow: (origins) => {
      allowed = origins;
      worker?.postMessage({ type: 'allow', origins: [...origins] } satisfies ToWorker);
    },
    close: () => {
      worker?.terminate();
      worker = undefined;
    },
  };
}

/** The worker's side: answers messages on `scope` until the worker ends. No cookies are sent, no redirect is followed. */
export function serveNetwork(scope: {
  postMessage(message: FromWorker): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
}): void {
  let allowed = new Set<string>();
  const running = new Map<number, AbortController>();

  const answer = async (request: z.infer<typeof requestSchema>, signal: AbortSignal) => {
    const { id } = request;
    let pieces: Uint8Array<ArrayBuffer>[] = [];
    let sent = 0;
    let began = 0;
    // A body that comes in many small pieces goes on as seldom as the screen shows its words: what a page does with each costs more than its bytes.
    const pause = () => {
      const characters = sent / BYTES_PER_CHARACTER;
      return pauseWhileWriting(characters, speedOf(characters, performance.now() - began));
    };
    const outbox = createPacer(pause, () => {
      for (const { byteLength } of pieces) sent += byteLength;
      scope.postMessage({ type: 'chunk', id, bytes: joined(pieces) });
      pieces = [];
    });
    try {
      if (!allowed.has(new URL(request.url).origin))
        throw new TypeError(`${new URL(request.url).origin} is not a configured endpoint`);
      if (request.mode === 'no-cors') {
        if (!(await isSomebodyThere(request.url, fetch, signal))) throw new TypeError('Nobody answers');
        scope.postMessage({ type: 'head', id, status: 200, statusText: '', headers: [], opaque: true });
        scope.postMessage({ type: 'end', id });
        return;
      }
      const response = await fetch(request.url, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        credentials: 'omit',
        // Not followed, but seen: to a caller it is an answer that can be explained.
        redirect: 'manual',
        referrerPolicy: 'no-referrer',
        signal,
      });
      scope.postMessage({
        type: 'head',
        id,
        // A browser veils even the status of a redirect.
        status: response.type === 'opaqueredirect' ? 302 : response.status,
        statusText: response.statusText,
        headers: [...response.headers],
        opaque: response.type === 'opaque',
      });
      began = performance.now();
      const reader = response.body?.getReader();
      for (;;) {
        const part = await reader?.read();
        if (!part || part.done) break;
        pieces.push(part.value);
        outbox.touch();
      }
      outbox.flush();
      scope.postMessage({ type: 'end', id });
    } catch (error) {
      if (!signal.aborted) {
        outbox.flush();
        scope.postMessage({
          type: 'failed',
          id,
          message: error instanceof Error ? error.message : String(error),
        });
      }
    } finally {
      outbox.stop();
      running.delete(id);
    }
  };

  scope.addEventListener('message', ({ data }) => {
    const parsed = toWorkerSchema.safeParse(data);
    if (!parsed.success) return;
    const message = parsed.data;
    if (message.type === 'allow') allowed = new Set(message.origins);
    else if (message.type === 'abort') running.get(message.id)?.abort();
    else {
      const controller = new AbortController();
      running.set(message.id, controller);
      void answer(message, controller.signal);
    }
  });
}

function joined(pieces: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const [only] = pieces;
  if (only && pieces.length === 1) return only;
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
