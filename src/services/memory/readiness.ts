// Waits for the parts that a question needs: an index that is opening or being rebuilt,
// and the model that reads the question.

import type { EmbeddingProvider } from '../../adapters/embedding/embedding-provider.ts';
import { hasCentredTokenVectors } from '../../adapters/embedding/state-centres.ts';
import type { MemoryIndex } from '../../adapters/index/memory-index.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { ignore } from '../../domain/base/log.ts';
import { anyOf, type Readable, until, writable } from '../../domain/base/readable.ts';
import { isTimeout, withDeadline, withTimeLimit } from '../../domain/base/time-limit.ts';
import type { QueryTokenVectors } from '../../domain/memory/late.ts';
import { blendQuestion, lastLineOf, type QuestionRead } from '../../domain/memory/question-blend.ts';
import type { CosineScale } from '../../domain/memory/rank.ts';
import type { Config } from '../../domain/settings/config.ts';
import { knowsLanguageOf } from '../../domain/text/sentences.ts';
import { PrivacyFilter } from '../privacy/privacy-filter.ts';
import type { MemoryStatus } from './memory.ts';

/**
 * Longest wait of a recall for an index that opens or is rebuilt, ms: seconds, on a busy
 * device more. A caller may wait less.
 */
const INDEX_TIMEOUT_MS = 90_000;
/** Time for a newly opened index with content to read what it missed, before it is asked, ms. */
const CATCH_UP = 1_000;
/** Time until a damaged index is closed, ms. */
const LET_GO = 5_000;
/** Problem codes of an index that another one will replace. */
const REPLACED: ReadonlySet<string> = new Set(['index-damaged', 'index-crashed']);
/** Longest wait of a recall for a loading model, ms. */
const MODEL_TIMEOUT_MS = 6_000;
const NOT_YET: Problem = {
  code: 'memory-behind',
  message: 'The embedding model is not ready yet',
  retry: true,
};

export interface ReadinessDeps {
  /** Null while it starts, or if it failed. */
  readonly index: Readable<MemoryIndex | null>;
  /** Starts index and model at once; otherwise they wait until the page is usable. */
  readonly begin?: () => void;
  readonly embedding: Readable<EmbeddingProvider | null>;
  readonly config: Readable<Config>;
  readonly status: Readable<MemoryStatus>;
  /** Absent: private words are recognised by their form alone. */
  readonly filter?: PrivacyFilter;
}

/** A question as the model reads it. */
export interface QueryVector {
  readonly model: string;
  readonly values: Float32Array;
  readonly scale: CosineScale;
  readonly languages: EmbeddingProvider['languages'];
  /** Null if the provider has only whole vectors, or token vectors that cannot be compared. */
  readonly tokenVectors: QueryTokenVectors | null;
}

/** Makes the waiting half of recall. */
export function createReadiness(deps: ReadinessDeps) {
  return new QuestionEmbedder(deps);
}

/** An index that was asked. */
interface Opened {
  readonly index: MemoryIndex;
  /** It was empty when it opened, i.e. new or being rebuilt. */
  readonly isEmpty: boolean;
  /** It had `CATCH_UP` to read what it missed. */
  readonly hadTime: boolean;
}

