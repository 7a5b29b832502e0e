// The quick run in Node; `indexed-db.browser.test.ts` runs the same in a real Chromium.
import 'fake-indexeddb/auto';
import { forceCloseDatabase } from 'fake-indexeddb';
import { expect, it, vi } from 'vitest';
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';
import { describeConversationLog, describeSharedLog } from '../../suites/conversation-log.suite.ts';
import { describeBadLuck, entryOf } from './indexed-db-bad-luck.ts';
import { indexedDbSubject } from './indexed-db-subject.ts';

describeConversationLog('The IndexedDB store', indexedDbSubject);
describeSharedLog('The IndexedDB store', indexedDbSubject);
describeBadLuck('The IndexedDB store');

it('opens again after the browser ended the connection and said so', async () => {
  const open = vi.spyOn(IDBFactory.prototype, 'open');
  const store = await openIndexedDbStore({ name: 'ended' });
  await store.log.append([entryOf()]);
  const opened = open.mock.results[0]?.value as { result: Parameters<typeof forceCloseDatabase>[0] };
  forceCloseDatabase(opened.result);
  expect(await store.log.append([entryOf()])).toBe(2);
  await store.log.close();
  open.mockRestore();
});
