// The local model without a thread of its own, for Node: tests, evaluation,
// benchmarks. The same host, queue and protocol.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { versions } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import type { EmbeddingProvider } from '../../../src/adapters/embedding/embedding-provider.ts';
import type { LoadRuntime } from '../../../src/adapters/embedding/host.ts';
import { createEmbeddingHost } from '../../../src/adapters/embedding/host.ts';
import { createLocalEmbedding } from '../../../src/adapters/embedding/local.ts';
import {
  createTransformersLoader,
  type RuntimePlaces,
} from '../../../src/adapters/embedding/transformers-runtime.ts';
import type { Config } from '../../../src/domain/settings/config.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { readAssembled } from '../assembled.ts';

// Node 20 needs a flag for relaxed SIMD, so that this measures what runs in browsers.
if (Number.parseInt(versions.node, 10) < 21) setFlagsFromString('--experimental-wasm-relaxed-simd');

/** The bundled models in a folder, `public/models`. */
export const modelsIn = (folder: string): RuntimePlaces => ({
  models: folder + sep,
  readAssembly: readAssembled,
  files: {
    exists: (path) => existsSync(join(folder, path)),
    read: async (path) => new Uint8Array(await readFile(join(folder, path))).buffer,
  },
});

/**
 * Makes the provider.
 * @param models folder that holds the bundled models, `public/models`
 */
export function createInProcessLocalEmbedding(deps: {
  readonly models: string;
  readonly config?: Partial<Config['embedding']['local']>;
  readonly idleMs?: number;
  /** Stands in for transformers.js in tests of queue and failures. */
  readonly load?: LoadRuntime;
}): EmbeddingProvider {
  const load = deps.load ?? createTransformersLoader(modelsIn(deps.models));
  return createLocalEmbedding({
    config: { ...defaultConfig.embedding.local, ...deps.config },
    connect: () => {
      const { port1, port2 } = new MessageChannel();
      createEmbeddingHost({ load, idleMs: deps.idleMs ?? 300_000, onRetired: () => undefined }).accept(port2);
      return { port: port1, lost: new AbortController().signal };
    },
  });
}
