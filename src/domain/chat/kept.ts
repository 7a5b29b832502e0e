// Messages of the person that are marked as kept: whatever is folded, they are sent as they are. A mark is a key of the conversation's
// metadata, so it syncs, is in every backup, and of two devices that mark at once neither loses its word.
import type { MessageId } from '../base/ids.ts';
import type { Conversation, ConversationMeta } from './conversation.ts';

const KEPT = 'kept:';

/** Change that marks a message, or removes the mark. */
export const keptChange = (message: MessageId, kept: boolean): Partial<ConversationMeta> => ({
  [`${KEPT}${message}`]: kept,
});

/** The messages that are marked. Others than the person's cannot be: half of a tool call would be sent without its other half. */
export function keptIn({ meta, messages }: Pick<Conversation, 'meta' | 'messages'>): ReadonlySet<MessageId> {
  const kept = new Set<MessageId>();
  for (const [key, value] of Object.entries(meta)) {
    if (value !== true || !key.startsWith(KEPT)) continue;
    const message = messages.get(key.slice(KEPT.length) as MessageId);
    if (message?.role === 'user' && message.kind === 'message') kept.add(message.id);
  }
  return kept;
}

/** Marks as one text, another for other marks. */
export const keptKey = (kept: Iterable<MessageId>): string => [...kept].join();
