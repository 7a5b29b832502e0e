// Recognises kinds of sentences with classifiers that were trained on the embedding model in use, else by
// their words. Those for the bundled model ship with it; for another model they are trained once, on the
// same examples, and kept on the device.

import type { EmbeddingProvider } from '../../adapters/embedding/embedding-provider.ts';
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { hashOfText } from '../../domain/base/hash.ts';
import { log } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { yieldToEvents } from '../../domain/base/yielding.ts';
import { createTraining, type Head, readHead, writeHead } from '../../domain/memory/recognition/head.ts';
import { SENTENCE_CLASSES, TOPICS } from '../../domain/memory/recognition/kinds.ts';
import { type Heads, type Recognition, recognise } from '../../domain/memory/recognition/recognise.ts';
import { cuesOf } from '../../domain/memory/recognition/wording.ts';

export interface RecognisedText extends Recognition {
  /** Vector of the text, of length 1; null if no model could be asked. */
  readonly vector: Float32Array | null;
}

export interface Recognising {
  /** In the order of the texts. By words if there is no model, or it fails. Rejects only when aborted. */
  of(texts: readonly string[], signal: AbortSignal): Promise<RecognisedText[]>;
}

interface RecognisingDeps {
  readonly embedding: () => EmbeddingProvider | null;
  /** Returns a text without its private words, as the index has it: the model may be elsewhere. */
  readonly hide: (text: string) => string;
  /** Changes when something is forgotten: sentences in memory go, too. */
  readonly forgotten: Pick<Readable<unknown>, 'subscribe'>;
  readonly keyValues: Pick<KeyValues, 'get' | 'set'>;
  /** True for the thread that trains classifiers of an unknown model; other threads read its result. */
  readonly learns: boolean;
}

/** Heads that ship with the app. The first recognition by a model loads them, so that the page starts without. */
const learntWithTheApp = async () => (await import('../../domain/memory/recognition/learnt.ts')).LEARNT_KINDS;

/** How many vectors are kept: requests and notes are looked at again and again. */
const KEPT = 2_000;

/**
 * Makes the recogniser. It keeps the vectors of the last 2,000 texts, since requests and notes come again and again.
 */
export function createRecognising(deps: RecognisingDeps): Recognising {
  return new RecognisingService(deps);
}

class RecognisingService implements Recognising {
  readonly #deps: RecognisingDeps;
  readonly #vectors = new Map<string, Float32Array>();
  #heads: { readonly provider: string; readonly heads: Heads | null } | undefined;

  constructor(deps: RecognisingDeps) {
    this.#deps = deps;
    deps.forgotten.subscribe(() => this.#vectors.clear());
  }

  async of(texts: readonly string[], signal: AbortSignal): Promise<RecognisedText[]> {
    signal.throwIfAborted();
    const provider = this.#deps.embedding();
    try {
      if (provider && texts.length > 0) {
        const heads = await this.#headsOf(provider, signal);
        const vectors = await this.#vectorsOf(provider, texts.map(this.#deps.hide), signal);
        return texts.map((text, at) => {
          const vector = vectors[at] ?? null;
          return { ...recognise(text, vector, heads), vector };
        });
      }
    } catch (error) {
      signal.throwIfAborted();
      log.info('Sentences are recognised by their words: the model did not answer', error);
    }
    return texts.map((text) => ({ ...recognise(text, null, null), vector: null }));
  }

  async #vectorsOf(
    provider: EmbeddingProvider,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<(Float32Array | undefined)[]> {
    const key = (text: string) => `${provider.id} ${text}`;
    const missing = [...new Set(texts)].filter((text) => !this.#vectors.has(key(text)));
    // In small batches: a question that comes meanwhile overtakes waiting texts, not those being read.
    for (let at = 0; at < missing.length; at += Math.min(8, provider.maxBatch)) {
      const batch = missing.slice(at, at + Math.min(8, provider.maxBatch));
      const made = await provider.embed(batch, { kind: 'passage', signal });
      for (const [index, vector] of made.entries()) this.#vectors.set(key(batch[index] as string), vector);
    }
    const found = texts.map((text) => this.#vectors.get(key(text)));
    for (const oldest of this.#vectors.keys()) {
      if (this.#vectors.size <= KEPT) break;
      this.#vectors.delete(oldest);
    }
    return found;
  }

  async #headsOf(provider: EmbeddingProvider, signal: AbortSignal): Promise<Heads | null> {
    // Heads learnt by another thread meanwhile are used the next time.
    if (this.#heads?.provider === provider.id && this.#heads.heads) return this.#heads.heads;
    const learnt = await learntWithTheApp();
    const key = keyOf(learnt.examples, provider.id);
    const heads =
      provider.id === learnt.provider
        ? read(learnt)
        : ((await this.#kept(key)) ?? (this.#deps.learns ? await this.#learn(key, provider, signal) : null));
    this.#heads = { provider: provider.id, heads };
    return heads;
  }

  async #kept(key: string): Promise<Heads | null> {
    const kept = await this.#deps.keyValues.get(key);
    return typeof kept === 'object' && kept !== null ? read(kept as Record<string, unknown>) : null;
  }

  async #learn(key: string, provider: EmbeddingProvider, signal: AbortSignal): Promise<Heads> {
    // Only another model needs the examples.
    const { EXAMPLES } = await import('../../domain/memory/recognition/examples.ts');
    const vectors = await this.#vectorsOf(
      provider,
      EXAMPLES.map(({ text }) => text),
      signal,
    );
    const learnt = async (classes: readonly string[], classOf: (at: number) => string): Promise<Head> => {
      const training = createTraining(
        EXAMPLES.flatMap(({ text }, at) => {
          const vector = vectors[at];
          return vector ? [{ vector, cues: cuesOf(text), as: classes.indexOf(classOf(at)) }] : [];
        }),
        classes.length,
      );
      while (training.step()) await yieldToEvents(signal);
      return training.head();
    };
    const heads = {
      kinds: await learnt(SENTENCE_CLASSES, (at) => EXAMPLES[at]?.kind ?? 'none'),
      topics: await learnt(TOPICS, (at) => EXAMPLES[at]?.topic ?? 'none'),
    };
    await this.#deps.keyValues.set(key, {
      kinds: writeHead(heads.kinds),
      topics: writeHead(heads.topics),
    });
    return heads;
  }
}

/** The name may hold an address; a hash keeps it out of reports that list keys. */
const keyOf = (examples: number, provider: string): string =>
  `memory.heads/${examples}/${hashOfText(provider, 16)}`;

function read({ kinds, topics }: { readonly kinds?: unknown; readonly topics?: unknown }): Heads | null {
  const [first, second] = [kinds, topics].map((text) => (typeof text === 'string' ? readHead(text) : null));
  return first && second ? { kinds: first, topics: second } : null;
}
