// One request for an answer: sends it, repairs it if the endpoint refuses an optional part of it, waits no longer than
// allowed, and hands its bytes to the AI SDK as events of one form.

import { isAbort, RecollectError } from '../../domain/base/errors.ts';
import { ignore } from '../../domain/base/log.ts';
import { type ChatModel, type Endpoint, hostOf } from './chat-model.ts';
import { asEventStream } from './event-stream.ts';
import {
  bodyOf,
  callEndpoint,
  type Fetch,
  plainKey,
  problemOfStreamError,
  type Surroundings,
} from './http.ts';
import { asNativeEvents } from './native-events.ts';
import {
  isAboutAnswerLength,
  isAboutImageParts,
  nameOfRepair,
  type Repair,
  type RequestRefusal,
  repaired,
  repairFor,
} from './repairs.ts';
import { newFacts, type StreamFacts } from './stream-facts.ts';

/** Repairs learnt from earlier refusals of one model. The model's creator stores them. */
interface KnownRepairs {
  get(): readonly Repair[];
  /** Called once a request with these changes was accepted. */
  remember(repairs: readonly Repair[]): void;
}

export interface ModelOptions {
  readonly endpoint: Pick<Endpoint, 'baseUrl' | 'parameters' | 'protocol'>;
  /** The endpoint's name for the model. */
  readonly model: string;
  /** Called for each request, so that a changed key is used at once. */
  readonly key: () => Promise<string | undefined>;
  readonly fetch?: Fetch;
  readonly surroundings?: Surroundings;
  /**
   * Longest silence before the answer is given up, in ms. Local models read a long prompt for minutes: default 5
   * minutes.
   */
  readonly silenceMs?: number;
  readonly repairs?: KnownRepairs;
}

export type StreamOptions = Parameters<ChatModel['stream']>[1];

/** How one protocol writes its request, and in which form its answer comes. */
export interface RequestForm {
  /** Headers for authentication; absent: the key as a bearer token. */
  readonly headers?: (key: string | undefined) => Readonly<Record<string, string>>;
  /** Changes a body last, before it is sent. */
  readonly body?: (body: Record<string, unknown>, options: StreamOptions) => Record<string, unknown>;
  /** Normalises answers as chat completions. */
  readonly isChatCompletions: boolean;
}

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;
/** Whom a problem names. */
type About = Readonly<Record<'endpoint' | 'model', string>>;

/** Most times that a request is sent. */
const MOST_REPAIRS = 6;
/** Longest wait for the connection to close after the endpoint said that the answer is complete, in ms. */
const AFTER_FINISH_MS = 5_000;

