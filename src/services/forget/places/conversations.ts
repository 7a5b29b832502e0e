// Conversations in the log, also in the trash, with titles, summaries, recall cards and quotations.

import { type ConversationId, isConversation } from '../../../domain/base/ids.ts';
import { yieldToEvents } from '../../../domain/base/yielding.ts';
import type { Conversation } from '../../../domain/chat/conversation.ts';
import type { Message } from '../../../domain/chat/message.ts';
import { TAKEN_OUT } from '../../../domain/forget/imprint.ts';
import type { Config } from '../../../domain/settings/config.ts';
import { saidOf } from '../../documents/cleaning.ts';
import type { ConversationChange } from '../../documents/documents.ts';
import { missingTitle } from '../../memory/rows.ts';
import type { PrivacyFilter } from '../../privacy/privacy-filter.ts';
import type { Eraser } from '../eraser.ts';
import { type CreatePlace, type Find, filterOf, roomOf } from '../place.ts';
import { type Titles, titlesSince } from '../titles.ts';
import { tracesIn, withTitles } from '../traces.ts';

/** A title made from removed messages is made again from the remaining ones, in the same change. */
function titled(
  conversation: Conversation,
  change: ConversationChange,
  privacy: Config['privacy'],
  filter: PrivacyFilter,
): ConversationChange {
  if (change.meta?.title !== '') return change;
  const messages = new Map(conversation.messages);
  for (const id of change.removed ?? []) messages.delete(id);
  for (const message of change.rewritten ?? []) messages.set(message.id, message);
  const title = missingTitle(
    { ...conversation, messages, meta: { ...conversation.meta, title: '' } },
    privacy,
    (text) => filter.redacted('index', text),
  );
  return { ...change, meta: { ...change.meta, title: title ?? TAKEN_OUT } };
}

const cardFound = (conversation: Conversation, message: Message): Find => ({
  place: 'conversations',
  what: 'card',
  conversation: conversation.id,
  message: message.id,
  title: conversation.meta.title,
  excerpt: '',
  count: 1,
  said: [saidOf(message) ?? []].flat(),
});

/** Cleans the conversations in the log. It reads one after the other and yields to the page between two. */
export const conversations: CreatePlace = (deps) => {
  const { documents, log, sync, privacy, signal } = deps;
  const filter = filterOf(deps);
  const each = async function* () {
    for (const id of (await log.documents()).filter(isConversation)) {
      // Yields to the page between two conversations.
      await yieldToEvents(signal);
      const conversation = await documents.read(id);
      if (conversation) yield conversation;
    }
  };
  /**
   * True if sync moved the conversation into this device's trash because a person wrote in it here: then the person
   * decides, whatever the clocks say.
   */
  const isLeft = async ({ id, meta: { deletedAt } }: Conversation, eraser: Eraser): Promise<boolean> => {
    if (eraser.isOwn || deletedAt === null || !eraser.isGone(id)) return false;
    const room = await roomOf(deps, id);
    return room !== undefined && room.gone !== null;
  };
  /** Lists recall cards that still show a title made from removed messages. */
  const cardsWith = async function* (titles: Titles, eraser: Eraser) {
    if (titles.size === 0) return;
    for await (const conversation of each()) {
      const rewritten = [...conversation.messages.values()].flatMap((message) => {
        const left = withTitles(message, titles, eraser);
        return left === message ? [] : [left];
      });
      if (rewritten.length > 0) yield { conversation, rewritten };
    }
  };
  return {
    id: 'conversations',
    find: async (eraser) => {
      const found: Find[] = [];
      const titles = new Map<string, string>();
      for await (const conversation of each()) {
        const { change, finds } = tracesIn(conversation, eraser);
        found.push(...finds);
        if (change?.meta?.title === '') titles.set(conversation.id, '');
      }
      const known = new Set(found.flatMap(({ what, message }) => (what === 'card' ? [message] : [])));
      for await (const { conversation, rewritten } of cardsWith(titles, eraser))
        for (const message of rewritten)
          if (!eraser.isGone(message.id) && !known.has(message.id))
            found.push(cardFound(conversation, message));
      return found;
    },
    remove: async (eraser) => {
      const gone: ConversationId[] = [];
      for await (const conversation of each()) {
        const { erase, change } = tracesIn(conversation, eraser, await isLeft(conversation, eraser));
        if (erase) gone.push(conversation.id);
        // This version cannot change conversations of a newer app; verifying reports them as left.
        else if (change && !conversation.newer)
          await documents.change(conversation.id, titled(conversation, change, privacy(), filter));
      }
      for await (const { conversation, rewritten } of cardsWith(
        await titlesSince(eraser.record, documents),
        eraser,
      ))
        if (!conversation.newer) await documents.change(conversation.id, { rewritten, takesOut: true });
      if (gone.length > 0) {
        // Conversations known only to other devices are erased there too.
        if (sync.account.get() !== null) await sync.forget(gone);
        await documents.erase(gone);
      }
      await documents.purge(eraser);
    },
    verify: async (eraser) => ({ left: (await documents.unpurged(eraser)).length, waiting: false }),
  };
};
