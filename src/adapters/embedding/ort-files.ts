// Where ONNX Runtime's files are once they are built: for the thread that runs them. And what of it all is kept for offline use.
import gpuMjs from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url';
import gpuWasm from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url';
import plainMjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import plainWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { type BundledModel, filesFor, modelPath } from './bundled-models.ts';
import { canEncode } from './encoder.ts';
import type { RuntimePlaces } from './transformers-runtime.ts';

export const ORT_FILES = {
  plain: { mjs: plainMjs, wasm: plainWasm },
  gpu: { mjs: gpuMjs, wasm: gpuWasm },
} satisfies NonNullable<RuntimePlaces['ort']>;

/** What this browser reads to run a bundled model on the CPU, paths of the app's origin. */
export function pathsToKeep(model: BundledModel): readonly string[] {
  const encodes = canEncode();
  return [
    ...filesFor(model, encodes ? 'encoder' : 'onnx').map((file) => modelPath(model.id, file)),
    ...(encodes ? [] : Object.values(ORT_FILES.plain)),
  ];
}
