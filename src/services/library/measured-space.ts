// Measures how much of the allowed size the library uses, from the figures of browser, log and index.
import type { Device } from '../../adapters/browser/device.ts';
import type { Store } from '../../adapters/log/conversation-log.ts';
import { orElse } from '../../domain/base/log.ts';
import type { Memory } from '../memory/memory.ts';
import type { Settings } from '../settings/settings.ts';
import { type StorageSpace, storageSpaceOf } from './storage-space.ts';

interface SpaceSources {
  readonly device: Pick<Device, 'storage'>;
  readonly store: { readonly log: Pick<Store['log'], 'stats'> };
  readonly memory: Pick<Memory, 'status' | 'stats'>;
  readonly settings: Pick<Settings, 'config'>;
}

/** Rejects if the log cannot be read. An index that is starting or failed is left out. */
export async function measureSpace({ device, store, memory, settings }: SpaceSources): Promise<StorageSpace> {
  const { state } = memory.status.get();
  const [{ usage, modelBytes }, kept, indexed] = await Promise.all([
    device.storage(),
    store.log.stats(),
    state === 'starting' || state === 'failed' ? null : orElse(memory.stats(), null, 'the size of the index'),
  ]);
  return storageSpaceOf({
    usage,
    known: kept.bytes + modelBytes + (indexed?.bytes ?? 0),
    maxSizeMb: settings.config.get().storage.max_size_mb,
  });
}

/** Space that the browser reports as used and allowed for the origin, bytes; null if it reports none. */
export async function estimateSpace(device: Pick<Device, 'storage'>) {
  const { usage, quota } = await device.storage();
  return usage === null || quota === null ? null : { usage, quota };
}
