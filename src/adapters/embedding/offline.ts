// What a model on this device needs without a network, besides what a hub's own files are kept as.
import { type BundledModel, filesFor, modelPath } from './bundled-models.ts';
import { canEncode } from './encoder.ts';
import { ORT_FILES } from './ort-files.ts';

/** What this browser reads to run a model on the CPU, paths of the app's origin. @param model undefined: one that does not travel with the app */
export function pathsToKeep(model: BundledModel | undefined): readonly string[] {
  const encodes = model !== undefined && canEncode();
  const files = model ? filesFor(model, encodes ? 'encoder' : 'onnx') : [];
  return [
    ...files.map((file) => modelPath(model?.id ?? '', file)),
    ...(encodes ? [] : Object.values(ORT_FILES.plain)),
  ];
}
