// Starts the workers of a tab. Vite bundles each worker from the literal address in its `new Worker`.
import { endedWithPage } from './page-cache.ts';

/** Starts the worker of the memory engine. The one that leads holds the index's database. */
export const startEngineThread = (): Worker =>
  endedWithPage(
    new Worker(new URL('./engine.worker.ts', import.meta.url), { type: 'module', name: 'engine' }),
  );

/** Starts the worker that runs the local embedding model. */
export const startEmbeddingThread = (): Worker =>
  endedWithPage(
    new Worker(new URL('./embedding.worker.ts', import.meta.url), { type: 'module', name: 'embedding' }),
  );

/** Starts a worker that extracts the text of one attached document. */
export const startExtractionThread = (): Worker =>
  endedWithPage(
    new Worker(new URL('./extraction.worker.ts', import.meta.url), { type: 'module', name: 'extraction' }),
  );

/** Starts the worker that sends requests to models, so that the page's own policy can forbid all other origins. */
export const startNetworkThread = (): Worker =>
  endedWithPage(
    new Worker(new URL('./network.worker.ts', import.meta.url), { type: 'module', name: 'network' }),
  );

/** Starts a worker that computes the topic map. */
export const startProjectionThread = (): Worker =>
  endedWithPage(
    new Worker(new URL('./projection.worker.ts', import.meta.url), { type: 'module', name: 'projection' }),
  );

/** Starts the worker of sync, which connects to the relay if it leads. */
export const startSyncThread = (): Worker =>
  endedWithPage(new Worker(new URL('./sync.worker.ts', import.meta.url), { type: 'module', name: 'sync' }));
