// Computes how near the sentences of a conversation are to a question: an index has one vector for a
// passage of many sentences, so only their own vectors show which of them is meant. Computed on this
// device, kept in memory with the sentence.

import type { EmbeddingProvider } from '../../adapters/embedding/embedding-provider.ts';
import { cosine } from '../../adapters/embedding/vector.ts';
import type { Unit } from '../../domain/context/units.ts';
import { knowsLanguageOf } from '../../domain/text/sentences.ts';

/** Read in one call, so that a question that comes meanwhile need not wait long. */
const BATCH = 8;
/** Most sentences read ahead: the newest of a branch. */
const AHEAD = 1_000;
/** Longest wait of a send for sentences that were not read ahead, ms. */
const READING_MS = 300;
/** Longest part of a question that is used, characters. */
const MAX_QUESTION = 4_000;

export interface SentenceMeaning {
  /**
   * Cosines of sentences with a question. Unread ones are read in the given order while there is time; the others are
   * missing. Empty without a model that can read the question. Throws the model's errors.
   */
  near(question: string, units: readonly Unit[], signal: AbortSignal): Promise<ReadonlyMap<Unit, number>>;
  /** Reads sentences in the background, newest first. Throws the model's errors. */
  readAhead(units: readonly Unit[], signal: AbortSignal): Promise<void>;
}

/** `embedding`: null if there is none, or it is not on this device. `now`: ms, monotonic. */
export function createSentenceMeaning({
  embedding,
  now,
}: {
  readonly embedding: () => EmbeddingProvider | null;
  readonly now: () => number;
}): SentenceMeaning {
  const vectors = new WeakMap<Unit, { readonly model: string; readonly vector: Float32Array }>();

  const known = ({ id }: EmbeddingProvider, unit: Unit): Float32Array | null => {
    const made = vectors.get(unit);
    return made?.model === id ? made.vector : null;
  };

  async function read(
    provider: EmbeddingProvider,
    units: readonly Unit[],
    signal: AbortSignal,
    until: number,
  ): Promise<void> {
    const size = Math.min(BATCH, provider.maxBatch);
    for (let next = 0; next < units.length && now() < until; ) {
      signal.throwIfAborted();
      const batch: Unit[] = [];
      for (; next < units.length && batch.length < size; next++) {
        const unit = units[next] as Unit;
        if (!known(provider, unit) && knowsLanguageOf(provider.languages, unit.text)) batch.push(unit);
      }
      if (batch.length === 0) return;
      const texts = batch.map(({ text }) => text);
      const made = await provider.embed(texts, { kind: 'passage', signal });
      for (const [place, unit] of batch.entries()) {
        const vector = made[place];
        if (vector) vectors.set(unit, { model: provider.id, vector });
      }
    }
  }

  return {
    async near(question, units, signal) {
      const provider = embedding();
      const asked = question.slice(-MAX_QUESTION).trim();
      if (!provider || asked === '' || units.length === 0 || !knowsLanguageOf(provider.languages, asked))
        return new Map();
      const until = now() + READING_MS;
      const [wanted] = await provider.embed([asked], { kind: 'query', signal });
      if (!wanted) return new Map();
      await read(provider, units, signal, until);
      return new Map(
        units.flatMap((unit) => {
          const vector = known(provider, unit);
          return vector ? [[unit, cosine(wanted, vector)] as const] : [];
        }),
      );
    },
    async readAhead(units, signal) {
      const provider = embedding();
      if (provider) await read(provider, units.slice(-AHEAD).reverse(), signal, Number.POSITIVE_INFINITY);
    },
  };
}
