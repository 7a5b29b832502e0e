// Messages that the person marked as kept: they are sent whole whatever is compacted. A mark is a key of the
// conversation's metadata, so it syncs, is in every backup, and concurrent marks of two devices both stay.
import type { MessageId } from '../base/ids.ts';
import type { Conversation, ConversationMeta } from './conversation.ts';

const KEPT = 'kept:';

/** Makes the change that marks a message, or removes the mark. */
export const keptChange = (message: MessageId, kept: boolean): Partial<ConversationMeta> => ({
  [`${KEPT}${message}`]: kept,
});

/** Lists the marked messages. Only the person's can be marked: a tool call would be sent without its other half. */
export function keptIn({ meta, messages }: Pick<Conversation, 'meta' | 'messages'>): ReadonlySet<MessageId> {
  const kept = new Set<MessageId>();
  for (const [key, value] of Object.entries(meta)) {
    if (value !== true || !key.startsWith(KEPT)) continue;
    const message = messages.get(key.slice(KEPT.length) as MessageId);
    if (message?.role === 'user' && message.kind === 'message') kept.add(message.id);
  }
  return kept;
}

/** Joins marks into a key for caches. */
export const keptKey = (kept: Iterable<MessageId>): string => [...kept].join();