/** One request, from the key to the last byte; `facts` tell what its answer said beside words. */
export class AnswerRequest {
  readonly #options: ModelOptions;
  readonly #form: RequestForm;
  readonly #given: StreamOptions;
  readonly about: About;
  readonly #ended = new AbortController();
  /** Aborted by whoever asked, by a silence, or by the end. */
  readonly signal: AbortSignal;
  readonly facts: StreamFacts = newFacts(() => this.#wait());
  /** Known once it has begun. */
  key: string | undefined;
  /** Problem before or during the response. */
  problem: RecollectError | undefined;
  /** True once headers with status 200 have arrived. */
  accepted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** True once the final wait has begun. */
  #isClosing = false;
  /** Ends the answer as if the endpoint had closed it. */
  #close: () => void = () => undefined;

  constructor(options: ModelOptions, form: RequestForm, given: StreamOptions) {
    this.#options = options;
    this.#form = form;
    this.#given = given;
    this.about = { endpoint: hostOf(options.endpoint.baseUrl), model: options.model };
    this.signal = AbortSignal.any([given.signal, this.#ended.signal]);
  }

  /** Begins the wait and reads the key. */
  async begin(): Promise<void> {
    this.#wait();
    this.key = plainKey(await this.#options.key());
  }

  /** Goes on waiting for an answer that says more after its end. */
  saysMore(): void {
    if (this.#isClosing) this.#wait(true);
  }

  /** Ends the wait, and the connection if it is still open. */
  end(): void {
    clearTimeout(this.#timer);
    this.#ended.abort(new DOMException('Ended', 'AbortError'));
  }

  /**
   * Restarts the time limit when something arrives. After the end of an answer only more of it counts (`isAnswer`),
   * not a keep-alive.
   */
  #wait(isAnswer = false): void {
    const { silenceMs = 300_000 } = this.#options;
    const { facts } = this;
    if (this.#isClosing && !isAnswer) return;
    clearTimeout(this.#timer);
    if (this.#ended.signal.aborted) return;
    this.#isClosing = facts.finished;
    this.#timer = setTimeout(
      () => {
        if (facts.finished) return this.#close();
        this.problem ??= new RecollectError(
          'model-network',
          `${this.about.endpoint} has said nothing for a long time.`,
          { params: { ...this.about, reason: 'silent', detail: '' }, retry: true },
        );
        this.#ended.abort(new DOMException('Silence', 'AbortError'));
      },
      facts.finished ? Math.min(AFTER_FINISH_MS, silenceMs) : silenceMs,
    );
  }

  /** Sends what the SDK asks for. */
  readonly fetch: Fetch = async (input, init) => {
    try {
      return await this.#send(String(input), JSON.parse(String(init?.body)));
    } catch (error) {
      if (error instanceof RecollectError) this.problem ??= error;
      throw error;
    }
  };

  /** Sends the request, and repeats it without the refused part as long as that changes it. */
  async #send(url: string, given: Record<string, unknown>): Promise<Response> {
    const { repairs } = this.#options;
    const known = repairs?.get() ?? [];
    const wanted = this.#form.body?.(given, this.#given) ?? given;
    const fresh: Repair[] = [];
    for (;;) {
      const body = repaired(wanted, [...known, ...fresh]);
      let refusal: RequestRefusal | undefined;
      try {
        const response = await this.#call(url, body, (refused) => {
          refusal = refused;
        });
        if (fresh.length > 0) repairs?.remember(fresh);
        return response;
      } catch (error) {
        const repair =
          refusal && fresh.length < MOST_REPAIRS && isRepairable(error, refusal, body)
            ? repairFor(refusal, body, [...known, ...fresh])
            : undefined;
        if (!repair && refusal && isAboutImageParts(refusal.text, body)) throw aboutImages(error);
        if (!repair) throw naming(error, fresh);
        fresh.push(repair);
      }
    }
  }

  async #call(
    url: string,
    body: Record<string, unknown>,
    onRefused: (refusal: RequestRefusal) => void,
  ): Promise<Response> {
    const { endpoint, model, fetch, surroundings } = this.#options;
    const response = await callEndpoint({
      baseUrl: endpoint.baseUrl,
      url,
      method: 'POST',
      body: bodyOf(body),
      accept: 'text/event-stream',
      key: this.key,
      headers: this.#form.headers?.(this.key),
      model,
      signal: this.signal,
      fetch,
      surroundings,
      onRefused,
    });
    this.#wait();
    const type = response.headers.get('content-type') ?? '';
    if (!response.body) throw cutProblem(this.about);
    // Flask and PHP name every answer a web page; others name none that is one.
    const bytes = await unlessPage(this.#listenTo(response.body));
    if (!bytes)
      throw new RecollectError('model-format', 'The address answers, but with a web page.', {
        params: { ...this.about, reason: 'web-page', detail: '', suggestion: '' },
      });
    if (!this.#form.isChatCompletions) {
      this.accepted = true;
      return new Response(bytes.pipeThrough(asNativeEvents(this.facts, type)), { headers: response.headers });
    }
    const events = bytes
      .pipeThrough(
        asEventStream(
          this.facts,
          this.#given.tools?.map(({ name }) => name),
          type,
          this.#given.toolChoice === 'none' ? undefined : this.#typeOf,
        ),
      )
      .getReader();
    // A refusal may come with status 200, as the first event.
    const first = await events.read();
    const { error } = this.facts;
    if (first.done && error !== undefined) {
      this.facts.error = undefined;
      this.facts.done = false;
      onRefused({ status: 200, text: JSON.stringify({ error }) });
      throw problemOfStreamError(error, this.about, this.key);
    }
    this.accepted = true;
    return new Response(goOnWith(first.value ? [first.value] : [], events), {
      headers: { 'content-type': 'text/event-stream' },
    });
  }

  readonly #typeOf = (tool: string, input: string): string => {
    const schema = this.#given.tools?.find(({ name }) => name === tool)?.schema;
    const { properties } = (schema ?? {}) as { properties?: Record<string, { type?: unknown }> };
    return String(properties?.[input]?.type ?? 'string');
  };

  /** Passes bytes on, and records their arrival or a connection that broke before the answer was complete. */
  #listenTo(body: Bytes): Bytes {
    const reader = body.getReader();
    const closed = new Promise<{ done: true; value?: undefined }>((resolve) => {
      this.#close = () => {
        resolve({ done: true });
        ignore(reader.cancel(), 'the connection of an answer that is whole');
      };
    });
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        try {
          const { done, value } = await Promise.race([reader.read(), closed]);
          if (done || !value) return controller.close();
          this.#wait();
          controller.enqueue(value);
        } catch (error) {
          const { finished, done } = this.facts;
          // The answer was complete, or its reader has stopped.
          if (done) return;
          if (finished && !isAbort(error)) return controller.close();
          if (!isAbort(error)) this.problem ??= cutProblem(this.about, error);
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }
}

/**
 * True if a refusal concerns the form of the request, and not the key, the model, the quota, the length or the
 * content.
 */
function isRepairable(
  error: unknown,
  { status, text }: RequestRefusal,
  body: Record<string, unknown>,
): boolean {
  if (!(error instanceof RecollectError)) return false;
  const { code, params } = error.problem;
  if (code === 'model-server') return params?.reason === 'request' || status >= 500 || status === 200;
  if (code === 'model-context') return isAboutAnswerLength(text, body);
  return code === 'model-not-found'
    ? params?.reason === 'path' || params?.reason === 'versioned'
    : code === 'model-refused';
}

/** A refusal of a request's form, told as one of its images. */
function aboutImages(error: unknown): unknown {
  if (!(error instanceof RecollectError) || error.problem.code !== 'model-server') return error;
  const { code, message, params } = error.problem;
  return new RecollectError(code, message, { params: { ...params, reason: 'images' }, cause: error });
}

/** Adds the names of what was left out before to the error. */
function naming(error: unknown, fresh: readonly Repair[]): unknown {
  if (!(error instanceof RecollectError) || fresh.length === 0) return error;
  const { code, message, params, retry } = error.problem;
  const inputs = [...new Set(fresh.map(nameOfRepair))].join(', ');
  const reason = code === 'model-server' && params?.reason === 'request' ? { reason: 'input' } : {};
  return new RecollectError(code, message, {
    params: { ...params, ...reason, input: inputs },
    retry,
    cause: error,
  });
}

/** The problem of an answer that broke off. */
export const cutProblem = (about: About, cause?: unknown) =>
  new RecollectError('model-cut', 'The connection ended before the answer did.', {
    params: about,
    retry: true,
    cause,
  });

/** A declaration or a tag by which a web page begins. */
const PAGE = /^\s*<(?:[!?]|(?:html|head|body|title|meta|center|h1)\b)/i;
/** Bytes that tell a web page. */
const TELLING = 40;

/** The same body, to be read from its beginning; undefined if that is a web page's. */
async function unlessPage(body: Bytes): Promise<Bytes | undefined> {
  const reader = body.getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let begun = '';
  let last = await reader.read();
  for (const decoder = new TextDecoder(); last.value; last = await reader.read()) {
    pieces.push(last.value);
    begun += decoder.decode(last.value.subarray(0, TELLING), { stream: true });
    if (begun.length >= TELLING || !/^\s*(?:<|$)/.test(begun)) break;
  }
  if (!PAGE.test(begun)) return goOnWith(pieces, reader);
  await reader.cancel();
  return undefined;
}

/** Returns a stream that starts with the pieces already read. */
function goOnWith(
  read: readonly Uint8Array<ArrayBuffer>[],
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): Bytes {
  const begun = [...read];
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const value = begun.shift() ?? (await reader.read()).value;
      if (value) controller.enqueue(value);
      else controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
