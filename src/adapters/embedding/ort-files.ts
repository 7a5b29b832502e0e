// Addresses of ONNX Runtime's files after the build, for the thread that runs them and for the
// code that keeps them for offline use.
import gpuMjs from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url';
import gpuWasm from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url';
import plainMjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url';
import plainWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import type { RuntimePlaces } from './transformers-runtime.ts';

export const ORT_FILES = {
  plain: { mjs: plainMjs, wasm: plainWasm },
  gpu: { mjs: gpuMjs, wasm: gpuWasm },
} satisfies NonNullable<RuntimePlaces['ort']>;
