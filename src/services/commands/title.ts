// /title: renames the conversation on the screen.
import { RecollectError } from '../../domain/base/errors.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import type { Command } from './command.ts';

const MAX_TITLE = 200;

export const title: Command = {
  name: 'title',
  arguments: [{ name: 'text', kind: 'rest', optional: false }],
  async run({ documents, library, conversationId }, { text }) {
    const conversation = conversationId === null ? undefined : await documents.read(conversationId);
    if (!conversation)
      throw new RecollectError('command-conversation', 'There is no conversation on the screen to rename.');
    const wanted = startOf(String(text).replace(/\s+/g, ' ').trim(), MAX_TITLE);
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
