// /new: an empty page, or a new conversation with its first message sent.
import type { Command } from './command.ts';

export const newConversation: Command = {
  name: 'new',
  arguments: [{ name: 'text', kind: 'rest', optional: true }],
  async run({ chat }, { text }) {
    if (typeof text !== 'string') return { type: 'open', conversationId: null };
    const { conversationId } = await chat.send({ parts: [{ type: 'text', text }] });
    return { type: 'open', conversationId };
  },
};
