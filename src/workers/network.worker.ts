// The thread through which requests to configured endpoints leave the app.
import { serveNetwork } from '../adapters/models/network.ts';

serveNetwork(self);
