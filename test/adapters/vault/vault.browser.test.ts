// The vault in a real Chromium, which keeps its keys in IndexedDB as non-extractable CryptoKeys.
import { deleteDB } from 'idb';
import { afterAll, expect, it } from 'vitest';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';
import { createVault } from '../../../src/adapters/vault/web-crypto.ts';
import { newEntryId } from '../../../src/domain/base/ids.ts';
import { describeVault } from '../../suites/vault.suite.ts';
import { describeSealedVault } from './web-crypto-promises.ts';

const opened: { name: string; store: Store }[] = [];
const openKeyValues = async () => {
  const name = `vault-${newEntryId()}`;
  const store = await openIndexedDbStore({ name });
  opened.push({ name, store });
  return store.keyValues;
};
afterAll(async () => {
  for (const { name, store } of opened) {
    await store.log.close();
    await deleteDB(name);
  }
});

describeVault('The sealed vault in Chromium', async () => createVault(await openKeyValues()));
describeSealedVault('The vault in Chromium', openKeyValues);

it('opens its secrets after the database was closed and opened again', async () => {
  const name = `vault-${newEntryId()}`;
  const first = await openIndexedDbStore({ name });
  await createVault(first.keyValues).put('endpoint/a', 'sk-secret');
  await first.log.close();
  const second = await openIndexedDbStore({ name });
  opened.push({ name, store: second });
  expect(await createVault(second.keyValues).get('endpoint/a')).toBe('sk-secret');
});
