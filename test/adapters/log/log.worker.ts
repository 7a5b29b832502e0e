// Appends what it is sent from a thread of its own.
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';

self.onmessage = async ({ data }) => {
  const { log } = await openIndexedDbStore({ name: data.name });
  const seq = await log.append(data.entries);
  self.postMessage({ seq, found: (await log.since(0, 10)).length });
};
