// The thread that lays vectors out as a map: the page stays quick meanwhile.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { projectVectors } from '../adapters/projection/umap.ts';

watchWorker(self, 'projection');

self.addEventListener('message', ({ data }: MessageEvent<Float32Array[]>) =>
  self.postMessage(projectVectors(data)),
);
