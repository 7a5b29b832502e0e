// The thread of the embedding model: serves every line its owner hands over, and says when it has retired.
import gpuMjs from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url';
import gpuWasm from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url';
import plainMjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import plainWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { createEmbeddingHost } from '../adapters/embedding/host.ts';
import { lineSchema } from '../adapters/embedding/thread.ts';
import { createTransformersLoader } from '../adapters/embedding/transformers-runtime.ts';

const IDLE_MS = 5 * 60_000;

const host = createEmbeddingHost({
  load: createTransformersLoader({
    models: `${import.meta.env.BASE_URL}models/`,
    ort: { plain: { mjs: plainMjs, wasm: plainWasm }, gpu: { mjs: gpuMjs, wasm: gpuWasm } },
  }),
  idleMs: IDLE_MS,
  onRetired: () => self.postMessage({ type: 'retired' }),
});

self.addEventListener('message', ({ data, ports }: MessageEvent<unknown>) => {
  const [port] = ports;
  if (port && lineSchema.safeParse(data).success) host.accept(port);
});
