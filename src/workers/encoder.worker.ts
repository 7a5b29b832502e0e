// One of the threads that read passages beside the model's own.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { servePoolWorker } from '../adapters/embedding/encoder/encoder-pool.ts';

watchWorker(self, 'encoder');
servePoolWorker(self);
