// The thread that lays vectors out as a map: the page stays quick meanwhile.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { projectionCalls } from '../adapters/projection/thread.ts';
import { projectVectors } from '../adapters/projection/umap.ts';
import { serveCalls } from '../domain/threads/calls.ts';

watchWorker(self, 'projection');

serveCalls(projectionCalls, self, { project: projectVectors });
