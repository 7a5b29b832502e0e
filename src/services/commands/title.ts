// /title: renames the conversation on the screen.
import { RecollectError } from '../../domain/base/errors.ts';
import type { Command } from './command.ts';

const MAX_TITLE = 200;

export const title: Command = {
  name: 'title',
  arguments: [{ name: 'text', kind: 'rest', optional: false }],
  async run({ documents, library, conversationId }, { text }) {
    const conversation = conversationId === null ? undefined : await documents.read(conversationId);
    if (!conversation)
      throw new RecollectError('command-conversation', 'There is no conversation on the screen to rename.');
    const given = String(text).replace(/\s+/g, ' ').trim();
    const wanted = [...given].slice(0, MAX_TITLE).join('');
    const { title: before, titleBy } = conversation.meta;
    await library.setMeta([conversation.id], { title: wanted });
    return {
      type: 'done',
      what: 'titled',
      params: { title: wanted },
      // Also restores who had named it, or an automatic title would never change again.
      undo: () => documents.change(conversation.id, { meta: { title: before, titleBy } }),
    };
  },
};
