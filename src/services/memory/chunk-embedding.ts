// Makes the vectors of pending chunks, batch by batch at the model's speed, and keeps them as they come.
import type { EmbeddingProvider } from '../../adapters/embedding/embedding-provider.ts';
import type { MemoryIndex, NewVector, PendingChunk } from '../../adapters/index/memory-index.ts';
import { isAbort } from '../../domain/base/errors.ts';
import { yieldToEvents } from '../../domain/base/yielding.ts';

/**
 * Vectors are saved about this often, ms: a kill loses no more. A pause waits at most as long for the batch in hand.
 */
const BATCH_MS = 700;
/** Texts in the first batch of a model. */
const FIRST_BATCH = 4;

interface ChunkEmbedderDeps {
  readonly index: Pick<MemoryIndex, 'put'>;
  /** Provider that is configured now. */
  readonly embedding: () => EmbeddingProvider | null;
  /** True while a person types. */
  readonly isPaused: () => boolean;
  readonly signal: AbortSignal;
}

export class ChunkEmbedder {
  readonly #deps: ChunkEmbedderDeps;
  /** Texts in a batch, adjusted to the model's speed. */
  #size = FIRST_BATCH;
  #sizeFor = '';

  constructor(deps: ChunkEmbedderDeps) {
    this.#deps = deps;
  }

  /** Prepares for a provider. Returns true if its model is another one than before. */
  prepareFor({ id }: EmbeddingProvider): boolean {
    if (id === this.#sizeFor) return false;
    [this.#size, this.#sizeFor] = [FIRST_BATCH, id];
    return true;
  }

  async #vectorsOf(provider: EmbeddingProvider, chunks: readonly PendingChunk[]): Promise<NewVector[]> {
    const options = { kind: 'passage', signal: this.#deps.signal } as const;
    if (provider.read) {
      const made = await provider.read(
        chunks.map(({ embedded, context }) => ({
          context: embedded.slice(0, context),
          text: embedded.slice(context),
        })),
        options,
      );
      return chunks.flatMap(({ id }, at) => {
        const one = made[at];
        return one ? [{ chunkId: id, values: one.vector, bits: one.bits }] : [];
      });
    }
    const vectors = await provider.embed(
      chunks.map((chunk) => chunk.embedded),
      options,
    );
    return chunks.flatMap(({ id }, at) => {
      const values = vectors[at];
      return values ? [{ chunkId: id, values }] : [];
    });
  }

  /**
   * Embeds chunks and saves their vectors as they come; returns how many were read. Ends early at a pause or
   * a change of model. A local model gets chunks singly, as many as it reads side by side, so that a person
   * who begins to type waits for no more.
   * @param wasRead true if the model has read something before in this run
   * @param onKept called with the count of chunks whose vectors were saved
   */
  async embed(
    provider: EmbeddingProvider,
    chunks: readonly PendingChunk[],
    wasRead: boolean,
    onKept: (count: number) => void,
  ): Promise<number> {
    let isWarm = wasRead;
    let begun = 0;
    let over = 0;
    let made: NewVector[] = [];
    let keptAt = performance.now();
    const keep = async () => {
      const [some, count] = [made, over];
      [made, over, keptAt] = [[], 0, performance.now()];
      await this.#deps.index.put(provider.id, some);
      onKept(count);
    };
    const reader = async () => {
      while (
        begun < chunks.length &&
        this.#deps.embedding() === provider &&
        !(begun > 0 && this.#deps.isPaused())
      ) {
        const batch = chunks.slice(
          begun,
          begun + (provider.read ? 1 : Math.min(this.#size, provider.maxBatch)),
        );
        begun += batch.length;
        const began = performance.now();
        // Push only after the wait: `keep` may have replaced `made` meanwhile.
        const vectors = await this.#vectorsOf(provider, batch);
        made.push(...vectors);
        over += batch.length;
        const took = performance.now() - began;
        // A cold batch includes loading the model, so it says nothing about speed.
        if (isWarm || took < BATCH_MS)
          this.#size = Math.max(1, Math.round(batch.length * Math.min(2, BATCH_MS / Math.max(1, took))));
        isWarm = true;
        more();
        // Keep a server's vectors at once: they were paid for.
        if (!provider.read || performance.now() - keptAt >= BATCH_MS) await keep();
        await yieldToEvents(this.#deps.signal);
      }
    };
    const readers: Promise<void>[] = [];
    let failed: { readonly reason: unknown } | undefined;
    // The model's concurrency is known only once it is loaded.
    const more = () => {
      while (readers.length < (provider.concurrency ?? 1))
        readers.push(
          reader().catch((reason: unknown) => {
            failed ??= { reason };
          }),
        );
    };
    more();
    for (let at = 0; at < readers.length; at++) await readers[at];
    if (over > 0 && !this.#deps.signal.aborted) await keep();
    // The provider was replaced meanwhile: the next one is asked.
    if (
      failed &&
      !(isAbort(failed.reason) && !this.#deps.signal.aborted && this.#deps.embedding() !== provider)
    )
      throw failed.reason;
    return begun;
  }
}
