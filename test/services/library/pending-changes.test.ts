// Planned changes come out as they went in.
import { expect, it } from 'vitest';
import { newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import type { ConversationChange } from '../../../src/services/documents/documents.ts';
import { PendingChanges } from '../../../src/services/library/pending-changes.ts';

const said = (text: string): Message => ({
  id: newMessageId(),
  parentId: null,
  role: 'user',
  kind: 'message',
  createdAt: 1,
  parts: [{ type: 'text', text }],
});

it('gives back each change as it was, whatever its words and however long', () => {
  const changes: ConversationChange[] = [
    {
      messages: [said('面包'), said('half of a pair: \ud83c'), said('\u0000\u2028')],
      meta: { title: 'Bread' },
    },
    { messages: Array.from({ length: 5 }, (_, n) => said(`${n}`.repeat(2_000_000))) },
    { messages: [], completed: [said('more')], checkpoints: Object.fromEntries([['__proto__', null]]) },
    { messages: [], compactions: { gone: null }, said: {} },
  ];
  const pending = new PendingChanges();
  const ids = changes.map(() => newConversationId());
  for (const [at, id] of ids.entries()) pending.set(id, changes[at] as ConversationChange);
  expect(pending.ids()).toEqual(ids);
  for (const [at, id] of ids.entries()) expect(pending.get(id)).toEqual(changes[at]);
  const [first = newConversationId()] = ids;
  expect([...pending.take([first])].map(({ id }) => id)).toEqual([first]);
  expect(pending.get(first)).toBeUndefined();
  expect([...pending.take(pending.ids())].map(({ change }) => change)).toEqual(changes.slice(1));
  expect(pending.ids()).toEqual([]);
});
