// A scripted OpenAI-compatible HTTP server: what the model id names is what happens, good days and bad.
// Starts inside a test (`startScriptedModel()`) or from a shell: `npx tsx test/server/scripted-model.ts --port 4010
// [--no-cors]`. It keeps every request, so that a test can read what the app sent. It contacts no other host.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { pathToFileURL } from 'node:url';

/** One thing the server does while it streams. */
export type Step =
  /** Answer words, one delta. */
  | { readonly text: string }
  /** Thought words, as `reasoning_content`. */
  | { readonly reasoning: string }
  /** A call, its arguments sent in `pieces` (default 2). */
  | { readonly call: { id: string; name: string; arguments: string }; readonly pieces?: number }
  /** A pause, ms. */
  | { readonly wait: number }
  /** Waits until `POST /control/go` (or `server.go()`). */
  | { readonly gate: true }
  /** Bytes as they are, outside of any format. */
  | { readonly raw: string }
  /** `finish_reason`. */
  | { readonly finish: string }
  | { readonly usage: Readonly<Record<string, unknown>> }
  /** An error object inside the stream. */
  | { readonly error: Readonly<Record<string, unknown>> }
  /** Destroys the socket. */
  | { readonly cut: true }
  /** Ends the response properly, without `finish_reason` and without `[DONE]`. */
  | { readonly close: true }
  /** Says nothing more and keeps the connection open. */
  | { readonly hang: true };

/** An answer: an error with a status, or steps. */
export type Script =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown }
  | { readonly steps: readonly Step[] };

interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
  readonly tool_call_id?: string;
  readonly [key: string]: unknown;
}

/** A chat request as it came over the wire. */
export interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly unknown[];
  readonly [key: string]: unknown;
}

/** A request of any kind that reached the server. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  /** ms since 1970 */
  readonly at: number;
}

export interface ScriptedModelServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** `origin` + `/v1`: what a person would type as base URL. */
  readonly baseUrl: string;
  /**
   * All requests but preflights, `/control`, and those for titles and for what is worth remembering (`[]` is
   * the answer to these); oldest first.
   */
  readonly requests: readonly SeenRequest[];
  /** Bodies of the chat requests, oldest first. */
  chats(): ChatRequest[];
  /** The next chat requests get these scripts, one each, whatever model they name. */
  next(...scripts: Script[]): void;
  /**
   * Every chat request that nothing is queued for is shown to `rule`; where it gives
   * no script, the model's own is played.
   */
  answer(rule: (request: ChatRequest) => Script | undefined): void;
  /**
   * The title that the model gives conversations from now on; without it none. `requests` leaves these requests out.
   */
  nameConversations(title: string): void;
  /** Lets every stream that waits at a gate go on, and embeddings of the model `held` until the next reset. */
  go(): void;
  /** CORS headers on or off from now on. */
  setCors(on: boolean): void;
  /** Forgets requests, queued scripts, the rule and the title, opens gates, CORS on. */
  reset(): void;
  close(): Promise<void>;
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content
          .map((part: { type?: string; text?: string }) =>
            part.type === 'text' ? (part.text ?? '') : `[${part.type}]`,
          )
          .join(' ')
      : '';

const lastUser = (request: ChatRequest): string =>
  textOf(request.messages.filter((message) => message.role === 'user').at(-1)?.content);

/**
 * True if the app asks this beside a conversation, at a time of its own: for a title, or for what is worth remembering.
 */
const begins = ({ messages }: ChatRequest, words: string): boolean =>
  textOf(messages?.[0]?.content).startsWith(words);
const namesConversation = (request: ChatRequest) =>
  begins(request, 'You name conversations. Answer with a title');
const proposesNotes = (request: ChatRequest) =>
  begins(request, 'You read messages that a person wrote to an assistant');

const words = (text: string): Step[] => (text.match(/\S+\s*|\s+/g) ?? []).map((word) => ({ text: word }));
const stop: Step = { finish: 'stop' };
const failure = (
  status: number,
  message: string,
  code: string | null,
  headers?: Record<string, string>,
): Script => ({
  status,
  ...(headers ? { headers } : {}),
  body: { error: { message, type: 'scripted_error', param: null, code } },
});

