// The worker through which requests to configured endpoints leave the app: the page's own
// policy forbids it all other origins.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { serveNetwork } from '../adapters/models/network.ts';

watchWorker(self, 'network');
serveNetwork(self);
