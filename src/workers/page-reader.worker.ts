// The worker that reads the sealed index when the engine's worker opens it, which starts it. It ends once all is read.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { servePageReader } from '../adapters/index/page-reader.ts';
import { cipherFor, type DataKey } from '../adapters/vault/data-key.ts';

watchWorker(self, 'page-reader');
servePageReader(self, (key) => cipherFor(key as DataKey, 'index'));