/** A long answer with everything that a Markdown renderer has to show. */
export const MARKDOWN = `# A worked example

Some **bold**, some *italic*, some \`inline code\`, a [link](https://example.org/) and a list:

1. first
2. second
   - nested

\`\`\`ts
export function area(radius: number): number {
  return Math.PI * radius ** 2;
}
\`\`\`

Inline maths $e^{i\\pi} + 1 = 0$, and a block:

$$
\\int_0^1 x^2 \\, dx = \\frac{1}{3}
$$

| name | value | 说明 |
| --- | ---: | --- |
| alpha | 1 | 第一 |
| beta | 22 | 第二 |

> A quotation, 以及一段中文：什么时候备份数据库？

<script>window.__scripted_model_was_here = true;</script><img src="x" onerror="window.__scripted_model_was_here = true">

The end.
`;

const usage = (extra: Readonly<Record<string, unknown>> = {}): Step => ({
  usage: {
    prompt_tokens: 120,
    completion_tokens: 34,
    total_tokens: 154,
    prompt_tokens_details: { cached_tokens: 64 },
    completion_tokens_details: { reasoning_tokens: 12 },
    ...extra,
  },
});

/** Model id → what happens. `GET /v1/models` lists exactly these ids. */
export const SCRIPTS: Readonly<Record<string, (request: ChatRequest) => Script>> = {
  /** A short answer, word by word. */
  plain: () => ({ steps: [...words('Yes. The backup runs every night at three.'), stop, usage()] }),
  /** The last user message, word by word. */
  echo: (request) => ({ steps: [...words(lastUser(request)), stop] }),
  /** Everything it received, as JSON in a code block, so that a test sees on the screen what the model saw. */
  mirror: (request) => ({
    steps: [{ text: `\`\`\`json\n${JSON.stringify(request.messages, null, 2)}\n\`\`\`` }, stop],
  }),
  /** Forty words, 50 ms apart. */
  slow: () => ({
    steps: [
      ...Array.from({ length: 40 }, (_, index): Step[] => [
        { text: `word${index + 1} ` },
        { wait: 50 },
      ]).flat(),
      stop,
    ],
  }),
  /** Three words, then waits for `go`, then three more. */
  gated: () => ({ steps: [...words('one two three '), { gate: true }, ...words('four five six'), stop] }),
  markdown: () => ({ steps: [...words(MARKDOWN), stop, usage()] }),
  reasoning: () => ({
    steps: [
      ...['The person ', 'asks about ', 'backups. '].map((reasoning) => ({ reasoning })),
      ...words('Backups run at three.'),
      stop,
      usage(),
    ],
  }),
  tools: (request) =>
    request.messages.at(-1)?.role === 'tool'
      ? { steps: [...words(`The tool said: ${textOf(request.messages.at(-1)?.content)}`), stop] }
      : {
          steps: [
            { text: 'Let me look. ' },
            { call: { id: 'call_1', name: 'lookup', arguments: '{"query":"backup time"}' } },
            { finish: 'tool_calls' },
          ],
        },
  'two-tools': () => ({
    steps: [
      { call: { id: 'call_a', name: 'lookup', arguments: '{"query":"a"}' } },
      { call: { id: 'call_b', name: 'lookup', arguments: '{"query":"b"}' } },
      { finish: 'tool_calls' },
    ],
  }),
  length: () => ({ steps: [...words('This answer ends in the middle of a'), { finish: 'length' }, usage()] }),
  filter: () => ({ steps: [...words('I was going to'), { finish: 'content_filter' }] }),
  'error-401': () => failure(401, 'Incorrect API key provided.', 'invalid_api_key'),
  'error-402': () => failure(402, 'Insufficient balance.', 'insufficient_balance'),
  'error-403': () => failure(403, 'Your region is not supported.', 'unsupported_country_region_territory'),
  'error-404': () => failure(404, 'The model does not exist.', 'model_not_found'),
  'error-429': () =>
    failure(429, 'Rate limit reached for requests.', 'rate_limit_exceeded', { 'retry-after': '7' }),
  'error-429-bare': () => failure(429, 'Slow down.', null),
  'error-400': () => failure(400, 'Unknown parameter: temperature.', 'unknown_parameter'),
  'error-context': () =>
    failure(
      400,
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      'context_length_exceeded',
    ),
  'error-refused': () =>
    failure(400, 'The request was rejected because it was considered high risk', 'content_filter'),
  'error-500': () => failure(500, 'The server had an error while processing your request.', null),
  'error-503-html': () => ({
    status: 503,
    headers: { 'content-type': 'text/html' },
    body: '<html><body><h1>503 Service Unavailable</h1></body></html>',
  }),
  /** The socket breaks after some words. */
  cut: () => ({ steps: [...words('What arrived before the cut '), { cut: true }] }),
  /** The socket breaks right after the headers. */
  'cut-early': () => ({ steps: [{ cut: true }] }),
  /** The response ends politely, but nothing says that the answer is whole. */
  unfinished: () => ({ steps: [...words('What arrived before the end '), { close: true }] }),
  /** Broken lines between good ones. */
  malformed: () => ({
    steps: [
      { text: 'Before ' },
      { raw: 'data: {"choices":[{"delta":{"content":"half\n\n' },
      { raw: 'nonsense without a colon\n\n' },
      { raw: ': a comment\n\n' },
      { text: 'after.' },
      stop,
    ],
  }),
  /** Nothing but broken lines. */
  'malformed-only': () => ({
    steps: [
      { raw: 'data: <<<not json>>>\n\n' },
      { raw: 'data: {"also": "not a chunk"\n\n' },
      { close: true },
    ],
  }),
  /** A web page with status 200, as a wrong base URL gives. */
  'html-page': () => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>Welcome</title><p>This is a web site.</p>',
  }),
  'error-in-stream': () => ({
    steps: [
      ...words('It starts well '),
      {
        error: {
          message: 'The engine is overloaded, please try again later',
          type: 'engine_overloaded_error',
        },
      },
      { close: true },
    ],
  }),
  /** Accepts the request and never says anything. */
  silent: () => ({ steps: [{ hang: true }] }),
  /** A few words, then silence. */
  stall: () => ({ steps: [...words('It began and then '), { hang: true }] }),
  empty: () => ({ steps: [stop] }),
  /** One megabyte in 1,000 deltas. */
  huge: () => ({
    steps: [
      ...Array.from({ length: 1000 }, (_, index) => ({ text: `${String(index).padEnd(999, 'x')}\n` })),
      stop,
    ],
  }),
};

