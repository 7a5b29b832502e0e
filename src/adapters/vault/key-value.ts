// Keeps secrets in a key-value store that is sealed already, like that of a locked device. The secrets need no second
// seal, and no key of the browser lies beside them.
import { z } from 'zod';
import type { Vault } from './vault.ts';

/** Parts of the store that the vault uses. */
interface SealedKeyValues {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  keys(prefix: string): Promise<string[]>;
}

const PREFIX = 'secret/';
const kept = z.object({ secret: z.string() });

/** Makes a vault over sealed key-values; an empty secret deletes its name. */
export function createKeyValueVault(keyValues: SealedKeyValues): Vault {
  return {
    put: (name, secret) => keyValues.set(PREFIX + name, secret === '' ? undefined : { secret }),
    get: async (name) => kept.safeParse(await keyValues.get(PREFIX + name)).data?.secret,
    names: async () => (await keyValues.keys(PREFIX)).map((key) => key.slice(PREFIX.length)).sort(),
  };
}
