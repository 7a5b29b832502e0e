// How near the sentences of a conversation are to a question by meaning: an index has one vector for a passage of many sentences, and which
// of them is meant only their own vectors tell. Made on this device alone, kept with the sentence in memory, gone when that is.

import type { EmbeddingProvider } from '../../adapters/embedding/embedding-provider.ts';
import { cosine } from '../../adapters/embedding/vector.ts';
import type { Unit } from '../../domain/context/units.ts';
import { knows } from '../../domain/memory/rank.ts';

/** Read with one call, so that a question that comes meanwhile need not wait long. */
const BATCH = 8;
/** Sentences that are read ahead: the newest of a branch. */
const AHEAD = 1_000;
/** A send waits no longer than this for sentences that were not read ahead, ms. */
const READING_MS = 300;
/** Longest part of a question that is asked, characters. */
const MAX_QUESTION = 4_000;

export interface SentenceMeaning {
  /**
   * Cosines of sentences with a question. Those that were not read yet are read in the order given as long as there is time; the rest is
   * missing. Empty where there is no model that can read the question. Throws what the model throws.
   */
  near(question: string, units: readonly Unit[], signal: AbortSignal): Promise<ReadonlyMap<Unit, number>>;
  /** Reads sentences while nobody waits, the newest first, which are the last. Throws what the model throws. */
  readAhead(units: readonly Unit[], signal: AbortSignal): Promise<void>;
}

/** `embedding`: null where there is none, or one that is not on this device. `now`: ms, rising. */
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
        if (!known(provider, unit) && knows(provider.languages, unit.text)) batch.push(unit);
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
      if (!provider || asked === '' || units.length === 0 || !knows(provider.languages, asked))
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