const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
};

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString('utf8');
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What a running server remembers. Tests change it through the server or through `/control`. */
interface State {
  readonly requests: SeenRequest[];
  readonly queued: Script[];
  /** Each lets a stream that waits go on. */
  readonly gates: Set<() => void>;
  readonly stopped: AbortController;
  readonly requireKey: boolean;
  cors: boolean;
  title: string;
  rule: ((request: ChatRequest) => Script | undefined) | undefined;
  /** Embeddings of the model `held` wait for `go`. */
  held: boolean;
}

function openGates(state: State): void {
  state.held = false;
  for (const open of [...state.gates]) open();
  state.gates.clear();
}

/** Resolves when `start` calls back, or when the other side is gone. */
const unlessGone = (gone: AbortSignal, start: (resolve: () => void) => void) =>
  new Promise<void>((resolve) => {
    const done = () => {
      gone.removeEventListener('abort', done);
      resolve();
    };
    if (gone.aborted) return resolve();
    gone.addEventListener('abort', done);
    start(done);
  });

interface Envelope {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** The whole answer at once, for a request that wants no stream. */
function completionOf(envelope: Envelope, steps: readonly Step[]) {
  const find = <T>(pick: (step: Step) => T | undefined): T[] =>
    steps.map(pick).filter((value): value is T => value !== undefined);
  const calls = find((step) => ('call' in step ? step.call : undefined));
  return {
    ...envelope,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: find((step) => ('text' in step ? step.text : undefined)).join(''),
          ...(calls.length > 0
            ? {
                tool_calls: calls.map((call) => ({
                  id: call.id,
                  type: 'function',
                  function: { name: call.name, arguments: call.arguments },
                })),
              }
            : {}),
        },
        finish_reason: find((step) => ('finish' in step ? step.finish : undefined)).at(-1) ?? 'stop',
      },
    ],
    usage: find((step) => ('usage' in step ? step.usage : undefined)).at(-1),
  };
}

