// What is said in tests of documents, and a store that lost a piece of it.
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { type DocumentId, newMessageId } from '../../../src/domain/base/ids.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';

/** A person's message. */
export const said = (text: string, parentId: Message['parentId'] = null, createdAt = 1): Message => ({
  id: newMessageId(),
  parentId,
  role: 'user',
  kind: 'message',
  createdAt,
  parts: [{ type: 'text', text }],
});

export const textOf = ({ parts: [first] }: Message) => (first?.type === 'text' ? first.text : '');
export const textsOf = (conversation: Conversation | undefined) =>
  [...(conversation?.messages.values() ?? [])].map(textOf);

/** The same store, which gives of the document's entry at this place (from 0) only the first half. */
export async function cutWhenRead(store: Store, document: DocumentId, place: number): Promise<Store> {
  const cut = (await store.log.read(document))[place]?.id;
  const read: Store['log']['read'] = async (...of) =>
    (await store.log.read(...of)).map((entry) =>
      entry.id === cut ? { ...entry, bytes: entry.bytes.slice(0, entry.bytes.length >> 1) } : entry,
    );
  return { ...store, log: { ...store.log, read } };
}

/** Whether any log entry contains the text, plain or percent-encoded, even in parts that no reader shows. */
export async function isInLog({ log }: Store, text: string): Promise<boolean> {
  const needle = Buffer.from(text);
  return (await log.since(0, Number.POSITIVE_INFINITY)).some(({ bytes }) =>
    Buffer.from(bytes).includes(needle),
  );
}
