// The local model without a thread of its own, for Node: tests, evaluation, benchmarks. The same host, queue and protocol.
import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Config } from '../../domain/settings/config.ts';
import { defaultConfig } from '../../domain/settings/config.ts';
import type { EmbeddingProvider } from './embedding-provider.ts';
import type { LoadRuntime } from './host.ts';
import { createEmbeddingHost } from './host.ts';
import { createLocalEmbedding } from './local.ts';
import { createTransformersLoader } from './transformers-runtime.ts';

/**
 * Makes the provider on ONNX Runtime for Node.
 * @param models folder that holds the bundled models, `public/models`
 */
export function createInProcessLocalEmbedding(deps: {
  readonly models: string;
  readonly config?: Partial<Config['embedding']['local']>;
  readonly idleMs?: number;
  /** Stands in for transformers.js in tests of queue and failures. */
  readonly load?: LoadRuntime;
}): EmbeddingProvider {
  const load =
    deps.load ??
    createTransformersLoader({
      models: deps.models + sep,
      exists: (path) => existsSync(join(deps.models, path)),
    });
  return createLocalEmbedding({
    config: { ...defaultConfig.embedding.local, ...deps.config },
    connect: () => {
      const { port1, port2 } = new MessageChannel();
      createEmbeddingHost({ load, idleMs: deps.idleMs ?? 300_000, onRetired: () => undefined }).accept(port2);
      return { port: port1, lost: new AbortController().signal };
    },
  });
}