class QuestionEmbedder {
  readonly #deps: ReadinessDeps;
  readonly #filter: PrivacyFilter;
  /** The last index asked. */
  readonly #opened = writable<Opened | null>(null);
  #catchUp: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
    this.#filter = deps.filter ?? new PrivacyFilter({ config: deps.config });
  }

  async waitForIndex(signal: AbortSignal): Promise<MemoryIndex | null> {
    this.#deps.begin?.();
    const isUpToDate = () => {
      const there = this.#deps.index.get();
      if (there === null) return false;
      if (there !== this.#opened.get()?.index) this.#noteOpened(there);
      const { isEmpty, hadTime } = this.#opened.get() ?? { isEmpty: false, hadTime: false };
      return this.#deps.status.get().state !== 'starting' || (!isEmpty && hadTime);
    };
    await this.#wait(isUpToDate, INDEX_TIMEOUT_MS, signal);
    return this.#deps.index.get();
  }

  /**
   * Runs `work` on an index, and on its replacement if that one is damaged, stops or is closed. Runs it once more if
   * another engine took over meanwhile, which may not have read everything yet.
   */
  async inIndex<Found>(
    from: MemoryIndex,
    signal: AbortSignal,
    work: (from: MemoryIndex) => Promise<Found>,
  ): Promise<Found> {
    try {
      const found = await work(from);
      if (this.#deps.index.get() === from || this.#deps.index.get() === null) return found;
      const now = await this.waitForIndex(signal);
      return now === null ? found : await this.inIndex(now, signal, work);
    } catch (error) {
      if (REPLACED.has(toProblem(error).code))
        await this.#wait(() => this.#deps.index.get() !== from, LET_GO, signal);
      if (this.#deps.index.get() === from) throw error;
      const isWhole = () =>
        this.#deps.index.get() !== null &&
        this.#deps.status.get().state !== 'starting' &&
        this.#deps.status.get().unread === 0;
      await this.#wait(isWhole, INDEX_TIMEOUT_MS, signal);
      const again = this.#deps.index.get();
      if (again === null) throw error;
      return await work(again);
    }
  }

  /**
   * Makes the question's vector, in its time from when there is an index; else null and the reason: null if the model
   * cannot read this language or must not see a `draft`. Private words are filtered as elsewhere.
   */
  async vectorOf(
    asked: string,
    signal: AbortSignal,
    asking: Promise<unknown>,
    draft = false,
  ): Promise<{ vector: QueryVector } | { vector: null; reason: Problem | null }> {
    const { embedding: chosen } = this.#deps.config.get();
    if (draft && chosen.provider !== 'local') return { vector: null, reason: null };
    const text = this.#filter.hidden('index', asked);
    if (!this.#deps.embedding.get()) {
      // Right after opening neither is known yet, and a caller that waits for the index can wait for the model as well.
      const isAsked = writable(false);
      const asked = () => isAsked.set(true);
      void asking.then(asked, asked);
      const isKnown = () => this.#deps.embedding.get() !== null || isAsked.get();
      await this.#wait(isKnown, INDEX_TIMEOUT_MS, signal, [this.#deps.embedding, isAsked]);
    }
    const provider = this.#deps.embedding.get();
    if (!provider) {
      const known = this.#deps.status.get().embedding;
      return { vector: null, reason: known.status === 'failed' ? known.problem : NOT_YET };
    }
    if (!knowsLanguageOf(provider.languages, text)) return { vector: null, reason: null };
    try {
      const options = { kind: 'query', signal } as const;
      const last = lastLineOf(text);
      const texts = last === null ? [text] : [text, last];
      const made = Promise.all([
        provider.read
          ? provider.read(
              texts.map((one) => ({ context: '', text: one })),
              options,
            )
          : provider
              .embed(texts, options)
              .then((vectors) => vectors.map((vector): QuestionRead => ({ vector }))),
        provider.calibration(signal),
      ]);
      await Promise.race([asking, made]);
      // A late model continues loading: the next question finds it ready.
      const [read, scale] = await withDeadline(signal, MODEL_TIMEOUT_MS, () => made);
      const [whole, end]: readonly QuestionRead[] = read;
      if (!whole) return { vector: null, reason: NOT_YET };
      const { vector, tokens, weights } = end ? blendQuestion(whole, end) : whole;
      // Without a centre MaxSim has no known zero, so the whole vectors alone give the semantic score.
      const tokenVectors =
        tokens && weights && weights.length > 0 && hasCentredTokenVectors(provider.id)
          ? { tokens, weights }
          : null;
      return {
        vector: { model: provider.id, values: vector, scale, languages: provider.languages, tokenVectors },
      };
    } catch (error) {
      signal.throwIfAborted();
      // The index was replaced or closed meanwhile: treated as one that was not there.
      if (isAbort(error) || isTimeout(error)) return { vector: null, reason: NOT_YET };
      return { vector: null, reason: toProblem(error) };
    }
  }

  /**
   * Waits until `ready`, at most `ms`; it is asked again whenever index, status or one of `others` changes. Gives up at
   * once on an index that failed to start; one that opened and failed may be rebuilt.
   */
  async #wait(
    ready: () => boolean,
    ms: number,
    signal: AbortSignal,
    others: readonly Readable<unknown>[] = [],
  ): Promise<void> {
    const { index, status } = this.#deps;
    const isHopeless = () => index.get() === null && status.get().state === 'failed';
    const changes = anyOf([index, status, this.#opened, ...others]);
    try {
      await withTimeLimit(signal, ms, (bounded) => until(changes, () => ready() || isHopeless(), bounded));
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
    signal.throwIfAborted();
  }

  #noteOpened(there: MemoryIndex): void {
    const note = (more: Partial<Opened>) =>
      this.#opened.update((now) => (now?.index === there ? { ...now, ...more } : now));
    clearTimeout(this.#catchUp);
    this.#catchUp = setTimeout(() => note({ hadTime: true }), CATCH_UP);
    this.#opened.set({ index: there, isEmpty: false, hadTime: false });
    const noted = there.bookmark().then((bookmark) => note({ isEmpty: bookmark === 0 }));
    ignore(noted, 'the bookmark of an index; its other callers get the same error');
  }
}
