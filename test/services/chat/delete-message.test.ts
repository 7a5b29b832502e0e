// One message is deleted: gone from the log's documents and from recall, what follows stays
// readable, and all of it can be put back.
import { afterEach, describe, expect, it } from 'vitest';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { newMessageId, newTemporaryId } from '../../../src/domain/base/ids.ts';
import { planDeletion } from '../../../src/domain/chat/deletion.ts';
import type { Message, Part } from '../../../src/domain/chat/message.ts';
import { deleteMessage } from '../../../src/services/chat/delete-message.ts';
import { createDeletedMessages } from '../../../src/services/chat/deleted-messages.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createConversationDocument } from '../../../src/services/documents/yjs-conversation.ts';
import { conversationOf, openHome } from '../memory/home.ts';
import { createScene } from './setup.ts';

const homes: ReturnType<typeof openHome>[] = [];
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});

const said = (text: string, parent: Message | null, more: Partial<Message> = {}): Message => ({
  id: newMessageId(),
  parentId: parent?.id ?? null,
  role: 'user',
  kind: 'message',
  createdAt: (parent?.createdAt ?? 0) + 1,
  parts: [{ type: 'text', text }],
  ...more,
});
const call: Part = { type: 'tool-call', callId: 'c1', name: 'look', arguments: '{}' };
const result: Part = { type: 'tool-result', callId: 'c1', text: 'seen' };

async function steps() {
  const { documents, path } = createScene();
  const { id } = conversationOf([]);
  const question = said('Where?', null);
  const calls = said('', question, { role: 'assistant', parts: [call] });
  const seen = said('', calls, { role: 'tool', parts: [result] });
  const answer = said('There.', seen, { role: 'assistant' });
  const next = said('Thanks', answer);
  const messages = [question, calls, seen, answer, next];
  await documents.change(id, { messages, meta: { head: next.id }, checkpoints: { found: answer.id } });
  return { documents, path, id, question, calls, seen, answer, next, messages };
}

describe('deleting a message', () => {
  it('takes an answer with its steps, moves what follows up, and puts all of it back', async () => {
    const { documents, path, id, question, answer, next, messages } = await steps();
    const { count, undo } = await deleteMessage(documents, id, answer.id, 1_790_000_000_000);
    expect(count).toBe(3);
    expect((await path(id)).map((message) => message.id)).toEqual([question.id, next.id]);
    const after = await documents.read(id);
    expect(after?.checkpoints.get('found')?.messageId).toBe(question.id);
    await undo();
    expect((await path(id)).map((message) => message.id)).toEqual(messages.map((message) => message.id));
    expect((await documents.read(id))?.checkpoints.get('found')?.messageId).toBe(answer.id);
  });

  it('puts back in the right places what was deleted one by one, in whatever order', async () => {
    const { documents, path, id, question, answer, next, messages } = await steps();
    const first = await deleteMessage(documents, id, answer.id, 1_790_000_000_000);
    const second = await deleteMessage(documents, id, next.id, 1_790_000_000_000);
    expect((await path(id)).map((message) => message.id)).toEqual([question.id]);
    await second.undo();
    await first.undo();
    expect((await path(id)).map((message) => message.id)).toEqual(messages.map((message) => message.id));
  });

  it('shows the neighbour where the end of a branch goes, and leaves its steps alone', async () => {
    const { documents, path, id, question, next, answer } = await steps();
    const other = said('Here.', question, { role: 'assistant', createdAt: 90 });
    await documents.change(id, { messages: [other], meta: { head: other.id } });
    await deleteMessage(documents, id, other.id, 1_790_000_000_000);
    const shown = (await path(id)).map((message) => message.id);
    expect(shown.at(-1)).toBe(next.id);
    expect(shown).toContain(answer.id);
  });

  it('leaves a step that another branch shares', async () => {
    const { documents, id, seen, answer, calls } = await steps();
    await documents.change(id, {
      messages: [said('Elsewhere.', seen, { role: 'assistant', createdAt: 90 })],
    });
    const conversation = await documents.read(id);
    if (!conversation) throw new Error('gone');
    const gone = planDeletion(conversation, answer.id)?.messages.map((message) => message.id);
    expect(gone).toEqual([answer.id]);
    expect(gone).not.toContain(calls.id);
  });

  it('travels: another device sees it gone, what it said below it meanwhile, and it back again', async () => {
    const { id, question, answer, messages } = await steps();
    const [here, there] = [createConversationDocument(id), createConversationDocument(id)];
    const carry = (update: Uint8Array | undefined, to: typeof here) => update && to.apply(update, 'remote');
    carry(here.change({ messages }), there);
    const late = said('Meanwhile', answer, { createdAt: 99 });
    const fromThere = there.change({ messages: [late] });
    const fromHere = here.change({ removed: [answer.id] });
    carry(fromThere, here);
    carry(fromHere, there);
    expect(there.read().messages).toEqual(here.read().messages);
    expect(there.read().messages.has(answer.id)).toBe(false);
    expect(there.read().messages.get(late.id)?.parentId).not.toBe(answer.id);
    carry(here.change({ restored: [answer] }), there);
    expect(there.read().messages.get(late.id)?.parentId).toBe(answer.id);
    expect(there.read().messages.get(answer.id)?.parts).toEqual(answer.parts);
    expect(there.read().messages.has(question.id)).toBe(true);
  });

  it('is gone from recall, with what stood around it, and comes back there', async () => {
    const home = openHome();
    homes.push(home);
    const { id, change } = conversationOf([
      'Where is the ladder?',
      'Behind the zebra.',
      'Paint the kiwi by the door green.',
    ]);
    await home.documents.change(id, change);
    await home.engine().settled();
    const found = async (words: string) =>
      (await home.index.search({ words, filter: {}, limit: 50 })).candidates.map(({ text }) => text);
    expect(await found('zebra')).toHaveLength(1);
    expect(await found('kiwi')).toHaveLength(1);
    const { undo } = await deleteMessage(
      home.documents,
      id,
      change.messages[1]?.id as Message['id'],
      1_790_000_000_000,
    );
    await home.engine().settled();
    expect(await found('zebra')).toEqual([]);
    expect(await found('kiwi')).toHaveLength(1);
    await undo();
    await home.engine().settled();
    expect(await found('zebra')).toHaveLength(1);
  });
});