/** Plays the steps into the response, until a step ends it, the reader is gone or the server stops. */
async function stream(
  { gates }: State,
  gone: AbortSignal,
  envelope: Envelope,
  steps: readonly Step[],
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  const send = async (text: string) => {
    if (!response.write(text))
      await unlessGone(gone, (resolve) => {
        response.once('drain', resolve);
      });
  };
  const sendData = (data: unknown) => send(`data: ${JSON.stringify(data)}\n\n`);
  const sendChunk = (rest: object) => sendData({ ...envelope, object: 'chat.completion.chunk', ...rest });
  const chunk = (delta: unknown, finish: string | null = null) =>
    sendChunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
  await chunk({ role: 'assistant', content: '' });
  let calls = 0;
  for (const step of steps) {
    if (gone.aborted) return;
    if ('text' in step) await chunk({ content: step.text });
    else if ('reasoning' in step) await chunk({ reasoning_content: step.reasoning });
    else if ('call' in step) {
      const { id: callId, name, arguments: text } = step.call;
      const size = Math.max(1, Math.ceil(text.length / (step.pieces ?? 2)));
      const index = calls++;
      await chunk({
        tool_calls: [{ index, id: callId, type: 'function', function: { name, arguments: '' } }],
      });
      for (let at = 0; at < text.length; at += size)
        await chunk({ tool_calls: [{ index, function: { arguments: text.slice(at, at + size) } }] });
    } else if ('wait' in step) await unlessGone(gone, (resolve) => setTimeout(resolve, step.wait));
    else if ('gate' in step) await unlessGone(gone, (resolve) => gates.add(resolve));
    else if ('raw' in step) await send(step.raw);
    else if ('finish' in step) await chunk({}, step.finish);
    else if ('usage' in step) await sendChunk({ choices: [], usage: step.usage });
    else if ('error' in step) await sendData({ error: step.error });
    else if ('cut' in step) {
      // Waits, so that the written bytes arrive before the connection breaks.
      await unlessGone(gone, (resolve) => setTimeout(resolve, 20));
      response.destroy();
      return;
    } else if ('close' in step) {
      response.end();
      return;
    } else if ('hang' in step) return;
  }
  await send('data: [DONE]\n\n');
  response.end();
}

