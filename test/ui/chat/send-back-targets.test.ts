import { describe, expect, it } from 'vitest';
import { asConversationId, asMessageId } from '../../../src/domain/base/ids.ts';
import { type Conversation, conversationMetaSchema } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { targetsOf } from '../../../src/ui/chat/send-back-targets.ts';

let clock = 1_700_000_000_000;
const said = (name: string, parent: string | null, more: Partial<Message> = {}): Message => {
  clock += 1000;
  return {
    id: asMessageId(name),
    parentId: parent === null ? null : asMessageId(parent),
    role: 'user',
    kind: 'message',
    createdAt: clock,
    parts: [{ type: 'text', text: name }],
    ...more,
  };
};
const call = (callId: string) => ({ type: 'tool-call', callId, name: 'look', arguments: '{}' }) as const;
const result = (callId: string, text: string) => ({ type: 'tool-result', callId, text }) as const;
const conversation = (head: string, ...messages: Message[]): Conversation => ({
  id: asConversationId('c'),
  meta: { ...conversationMetaSchema.parse({}), head: asMessageId(head) },
  messages: new Map(messages.map((message) => [message.id, message])),
  checkpoints: new Map(),
  compactions: new Map(),
});
const named = (tree: Conversation, at: string) =>
  targetsOf(tree, tree.messages.get(asMessageId(at)) as Message).map((one) =>
    one.type === 'result' ? `${one.callId} ${one.text} at ${one.message}` : one.type,
  );

describe('what can be sent back', () => {
  const messages = [
    said('q', null),
    said('step1', 'q', { role: 'assistant', parts: [call('1'), call('2')] }),
    said('r1', 'step1', { role: 'tool', parts: [result('1', 'one')] }),
    said('r2', 'r1', { role: 'tool', parts: [result('2', 'two')] }),
    said('step2', 'r2', { role: 'assistant', parts: [call('3')] }),
    said('r3', 'step2', { role: 'tool', parts: [result('3', 'three')] }),
    said('answer', 'r3', { role: 'assistant' }),
    said('other1', 'step1', { role: 'tool', parts: [result('1', 'another one')] }),
    said('other2', 'other1', { role: 'tool', parts: [result('2', 'two')] }),
    said('other', 'other2', { role: 'assistant' }),
  ];

  it('is other words for a message of the person, or a note', () => {
    expect(named(conversation('answer', ...messages), 'q')).toEqual(['edit', 'note']);
  });

  it('is any result of all steps of an answer, as they are on the branch that is shown', () => {
    expect(named(conversation('answer', ...messages), 'answer')).toEqual([
      '1 one at r1',
      '2 two at r2',
      '3 three at r3',
      'note',
    ]);
    expect(named(conversation('answer', ...messages), 'step1')).toEqual([
      '1 one at r1',
      '2 two at r2',
      'note',
    ]);
    expect(named(conversation('other', ...messages), 'other')).toEqual([
      '1 another one at other1',
      '2 two at other2',
      'note',
    ]);
  });
});
