// The log in a real Chromium, where it will live.
import { expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { describeConversationLog, describeSharedLog } from '../../suites/conversation-log.suite.ts';
import { indexedDbSubject } from './indexed-db-subject.ts';

it('runs in a page as isolated as the app', () => {
  expect(crossOriginIsolated).toBe(true);
  expect(isSecureContext).toBe(true);
});

describeConversationLog('The IndexedDB store in Chromium', indexedDbSubject);
describeSharedLog('The IndexedDB store in Chromium', indexedDbSubject);
describeConversationLog('The in-memory store in Chromium', async () => {
  const store = createInMemoryStore();
  return { store, dispose: () => store.log.close() };
});
