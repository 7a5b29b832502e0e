// The thread through which requests to configured endpoints leave the app.
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { serveNetwork } from '../adapters/models/network.ts';

watchWorker(self, 'network');
serveNetwork(self);
