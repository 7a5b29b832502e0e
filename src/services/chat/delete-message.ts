// Deletes one message, or an answer with its steps, from log, relay and index. Its children stay and move up.
import { RecollectError } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { planDeletion } from '../../domain/chat/deletion.ts';
import { memoryFileBefore, memoryFileWithout } from '../../domain/chat/memory-file.ts';
import type { Documents } from '../documents/documents.ts';

/**
 * Resolves when the deletion is durable. `undo` restores the message, compactions that may quote it, its checkpoints
 * and the head, while this tab is open, which alone has the words. Throws `conversation-missing`, `message-missing`.
 */
export async function deleteMessage(
  documents: Pick<Documents, 'read' | 'change'>,
  id: ConversationId,
  message: MessageId,
): Promise<{ readonly count: number; readonly undo: () => Promise<void> }> {
  const conversation = await documents.read(id);
  if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
  const plan = planDeletion(conversation, message);
  if (!plan) throw new RecollectError('message-missing', `There is no message ${message}`);
  const { head } = conversation.meta;
  const files = memoryFileWithout(conversation, plan.messages);
  await documents.change(id, {
    removed: plan.messages.map((gone) => gone.id),
    checkpoints: plan.checkpoints,
    meta: { ...files, head: plan.head },
  });
  return {
    count: plan.messages.length,
    undo: async () => {
      const after = await documents.read(id);
      if (!after) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
      const lost = [...conversation.compactions].filter(([key]) => !after.compactions.has(key));
      const moved = Object.keys(plan.checkpoints).map((name) => [name, conversation.checkpoints.get(name)]);
      await documents.change(id, {
        restored: plan.messages,
        compactions: Object.fromEntries(lost),
        checkpoints: Object.fromEntries(moved),
        // A person who has moved on meanwhile stays there.
        meta: {
          ...memoryFileBefore(conversation, files),
          ...(after.meta.head === plan.head ? { head } : {}),
        },
      });
    },
  };
}
