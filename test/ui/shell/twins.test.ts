// What tells conversations of one title apart: the part of the first line that differs.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  asConversationId,
  asMessageId,
  type ConversationId,
  type MessageId,
} from '../../../src/domain/base/ids.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import { differingPart, wordsApart } from '../../../src/ui/shell/twins.ts';
import { conversationOf } from '../../services/memory/home.ts';

it.each([
  ['Help with a letter to my landlord', ['Help with a letter to the school'], '…my landlord'],
  ['Help with a letter', ['Help with a letter to the school'], '…letter'],
  ['Rent', ['Help with a letter'], 'Rent'],
  ['Help with a letter', ['Help with a letter'], ''],
  [
    '帮我写一封给房东的信，关于押金什么时候退还的事情和水电费',
    ['帮我写一封给房东的信，关于押金什么时候退还的事情和房租'],
    '…水电费',
  ],
  ['Party 👩🏽‍💻', ['Party 👩🏽'], '…👩🏽‍💻'],
  ['', ['Help'], ''],
])('begins with the word that differs: %s', (line, others, part) => {
  expect(differingPart(line, others)).toBe(part);
});

it('is read from the shown branch, also where the answer that was its head is forgotten', async () => {
  const said = (words: string, head: MessageId | null) => {
    const { messages, meta } = conversationOf([words], { title: 'A letter' }).change;
    return { messages: new Map(messages.map((one) => [one.id, one])), meta: { ...meta, head } };
  };
  const [school, landlord] = ['a', 'b'].map(asConversationId) as [ConversationId, ConversationId];
  const all = new Map([
    [school, said('Write to the school', asMessageId('gone'))],
    [landlord, said('Write to my landlord', null)],
  ]);
  const read = async (id: ConversationId) => all.get(id) as unknown as Conversation | undefined;
  expect(await wordsApart({ read }, school, [landlord])).toBe('…the school');
});

it('is a part of the line, whatever the others are', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '信', '👩🏽') });
  fc.assert(
    fc.property(line, fc.array(line), (own, others) => {
      const part = differingPart(own, others);
      expect(own.endsWith(part.replace(/^…/, ''))).toBe(true);
      if (!others.includes(own) && own.trim() !== '') expect(part).not.toBe('');
    }),
  );
});