describe('a deleted message that is kept', () => {
  const DAY = 24 * 3_600_000;
  async function deleted() {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const { id } = conversationOf([]);
    const question = said('Where?', null);
    const answer = said('Behind the zebra.', question, { role: 'assistant' });
    const next = said('Thanks', answer);
    await documents.change(id, {
      messages: [question, answer, next],
      meta: { head: next.id },
      checkpoints: { found: answer.id },
    });
    let now = 1_790_000_000_000;
    const kept = createDeletedMessages({ keyValues: store.keyValues, documents, now: () => now });
    await deleteMessage(documents, id, answer.id, now);
    return { store, documents, id, answer, question, next, kept, later: (ms: number) => (now += ms) };
  }

  it('comes back at its place, with its checkpoint, in whichever tab', async () => {
    const { documents, id, answer, question, next, kept } = await deleted();
    const [one] = await kept.list(id);
    expect(one).toMatchObject({ id: answer.id, messages: [{ parts: answer.parts }] });
    await kept.bringBack(id, answer.id);
    const after = await documents.read(id);
    expect(after?.messages.get(next.id)?.parentId).toBe(answer.id);
    expect(after?.messages.get(answer.id)?.parentId).toBe(question.id);
    expect(after?.checkpoints.get('found')?.messageId).toBe(answer.id);
    expect(await kept.list(id)).toEqual([]);
    await expect(kept.bringBack(id, answer.id)).rejects.toThrow('not kept');
  });

  it('is dropped for good, which can be undone', async () => {
    const { id, answer, kept } = await deleted();
    const { undo } = await kept.drop(id, answer.id);
    expect(await kept.list(id)).toEqual([]);
    await undo();
    expect(await kept.list(id)).toHaveLength(1);
  });

  it('is kept for thirty days, and no longer than its conversation', async () => {
    const old = await deleted();
    old.later(29 * DAY);
    await old.kept.cleanUp();
    expect(await old.kept.list(old.id)).toHaveLength(1);
    old.later(2 * DAY);
    expect(await old.kept.list(old.id)).toEqual([]);
    await old.kept.cleanUp();
    expect(await old.store.keyValues.keys('deleted/')).toEqual([]);
    const erased = await deleted();
    await erased.documents.erase([erased.id]);
    expect(await erased.store.keyValues.keys('deleted/')).toEqual([]);
  });

  it('leaves nothing of a temporary conversation', async () => {
    const store = createInMemoryStore();
    const documents = createDocuments({ store });
    const id = newTemporaryId();
    const question = said('Where?', null);
    await documents.change(id, { messages: [question], meta: { head: question.id } });
    await deleteMessage(documents, id, question.id, 1);
    expect(await store.keyValues.keys('deleted/')).toEqual([]);
  });
});
