// Deletes one message, or an answer with its steps, from conversation, relay and index. Its children stay and move up;
// this device keeps it for a while (`deleted-messages.ts`).
import type { KeyValueWrite } from '../../adapters/log/conversation-log.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import { type ConversationId, isTemporary, type MessageId } from '../../domain/base/ids.ts';
import { planDeletion } from '../../domain/chat/deletion.ts';
import { memoryFileBefore, memoryFileWithout } from '../../domain/chat/memory-file.ts';
import type { Documents } from '../documents/documents.ts';
import { endKeeping, keepDeleted } from './deleted-messages.ts';

/**
 * Resolves when the deletion is durable. `undo` restores the message, compactions that may quote it, its checkpoints
 * and the head, while this tab is open. Throws `conversation-missing`, `message-missing`.
 * @param now ms since 1970
 */
export async function deleteMessage(
  documents: Pick<Documents, 'read' | 'change'>,
  id: ConversationId,
  message: MessageId,
  now: number,
): Promise<{ readonly count: number; readonly undo: () => Promise<void> }> {
  const conversation = await documents.read(id);
  if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
  const plan = planDeletion(conversation, message);
  if (!plan) throw new RecollectError('message-missing', `There is no message ${message}`);
  const { head } = conversation.meta;
  const files = memoryFileWithout(conversation, plan.messages);
  const moved = Object.fromEntries(
    [...conversation.checkpoints].filter(([name]) => Object.hasOwn(plan.checkpoints, name)),
  );
  // A temporary conversation is kept nowhere, nor is what was deleted in it.
  const writes = (one: KeyValueWrite) => (isTemporary(id) ? {} : { writes: [one] });
  await documents.change(
    id,
    {
      removed: plan.messages.map((gone) => gone.id),
      checkpoints: plan.checkpoints,
      meta: { ...files, head: plan.head },
    },
    writes(keepDeleted(id, plan.messages, moved, now)),
  );
  return {
    count: plan.messages.length,
    undo: async () => {
      const after = await documents.read(id);
      if (!after) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
      const lost = [...conversation.compactions].filter(([key]) => !after.compactions.has(key));
      await documents.change(
        id,
        {
          restored: plan.messages,
          compactions: Object.fromEntries(lost),
          checkpoints: moved,
          // A person who has moved on meanwhile stays there.
          meta: {
            ...memoryFileBefore(conversation, files),
            ...(after.meta.head === plan.head ? { head } : {}),
          },
        },
        writes(endKeeping(id, plan.messages)),
      );
    },
  };
}
