// The thread that lays vectors out as a map: the page stays quick meanwhile.
import { projectVectors } from '../adapters/projection/umap.ts';

self.addEventListener('message', ({ data }) => self.postMessage(projectVectors(data)));
