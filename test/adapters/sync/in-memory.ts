// Rooms in this thread's memory: for tests, and for trying sync without a relay.
// Devices that share a hub share its rooms.

import type { RoomState, SyncBackend } from '../../../src/adapters/sync/sync-backend.ts';
import { RecollectError } from '../../../src/domain/base/errors.ts';
import { blobKey } from '../../../src/domain/sync/blob.ts';
import { accountTag } from '../../../src/domain/sync/keys.ts';

export interface InMemoryHub {
  readonly backend: SyncBackend;
  /** Cuts or restores every connection. */
  setOnline(online: boolean): void;
  /** What it holds: room address → blobs. */
  readonly rooms: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;
}

export function createInMemoryHub(): InMemoryHub {
  const rooms = new Map<string, Map<string, Uint8Array>>();
  const listeners = new Map<string, Set<() => void>>();
  let online = true;

  const notify = (address: string) => {
    for (const listener of listeners.get(address) ?? []) queueMicrotask(listener);
  };
  const addressOf = (token: string, room: string) => `${accountTag(token)}/${room}`;

  const backend: SyncBackend = {
    open: ({ token }, room, onChange) => {
      const address = addressOf(token, room);
      let closed = false;
      const look = () => !closed && onChange();
      const mine = listeners.get(address) ?? new Set();
      listeners.set(address, mine.add(look));
      queueMicrotask(look);
      const state = (): RoomState => (online && !closed ? 'synced' : 'offline');
      return {
        get state() {
          return state();
        },
        problem: null,
        junk: 0,
        blobs: () => (state() === 'synced' ? new Map(rooms.get(address)) : new Map()),
        insert: (blobs, instead = []) => {
          if (state() !== 'synced') return;
          for (const key of instead) rooms.get(address)?.delete(key);
          const held = rooms.get(address) ?? new Map<string, Uint8Array>();
          rooms.set(address, held);
          for (const blob of blobs) held.set(blobKey(blob), blob.slice());
          notify(address);
        },
        remove: (keys) => {
          if (state() !== 'synced') return;
          for (const key of keys) rooms.get(address)?.delete(key);
          notify(address);
        },
        isConfirmed: (key) => state() === 'synced' && (rooms.get(address)?.has(key) ?? false),
        retry: () => {},
        close: () => {
          closed = true;
          mine.delete(look);
        },
      };
    },
    erase: async ({ token }, room) => {
      if (!online) throw new RecollectError('sync-offline', 'The hub is switched off', { retry: true });
      const address = addressOf(token, room ?? '');
      for (const known of [...rooms.keys()])
        if (room === null ? known.startsWith(address) : known === address) {
          rooms.delete(known);
          notify(known);
        }
    },
  };

  return {
    backend,
    rooms,
    setOnline: (now) => {
      online = now;
      for (const address of listeners.keys()) notify(address);
    },
  };
}
