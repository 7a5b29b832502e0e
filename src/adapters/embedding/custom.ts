// Any other server with OpenAI's embeddings endpoint: a local one (Ollama, LM Studio, llama.cpp) or a hosted one.
import type { CalibrationKeyValues } from './calibration.ts';
import type { EmbeddingProvider } from './embedding-provider.ts';
import type { RemoteConfig } from './openai-compatible.ts';
import { createOpenAiCompatibleEmbedding } from './openai-compatible.ts';

/** Makes the provider. The model fixes the length of its vectors; the configuration must name that length. */
export const createCustomEmbedding = (deps: {
  readonly config: RemoteConfig;
  readonly key: () => Promise<string | undefined>;
  readonly backoffMs?: number;
  readonly fetch: typeof fetch;
  readonly keyValues?: CalibrationKeyValues;
}): EmbeddingProvider =>
  createOpenAiCompatibleEmbedding({ ...deps, provider: 'custom', askDimensions: false });
