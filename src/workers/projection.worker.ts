// The worker that computes the topic map from vectors, so that the page keeps responding.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { projectionCalls } from '../adapters/projection/thread.ts';
import { projectVectors } from '../adapters/projection/umap.ts';
import { serveCalls } from '../domain/threads/calls.ts';

watchWorker(self, 'projection');

serveCalls(projectionCalls, self, { project: projectVectors });
