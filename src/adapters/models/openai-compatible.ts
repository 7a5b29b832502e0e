// Any OpenAI-compatible endpoint as a ChatModel, through the AI SDK. Nothing is retried by itself: a request that seemed lost
// may have been billed, and trying again is one click. Nothing but the endpoint is asked.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  type AssistantModelMessage,
  type FilePart,
  InvalidResponseDataError,
  JSONParseError,
  jsonSchema,
  type LanguageModelUsage,
  type ModelMessage,
  StreamProviderError,
  streamText,
  type TextPart,
  TypeValidationError,
  tool,
} from 'ai';
import { z } from 'zod';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { textOfFile } from '../../domain/chat/files.ts';
import type { Finish, Part, PartOf, Usage } from '../../domain/chat/message.ts';
import { limitName } from '../../domain/settings/parameters.ts';
import {
  type ChatEvent,
  type ChatModel,
  type Endpoint,
  hostOf,
  type Prompt,
  parametersOf,
  type ToolDescription,
} from './chat-model.ts';
import { contextWindowOf } from './context-windows.ts';
import { asEventStream } from './event-stream.ts';
import { callEndpoint, type Fetch, problemOfStreamError, type Surroundings } from './http.ts';
import { createThoughts } from './thoughts.ts';

export interface OpenAICompatibleOptions {
  readonly endpoint: Pick<Endpoint, 'baseUrl' | 'parameters'>;
  /** As the endpoint names it. */
  readonly model: string;
  /** Asked for each request, so that a changed key is used at once. */
  readonly key: () => Promise<string | undefined>;
  readonly fetch?: Fetch;
  readonly surroundings?: Surroundings;
  /** Longest time without a single byte, ms. Local models read a long prompt for minutes: default 5 minutes. */
  readonly silenceMs?: number;
}

/** What one answer went through, seen from below the SDK. */
interface Wire {
  /** Problem met before or while the bytes came. */
  problem: RecollectError | undefined;
  /** Headers with status 200 have come. */
  accepted: boolean;
  /** `[DONE]` has come. */
  done: boolean;
}

