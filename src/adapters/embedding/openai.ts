// OpenAI's embedding models, which shorten their vectors on request.
import type { CalibrationKeyValues } from './calibration.ts';
import type { EmbeddingProvider } from './embedding-provider.ts';
import type { RemoteConfig } from './openai-compatible.ts';
import { createOpenAiCompatibleEmbedding } from './openai-compatible.ts';

/** Makes the provider. `text-embedding-ada-002` alone refuses a request that names a length. */
export const createOpenAiEmbedding = (deps: {
  readonly config: RemoteConfig;
  readonly key: () => Promise<string | undefined>;
  readonly backoffMs?: number;
  readonly fetch: typeof fetch;
  readonly keyValues?: CalibrationKeyValues;
}): EmbeddingProvider =>
  createOpenAiCompatibleEmbedding({
    ...deps,
    provider: 'openai',
    askDimensions: deps.config.model.startsWith('text-embedding-3'),
  });
