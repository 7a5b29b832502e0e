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
    // Characters at random hardly deflate: fourteen bits each. The privacy filter reads them in no time.
    const noise = (length: number) => {
      const made = new Uint16Array(length);
      for (let at = 0; at < length; at += 32_768) crypto.getRandomValues(made.subarray(at, at + 32_768));
      return Array.from(made, (sign) => String.fromCharCode(0x4e00 + (sign % 20_000))).join('');
    };
    await laptop.say(newConversationId(), noise(1_400_000));
    await laptop.sync.create({ endpoint: 'wss://relay.example', deviceName: 'Laptop' });
    await isSynced(laptop, 40_000);
    expect(handed.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(2 * 1024 * 1024);
    expect(Math.max(...handed)).toBeLessThanOrEqual(512 * 1024);
  } finally {
    laptop.stop();
  }
}, 60_000);
