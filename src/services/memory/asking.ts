// How a question waits for what it needs: an index that is still opening or made again, and the model that reads it.

import type { EmbeddingProvider } from '../../adapters/embedding/embedding-provider.ts';
import { hasCentredPieces } from '../../adapters/embedding/state-centres.ts';
import type { MemoryIndex } from '../../adapters/index/memory-index.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { atMost, isTooLate } from '../../domain/base/within.ts';
import type { QueryPieces } from '../../domain/memory/late.ts';
import { lastLineOf, leaning, type QuestionRead } from '../../domain/memory/question-blend.ts';
import { type CosineScale, knows } from '../../domain/memory/rank.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { Notes } from '../documents/notes.ts';
import { PrivacyFilter } from '../privacy/privacy-filter.ts';
import type { MemoryStatus } from './memory.ts';

/** How long a recall waits for an index that is opened or made again, ms: seconds, on a busy device many. Who asks may wait shorter. */
const INDEX_TIMEOUT_MS = 90_000;
/** How long an index that was just opened and has something may read what it missed before it is asked, ms. */
const CATCH_UP = 1_000;
/** How soon an index that turned out to be damaged is let go, ms. */
const LET_GO = 5_000;
/** Problem codes of an index that another one replaces. */
const REPLACED: ReadonlySet<string> = new Set(['index-damaged', 'index-crashed']);
/** How often it looks whether the index is there, ms. */
const INDEX_LOOK = 25;
/** How long a recall waits for a model that is loading, ms. */
const MODEL_TIMEOUT_MS = 6_000;
const NOT_YET: Problem = {
  code: 'memory-behind',
  message: 'The embedding model is not ready yet',
  retry: true,
};

export interface AskingDeps {
  /** null while it is starting, or when it cannot be had. */
  readonly index: () => MemoryIndex | null;
  /** Has index and model start now, where they would wait until the page can be used. */
  readonly begin?: () => void;
  readonly embedding: () => EmbeddingProvider | null;
  readonly config: Readable<Config>;
  readonly documents: Pick<Documents, 'library'>;
  /** Feedback of the person on earlier hits. */
  readonly notes?: Pick<Notes, 'state'>;
  readonly status: Readable<MemoryStatus>;
  /** Absent: it knows no words but by their looks. */
  readonly filter?: PrivacyFilter;
}

/** A question as the model reads it. */
export interface QueryVector {
  readonly model: string;
  readonly values: Float32Array;
  readonly scale: CosineScale;
  readonly languages: EmbeddingProvider['languages'];
  /** Null where the provider has only whole vectors, or pieces that cannot be compared. */
  readonly pieces: QueryPieces | null;
}

/** Makes what questions wait with. */
export function createAsking(deps: AskingDeps) {
  return new QuestionEmbedder(deps);
}

class QuestionEmbedder {
  readonly #deps: AskingDeps;
  readonly #filter: PrivacyFilter;
  /** The index that was asked last, since when it is there, and whether it had nothing then: new, or being made again. */
  #opened: { readonly index: MemoryIndex; readonly since: number; empty: boolean } | null = null;

  constructor(deps: AskingDeps) {
    this.#deps = deps;
    this.#filter = deps.filter ?? new PrivacyFilter({ config: deps.config });
  }

