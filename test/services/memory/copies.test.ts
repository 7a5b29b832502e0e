// Recall finds repeated content once, and does not take a model's rewording of a person's message for theirs.
import { afterEach, describe, expect, it } from 'vitest';
import { newMessageId } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { conversationOf, openHome } from './home.ts';

const homes: ReturnType<typeof openHome>[] = [];
const home = () => {
  const one = openHome({ config: { recall: { filters: { min_similarity: 0 } } } });
  homes.push(one);
  return one;
};
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});

const said = (
  parent: Message,
  role: Message['role'],
  text: string,
  more: Partial<Message> = {},
): Message => ({
  id: newMessageId(),
  parentId: parent.id,
  role,
  kind: 'message',
  createdAt: parent.createdAt + 60_000,
  parts: [{ type: 'text', text }],
  ...more,
});

/** A question and its answer on one branch, and copies of both on another, below a note of the person. */
function sentBack() {
  const first = conversationOf(['We are planning the cellar.', 'What is it for?']);
  const [root, top] = first.change.messages as [Message, Message];
  const question = said(top, 'user', 'Which shelf holds the plum jam?');
  const answer = said(question, 'assistant', 'The plum jam stands on the lowest shelf.');
  const note = said(top, 'user', 'Mind the damp wall.', {
    dmail: { from: answer.id, checkpoint: top.id, by: 'person' },
  });
  const again = said(note, 'user', 'Which shelf holds the plum jam?', { copyOf: question.id });
  const taken = said(again, 'assistant', 'The plum jam stands on the lowest shelf.', { reused: answer.id });
  const after = said(taken, 'user', 'And the pears?');
  return {
    id: first.id,
    change: { ...first.change, messages: [root, top, question, answer, note, again, taken, after] },
    question,
    answer,
    taken,
    after,
  };
}

describe('copies', () => {
  it('are found once, where they were said first, and still lead on to what follows them', async () => {
    const one = home();
    const { question, answer, taken, after, ...conversation } = sentBack();
    await one.add(conversation);
    await one.indexed();
    const { passages } = await one.recall('plum jam shelf', { limit: 50 });
    const ids = passages.map(({ messageId }) => messageId);
    expect(ids).toContain(question.id);
    expect(ids).toContain(answer.id);
    expect(ids).not.toContain(taken.id);
    const { candidates } = await one.index.search({
      words: 'pear',
      filter: {},
      limit: 1,
      withNeighbours: true,
    });
    const next = candidates.find(({ messageId }) => messageId === after.id);
    const before = candidates.find(({ chunkId }) => chunkId === next?.previous);
    expect(before?.messageId).toBe(answer.id);
  });

  it('stand for themselves when what they were copied from is forgotten', async () => {
    const one = home();
    const { answer, taken, question: _, after: __, ...conversation } = sentBack();
    await one.add(conversation);
    await one.indexed();
    await one.documents.change(conversation.id, { removed: [answer.id] });
    await one.indexed();
    const ids = (await one.recall('lowest shelf', { limit: 50 })).passages.map(({ messageId }) => messageId);
    expect(ids).toContain(taken.id);
    expect(ids).not.toContain(answer.id);
  });
});

describe('letters', () => {
  it('of a person are found, those of a model are not', async () => {
    const one = home();
    const conversation = conversationOf(['Paint the fence.', 'In which colour?']);
    const top = conversation.change.messages[1] as Message;
    const link = { from: top.id, checkpoint: top.id };
    const mine = said(top, 'user', 'Take the walnut stain.', { dmail: { ...link, by: 'person' } });
    const its = said(top, 'user', 'A message from later: the walnut stain peels.', {
      dmail: { ...link, by: 'model' },
    });
    await one.add({
      id: conversation.id,
      change: { ...conversation.change, messages: [...conversation.change.messages, mine, its] },
    });
    await one.indexed();
    const ids = (await one.recall('walnut stain', { limit: 50 })).passages.map(({ messageId }) => messageId);
    expect(ids).toContain(mine.id);
    expect(ids).not.toContain(its.id);
  });
});
