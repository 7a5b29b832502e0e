// An engine's database alone in a worker, asked in SQL: for what the index never does on purpose.
import { openEngine } from '../../../src/adapters/index/engines.ts';

const cluster = import.meta.env.VITE_CLUSTER && `/${import.meta.env.VITE_CLUSTER}`;
const opening = openEngine({ wanted: 'opfs', name: self.name || 'pool', cluster });

self.addEventListener('message', async ({ data }: MessageEvent<string>) => {
  try {
    const { database, engine, remade } = await opening;
    if (data === 'close') await database.close();
    const rows = data === 'close' ? [] : (await database.query(data)).rows;
    self.postMessage({ engine, rows, remade });
  } catch (error) {
    self.postMessage({ failed: String(error) });
  }
});
