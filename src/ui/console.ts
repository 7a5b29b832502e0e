// `?console` in the address exposes the services as `recollect`, for people who script their memory and for benchmarks.
import type { EmbeddingProvider } from '../adapters/embedding/embedding-provider.ts';
import type { MemoryIndex } from '../adapters/index/memory-index.ts';
import type { Readable } from '../domain/base/readable.ts';
import type { App } from '../services/app.ts';

/** Defines the global; its getters return the state at the time of reading. */
export function exposeConsole(
  app: App,
  index: Readable<MemoryIndex | null>,
  embedding: Readable<EmbeddingProvider | null>,
): void {
  Object.assign(globalThis, {
    recollect: {
      app,
      get index() {
        return index.get();
      },
      get embedding() {
        return embedding.get();
      },
      get model() {
        return embedding.get()?.id;
      },
      get dimensions() {
        return embedding.get()?.dimensions;
      },
    },
  });
}
