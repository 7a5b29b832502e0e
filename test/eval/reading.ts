// The model on as many threads as there are cores: the evaluation reads many passages and seldom waits for one.
import { availableParallelism } from 'node:os';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { EmbeddingProvider } from '../../src/adapters/embedding/embedding-provider.ts';
import { createLocalEmbedding } from '../../src/adapters/embedding/local.ts';
import type { Port } from '../../src/adapters/embedding/protocol.ts';
import type { Config } from '../../src/domain/settings/config.ts';

/** Most threads: more than two gain little on the machines this runs on, and each holds a copy of the model. */
const MOST = 2;

/** Node 20 runs no TypeScript in a thread until `tsx` is registered there. */
const START = `import('tsx/esm/api').then(({ register }) => {
  register();
  return import(${JSON.stringify(new URL('./reading-thread.ts', import.meta.url).href)});
});`;

/**
 * Makes a provider whose calls take turns on the threads. Its vectors and states are
 * raw: nothing is taken away from them.
 */
export function createReadingThreads(
  models: string,
  config: Config['embedding']['local'],
): EmbeddingProvider {
  const count = Math.max(1, Math.min(MOST, availableParallelism()));
  const workers: Worker[] = [];
  const providers = Array.from({ length: count }, () =>
    createLocalEmbedding({
      config,
      raw: true,
      connect: () => {
        const worker = new Worker(START, { eval: true });
        workers.push(worker);
        const { port1, port2 } = new MessageChannel();
        const lost = new AbortController();
        worker.once('error', (error) => lost.abort(error));
        worker.postMessage({ models, port: port2 }, [port2]);
        return { port: port1 as unknown as Port, lost: lost.signal };
      },
    }),
  );
  const [first] = providers as [EmbeddingProvider, ...EmbeddingProvider[]];
  let turn = 0;
  const next = (): EmbeddingProvider => providers[turn++ % count] ?? first;
  return {
    ...first,
    get dimensions() {
      return first.dimensions;
    },
    concurrency: count,
    embed: (texts, options) => next().embed(texts, options),
    read: async (readings, options) => {
      // A share for each thread, put together in order again.
      const size = Math.ceil(readings.length / count);
      const shares = Array.from({ length: count }, (_, at) => readings.slice(at * size, (at + 1) * size));
      const made = await Promise.all(
        shares.map((share) => (share.length > 0 ? next().read?.(share, options) : [])),
      );
      return made.flatMap((reads) => reads ?? []);
    },
    close: async () => {
      await Promise.all(providers.map((provider) => provider.close()));
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
