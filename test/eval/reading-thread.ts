// A thread that runs the model for the evaluation, and keeps what the model says before anything is centred.
import { parentPort } from 'node:worker_threads';
import { createEmbeddingHost } from '../../src/adapters/embedding/host.ts';
import type { Port } from '../../src/adapters/embedding/protocol.ts';
import { createTransformersLoader } from '../../src/adapters/embedding/transformers-runtime.ts';
import { modelsIn } from '../adapters/embedding/in-process.ts';
import { keepStates } from './cache.ts';

parentPort?.once('message', ({ models, port }: { readonly models: string; readonly port: Port }) => {
  createEmbeddingHost({
    load: createTransformersLoader({ ...modelsIn(models), reduceTokens: keepStates }),
    idleMs: 3_600_000,
    onRetired: () => parentPort?.close(),
  }).accept(port);
});
