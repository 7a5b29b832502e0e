// The relay: sealed blobs, which it cannot read and this device replaces by itself. This
// place only waits until that is done.
import { type ConversationId, NOTES_DOCUMENT } from '../../../domain/base/ids.ts';
import { type CreatePlace, roomOf } from '../place.ts';

/**
 * Verifies that the relay has replaced its blobs: waits until the outbox is empty and sync is up to date. Without an
 * account there is nothing to do.
 */
export const relay: CreatePlace = ({ keyValues, sync }) => ({
  id: 'relay',
  find: async () => [],
  remove: async () => {},
  verify: async ({ record }) => {
    if (sync.account.get() === null) return { left: 0, waiting: false };
    if ((await keyValues.keys('sync/erase/')).length > 0) return { left: 0, waiting: true };
    let kept = 0;
    for (const document of [...record.inside, NOTES_DOCUMENT] as readonly (ConversationId | string)[]) {
      const room = await roomOf({ keyValues }, document);
      // A document kept only on this device no longer replaces anything on the relay.
      if (room?.staysHere) {
        if (room.wasSent) kept += 1;
        continue;
      }
      if ((await keyValues.keys(`sync/out/${document}/`)).length > 0) return { left: 0, waiting: true };
      if (room?.squash) return { left: 0, waiting: true };
    }
    return { left: 0, waiting: sync.status.get().state !== 'synced', kept };
  },
});
