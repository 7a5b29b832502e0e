import { describe, expect, it } from 'vitest';
import { asConversationId, asMessageId } from '../../../src/domain/base/ids.ts';
import { type Conversation, conversationMetaSchema } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import type { Compaction } from '../../../src/domain/chat/records.ts';
import { countSentUnchanged } from '../../../src/ui/memory/sent-unchanged.ts';

const said = (
  name: string,
  parent: string | null,
  at: number,
  kind: Message['kind'] = 'message',
): Message => ({
  id: asMessageId(name),
  parentId: parent === null ? null : asMessageId(parent),
  role: 'user',
  kind,
  createdAt: at,
  parts: [{ type: 'text', text: name }],
});
const messages = [
  said('q1', null, 1),
  said('a1', 'q1', 2),
  said('other answer', 'q1', 3),
  said('more of it', 'other answer', 4),
  said('q2', 'a1', 5),
  said('reminder', 'q2', 6, 'note'),
  said('a2', 'reminder', 7),
];
const conversation = (compactions: readonly Compaction[] = []): Conversation => ({
  id: asConversationId('c'),
  meta: { ...conversationMetaSchema.parse({}), head: asMessageId('a2') },
  messages: new Map(messages.map((message) => [message.id, message])),
  checkpoints: new Map(),
  compactions: new Map(compactions.map((one) => [one.id, one])),
});

describe('what is sent as it is', () => {
  it('is the branch that is shown, without other branches and bookkeeping', () => {
    expect(countSentUnchanged(conversation())).toBe(4);
  });

  it('leaves out what is compacted, and has it back when that is undone', () => {
    const compactionOf = (undone: boolean): Compaction => ({
      id: 'compaction',
      at: asMessageId('a1'),
      createdAt: 8,
      strategy: 'window',
      reason: 'manual',
      tokensBefore: 100,
      tokensAfter: 50,
      durationMs: 1,
      undone,
      plan: {
        strategy: 'window',
        runs: [{ action: 'fold', from: 'q1', to: 'a1', count: 2, tokens: 50, why: 'old' }],
        summaries: [],
        tokensBefore: 100,
        tokensAfter: 50,
        target: 60,
        fits: true,
        whyNot: null,
      },
    });
    expect(countSentUnchanged(conversation([compactionOf(false)]))).toBe(2);
    expect(countSentUnchanged(conversation([compactionOf(true)]))).toBe(4);
  });
});