/** Creates the model. No request is made before `stream`. */
export function createOpenAICompatibleModel(options: OpenAICompatibleOptions): ChatModel {
  const { endpoint, model, silenceMs = 300_000 } = options;
  const host = hostOf(endpoint.baseUrl);
  const about = { endpoint: host, model };
  const own = parametersOf(endpoint);

  async function* stream(
    prompt: Prompt,
    {
      tools,
      toolChoice,
      maxTokens,
      signal,
    }: {
      tools?: readonly ToolDescription[];
      toolChoice?: 'auto' | 'none';
      maxTokens?: number;
      signal: AbortSignal;
    },
  ): AsyncIterable<ChatEvent> {
    if (signal.aborted) {
      yield { type: 'end', finish: 'stopped' };
      return;
    }
    const wire: Wire = { problem: undefined, accepted: false, done: false };
    const ended = new AbortController();
    const bounded = AbortSignal.any([signal, ended.signal]);
    let key: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      if (ended.signal.aborted) return;
      timer = setTimeout(() => {
        wire.problem ??= new RecollectError('model-network', `${host} has said nothing for a long time.`, {
          params: { ...about, reason: 'silent', detail: '' },
          retry: true,
        });
        ended.abort(new DOMException('Silence', 'AbortError'));
      }, silenceMs);
    };

    const wiredFetch: Fetch = async (_url, init) => {
      try {
        const response = await callEndpoint({
          baseUrl: endpoint.baseUrl,
          path: '/chat/completions',
          method: 'POST',
          body: init?.body as string,
          accept: 'text/event-stream',
          key,
          model,
          signal: bounded,
          fetch: options.fetch,
          surroundings: options.surroundings,
        });
        heard();
        const type = response.headers.get('content-type') ?? '';
        if (/text\/html/i.test(type) || !response.body) {
          await response.body?.cancel();
          throw new RecollectError('model-format', 'The address answers, but with a web page.', {
            params: { ...about, reason: 'web-page', detail: '', suggestion: '' },
          });
        }
        wire.accepted = true;
        const events = listenTo(response.body, wire, about, heard).pipeThrough(asEventStream());
        return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
      } catch (error) {
        if (error instanceof RecollectError) wire.problem ??= error;
        throw error;
      }
    };

    let arrived = false;
    let finish: Finish | undefined;
    let failure: unknown;
    let malformed = false;
    const rawArguments = new Map<string, string>();
    const thoughts = createThoughts();
    try {
      heard();
      key = await options.key();
      const provider = createOpenAICompatible({
        name: 'endpoint',
        baseURL: endpoint.baseUrl,
        fetch: wiredFetch,
        includeUsage: true,
        convertUsage: readUsage,
        // What the app needs for this one request goes before what the person wants of all.
        transformRequestBody: ({ max_tokens, ...body }) => ({
          ...body,
          ...own.parameters,
          ...(max_tokens === undefined ? {} : { [limitName(host)]: max_tokens }),
        }),
      });
      const result = streamText({
        model: provider.chatModel(model),
        ...(prompt.system === null ? {} : { instructions: prompt.system }),
        allowSystemInMessages: true,
        messages: toModelMessages(prompt.messages),
        ...(tools && tools.length > 0
          ? {
              tools: Object.fromEntries(
                tools.map(({ name, description, schema }) => [
                  name,
                  tool({ description, inputSchema: jsonSchema(schema) }),
                ]),
              ),
              ...(toolChoice === 'none' ? { toolChoice } : {}),
            }
          : {}),
        ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
        maxRetries: 0,
        abortSignal: bounded,
        // Errors arrive as parts below; without this the SDK prints them.
        onError: () => undefined,
      });
      for await (const part of result.stream) {
        switch (part.type) {
          case 'text-delta':
            for (const piece of thoughts.read(part.text)) {
              arrived = true;
              yield piece;
            }
            break;
          case 'reasoning-delta':
            if (part.text === '') break;
            arrived = true;
            yield { type: part.type, text: part.text };
            break;
          case 'tool-input-delta':
            rawArguments.set(part.id, (rawArguments.get(part.id) ?? '') + part.delta);
            break;
          case 'tool-call':
            arrived = true;
            yield* thoughts.end();
            yield {
              type: 'tool-call',
              callId: part.toolCallId,
              name: part.toolName,
              arguments: rawArguments.get(part.toolCallId) ?? JSON.stringify(part.input ?? {}),
            };
            break;
          case 'error':
            // A broken line is skipped by the SDK, which goes on with the next one.
            if (isMalformed(part.error)) malformed = true;
            else failure ??= toldByEndpoint(part.error);
            break;
          case 'finish': {
            const usage = toUsage(part.totalUsage);
            if (usage) yield { type: 'usage', usage };
            finish = toFinish(part.finishReason, part.rawFinishReason);
            if (part.rawFinishReason === 'insufficient_system_resource')
              failure ??= { message: part.rawFinishReason };
            if (part.finishReason === 'content-filter' && part.rawFinishReason !== 'stop')
              wire.problem ??= new RecollectError('model-refused', 'The endpoint held the answer back.', {
                params: { ...about, detail: part.rawFinishReason ?? '' },
              });
            break;
          }
        }
      }
    } catch (error) {
      failure ??= error;
    } finally {
      clearTimeout(timer);
      ended.abort(new DOMException('Ended', 'AbortError'));
    }
    for (const piece of thoughts.end()) {
      arrived = true;
      yield piece;
    }
    yield ending();

    function ending(): ChatEvent {
      if (signal.aborted) return { type: 'end', finish: 'stopped' };
      const format = (): Problem =>
        new RecollectError('model-format', 'The answer came in a form that cannot be read.', {
          // Where words came, the address is right.
          params: { ...about, reason: arrived ? 'pieces' : 'malformed', detail: '', suggestion: '' },
          retry: true,
        }).problem;
      // `[DONE]` without a finish reason is how some small servers say that the answer is whole.
      const whole = finish ?? (wire.done && arrived ? 'stop' : undefined);
      if (wire.problem) {
        const { problem } = wire.problem;
        const broke = problem.code === 'model-cut' || problem.params?.reason === 'silent';
        return { type: 'end', finish: broke && arrived ? 'cut' : 'error', problem };
      }
      if (failure !== undefined && !InvalidResponseDataError.isInstance(failure)) {
        const problem =
          wire.accepted && !(failure instanceof Error)
            ? problemOfStreamError(failure, about, key).problem
            : toProblem(failure);
        return { type: 'end', finish: 'error', problem };
      }
      if (whole) return { type: 'end', finish: whole, ...(malformed ? { problem: format() } : {}) };
      if (malformed) return { type: 'end', finish: arrived ? 'cut' : 'error', problem: format() };
      return { type: 'end', finish: arrived ? 'cut' : 'error', problem: cutProblem(about).problem };
    }
  }

  return { id: model, endpoint: host, contextWindow: contextWindowOf(model), ...own, stream };
}

