// A worker of the encoder's pool: computes vectors of passages in parallel with the embedding worker, which starts it.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { servePoolWorker } from '../adapters/embedding/encoder/encoder-pool.ts';

watchWorker(self, 'encoder');
servePoolWorker(self);
