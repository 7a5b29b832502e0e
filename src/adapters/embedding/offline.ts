// Files that a local model needs without a network, besides those that the library itself keeps of a hub's model.
import { type BundledModel, filesFor, modelPath } from './bundled-models.ts';
import { loadEncoderCode, type ReadEncoderCode } from './encoder/encoder.ts';
import { ORT_FILES } from './ort-files.ts';

/**
 * Paths, on the app's origin, that this browser reads to run a model on the CPU.
 * @param model undefined: one that does not travel with the app
 */
export async function pathsToKeep(
  model: BundledModel | undefined,
  readAssembly: ReadEncoderCode,
): Promise<readonly string[]> {
  const encodes = model !== undefined && (await loadEncoderCode(readAssembly)) !== null;
  const files = model ? filesFor(model, encodes ? 'encoder' : 'onnx') : [];
  return [
    ...files.map((file) => modelPath(model?.id ?? '', file)),
    ...(encodes ? [] : Object.values(ORT_FILES.plain)),
  ];
}
