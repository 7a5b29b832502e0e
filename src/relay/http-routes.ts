// Answers plain HTTP requests: health, metrics, an account's usage, erasure, and the built app
// if wanted. docs/relay.md lists them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import sirv from 'sirv';
import { orElse } from '../domain/base/log.ts';
import type { Admission } from './admission.ts';
import type { OperatorLog } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Options } from './options.ts';
import { pageHeaders } from './page-headers.ts';
import { type Change, ErasedError, type RelayStore } from './store.ts';

/**
 * Matches `/<account>` and `/<account>/<room>`: a tag of 22 characters (16 bytes,
 * base64url), and a name of up to 128 characters.
 */
export const ROOM_PATH = /^\/([\w-]{22})(?:\/([\w.~-]{1,128}))?$/;
/** Path of a request, without its query. */
export const pathOf = (request: IncomingMessage): string => (request.url ?? '/').split('?', 1)[0] ?? '/';
/** Longest wait for the store when an operator's probe asks for readiness, ms. */
const READY_MS = 2000;

interface HttpRoutes {
  /** Answers one request. Never rejects: a failure is logged and answered with 500. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Makes the handler of the built app's files in `folder`. An unknown path gets the page. */
const createPages = (folder: string) =>
  sirv(folder, {
    single: true,
    etag: true,
    setHeaders: (response, path) => {
      for (const [name, value] of Object.entries(pageHeaders(path))) response.setHeader(name, value);
      // Files under assets/ have a hash of their contents in their name; for an
      // unknown address there the page is served.
      const isFixed = /^\/assets\/.+\.\w+$/.test(path);
      response.setHeader('Cache-Control', isFixed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });

/**
 * Makes the handler of all requests other than WebSockets: health and metrics, an account's usage, erasure of rooms and
 * accounts, and the app's pages if the relay serves them (`options.serve`).
 */
export function createHttpRoutes(deps: {
  readonly store: RelayStore;
  readonly options: Options;
  readonly metrics: Metrics;
  readonly log: OperatorLog;
  readonly admission: Admission;
  /** True once the relay is stopping: it is then not ready. */
  readonly isDraining: () => boolean;
  /** Current values for `/metrics`, by name. */
  readonly gauges: () => Readonly<Record<string, number>>;
  /** Called after an erasure. */
  readonly onErased: (change: Change) => void;
}): HttpRoutes {
  const { store, options, metrics, log, admission } = deps;

  const pages = options.serve ? createPages(options.serve) : null;

  function respond(response: ServerResponse, status: number, body = '', type = 'text/plain; charset=utf-8') {
    if (status >= 400) metrics.count('refused_total');
    response.writeHead(status, body === '' ? {} : { 'Content-Type': type, 'Cache-Control': 'no-store' });
    response.end(body);
  }

  /** True if the store answers in time, and the relay is not stopping. */
  async function isReady(): Promise<boolean> {
    if (deps.isDraining()) return false;
    const timedOut = new Promise<boolean>((resolve) => setTimeout(resolve, READY_MS, false).unref());
    const answered = orElse(
      store.ping().then(() => true),
      false,
      'asking the store whether it is there',
    );
    return Promise.race([answered, timedOut]);
  }

  /** Allows pages of the configured origins. False if this has answered the request. */
  function allowOrigin(request: IncomingMessage, response: ServerResponse): boolean {
    const { origin } = request.headers;
    if (!admission.isOrigin(origin)) {
      respond(response, 403);
      return false;
    }
    if (origin !== undefined) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Vary', 'Origin');
    }
    if (request.method !== 'OPTIONS') return true;
    response.setHeader('Access-Control-Allow-Methods', 'GET, DELETE');
    response.setHeader('Access-Control-Allow-Headers', 'Authorization');
    response.setHeader('Access-Control-Max-Age', '600');
    respond(response, 204);
    return false;
  }

  /**
   * Handles GET and DELETE of an account's data, for the holder of its token. Refuses with 401,
   * 403, 404 (erased), 405, 429 or 503.
   */
  async function onAccount(
    request: IncomingMessage,
    response: ServerResponse,
    account: string,
    room: string | undefined,
  ) {
    if (!allowOrigin(request, response)) return;
    if (!admission.takeHandshake(admission.addressOf(request))) return respond(response, 429);
    const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (!admission.opens(token, account)) return respond(response, 401);
    try {
      if (request.method === 'DELETE') {
        await store.erase(account, room);
        metrics.count('erasures_total');
        deps.onErased(room === undefined ? { account } : { account, room });
        return respond(response, 204);
      }
      if (request.method !== 'GET' || room !== undefined) return respond(response, 405);
      const usage = await store.usage(account);
      const body = JSON.stringify({ ...usage, limit: options.limits.account });
      return respond(response, 200, body, 'application/json');
    } catch (error) {
      if (error instanceof ErasedError) return respond(response, 404);
      metrics.count('store_errors_total');
      log.warn('store-failed', { error });
      return respond(response, 503);
    }
  }

  async function route(request: IncomingMessage, response: ServerResponse) {
    const path = pathOf(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && path === '/healthz') return respond(response, 200, 'ok\n');
    if (isRead && path === '/readyz')
      return (await isReady()) ? respond(response, 200, 'ready\n') : respond(response, 503, 'not ready\n');
    if (isRead && path === '/metrics') return respond(response, 200, metrics.render(deps.gauges()));
    const [, account, room] = ROOM_PATH.exec(path) ?? [];
    if (account && (!isRead || request.headers.authorization !== undefined))
      return onAccount(request, response, account, room);
    if (!isRead) return respond(response, 405);
    if (pages) return pages(request, response, () => respond(response, 404, 'not found\n'));
    return path === '/' ? respond(response, 200, 'Recollect relay\n') : respond(response, 404, 'not found\n');
  }

  return {
    async handle(request, response) {
      try {
        await route(request, response);
      } catch (error) {
        log.warn('request-failed', { error });
        if (response.headersSent) response.destroy();
        else respond(response, 500);
      }
    },
  };
}
