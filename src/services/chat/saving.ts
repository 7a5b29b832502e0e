// Writes the messages of a turn into the document: each in one transaction with the deletion of its draft row; the head
// follows unless the person has moved on.
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import { type ConversationId, isTemporary, type MessageId, newMessageId } from '../../domain/base/ids.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { dmailText } from '../../domain/chat/dmail.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { Documents, OpenConversation } from '../documents/documents.ts';
import type { DraftRow } from './draft-rows.ts';

/**
 * Makes the functions that write a turn's messages. `withoutForgotten` removes from a message
 * whatever was forgotten while it streamed.
 */
export function createSaving({
  documents,
  keyValues,
  now,
  device,
  withoutForgotten = (message) => message,
}: {
  documents: Pick<Documents, 'read' | 'change' | 'library'>;
  keyValues: KeyValues;
  now: () => number;
  device: () => string;
  withoutForgotten?: ((message: Message) => Message | null) | undefined;
}) {
  /**
   * Appends the message and deletes its draft row in one transaction. The head follows unless the person has moved on.
   */
  async function save(
    id: ConversationId,
    conversation: Conversation,
    made: Message,
    {
      replaces,
      draft,
      aside = false,
    }: {
      replaces?: MessageId | undefined;
      draft?: Pick<DraftRow, 'settle'> | undefined;
      aside?: boolean;
    } = {},
  ): Promise<void> {
    // Keep forgotten text out: the answer may hold some that was forgotten while it streamed.
    const message = withoutForgotten(made) ?? { ...made, parts: [] };
    const failed = replaces === undefined ? undefined : conversation.messages.get(replaces);
    const head = effectiveHead(conversation);
    const here = !aside && (head === message.parentId || (failed !== undefined && head === failed.id));
    const row = await draft?.settle(message);
    await documents.change(
      id,
      {
        messages: [message],
        ...(here ? { meta: { head: message.id } } : {}),
        ...(failed ? { removed: [failed.id] } : {}),
      },
      row === undefined ? {} : { writes: [{ key: row, value: undefined }] },
    );
  }

  /** Deletes the draft row of an answer that is not kept. */
  async function drop(draft: DraftRow | undefined): Promise<void> {
    const row = await draft?.settle();
    if (row !== undefined) await keyValues.set(row, undefined);
  }

  /**
   * Appends a model's D-Mail below its checkpoint and returns the message to answer; later work stays on its branch. If
   * the checkpoint lies before the question being answered, the question is repeated below it.
   */
  async function deliver(
    id: ConversationId,
    open: OpenConversation,
    from: Message,
    mail: { message: string; to: MessageId },
    asked: Message,
  ): Promise<MessageId> {
    const note: Message = {
      id: newMessageId(),
      parentId: mail.to,
      role: 'user',
      kind: 'message',
      createdAt: Math.max(now(), from.createdAt + 1),
      parts: [{ type: 'text', text: dmailText(mail.message) }],
      device: device(),
      dmail: { from: from.id, checkpoint: mail.to, by: 'model' },
    };
    const { messages } = open.get();
    const there = pathTo(messages, mail.to).some((said) => said.id === asked.id || said.copyOf === asked.id);
    const question: Message = {
      id: newMessageId(),
      parentId: note.id,
      role: asked.role,
      kind: asked.kind,
      createdAt: note.createdAt + 1,
      parts: asked.parts,
      device: device(),
      copyOf: asked.id,
    };
    const leaf = there ? note.id : question.id;
    const here = effectiveHead(open.get()) === from.id;
    await documents.change(id, {
      messages: there ? [note] : [note, question],
      ...(here ? { meta: { head: leaf } } : {}),
    });
    return leaf;
  }

  /**
   * False once the conversation was erased for good, here or in another tab: its
   * answer must not return as a lone message.
   */
  const stillThere = async (id: ConversationId): Promise<boolean> => {
    const { ready, entries } = documents.library.get();
    const isListed = !ready || isTemporary(id) || entries.some((entry) => entry.id === id);
    return isListed && (await documents.read(id)) !== undefined;
  };

  return { save, drop, deliver, stillThere };
}
