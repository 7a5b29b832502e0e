// Streams one answer through the AI SDK, for any protocol: passes it on as events, and ends with an event that says how
// it ended. `answer-request.ts` sends the request.

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
import type { ProviderFields } from '../../domain/chat/draft.ts';
import type { Finish, Part, Usage } from '../../domain/chat/message.ts';
import {
  AnswerRequest,
  cutProblem,
  type ModelOptions,
  type RequestForm,
  type StreamOptions,
} from './answer-request.ts';
import {
  type ChatEvent,
  type ChatModel,
  hostOf,
  type Prompt,
  parametersOf,
  type ToolDescription,
} from './chat-model.ts';
import { contextWindowOf } from './context-windows.ts';
import { addressBelow, checkedBase, type Fetch, problemOfStreamError } from './http.ts';
import { type MessageForm, toModelMessages } from './sdk-messages.ts';
import { addDocument, addSource } from './stream-facts.ts';
import { wholeArguments } from './streamed-calls.ts';
import { createThoughts, type ThoughtOrWords } from './thoughts.ts';
import { TwiceThought } from './twice-thought.ts';

// Keeps the SDK from printing its warnings into the console.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

/** The parts in which one protocol differs from the others. */
export interface Protocol extends MessageForm, RequestForm {
  /** Builds the SDK's model for addresses below `baseURL`; requests go through `fetch`. */
  readonly create: (given: {
    readonly key: string;
    readonly baseURL: string;
    readonly fetch: Fetch;
  }) => LanguageModel;
  /** Settings and options for a request. */
  readonly settings?: (options: StreamOptions) => Partial<Parameters<typeof streamText>[0]>;
}

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
  readonly #request: AnswerRequest;
  readonly #thoughts = createThoughts();
  readonly #twice = new TwiceThought();
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
    this.#request = new AnswerRequest(options, protocol, given);
  }

  async *events(prompt: Prompt): AsyncIterable<ChatEvent> {
    const { signal } = this.#given;
    if (signal.aborted) {
      yield { type: 'end', finish: 'stopped' };
      return;
    }
    try {
      await this.#request.begin();
      const result = streamText({
        ...this.#settingsFor(prompt),
        maxRetries: 0,
        abortSignal: this.#request.signal,
        // Errors arrive as parts below; without this the SDK prints them.
        onError: () => undefined,
      });
      for await (const part of result.stream) yield* this.#read(part);
    } catch (error) {
      this.#failure ??= error;
    } finally {
      this.#request.end();
    }
    yield* this.#say(this.#thoughts.end());
    if (this.#request.facts.pictures.length > 0) this.#arrived = true;
    const end = this.#ending();
    for (const { call, isWhole } of this.#waiting) if (isWhole || end.finish !== 'cut') yield call;
    const { sources, pictures } = this.#request.facts;
    if (sources.length > 0) yield { type: 'sources', sources };
    for (const [at, url] of pictures.entries()) yield pictureOf(url, at + 1);
    yield end;
  }

  #settingsFor(prompt: Prompt): Parameters<typeof streamText>[0] {
    const { tools, toolChoice, without = [] } = this.#given;
    const { create, settings } = this.#protocol;
    const thinking = without.includes('thoughts') ? prompt.messages.map(withoutThoughts) : prompt.messages;
    const messages = without.includes('images') ? thinking.map(withoutImages) : thinking;
    return {
      model: create({
        key: this.#request.key ?? '',
        baseURL: addressBelow(checkedBase(this.#options.endpoint.baseUrl)),
        fetch: this.#request.fetch,
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
    if (part.type.endsWith('-delta')) this.#request.saysMore();
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
        if (part.sourceType === 'url') addSource(this.#request.facts, part.url, part.title);
        else addDocument(this.#request.facts, part.title || part.filename, '');
        break;
      case 'file':
        if (/^image\//i.test(part.file.mediaType))
          this.#request.facts.pictures.push(`data:${part.file.mediaType};base64,${part.file.base64}`);
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
      this.#request.problem ??= new RecollectError('model-refused', 'The endpoint held the answer back.', {
        params: {
          ...this.#request.about,
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
    const { facts, problem, accepted } = this.#request;
    const arrived = this.#arrived;
    const other = facts.protocol === (this.#options.endpoint.protocol ?? 'chat') ? undefined : facts.protocol;
    if (this.#given.signal.aborted) return { type: 'end', finish: 'stopped' };
    const format = (): Problem =>
      new RecollectError('model-format', 'The answer came in a form that cannot be read.', {
        // The address is right if text arrived.
        params: {
          ...this.#request.about,
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
            ? problemOfStreamError(reported, this.#request.about, this.#request.key).problem
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
      problem: malformed ? format() : cutProblem(this.#request.about).problem,
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
