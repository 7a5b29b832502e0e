// Secrets in this tab's memory: for tests. Nothing outlives the tab.
import type { Vault } from '../../../src/adapters/vault/vault.ts';

export function createInMemoryVault(): Vault {
  const secrets = new Map<string, string>();
  return {
    put: async (name, secret) => {
      if (secret === '') secrets.delete(name);
      else secrets.set(name, secret);
    },
    get: async (name) => secrets.get(name),
    names: async () => [...secrets.keys()].sort(),
  };
}
