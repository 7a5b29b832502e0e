// The index's worker alone, without the background work that the app starts in it.
import { serveIndex } from '../../../src/adapters/index/worker-host.ts';

void serveIndex();
