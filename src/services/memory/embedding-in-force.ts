// Follows the configuration: makes the embedding provider that it names, and replaces it when it names another.
import type { EmbeddingProvider } from '../../adapters/embedding/embedding-provider.ts';
import { log } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import type { Config } from '../../domain/settings/config.ts';
import { createJob } from '../scheduler.ts';

/** Delay before a provider that could not be made is tried again, ms: at first, and at most. */
const [SOON, LATE] = [2_000, 60_000];

/**
 * Follows `config.embedding` until the signal; null until the first provider is made. Closes a replaced provider: its
 * pending work rejects with `AbortError`. Tries again if one cannot be made; the one before stays meanwhile.
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
  const letGo = async (one: EmbeddingProvider | null) => {
    try {
      await one?.close();
    } catch (error) {
      log.warn('A model could not be closed', error);
    }
  };
  const job = createJob({
    run: async () => {
      const { embedding } = config.get();
      const wanted = JSON.stringify(embedding);
      if (wanted === made) return;
      const next = await make(embedding);
      if (signal.aborted) return letGo(next);
      made = wanted;
      const before = provider.get();
      provider.set(next);
      await letGo(before);
    },
    signal,
    pauseMs: SOON,
    maxPauseMs: LATE,
    onError: (error) => log.warn('No embedding', error),
  });
  const stop = config.subscribe(() => job.wake(true));
  signal.addEventListener(
    'abort',
    () => {
      stop();
      void letGo(provider.get());
    },
    { once: true },
  );
  job.wake();
  return provider;
}