  async waitForIndex(signal: AbortSignal): Promise<MemoryIndex | null> {
    this.#deps.begin?.();
    const isUpToDate = () => {
      const there = this.#deps.index();
      if (there !== null && there !== this.#opened?.index) this.#noteOpened(there);
      return (
        there !== null &&
        this.#opened !== null &&
        (this.#deps.status.get().state !== 'starting' ||
          (!this.#opened.empty && performance.now() - this.#opened.since > CATCH_UP))
      );
    };
    await this.#wait(isUpToDate, INDEX_TIMEOUT_MS, signal);
    return this.#deps.index();
  }

  /**
   * Runs `work` on an index, and on its replacement if that one is damaged, stops or is closed. Asks once more if another
   * engine took over meanwhile, which may not have read everything yet.
   */
  async inIndex<Found>(
    from: MemoryIndex,
    signal: AbortSignal,
    work: (from: MemoryIndex) => Promise<Found>,
  ): Promise<Found> {
    try {
      const found = await work(from);
      if (this.#deps.index() === from || this.#deps.index() === null) return found;
      const now = await this.waitForIndex(signal);
      return now === null ? found : await this.inIndex(now, signal, work);
    } catch (error) {
      if (REPLACED.has(toProblem(error).code))
        await this.#wait(() => this.#deps.index() !== from, LET_GO, signal);
      if (this.#deps.index() === from) throw error;
      const isWhole = () =>
        this.#deps.index() !== null &&
        this.#deps.status.get().state !== 'starting' &&
        this.#deps.status.get().unread === 0;
      await this.#wait(isWhole, INDEX_TIMEOUT_MS, signal);
      const again = this.#deps.index();
      if (again === null) throw error;
      return await work(again);
    }
  }

  /** True if all other conversations are empty: then nobody has to wait for an index. */
  isEmpty(except: ConversationId | undefined): boolean {
    const { ready, entries, projects } = this.#deps.documents.library.get();
    const noteState = this.#deps.notes?.state.get() ?? { ready: true, notes: [] };
    return (
      ready &&
      noteState.ready &&
      noteState.notes.length === 0 &&
      [...entries, ...projects.filter(({ messageCount }) => messageCount > 0)].every(
        ({ id, deletedAt }) => deletedAt !== null || id === except,
      )
    );
  }

  /**
   * The question as a vector; null with the reason where there is none in time, which begins when there is an index to ask. `reason: null`:
   * nothing is wrong, the model just cannot read this language, or is not to see a `draft`. Secrets are taken out of it as of all that is embedded.
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
    if (!this.#deps.embedding()) {
      // Soon after opening neither is known yet, and whoever waits for the index can wait for the model as well.
      let isAsked = false;
      const asked = () => {
        isAsked = true;
      };
      void asking.then(asked, asked);
      await this.#wait(() => this.#deps.embedding() !== null || isAsked, INDEX_TIMEOUT_MS, signal);
    }
    const provider = this.#deps.embedding();
    if (!provider) {
      const known = this.#deps.status.get().embedding;
      return { vector: null, reason: known.status === 'failed' ? known.problem : NOT_YET };
    }
    if (!knows(provider.languages, text)) return { vector: null, reason: null };
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
      // A late model goes on loading: the next question finds it ready.
      const [read, scale] = await atMost(signal, MODEL_TIMEOUT_MS, () => made);
      const [whole, end]: readonly QuestionRead[] = read;
      if (!whole) return { vector: null, reason: NOT_YET };
      const { vector, tokens, weights } = end ? leaning(whole, end) : whole;
      // Without a centre the likeness of pieces has no known zero: meaning is then that of the whole vectors alone.
      const pieces =
        tokens && weights && weights.length > 0 && hasCentredPieces(provider.id) ? { tokens, weights } : null;
      return {
        vector: { model: provider.id, values: vector, scale, languages: provider.languages, pieces },
      };
    } catch (error) {
      signal.throwIfAborted();
      // Replaced or closed in the middle: as if it had not been there.
      if (isAbort(error) || isTooLate(error)) return { vector: null, reason: NOT_YET };
      return { vector: null, reason: toProblem(error) };
    }
  }

  /** Waits until `ready`, at most `ms`. One that failed to start will not come by waiting; one that is there and failed may be made again. */
  async #wait(ready: () => boolean, ms: number, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + ms;
    const isHopeless = () => this.#deps.index() === null && this.#deps.status.get().state === 'failed';
    while (!ready() && performance.now() < deadline && !isHopeless()) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, INDEX_LOOK));
    }
    signal.throwIfAborted();
  }

  #noteOpened(there: MemoryIndex): void {
    const seen = { index: there, since: performance.now(), empty: false };
    this.#opened = seen;
    const noted = there.bookmark().then((bookmark) => {
      seen.empty = bookmark === 0;
    });
    ignore(noted, 'the bookmark of an index; whoever asks it anything hears the same');
  }
}
