// The log in a real Chromium, where it will live.
import { deleteDB } from 'idb';
import { describe, expect, it } from 'vitest';
import { cdp } from 'vitest/browser';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';
import { describeConversationLog, describeSharedLog } from '../../suites/conversation-log.suite.ts';
import { describeBadLuck, entryOf } from './indexed-db-bad-luck.ts';
import { indexedDbSubject } from './indexed-db-subject.ts';

it('runs in a page as isolated as the app', () => {
  expect(crossOriginIsolated).toBe(true);
  expect(isSecureContext).toBe(true);
});

describeConversationLog('The IndexedDB store in Chromium', indexedDbSubject);
describeSharedLog('The IndexedDB store in Chromium', indexedDbSubject);
describeBadLuck('The IndexedDB store in Chromium');
describeConversationLog('The in-memory store in Chromium', async () => {
  const store = createInMemoryStore();
  return { store, dispose: () => store.log.close() };
});

describe('Chromium itself', () => {
  const { origin } = location;
  const devtools = cdp() as unknown as { send(method: string, params: object): Promise<unknown> };

  it('clears the data of the site: the next use begins anew', async () => {
    const store = await openIndexedDbStore({ name: 'cleared' });
    await store.log.append([entryOf()]);
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
    expect(await store.log.append([entryOf()])).toBe(1);
    await store.log.close();
    await deleteDB('cleared');
  });

  it('a worker and the page share one log', async () => {
    const store = await openIndexedDbStore({ name: 'with-worker' });
    const worker = new Worker(new URL('./log.worker.ts', import.meta.url), { type: 'module' });
    const heard = new Promise((resolve) => {
      store.log.subscribe((change) => change.foreign && resolve(change.seq));
    });
    const answered = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = reject;
    });
    await store.log.append([entryOf()]);
    worker.postMessage({ name: 'with-worker', entries: [entryOf(), entryOf()] });
    expect(await answered).toEqual({ seq: 3, found: 3 });
    expect(await heard).toBe(3);
    worker.terminate();
    await store.log.close();
    await deleteDB('with-worker');
  });
});
