// The embedding provider that the configuration names, replaced when the configuration names another.
import type { EmbeddingProvider } from '../../adapters/embedding/embedding-provider.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';

/**
 * Follows `config.embedding` until the signal. Null until the first provider is made. A provider that is replaced is closed:
 * what waits on it rejects with `AbortError` and is asked of the next one.
 */
export function followEmbedding({
  config,
  make,
  signal,
}: {
  config: Readable<Config>;
  make: (config: Config['embedding']) => Promise<EmbeddingProvider>;
  signal: AbortSignal;
}): Readable<EmbeddingProvider | null> {
  const provider = writable<EmbeddingProvider | null>(null);
  let made = '';
  let line: Promise<void> = Promise.resolve();
  const look = () => {
    const { embedding } = config.get();
    const wanted = JSON.stringify(embedding);
    if (wanted === made) return;
    made = wanted;
    line = line.then(async () => {
      if (signal.aborted || made !== wanted) return;
      const next = await make(embedding);
      const before = provider.get();
      provider.set(next);
      await before?.close();
    });
    line.catch((error) => console.warn('No embedding:', error));
  };
  const stop = config.subscribe(look);
  signal.addEventListener(
    'abort',
    () => {
      stop();
      void line.then(() => provider.get()?.close());
    },
    { once: true },
  );
  look();
  return provider;
}
