// The vault in Node, on a key-value store in memory and one in an IndexedDB of JavaScript;
// `vault.browser.test.ts` is the real thing.
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { createKeyValueVault } from '../../../src/adapters/vault/key-value.ts';
import { createVault } from '../../../src/adapters/vault/web-crypto.ts';
import { describeVault } from '../../suites/vault.suite.ts';
import { createInMemoryVault } from './in-memory.ts';
import { describeSealedVault } from './web-crypto-promises.ts';

describeVault('The in-memory vault', async () => createInMemoryVault());
describeVault('The sealed vault', async () => createVault(createInMemoryStore().keyValues));
describeVault('The vault in a sealed store', async () =>
  createKeyValueVault(createInMemoryStore().keyValues),
);
describeSealedVault('The vault', async () => createInMemoryStore().keyValues);