async function play(
  state: State,
  request: ChatRequest,
  script: Script,
  response: ServerResponse,
): Promise<void> {
  if ('status' in script) return json(response, script.status, script.body, { ...script.headers });
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  const gone = AbortSignal.any([closed.signal, state.stopped.signal]);
  const envelope = {
    id: `chatcmpl-${state.requests.length}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
  };
  if (request.stream !== true) return json(response, 200, completionOf(envelope, script.steps));
  await stream(state, gone, envelope, script.steps, response);
}

function allowOrigins(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'retry-after');
  if (request.method !== 'OPTIONS') return;
  response.setHeader('access-control-allow-methods', 'GET, POST, OPTIONS');
  response.setHeader(
    'access-control-allow-headers',
    request.headers['access-control-request-headers'] ?? '*',
  );
  if (request.headers['access-control-request-private-network'])
    response.setHeader('access-control-allow-private-network', 'true');
}

/** What a test in a browser asks of the server itself. Undefined: there is no such address. */
function control(state: State, reset: () => void, path: string, body: unknown): unknown {
  switch (path) {
    case '/control/requests':
      return state.requests;
    case '/control/reset':
      reset();
      return { ok: true };
    case '/control/go':
      openGates(state);
      return { ok: true };
    case '/control/cors':
      state.cors = (body as { on?: boolean } | undefined)?.on ?? true;
      return { ok: true, cors: state.cors };
    case '/control/next':
      state.queued.push(...((body as { scripts?: Script[] } | undefined)?.scripts ?? []));
      return { ok: true, queued: state.queued.length };
  }
}

/** The script of an error that the key deserves. */
const REFUSED_KEYS: Readonly<Record<string, string>> = {
  'wrong-key': 'error-401',
  'forbidden-key': 'error-403',
  'busy-key': 'error-429',
};
function refusalOf(authorization: string | undefined, requireKey: boolean): string | undefined {
  const key = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
  if (key === undefined) return requireKey ? 'error-401' : undefined;
  return Object.hasOwn(REFUSED_KEYS, key) ? REFUSED_KEYS[key] : undefined;
}

async function embed(state: State, body: unknown, response: ServerResponse): Promise<void> {
  const {
    input,
    model,
    dimensions = 8,
  } = body as {
    input: string | string[];
    model: string;
    dimensions?: number;
  };
  const texts = Array.isArray(input) ? input : [input];
  if (model === 'held' && state.held)
    await unlessGone(state.stopped.signal, (resolve) => {
      state.gates.add(resolve);
    });
  return json(response, 200, {
    object: 'list',
    model,
    data: texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: hashed(text, dimensions),
    })),
    usage: { prompt_tokens: texts.length, total_tokens: texts.length },
  });
}

async function answer(
  state: State,
  reset: () => void,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname: path } = new URL(request.url ?? '/', 'http://localhost');
  const method = request.method ?? 'GET';
  if (state.cors || path.startsWith('/control')) allowOrigins(request, response);
  if (method === 'OPTIONS') return void response.writeHead(204).end();
  const body = await bodyOf(request);

  const said = control(state, reset, path, body);
  if (said !== undefined) return json(response, 200, said);

  if (path === '/v1/chat/completions' && namesConversation(body as ChatRequest))
    return play(state, body as ChatRequest, { steps: [...words(state.title), stop] }, response);
  if (path === '/v1/chat/completions' && proposesNotes(body as ChatRequest))
    return play(state, body as ChatRequest, { steps: [{ text: '[]' }, stop] }, response);
  state.requests.push({ method, path, headers: request.headers, body, at: Date.now() });
  const refusal = refusalOf(request.headers.authorization, state.requireKey);
  const noChat: ChatRequest = { model: '', messages: [] };
  if (refusal && path.startsWith('/v1/'))
    return play(state, noChat, (SCRIPTS[refusal] as (typeof SCRIPTS)[string])(noChat), response);

  if (path === '/v1/models' && method === 'GET')
    return json(response, 200, {
      object: 'list',
      data: Object.keys(SCRIPTS).map((id) => ({ id, object: 'model', created: 0, owned_by: 'scripted' })),
    });
  if (path === '/v1/chat/completions' && method === 'POST') {
    const chat = body as ChatRequest;
    const script =
      state.queued.shift() ??
      state.rule?.(chat) ??
      SCRIPTS[chat.model]?.(chat) ??
      failure(404, `The model ${chat.model} does not exist.`, 'model_not_found');
    return play(state, chat, script, response);
  }
  if (path === '/v1/embeddings' && method === 'POST') return embed(state, body, response);
  return json(response, 404, { error: { message: `Nothing at ${path}.`, type: 'invalid_request_error' } });
}

/** Listens on 127.0.0.1; `close` breaks every connection. */
async function listen(
  port: number,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
) {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error('scripted model:', error);
      if (response.headersSent) response.destroy();
      else json(response, 500, { error: { message: String(error) } });
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const done = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await done;
    },
  };
}

/**
 * Starts the server on 127.0.0.1 (`port` 0 or absent: any free one). Keys `wrong-key`, `forbidden-key` and `busy-key`
 * get 401, 403 and 429 everywhere; `requireKey` refuses requests without one.
 */
export async function startScriptedModel(
  options: { port?: number; cors?: boolean; requireKey?: boolean } = {},
): Promise<ScriptedModelServer> {
  const state: State = {
    requests: [],
    queued: [],
    gates: new Set(),
    stopped: new AbortController(),
    requireKey: options.requireKey ?? false,
    cors: options.cors ?? true,
    title: '',
    rule: undefined,
    held: true,
  };
  const { requests } = state;
  const reset = () => {
    requests.length = 0;
    state.queued.length = 0;
    openGates(state);
    Object.assign(state, { rule: undefined, title: '', cors: options.cors ?? true, held: true });
  };
  const { origin, close } = await listen(options.port ?? 0, (request, response) =>
    answer(state, reset, request, response),
  );
  return {
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    chats: () =>
      requests.filter((seen) => seen.path === '/v1/chat/completions').map((seen) => seen.body as ChatRequest),
    next: (...scripts) => {
      state.queued.push(...scripts);
    },
    answer: (given) => {
      state.rule = given;
    },
    nameConversations: (given) => {
      state.title = given;
    },
    go: () => openGates(state),
    setCors: (on) => {
      state.cors = on;
    },
    reset,
    close: async () => {
      state.stopped.abort();
      await close();
    },
  };
}

/** A unit vector from the text's character pairs: near texts are near, and nothing is downloaded. */
function hashed(text: string, dimensions: number): number[] {
  const values = new Array<number>(dimensions).fill(0);
  const lower = text.toLowerCase();
  for (let at = 0; at + 1 < lower.length; at++) {
    const slot = (lower.charCodeAt(at) * 31 + lower.charCodeAt(at + 1)) % dimensions;
    values[slot] = (values[slot] ?? 0) + 1;
  }
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const at = process.argv.indexOf('--port');
  const server = await startScriptedModel({
    port: at < 0 ? 4010 : Number(process.argv[at + 1]),
    cors: !process.argv.includes('--no-cors'),
    requireKey: process.argv.includes('--require-key'),
  });
  console.info(`Scripted model at ${server.baseUrl}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      void server.close();
    });
}
