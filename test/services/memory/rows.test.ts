// What the index keeps of a message beside its chunks. The words stand in those, and the whole of it in the log: kept a
// second time they were a tenth of the index of a library of agents' logs.
import { expect, it } from 'vitest';
import type { Message, RecalledPassage } from '../../../src/domain/chat/message.ts';
import { defaultConfig } from '../../../src/domain/settings/config.ts';
import { messageRow } from '../../../src/services/memory/rows.ts';
import { conversationOf, openHome } from './home.ts';

it('keeps the words of a message once, and beside them only what memory gave', async () => {
  const home = openHome({ engine: false });
  const passage: RecalledPassage = {
    conversationId: 'c',
    messageId: 'm',
    title: '',
    createdAt: 1,
    role: 'user',
    passage: 'The plums lie in the cellar.',
    neighbours: [],
    scores: { vector: 1, keyword: 1, hybrid: 1, decay: 1, final: 1 },
    tokens: 6,
  };
  const answer: Partial<Message> & Pick<Message, 'role' | 'parts'> = {
    role: 'assistant',
    parts: [
      { type: 'recall', query: 'plums', threshold: 0.75, passages: [passage], nearMisses: [] },
      { type: 'reasoning', text: 'a thought about walnuts' },
      { type: 'text', text: 'I look into the orchard.' },
      { type: 'tool-call', callId: 'c', name: 'shell', arguments: '{"command":"ls orchard"}' },
    ],
  };
  const output: Partial<Message> & Pick<Message, 'role' | 'parts'> = {
    role: 'tool',
    parts: [{ type: 'tool-result', callId: 'c', name: 'shell', text: 'quince.txt medlar.txt' }],
  };
  const [id] = await home.add(conversationOf(['What grows there?', answer, output]));
  const conversation = id && (await home.documents.read(id));
  if (!conversation) throw new Error('not there');
  const rows = [...conversation.messages.values()].map((message) =>
    messageRow(conversation, message, defaultConfig.privacy, (text) => text),
  );
  expect(rows.map(({ content }) => content)).toEqual([
    [],
    [
      {
        type: 'recall',
        passages: [{ conversationId: 'c', messageId: 'm' }],
      },
    ],
    [],
  ]);
  expect(JSON.stringify(rows[2]?.chunks)).toMatch(/quince/);
  await home.close();
});
