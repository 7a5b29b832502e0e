// A device sends a room in portions small enough for a slow line to acknowledge every few seconds.
import { expect, it } from 'vitest';
import type { SyncBackend } from '../../../src/adapters/sync/sync-backend.ts';
import { newConversationId } from '../../../src/domain/base/ids.ts';
import { createInMemoryHub } from '../../adapters/sync/in-memory.ts';
import { createTestDevice, isSynced } from './device.ts';

it('a large conversation goes up half a megabyte at a time', async () => {
  const hub = createInMemoryHub();
  const handed: number[] = [];
  const backend: SyncBackend = {
    ...hub.backend,
    open: (...args) => {
      const room = hub.backend.open(...args);
      const watched: typeof room = Object.create(room, {
        insert: {
          value: (blobs: readonly Uint8Array[]) => {
            handed.push(blobs.reduce((sum, { length }) => sum + length, 0));
            room.insert(blobs);
          },
        },
      });
      return watched;
    },
  };
  const laptop = createTestDevice({ name: 'Laptop', backend });
  try {
    const noise = (bytes: number) => {
      const made = new Uint8Array(bytes);
      for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(made.subarray(at, at + 65_536));
      return Buffer.from(made).toString('latin1');
    };
    await laptop.say(newConversationId(), noise(2 * 1024 * 1024));
    await laptop.sync.create({ endpoint: 'wss://relay.example', deviceName: 'Laptop' });
    await isSynced(laptop, 40_000);
    expect(handed.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(2 * 1024 * 1024);
    expect(Math.max(...handed)).toBeLessThanOrEqual(512 * 1024);
  } finally {
    laptop.stop();
  }
}, 60_000);
