// What a thread of its own needs of this device: its store, its secrets, its settings. Connections are tested by tabs alone.
import type { Store } from '../adapters/log/conversation-log.ts';
import { openStore } from '../adapters/log/index.ts';
import type { Vault } from '../adapters/vault/vault.ts';
import { createVault } from '../adapters/vault/web-crypto.ts';
import type { Settings } from '../services/settings/settings.ts';
import { createSettings } from '../services/settings/settings-service.ts';

interface Device {
  readonly store: Store;
  readonly vault: Vault;
  readonly settings: Settings;
}

/** Throws as `openStore` does. */
export async function openDevice(): Promise<Device> {
  const store = await openStore();
  const vault = createVault(store.drawer);
  const settings = await createSettings({
    drawer: store.drawer,
    vault,
    test: async () => ({
      ok: false,
      problem: { code: 'unexpected', message: 'Not tested here', retry: false },
    }),
  });
  return { store, vault, settings };
}
