// Streams one answer through the AI SDK, for any protocol: repairs a request if the endpoint refuses an optional part
// of it, passes the answer on as events, and ends with an event that says how it ended.

import {
  InvalidResponseDataError,
  JSONParseError,
  jsonSchema,
  type LanguageModel,
  type LanguageModelUsage,
  NoOutputGeneratedError,
  StreamProviderError,
  streamText,
  ToolChoiceViolationError,
  TypeValidationError,
  tool,
} from 'ai';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { readJson } from '../../domain/base/json.ts';
import { ignore } from '../../domain/base/log.ts';
import type { ProviderFields } from '../../domain/chat/draft.ts';
import type { Finish, Part, Usage } from '../../domain/chat/message.ts';
import type { ChatEvent, ChatModel, Endpoint, Prompt, ToolDescription } from './chat-model.ts';
import { hostOf, parametersOf } from './chat-model.ts';
import { contextWindowOf } from './context-windows.ts';
import { asEventStream } from './event-stream.ts';
import {
  addressBelow,
  bodyOf,
  callEndpoint,
  checkedBase,
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
import { type MessageForm, toModelMessages } from './sdk-messages.ts';
import { addDocument, addSource, newFacts, type StreamFacts } from './stream-facts.ts';
import { wholeArguments } from './streamed-calls.ts';
import { createThoughts, type ThoughtOrWords } from './thoughts.ts';
import { TwiceThought } from './twice-thought.ts';

// Keeps the SDK from printing its warnings into the console.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

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

/** The parts in which one protocol differs from the others. */
export interface Protocol extends MessageForm {
  /** Builds the SDK's model for addresses below `baseURL`; requests go through `fetch`. */
  readonly create: (given: {
    readonly key: string;
    readonly baseURL: string;
    readonly fetch: Fetch;
  }) => LanguageModel;
  /** Headers for authentication; absent: the key as a bearer token. */
  readonly headers?: (key: string | undefined) => Readonly<Record<string, string>>;
  /** Changes a body last, before it is sent. */
  readonly body?: (body: Record<string, unknown>, options: StreamOptions) => Record<string, unknown>;
  /** Settings and options for a request. */
  readonly settings?: (options: StreamOptions) => Partial<Parameters<typeof streamText>[0]>;
  /** Normalises answers as chat completions. */
  readonly isChatCompletions: boolean;
}

/** State of one answer beneath the SDK. */
interface Wire {
  /** Problem before or during the response. */
  problem: RecollectError | undefined;
  /** True once headers with status 200 have arrived. */
  accepted: boolean;
  readonly facts: StreamFacts;
  /** Ends the answer as if the endpoint had closed it. */
  close: () => void;
  /** Called when bytes arrive: the wait starts again. */
  readonly onActivity: () => void;
}

/** Most times that a request is sent. */
const MOST_REPAIRS = 6;
/** Longest wait for the connection to close after the endpoint said that the answer is complete, in ms. */
const AFTER_FINISH_MS = 5_000;

/** Creates the model. No request is made before `stream`. */
export function createSdkModel(options: ModelOptions, protocol: Protocol): ChatModel {
  const { endpoint, model } = options;
  return {
    id: model,
    endpoint: hostOf(endpoint.baseUrl),
    contextWindow: contextWindowOf(model),
    ...parametersOf(endpoint),
    stream: (prompt, given) => new StreamedAnswer(options, protocol, given).events(prompt),
  };
}

class StreamedAnswer {
  readonly #options: ModelOptions;
  readonly #protocol: Protocol;
  readonly #given: StreamOptions;
  readonly #about: { readonly endpoint: string; readonly model: string };
  readonly #ended = new AbortController();
  readonly #bounded: AbortSignal;
  readonly #wire: Wire;
  readonly #thoughts = createThoughts();
  readonly #twice = new TwiceThought();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** True once the final wait has begun. */
  #isClosing = false;
  #key: string | undefined;
  /** True once text, a thought or a call has arrived. */
  #arrived = false;
  #finish: Finish | undefined;
  #failure: unknown;
  #malformed = false;
  readonly #arguments = new Map<string, string>();
  /** Signatures to send back with thoughts, by the id of their part. */
  readonly #signatures = new Map<string, ProviderFields>();
  /**
   * A call whose arguments are not JSON, and all calls after it: it is incomplete if the answer turns out to be cut.
   */
  readonly #waiting: { readonly call: ChatEvent; readonly isWhole: boolean }[] = [];

  constructor(options: ModelOptions, protocol: Protocol, given: StreamOptions) {
    this.#options = options;
    this.#protocol = protocol;
    this.#given = given;
    this.#about = { endpoint: hostOf(options.endpoint.baseUrl), model: options.model };
    this.#bounded = AbortSignal.any([given.signal, this.#ended.signal]);
    this.#wire = {
      problem: undefined,
      accepted: false,
      facts: newFacts(() => this.#wait()),
      close: () => undefined,
      onActivity: () => this.#wait(),
    };
  }

  async *events(prompt: Prompt): AsyncIterable<ChatEvent> {
    const { signal } = this.#given;
    if (signal.aborted) {
      yield { type: 'end', finish: 'stopped' };
      return;
    }
    try {
      this.#wait();
      this.#key = plainKey(await this.#options.key());
      const result = streamText({
        ...this.#request(prompt),
        maxRetries: 0,
        abortSignal: this.#bounded,
        // Errors arrive as parts below; without this the SDK prints them.
        onError: () => undefined,
      });
      for await (const part of result.stream) yield* this.#read(part);
    } catch (error) {
      this.#failure ??= error;
    } finally {
      clearTimeout(this.#timer);
      this.#ended.abort(new DOMException('Ended', 'AbortError'));
    }
    yield* this.#say(this.#thoughts.end());
    if (this.#wire.facts.pictures.length > 0) this.#arrived = true;
    const end = this.#ending();
    for (const { call, isWhole } of this.#waiting) if (isWhole || end.finish !== 'cut') yield call;
    const { sources, pictures } = this.#wire.facts;
    if (sources.length > 0) yield { type: 'sources', sources };
    for (const [at, url] of pictures.entries()) yield pictureOf(url, at + 1);
    yield end;
  }

  #request(prompt: Prompt): Parameters<typeof streamText>[0] {
    const { tools, toolChoice, without = [] } = this.#given;
    const { create, settings } = this.#protocol;
    const thinking = without.includes('thoughts') ? prompt.messages.map(withoutThoughts) : prompt.messages;
    const messages = without.includes('images') ? thinking.map(withoutImages) : thinking;
    return {
      model: create({
        key: this.#key ?? '',
        baseURL: addressBelow(checkedBase(this.#options.endpoint.baseUrl)),
        fetch: this.#fetch,
      }),
      ...(prompt.system === null ? {} : { instructions: prompt.system }),
      allowSystemInMessages: true,
      messages: toModelMessages(messages, this.#protocol),
      ...(tools && tools.length > 0
        ? { tools: describedTools(tools), ...(toolChoice === 'none' ? { toolChoice } : {}) }
        : {}),
      ...settings?.(this.#given),
    } as Parameters<typeof streamText>[0];
  }

  /**
   * Restarts the time limit when something arrives. After the end of an answer only more of it counts (`isAnswer`),
   * not a keep-alive.
   */
  #wait(isAnswer = false): void {
    const { silenceMs = 300_000 } = this.#options;
    const { facts } = this.#wire;
    if (this.#isClosing && !isAnswer) return;
    clearTimeout(this.#timer);
    if (this.#ended.signal.aborted) return;
    this.#isClosing = facts.finished;
    this.#timer = setTimeout(
      () => {
        if (facts.finished) return this.#wire.close();
        this.#wire.problem ??= new RecollectError(
          'model-network',
          `${this.#about.endpoint} has said nothing for a long time.`,
          { params: { ...this.#about, reason: 'silent', detail: '' }, retry: true },
        );
        this.#ended.abort(new DOMException('Silence', 'AbortError'));
      },
      facts.finished ? Math.min(AFTER_FINISH_MS, silenceMs) : silenceMs,
    );
  }

  readonly #fetch: Fetch = async (input, init) => {
    try {
      return await this.#send(String(input), JSON.parse(String(init?.body)));
    } catch (error) {
      if (error instanceof RecollectError) this.#wire.problem ??= error;
      throw error;
    }
  };

  /** Sends the request, and repeats it without the refused part as long as that changes it. */
  async #send(url: string, given: Record<string, unknown>): Promise<Response> {
    const { repairs } = this.#options;
    const known = repairs?.get() ?? [];
    const wanted = this.#protocol.body?.(given, this.#given) ?? given;
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
    const wire = this.#wire;
    const response = await callEndpoint({
      baseUrl: endpoint.baseUrl,
      url,
      method: 'POST',
      body: bodyOf(body),
      accept: 'text/event-stream',
      key: this.#key,
      headers: this.#protocol.headers?.(this.#key),
      model,
      signal: this.#bounded,
      fetch,
      surroundings,
      onRefused,
    });
    wire.onActivity();
    const type = response.headers.get('content-type') ?? '';
    if (!response.body) throw cutProblem(this.#about);
    // Flask and PHP name every answer a web page; others name none that is one.
    const bytes = await unlessPage(listenTo(response.body, wire, this.#about));
    if (!bytes)
      throw new RecollectError('model-format', 'The address answers, but with a web page.', {
        params: { ...this.#about, reason: 'web-page', detail: '', suggestion: '' },
      });
    if (!this.#protocol.isChatCompletions) {
      wire.accepted = true;
      return new Response(bytes.pipeThrough(asNativeEvents(wire.facts, type)), { headers: response.headers });
    }
    const events = bytes
      .pipeThrough(
        asEventStream(
          wire.facts,
          this.#given.tools?.map(({ name }) => name),
          type,
          this.#given.toolChoice === 'none' ? undefined : this.#typeOf,
        ),
      )
      .getReader();
    // A refusal may come with status 200, as the first event.
    const first = await events.read();
    const { error } = wire.facts;
    if (first.done && error !== undefined) {
      wire.facts.error = undefined;
      wire.facts.done = false;
      onRefused({ status: 200, text: JSON.stringify({ error }) });
      throw problemOfStreamError(error, this.#about, this.#key);
    }
    wire.accepted = true;
    return new Response(goOnWith(first.value ? [first.value] : [], events), {
      headers: { 'content-type': 'text/event-stream' },
    });
  }

  readonly #typeOf = (tool: string, input: string): string => {
    const schema = this.#given.tools?.find(({ name }) => name === tool)?.schema;
    const { properties } = (schema ?? {}) as { properties?: Record<string, { type?: unknown }> };
    return String(properties?.[input]?.type ?? 'string');
  };

  *#say(pieces: readonly ThoughtOrWords[]): Iterable<ChatEvent> {
    for (const piece of pieces) {
      this.#arrived = true;
      if (piece.type !== 'reasoning-delta') yield piece;
      else {
        const text = this.#twice.read('tags', piece.text);
        if (text !== '') yield { ...piece, text };
      }
    }
  }

  *#thought(written: string): Iterable<ChatEvent> {
    const text = this.#twice.read('field', written);
    if (text !== '') yield { type: 'reasoning-delta', text };
  }

  *#read(part: SdkPart): Iterable<ChatEvent> {
    if (this.#isClosing && part.type.endsWith('-delta')) this.#wait(true);
    switch (part.type) {
      case 'text-delta':
        // Servers of local models leave thoughts in the words of every protocol.
        yield* this.#say(this.#thoughts.read(part.text));
        break;
      case 'reasoning-start':
        this.#keepSignature(part.id, part.providerMetadata);
        break;
      case 'reasoning-delta':
        this.#keepSignature(part.id, part.providerMetadata);
        if (part.text === '') break;
        this.#arrived = true;
        yield* this.#thought(part.text);
        break;
      case 'reasoning-end': {
        this.#keepSignature(part.id, part.providerMetadata);
        const provider = this.#signatures.get(part.id);
        this.#signatures.delete(part.id);
        if (provider) yield { type: 'reasoning-delta', text: '', provider };
        break;
      }
      case 'tool-input-delta':
        this.#arguments.set(part.id, (this.#arguments.get(part.id) ?? '') + part.delta);
        break;
      case 'tool-call': {
        // The endpoint made this call itself, and its result is in the words.
        if (part.providerExecuted) break;
        this.#arrived = true;
        yield* this.#say(this.#thoughts.end(true));
        const provider = this.#ownFields(part.providerMetadata);
        const written = this.#arguments.get(part.toolCallId) ?? JSON.stringify(part.input || {});
        const given = wholeArguments(written);
        // Empty arguments may be arguments that have not arrived yet.
        const hasNone = given.trim() === '' || given === '{}';
        const text = hasNone ? '{}' : given;
        const call: ChatEvent = {
          type: 'tool-call',
          callId: part.toolCallId,
          name: part.toolName,
          arguments: text,
          ...(provider ? { provider } : {}),
        };
        const isWhole = !hasNone && isJson(given);
        if (isWhole && this.#waiting.length === 0) yield call;
        else this.#waiting.push({ call, isWhole });
        break;
      }
      case 'source':
        if (part.sourceType === 'url') addSource(this.#wire.facts, part.url, part.title);
        else addDocument(this.#wire.facts, part.title || part.filename, '');
        break;
      case 'file':
        if (/^image\//i.test(part.file.mediaType))
          this.#wire.facts.pictures.push(`data:${part.file.mediaType};base64,${part.file.base64}`);
        break;
      case 'error':
        // The SDK skips events that it cannot read and continues with the next one.
        if (isUnreadable(part.error)) this.#malformed ||= saysWords(part.error);
        else this.#failure ??= saidByEndpoint(part.error);
        break;
      case 'finish':
        yield* this.#readFinish(part);
        break;
    }
  }

  *#readFinish(part: Extract<SdkPart, { type: 'finish' }>): Iterable<ChatEvent> {
    const usage = toUsage(part.totalUsage);
    if (usage) yield { type: 'usage', usage };
    const { rawFinishReason: raw } = part;
    // A refusal in words comes with the reason `stop`, or with none: the words are the answer.
    const isRefusalInWords = raw === 'stop' || (raw === undefined && this.#arrived);
    const isHeld = part.finishReason === 'content-filter' && !isRefusalInWords;
    this.#finish = isHeld ? 'error' : toFinish(part.finishReason, raw);
    if (isHeld)
      this.#wire.problem ??= new RecollectError('model-refused', 'The endpoint held the answer back.', {
        params: {
          ...this.#about,
          reason: this.#arrived ? 'stopped' : 'held',
          detail: raw ?? '',
        },
      });
  }

  /** Metadata of this protocol, without empty fields. */
  #ownFields(metadata: unknown): ProviderFields | undefined {
    const { provider } = this.#protocol;
    const own = (metadata as Record<string, Record<string, unknown>> | undefined)?.[provider];
    const fields = Object.entries(own ?? {}).filter(([, value]) => value !== null && value !== undefined);
    return fields.length > 0 ? { [provider]: Object.fromEntries(fields) } : undefined;
  }

  #keepSignature(id: string, metadata: unknown): void {
    const { provider } = this.#protocol;
    const own = this.#ownFields(metadata);
    if (!own) return;
    const before = this.#signatures.get(id)?.[provider];
    this.#signatures.set(id, { [provider]: { ...(before as object), ...(own[provider] as object) } });
  }

  #ending(): Extract<ChatEvent, { type: 'end' }> {
    const { facts, problem, accepted } = this.#wire;
    const arrived = this.#arrived;
    const other = facts.protocol === (this.#options.endpoint.protocol ?? 'chat') ? undefined : facts.protocol;
    if (this.#given.signal.aborted) return { type: 'end', finish: 'stopped' };
    const format = (): Problem =>
      new RecollectError('model-format', 'The answer came in a form that cannot be read.', {
        // The address is right if text arrived.
        params: {
          ...this.#about,
          reason: arrived ? 'pieces' : (other ?? 'malformed'),
          detail: '',
          suggestion: '',
        },
        retry: true,
      }).problem;
    if (problem) {
      const reported = problem.problem;
      const broke = reported.code === 'model-cut' || reported.params?.reason === 'silent';
      return { type: 'end', finish: broke && arrived ? 'cut' : 'error', problem: reported };
    }
    const failure =
      InvalidResponseDataError.isInstance(this.#failure) || NoOutputGeneratedError.isInstance(this.#failure)
        ? undefined
        : this.#failure;
    // An error of the SDK itself is not the endpoint's; a forbidden call keeps the error of the code that forbade it.
    const ofTheSdk =
      failure instanceof Error &&
      !(failure instanceof RecollectError || ToolChoiceViolationError.isInstance(failure));
    if (accepted && ofTheSdk && !isAbort(failure))
      return { type: 'end', finish: arrived ? 'cut' : 'error', problem: format() };
    const reported = facts.error ?? failure ?? (this.#finish ? undefined : facts.suspect);
    if (reported !== undefined)
      return {
        type: 'end',
        finish: 'error',
        problem:
          accepted && !(reported instanceof Error)
            ? problemOfStreamError(reported, this.#about, this.#key).problem
            : toProblem(reported),
      };
    // Some small servers send `[DONE]` without a finish reason to say that the answer is complete.
    const malformed =
      this.#malformed || facts.malformed || ((facts.foreign || other !== undefined) && !arrived);
    const finish = this.#finish ?? (facts.done && (arrived || !malformed) ? 'stop' : undefined);
    const whole = facts.brokenOff ? undefined : finish;
    if (whole) return { type: 'end', finish: whole, ...(malformed ? { problem: format() } : {}) };
    return {
      type: 'end',
      finish: arrived ? 'cut' : 'error',
      problem: malformed ? format() : cutProblem(this.#about).problem,
    };
  }
}

type SdkPart = ReturnType<typeof streamText>['stream'] extends AsyncIterable<infer Part> ? Part : never;

function withoutThoughts({ role, parts }: Prompt['messages'][number]): Prompt['messages'][number] {
  const kept = parts.flatMap((part): Part[] => {
    if (part.type === 'reasoning') return [];
    if (part.type !== 'tool-call') return [part];
    const { provider: _, ...call } = part;
    return [call];
  });
  return { role, parts: kept };
}

/**
 * Makes a file of a picture that a model drew. If it is elsewhere, only its address is kept, since nothing may be
 * requested there.
 */
function pictureOf(url: string, number: number): ChatEvent {
  const mediaType = /^data:(image\/[\w.+-]+)/i.exec(url)?.[1]?.toLowerCase();
  if (mediaType === undefined) return { type: 'file', mediaType: 'image/*', reference: url };
  const ending = mediaType.slice('image/'.length).replace(/\+.*/, '').replace('jpeg', 'jpg');
  return { type: 'file', mediaType, name: `image-${number}.${ending}`, url };
}

/** Drops the bytes of images, so that only their names are sent. */
const withoutImages = ({ role, parts }: Prompt['messages'][number]): Prompt['messages'][number] => ({
  role,
  parts: parts.map((part): Part => {
    if (part.type !== 'file' || !/^image\//i.test(part.mediaType)) return part;
    const { url: _, ...named } = part;
    return named;
  }),
});

const describedTools = (tools: readonly ToolDescription[]) =>
  Object.fromEntries(
    tools.map(({ name, description, schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(schema) }),
    ]),
  );

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

const cutProblem = (about: { endpoint: string; model: string }, cause?: unknown) =>
  new RecollectError('model-cut', 'The connection ended before the answer did.', {
    params: about,
    retry: true,
    cause,
  });

/** Passes bytes on, and records their arrival or a connection that broke before the answer was complete. */
function listenTo(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  wire: Wire,
  about: { endpoint: string; model: string },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const closed = new Promise<{ done: true; value?: undefined }>((resolve) => {
    wire.close = () => {
      resolve({ done: true });
      ignore(reader.cancel(), 'the connection of an answer that is whole');
    };
  });
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await Promise.race([reader.read(), closed]);
        if (done || !value) return controller.close();
        wire.onActivity();
        controller.enqueue(value);
      } catch (error) {
        const { finished, done } = wire.facts;
        // The answer was complete, or its reader has stopped.
        if (done) return;
        if (finished && !isAbort(error)) return controller.close();
        if (!isAbort(error)) wire.problem ??= cutProblem(about, error);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** A declaration or a tag by which a web page begins. */
const PAGE = /^\s*<(?:[!?]|(?:html|head|body|title|meta|center|h1)\b)/i;
/** Bytes that tell a web page. */
const TELLING = 40;

/** The same body, to be read from its beginning; undefined if that is a web page's. */
async function unlessPage(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | undefined> {
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
): ReadableStream<Uint8Array<ArrayBuffer>> {
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

const isJson = (text: string): boolean => readJson(text) !== undefined;

const isUnreadable = (error: unknown): boolean =>
  JSONParseError.isInstance(error) || TypeValidationError.isInstance(error);

/** True if an unreadable event contains text. Protocols grow, so events of new kinds without text are ignored. */
const saysWords = (error: unknown): boolean =>
  TypeValidationError.isInstance(error) ? hasWords(error.value) : true;

const hasWords = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([key, member]) =>
    typeof member === 'string'
      ? WORDS.test(key) && member !== ''
      : hasWords(member) || (key === 'delta' && 'stop_reason' in (member ?? {})),
  );
const WORDS = /^(text|thinking|partial_json|delta|arguments|refusal)$/;

/** Unwraps an endpoint's error from the SDK's; any other error stays as it is. */
const saidByEndpoint = (error: unknown): unknown =>
  StreamProviderError.isInstance(error) ? error.data : error;

const toFinish = (reason: string, raw: string | undefined): Finish | undefined => {
  if (reason === 'length' || reason === 'tool-calls' || reason === 'stop') return reason;
  if (reason === 'content-filter') return 'stop';
  // Endpoints invent reasons (`eos`, `end_turn`); the answer is complete anyway.
  return raw === undefined ? undefined : 'stop';
};

function toUsage(usage: LanguageModelUsage): Usage | undefined {
  const { inputTokens, outputTokens } = usage;
  const figures = {
    // Every request has tokens: zero means that the endpoint reported none.
    inputTokens: inputTokens || undefined,
    outputTokens: inputTokens || outputTokens ? outputTokens : undefined,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens,
    cachedInputTokens: usage.inputTokenDetails.cacheReadTokens,
  };
  const known = Object.entries(figures).filter(([, value]) => value !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}
