// A fresh IndexedDB store for each test, and further connections to the same database.
import { deleteDB } from 'idb';
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';
import { newEntryId } from '../../../src/domain/base/ids.ts';
import type { LogSubject } from '../../suites/conversation-log.suite.ts';

export async function indexedDbSubject(): Promise<LogSubject & { readonly name: string }> {
  const name = `test-${newEntryId()}`;
  const store = await openIndexedDbStore({ name });
  return {
    name,
    store,
    another: () => openIndexedDbStore({ name }),
    dispose: async () => {
      await store.log.close();
      await deleteDB(name);
    },
  };
}
