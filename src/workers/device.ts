// Opens the parts of this device that a worker needs: stores, secrets and settings.
import type { StoresInForce } from '../services/lock/in-force.ts';
import type { Settings } from '../services/settings/settings.ts';
import { createSettings } from '../services/settings/settings-service.ts';
import { openForWorker } from './device-lock.ts';

interface Device extends StoresInForce {
  readonly settings: Settings;
}

/**
 * Opens the device for a worker. Its settings test no connections, as only tabs do that. Rejects as `openForWorker`.
 */
export async function openDevice(): Promise<Device> {
  const inForce = await openForWorker(new AbortController().signal);
  const { store, vault } = inForce;
  const settings = await createSettings({
    keyValues: store.keyValues,
    vault,
    test: async () => ({
      ok: false,
      problem: { code: 'unexpected', message: 'Not tested here', retry: false },
    }),
  });
  return { ...inForce, settings };
}