const cutProblem = (about: { endpoint: string; model: string }, cause?: unknown) =>
  new RecollectError('model-cut', 'The connection ended before the answer did.', {
    params: about,
    retry: true,
    cause,
  });

/** Passes bytes on and notes that they came, that `[DONE]` came, or that the connection broke. */
function listenTo(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  wire: Wire,
  about: { endpoint: string; model: string },
  heard: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let tail = '';
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        heard();
        tail = (tail + decoder.decode(value, { stream: true })).slice(-64);
        if (/(^|\n)data: ?\[DONE\]/.test(tail)) wire.done = true;
        controller.enqueue(value);
      } catch (error) {
        if (!isAbort(error)) wire.problem ??= cutProblem(about, error);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

const isMalformed = (error: unknown): boolean =>
  JSONParseError.isInstance(error) || (TypeValidationError.isInstance(error) && !errorInside(error.value));

/** What the endpoint said where the SDK wrapped it; any other error as it is. */
const toldByEndpoint = (error: unknown): unknown =>
  TypeValidationError.isInstance(error)
    ? errorInside(error.value)
    : StreamProviderError.isInstance(error)
      ? error.data
      : error;

const toldSchema = z.looseObject({
  error: z.unknown().optional(),
  choices: z.unknown().optional(),
  message: z.string().optional().catch(undefined),
  detail: z.unknown().optional(),
});

/** An error of a shape that the SDK does not know is still one that the endpoint tells. */
function errorInside(value: unknown): unknown {
  const told = toldSchema.safeParse(value).data;
  if (told?.error) return told.error;
  return !told?.choices && (told?.message ?? told?.detail) ? value : undefined;
}

const toFinish = (reason: string, raw: string | undefined): Finish | undefined => {
  if (reason === 'length' || reason === 'tool-calls' || reason === 'stop') return reason;
  // `content-filter` with the raw reason `stop` is a refusal in words: the words are the answer.
  if (reason === 'content-filter') return raw === 'stop' ? 'stop' : 'error';
  // Endpoints invent reasons (`eos`, `end_turn`): the answer is whole all the same.
  return raw === undefined ? undefined : 'stop';
};

/** Tokens as an endpoint tells them: what cannot be a number of tokens was not told. */
const told = z.number().int().min(0).max(1_000_000_000).nullish().catch(undefined);
const usageSchema = z.looseObject({
  prompt_tokens: told,
  completion_tokens: told,
  /** Moonshot. */
  cached_tokens: told,
  /** DeepSeek. */
  prompt_cache_hit_tokens: told,
  prompt_tokens_details: z.looseObject({ cached_tokens: told }).nullish(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: told }).nullish(),
});

