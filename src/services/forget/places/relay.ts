// The relay: sealed pieces, which it cannot read and which this device replaces. Nothing is to be done here but to wait until they are.
import { type ConversationId, NOTES_DOCUMENT } from '../../../domain/base/ids.ts';
import { type CreatePlace, roomOf } from '../place.ts';

export const relay: CreatePlace = ({ keyValues, sync }) => ({
  id: 'relay',
  find: async () => [],
  remove: async () => {},
  verify: async ({ record }) => {
    if (sync.account.get() === null) return { left: 0, waiting: false };
    if ((await keyValues.keys('sync/erase/')).length > 0) return { left: 0, waiting: true };
    for (const document of [...record.inside, NOTES_DOCUMENT] as readonly (ConversationId | string)[]) {
      if ((await keyValues.keys(`sync/out/${document}/`)).length > 0) return { left: 0, waiting: true };
      if ((await roomOf({ keyValues }, document))?.squash) return { left: 0, waiting: true };
    }
    return { left: 0, waiting: sync.status.get().state !== 'synced' };
  },
});
