import { describeSyncBackend } from '../../suites/sync-backend.suite.ts';
import { createInMemoryHub } from './in-memory.ts';

describeSyncBackend('the hub in memory', async () => {
  const hub = createInMemoryHub();
  return {
    backend: hub.backend,
    endpoint: 'wss://hub.example',
    setOnline: async (online) => hub.setOnline(online),
    dispose: async () => {},
  };
});