/** The endpoint's figures. What it does not tell stays untold: no zero that nobody measured. */
function readUsage(raw: unknown) {
  const usage = usageSchema.safeParse(raw).data;
  return {
    inputTokens: {
      total: usage?.prompt_tokens ?? undefined,
      noCache: undefined,
      cacheRead:
        usage?.prompt_tokens_details?.cached_tokens ??
        usage?.cached_tokens ??
        usage?.prompt_cache_hit_tokens ??
        undefined,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: usage?.completion_tokens ?? undefined,
      text: undefined,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? undefined,
    },
  };
}

function toUsage(usage: LanguageModelUsage): Usage | undefined {
  const figures = {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens,
    cachedInputTokens: usage.inputTokenDetails.cacheReadTokens,
  };
  const known = Object.entries(figures).filter(([, value]) => value !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** Our messages in the SDK's words. Reasoning goes along where the prompt has it; bookkeeping parts never do. */
export function toModelMessages(messages: Prompt['messages']): ModelMessage[] {
  const names = new Map<string, string>();
  for (const { parts } of messages)
    for (const part of parts) if (part.type === 'tool-call') names.set(part.callId, part.name);
  const result: ModelMessage[] = [];
  for (const { role, parts } of messages) {
    if (role === 'system') {
      const text = wordsOf(parts);
      if (text) result.push({ role, content: text });
    } else if (role === 'user') {
      const content = parts.flatMap((part) =>
        part.type === 'text'
          ? [{ type: 'text' as const, text: part.text }]
          : part.type === 'file'
            ? [toContent(part)]
            : [],
      );
      // Words alone go as one string: not every small server understands a list.
      const words = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      if (content.length > 0)
        result.push({ role, content: words.length === content.length ? words.join('\n\n') : content });
    } else if (role === 'assistant') {
      const content = parts.flatMap(
        (part): Exclude<AssistantModelMessage['content'], string> =>
          part.type === 'text' || part.type === 'reasoning'
            ? [{ type: part.type, text: part.text }]
            : part.type === 'tool-call'
              ? [
                  {
                    type: 'tool-call' as const,
                    toolCallId: part.callId,
                    toolName: part.name,
                    // As the model wrote it, byte for byte; what is no JSON is sent as a JSON string.
                    input: part.arguments,
                  },
                ]
              : part.type === 'file'
                ? [{ type: 'text' as const, text: mention(part) }]
                : [],
      );
      if (content.length > 0) result.push({ role, content });
    }
    // A result may stand in a tool message (as OpenAI has it) or beside its call (as some imports have it).
    const results = parts.filter((part) => part.type === 'tool-result');
    if (results.length > 0)
      result.push({
        role: 'tool',
        content: results.map((part) => ({
          type: 'tool-result',
          toolCallId: part.callId,
          toolName: part.name ?? names.get(part.callId) ?? 'tool',
          output: { type: part.isError ? 'error-text' : 'text', value: part.text },
        })),
      });
  }
  return result;
}

const wordsOf = (parts: readonly Part[]): string =>
  parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n\n');

const mention = (part: PartOf<'file'>): string =>
  `[${part.mediaType.startsWith('image/') ? 'image' : 'file'}: ${part.name ?? part.reference ?? part.mediaType}]`;

/** Images go as images, PDFs as files, texts as words; anything else (and what has no bytes) is only mentioned. */
function toContent(part: PartOf<'file'>): TextPart | FilePart {
  const data = /^data:([^,]*),/.exec(part.url ?? '');
  if (!part.url || !data) return { type: 'text', text: mention(part) };
  const encoded = part.url.slice(data[0].length);
  const base64 = /;base64$/i.test(data[1] ?? '');
  const mediaType = part.mediaType.toLowerCase();
  const words = textOfFile(part);
  if (words !== null) {
    const name = (part.name ?? part.reference ?? '').replaceAll('"', "'");
    return { type: 'text', text: `<file name="${name}">\n${words}\n</file>` };
  }
  if (!base64 || (!/^image\/[\w.+-]+$/.test(mediaType) && mediaType !== 'application/pdf'))
    return { type: 'text', text: mention(part) };
  return {
    type: 'file',
    data: encoded,
    mediaType,
    ...(part.name === undefined ? {} : { filename: part.name }),
  };
}
