// The index's worker alone, without the background work that the app starts in it. A port lets a test measure what the
// leader does without a thread in between.

import { readAssembly } from '../../../src/adapters/browser/assembly.ts';
import type { MemoryIndex } from '../../../src/adapters/index/memory-index.ts';
import { serveIndex } from '../../../src/adapters/index/worker-host.ts';
import { embedAll, fill, timeApplies } from './load.ts';

let lead: (index: MemoryIndex) => void;
const leading = new Promise<MemoryIndex>((resolve) => {
  lead = resolve;
});

const work = {
  fill: async (count: number) => fill(await leading, count),
  embedAll: async () => embedAll(await leading),
  timeApplies: async (from: number, count: number) => timeApplies(await leading, from, count),
};
export type LeaderWork = typeof work;

self.addEventListener('message', async ({ data, ports }) => {
  const port = ports[0];
  const { verb, numbers } = data as { verb?: keyof LeaderWork; numbers: [number, number] };
  if (!port || !verb) return;
  port.postMessage(await work[verb](...numbers));
});

/** What a file system throws that Postgres knows no number for ends it. */
self.addEventListener('message', ({ data }) => {
  if (data !== 'no more files') return;
  FileSystemSyncAccessHandle.prototype.write = () => {
    throw new Error('No more file handles');
  };
});

// By its name a test asks for one without the packed database.
const packed = self.name !== 'own' && import.meta.env.VITE_CLUSTER;
void serveIndex({
  readAssembly,
  ...(packed ? { cluster: `/${packed}` } : {}),
  onOpened: ({ index }) => lead(index),
});
