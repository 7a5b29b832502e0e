// The worker of the embedding model. It serves every port that its owner, the tab, passes to
// it, and reports when it has retired.
import { readAssembly } from '../adapters/browser/assembly.ts';
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { MODEL_CACHE } from '../adapters/browser/model-cache.ts';
import { createEmbeddingHost } from '../adapters/embedding/host.ts';
import { ORT_FILES } from '../adapters/embedding/ort-files.ts';
import { threadNewsSchema } from '../adapters/embedding/thread.ts';
import { createTransformersLoader } from '../adapters/embedding/transformers-runtime.ts';
import { joinNews } from '../domain/threads/news.ts';

watchWorker(self, 'embedding');

/** Time without requests after which the model retires, to free its memory, ms. */
const IDLE_MS = 5 * 60_000;

const host = createEmbeddingHost({
  load: createTransformersLoader({
    models: `${import.meta.env.BASE_URL}models/`,
    readAssembly,
    ort: ORT_FILES,
    kept: MODEL_CACHE,
    spawnPoolWorker: () => new Worker(new URL('./encoder.worker.ts', import.meta.url), { type: 'module' }),
  }),
  idleMs: IDLE_MS,
  onRetired: () => send({ type: 'retired' }),
});

const send = joinNews(self, threadNewsSchema, (news) => news.type === 'connect' && host.accept(news.port));
