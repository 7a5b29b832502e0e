import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { describeConversationLog } from '../../suites/conversation-log.suite.ts';

describeConversationLog('The in-memory store', async () => {
  const store = createInMemoryStore();
  return { store, dispose: () => store.log.close() };
});
