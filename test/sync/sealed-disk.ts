// The disk of a device that is locked at rest: what lies on it, what an unlocked process sees of it, and
// what is found by whoever has no key.
import type { Store } from '../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../src/adapters/log/in-memory.ts';
import { sealedStore } from '../../src/adapters/log/sealed.ts';
import { createKeyValueVault } from '../../src/adapters/vault/key-value.ts';
import type { Vault } from '../../src/adapters/vault/vault.ts';
import { createSeededCipher } from './node-crypto.ts';

export interface SealedDisk {
  readonly below: Store;
  /** As the unlocked device opens it. */
  readonly store: Store;
  readonly vault: Vault;
  /** The same key over another disk. */
  over(below: Store): SealedDisk;
}

export function createSealedDisk(random: () => number, now: () => number): SealedDisk {
  const ciphers = { entries: createSeededCipher(random), values: createSeededCipher(random) };
  const over = (below: Store): SealedDisk => {
    const store: Store = { ...sealedStore(below, ciphers), kind: 'persistent' };
    return { below, store, vault: createKeyValueVault(store.keyValues), over };
  };
  return over(createInMemoryStore({ now }));
}

/** All that lies on a disk, ids and names included: the same bytes for the same contents. */
export async function bytesOn({ log, keyValues }: Store): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (const { seq, id, document, origin, at, bytes } of await log.since(0, Number.POSITIVE_INFINITY))
    pieces.push(Buffer.from(JSON.stringify([seq, id, document, origin, at])), Buffer.from(bytes));
  for (const key of await keyValues.keys('')) {
    const value = await keyValues.get(key);
    pieces.push(Buffer.from(key));
    pieces.push(value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(JSON.stringify(value) ?? ''));
  }
  return Buffer.concat(pieces);
}
