// An answer's part from memory, for tests of what quotes a conversation.
import type { PartOf } from '../../../src/domain/chat/message.ts';

/** One passage of a person's own, quoted word for word. */
export const recalledFrom = (
  conversationId: string,
  messageId: string,
  { title, passage }: { readonly title: string; readonly passage: string },
): PartOf<'recall'> => ({
  type: 'recall',
  query: 'q',
  threshold: 0.75,
  nearMisses: [],
  passages: [
    {
      conversationId,
      messageId,
      title,
      createdAt: 1,
      role: 'user',
      passage,
      neighbours: [],
      scores: { vector: null, keyword: null, hybrid: 1, decay: 1, final: 1 },
      tokens: 3,
    },
  ],
});
