// Requests to endpoints leave through a worker of their own, so that the page's security policy can forbid the
// page every other origin (`connect-src 'self'`) while a person adds and changes endpoints freely. The worker
// lets through configured origins only.
//
//   page: fetch(url) ──request──► worker ──► endpoint
//                    ◄──head, chunk, chunk …, end──
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { createPacer, pauseWhileWriting, speedOf } from '../../domain/base/pacer.ts';
import { type Caller, createCaller, type Served, serveCalls } from '../../domain/threads/calls.ts';
import type { MessageEndpoint } from '../../domain/threads/endpoint.ts';
import { joinNews, postNews } from '../../domain/threads/news.ts';
import { isSomebodyThere } from './presence.ts';

const networkCalls = {
  request: {
    given: z.object({
      url: z.string(),
      method: z.string(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      body: z.string().nullable(),
      mode: z.enum(['cors', 'no-cors']),
    }),
    progress: z.discriminatedUnion('type', [
      z.object({
        type: z.literal('head'),
        status: z.number(),
        statusText: z.string(),
        headers: z.array(z.tuple([z.string(), z.string()])),
        opaque: z.boolean(),
      }),
      z.object({ type: z.literal('chunk'), bytes: z.instanceof(Uint8Array<ArrayBuffer>) }),
    ]),
    answer: z.null(),
  },
};
type Progress = z.infer<typeof networkCalls.request.progress>;

/** Replaces the list of origins that may be reached. */
const allowSchema = z.object({ type: z.literal('allow'), origins: z.array(z.string()) });

/** Bytes of an event stream for each character of the answer: each token is an event. */
const BYTES_PER_CHARACTER = 40;

/** Statuses whose responses may not carry a body. */
const BODILESS = new Set([101, 204, 205, 304]);

export interface Network {
  /**
   * Like the platform's `fetch`, for http(s) addresses and text bodies. Rejects with a TypeError
   * if the network or the list refuses.
   */
  readonly fetch: typeof fetch;
  /** Replaces the list of origins that may be reached. */
  allow(origins: readonly string[]): void;
  close(): void;
}

/** Makes the page's side. `start` makes the worker on first use. */
export function createNetwork(start: () => Worker): Network {
  let running: { readonly worker: Worker; readonly caller: Caller<typeof networkCalls> } | undefined;
  let allowed: readonly string[] = [];
  const postAllowed = (worker: Worker) =>
    postNews<z.infer<typeof allowSchema>>(worker, { type: 'allow', origins: [...allowed] });

  const caller = (): Caller<typeof networkCalls> => {
    if (running) return running.caller;
    const worker = start();
    const made = createCaller(networkCalls, worker);
    running = { worker, caller: made };
    worker.addEventListener('error', () => {
      worker.terminate();
      running = undefined;
      made.refuse(new TypeError('The network worker ended'));
    });
    postAllowed(worker);
    return made;
  };

  const fetchThrough: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.text();
    const { signal } = request;
    signal.throwIfAborted();
    const leaving = new AbortController();
    const leave = () => leaving.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    return await new Promise<Response>((resolve, reject) => {
      let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
      const onProgress = (part: Progress) => {
        if (part.type === 'chunk') return stream?.enqueue(part.bytes);
        const source = new ReadableStream<Uint8Array>({
          start: (controller) => {
            stream = controller;
          },
          cancel: () => leaving.abort(),
        });
        resolve(responseOf(part, source));
      };
      const given = {
        url: request.url,
        method: request.method,
        headers: [...request.headers],
        body,
        mode: request.mode === 'no-cors' ? ('no-cors' as const) : ('cors' as const),
      };
      caller()
        .call.request(given, { signal: leaving.signal, onProgress })
        .then(
          () => stream?.close(),
          (error: unknown) => {
            const failed = error instanceof RecollectError ? new TypeError(error.message) : error;
            reject(failed);
            stream?.error(failed);
          },
        )
        .finally(() => signal.removeEventListener('abort', leave));
    });
  };

  return {
    fetch: fetchThrough,
    allow: (origins) => {
      allowed = origins;
      if (running) postAllowed(running.worker);
    },
    close: () => {
      running?.worker.terminate();
      running = undefined;
    },
  };
}

function responseOf(head: Extract<Progress, { type: 'head' }>, source: ReadableStream<Uint8Array>): Response {
  // A Response cannot have status 0; an opaque answer only means that a server is there. Nor can it have one that HTTP
  // does not know (999): then something between here and the endpoint is broken.
  const isKnown = head.status >= 200 && head.status <= 599;
  const status = head.opaque ? 204 : isKnown ? head.status : 502;
  return new Response(BODILESS.has(status) ? null : source, {
    status,
    statusText: head.statusText,
    headers: head.headers,
  });
}

/** Serves requests on `scope` until the worker ends. Sends no cookies, follows no redirect. */
export function serveNetwork(scope: MessageEndpoint): void {
  let allowed = new Set<string>();

  const answer: Served<typeof networkCalls>['request'] = async (request, { signal, progress }) => {
    let pieces: Uint8Array<ArrayBuffer>[] = [];
    let sent = 0;
    let began = 0;
    // Joins small pieces of a body until the screen would show them: the page's work for
    // each piece costs more than its bytes.
    const pause = () => {
      const characters = sent / BYTES_PER_CHARACTER;
      return pauseWhileWriting(characters, speedOf(characters, performance.now() - began));
    };
    const outbox = createPacer(pause, () => {
      for (const { byteLength } of pieces) sent += byteLength;
      progress({ type: 'chunk', bytes: joined(pieces) });
      pieces = [];
    });
    try {
      if (!allowed.has(new URL(request.url).origin))
        throw new TypeError(`${new URL(request.url).origin} is not a configured endpoint`);
      if (request.mode === 'no-cors') {
        if (!(await isSomebodyThere(request.url, fetch, signal))) throw new TypeError('Nobody answers');
        progress({ type: 'head', status: 200, statusText: '', headers: [], opaque: true });
        return null;
      }
      const response = await fetch(request.url, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        credentials: 'omit',
        // Not followed, but passed to the caller, who can explain it.
        redirect: 'manual',
        referrerPolicy: 'no-referrer',
        signal,
      });
      progress({
        type: 'head',
        // A browser hides even the status of a redirect.
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
      return null;
    } finally {
      outbox.flush();
      outbox.stop();
    }
  };

  joinNews(scope, allowSchema, ({ origins }) => {
    allowed = new Set(origins);
  });
  serveCalls(networkCalls, scope, { request: answer });
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
