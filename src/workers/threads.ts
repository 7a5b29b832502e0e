// Starts the workers of a tab. Vite bundles each worker from the address that stands literally in its `new Worker`.

export const startEngineThread = (): Worker =>
  new Worker(new URL('./engine.worker.ts', import.meta.url), { type: 'module', name: 'engine' });

export const startEmbeddingThread = (): Worker =>
  new Worker(new URL('./embedding.worker.ts', import.meta.url), { type: 'module', name: 'embedding' });

export const startExtractionThread = (): Worker =>
  new Worker(new URL('./extraction.worker.ts', import.meta.url), { type: 'module', name: 'extraction' });

export const startNetworkThread = (): Worker =>
  new Worker(new URL('./network.worker.ts', import.meta.url), { type: 'module', name: 'network' });

export const startProjectionThread = (): Worker =>
  new Worker(new URL('./projection.worker.ts', import.meta.url), { type: 'module', name: 'projection' });

export const startSyncThread = (): Worker =>
  new Worker(new URL('./sync.worker.ts', import.meta.url), { type: 'module', name: 'sync' });
