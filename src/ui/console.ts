// `?console` in the address: the services as `recollect`, for those who script their memory and for benchmarks.
import type { EmbeddingProvider } from '../adapters/embedding/embedding-provider.ts';
import type { MemoryIndex } from '../adapters/index/memory-index.ts';
import type { App } from '../services/app.ts';

/** Puts the global there; the getters say how things stand when they are read. */
export function exposeConsole(
  app: App,
  index: () => MemoryIndex | null,
  embedding: () => EmbeddingProvider | null,
): void {
  Object.assign(globalThis, {
    recollect: {
      app,
      get index() {
        return index();
      },
      get embedding() {
        return embedding();
      },
      get model() {
        return embedding()?.id;
      },
      get dimensions() {
        return embedding()?.dimensions;
      },
    },
  });
}
