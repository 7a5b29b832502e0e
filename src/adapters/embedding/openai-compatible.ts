// Vectors from any server with OpenAI's `POST {base_url}/embeddings`. Parses all it receives, repeats a request when
// the server is busy, and returns vectors of length 1 in the order of the texts.

import { z } from 'zod';
import { isAbort, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { readJson } from '../../domain/base/json.ts';
import { orElse } from '../../domain/base/log.ts';
import { writable } from '../../domain/base/readable.ts';
import { withTimeLimit } from '../../domain/base/time-limit.ts';
import { type CalibrationKeyValues, createCalibration } from './calibration.ts';
import type { EmbeddingProvider, EmbeddingState } from './embedding-provider.ts';
import { familyOf } from './families.ts';
import { unit } from './vector.ts';

const BATCH = 64;
/**
 * Most characters of one text, about 8,000 tokens, the window of such models; servers refuse
 * longer texts instead of cutting them.
 */
const MAX_CHARACTERS = 8000;
/** Most characters of one request, well below the token limits of known servers. */
const MAX_REQUEST_CHARACTERS = 120_000;
const ATTEMPTS = 4;
const TIMEOUT_MS = 60_000;

const responseSchema = z.object({
  data: z.array(z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()) })),
});
const failureSchema = z.object({
  error: z.union([z.string(), z.object({ message: z.string() })]),
});

export interface RemoteConfig {
  readonly base_url: string;
  readonly model: string;
  readonly dimensions: number;
}

type OpenAiCompatibleEmbeddingDependencies = {
  readonly provider: string;
  readonly config: RemoteConfig;
  readonly askDimensions: boolean;
  readonly key: () => Promise<string | undefined>;
  readonly fetch: typeof fetch;
  readonly backoffMs?: number;
  readonly keyValues?: CalibrationKeyValues | undefined;
};

/**
 * Makes the provider.
 * @param provider first part of the id that vectors are keyed by
 * @param askDimensions sends `dimensions`; servers that cannot shorten vectors refuse it
 * @param key looked up before each request; undefined sends none
 * @param fetch sends requests: a page may be forbidden to send them itself
 * @param backoffMs wait before the second attempt, doubled for each further one
 */
export function createOpenAiCompatibleEmbedding(
  deps: OpenAiCompatibleEmbeddingDependencies,
): EmbeddingProvider {
  return new OpenAiCompatibleEmbedding(deps);
}

class OpenAiCompatibleEmbedding implements EmbeddingProvider {
  readonly #deps: OpenAiCompatibleEmbeddingDependencies;
  readonly #prefixes;
  readonly state = writable<EmbeddingState>({ status: 'idle' });
  #lifetime = new AbortController();
  readonly id: string;
  readonly dimensions: EmbeddingProvider['dimensions'];
  readonly languages: EmbeddingProvider['languages'] = 'any';
  readonly maxBatch: EmbeddingProvider['maxBatch'] = BATCH;
  readonly calibration: EmbeddingProvider['calibration'];

