// Which conversations have keywords and a summary in the index that are older than their messages: noted before the
// index moves on, so that a kill forgets none, and so that forgetting finds them.
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import type { ConversationId } from '../../domain/base/ids.ts';

/** A key of this device. */
const KEY = 'memory.undescribed';

/** Lists the noted conversations. */
export async function undescribedIn(keyValues: Pick<KeyValues, 'get'>): Promise<ConversationId[]> {
  const kept = await keyValues.get(KEY);
  return Array.isArray(kept) ? kept.filter((id): id is ConversationId => typeof id === 'string') : [];
}

/** Replaces the note. Durable when resolved. */
export const noteUndescribed = (
  keyValues: Pick<KeyValues, 'set'>,
  ids: ReadonlySet<ConversationId>,
): Promise<void> => keyValues.set(KEY, ids.size > 0 ? [...ids] : undefined);