  constructor(deps: OpenAiCompatibleEmbeddingDependencies) {
    this.#deps = deps;
    const family = familyOf(deps.config.model);
    this.#prefixes = { query: family.queryPrefix, passage: family.passagePrefix };
    this.id = `${deps.provider}/${deps.config.model}/${deps.config.dimensions}`;
    this.dimensions = deps.config.dimensions;
    this.calibration = createCalibration(
      this.embed,
      deps.keyValues && {
        keyValues: deps.keyValues,
        name: JSON.stringify([this.id, deps.config.base_url, this.#prefixes]),
      },
    );
  }

  readonly embed: EmbeddingProvider['embed'] = async (texts, options) => {
    const signal = AbortSignal.any([options.signal, this.#lifetime.signal]);
    signal.throwIfAborted();
    if (texts.length === 0) return [];
    if (!this.#deps.config.base_url) throw this.#remote(0, 'no address is configured', false);
    const vectors: Float32Array[] = [];
    try {
      // Most servers refuse an empty text; a space means as little.
      const inputs = texts.map(
        (text) => `${this.#prefixes[options.kind]}${text.slice(0, MAX_CHARACTERS)}`.trim() || ' ',
      );
      for (const batch of batches(inputs)) vectors.push(...(await this.#request(batch, signal)));
      this.state.set(READY);
      return vectors;
    } catch (error) {
      if (!isAbort(error)) this.state.set({ status: 'failed', problem: toProblem(error) });
      throw error;
    }
  };

  readonly close: EmbeddingProvider['close'] = async () => {
    this.#lifetime.abort();
    this.#lifetime = new AbortController();
    this.state.set({ status: 'idle' });
  };

  async #once(texts: readonly string[], signal: AbortSignal): Promise<Response> {
    const key = await this.#deps.key();
    return this.#deps.fetch(`${this.#deps.config.base_url.replace(/(?<!\/)\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key ? { authorization: `Bearer ${key}` } : {}),
      },
      body: JSON.stringify({
        model: this.#deps.config.model,
        input: texts,
        encoding_format: 'float',
        ...(this.#deps.askDimensions ? { dimensions: this.#deps.config.dimensions } : {}),
      }),
      signal,
    });
  }

  async #request(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]> {
    for (let attempt = 1; ; attempt++) {
      const last = attempt === ATTEMPTS;
      let wait = (this.#deps.backoffMs ?? 500) * 2 ** (attempt - 1);
      try {
        const vectors = await withTimeLimit(signal, TIMEOUT_MS, async (bounded) => {
          const response = await this.#once(texts, bounded);
          if (response.ok) return await this.#vectorsOf(response, texts.length);
          const busy = response.status === 429 || response.status >= 500;
          if (!busy || last) throw await this.#refusal(response);
          wait = retryAfter(response) ?? wait;
          await response.body?.cancel();
          return null;
        });
        if (vectors) return vectors;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RecollectError) throw error;
        // The connection failed, broke or timed out.
        if (last) throw this.#remote(0, toProblem(error).message, true, error);
      }
      await pause(wait, signal);
    }
  }

  async #vectorsOf(response: Response, expected: number): Promise<Float32Array[]> {
    const text = await response.text();
    const parsed = responseSchema.safeParse(readJson(text));
    if (!parsed.success)
      throw this.#remote(response.status, `not an embeddings response: ${text.slice(0, 200)}`, false);
    const vectors: Float32Array[] = [];
    for (const { index, embedding } of parsed.data.data) {
      if (embedding.length !== this.#deps.config.dimensions)
        throw this.#remote(
          response.status,
          `${this.#deps.config.model} gives ${embedding.length} dimensions, the configuration says ${this.#deps.config.dimensions}`,
          false,
        );
      vectors[index] = unit(Float32Array.from(embedding));
    }
    if (vectors.length !== expected || vectors.includes(undefined as never))
      throw this.#remote(response.status, `${parsed.data.data.length} vectors for ${expected} texts`, false);
    return vectors;
  }

  async #refusal(response: Response): Promise<RecollectError> {
    const text = await orElse(response.text(), '', 'the words of a refusal');
    const parsed = failureSchema.safeParse(readJson(text));
    const said = parsed.success
      ? typeof parsed.data.error === 'string'
        ? parsed.data.error
        : parsed.data.error.message
      : text.slice(0, 200) || response.statusText;
    return this.#remote(response.status, said, response.status === 429 || response.status >= 500);
  }

  #remote(status: number, detail: string, retry: boolean, cause?: unknown): RecollectError {
    return new RecollectError('embedding-remote', `The embedding server did not give vectors: ${detail}`, {
      params: { status, detail, url: this.#deps.config.base_url, model: this.#deps.config.model },
      retry,
      cause,
    });
  }
}

const READY: EmbeddingState = { status: 'ready' };

/** Cuts into requests of at most `BATCH` texts and `MAX_REQUEST_CHARACTERS` characters. */
function* batches(texts: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (batch.length > 0 && (batch.length === BATCH || characters + text.length > MAX_REQUEST_CHARACTERS)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(text);
    characters += text.length;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Milliseconds the server asks to wait, at most a minute; undefined if it does not say (RFC 9110, seconds or a date).
 */
function retryAfter(response: Response): number | undefined {
  const said = response.headers.get('retry-after');
  if (!said) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  return Number.isFinite(ms) ? Math.min(60_000, Math.max(0, ms)) : undefined;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
