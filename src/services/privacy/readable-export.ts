// Writes placeholders into exports for people, for words that are kept out of sync: such a file is meant to be
// passed on.
import type { Conversation } from '../../domain/chat/conversation.ts';
import { withoutPrivateWords } from '../documents/cleaning.ts';
import { withoutCutWords } from '../memory/rows.ts';
import type { Hide, PrivacyFilter } from './privacy-filter.ts';

const eachOf = <Key, Value>(values: ReadonlyMap<Key, Value>, hide: Hide): ReadonlyMap<Key, Value> =>
  new Map([...values].map(([key, value]) => [key, withoutPrivateWords(value, hide) as Value]));

/** Makes the values for such a file; the same value if nothing in it is hidden. */
export const readableExport = (filter: PrivacyFilter) => ({
  conversation: (conversation: Conversation): Promise<Conversation> =>
    filter.hiding('sync', (hiding) => {
      const { hide } = hiding;
      // The file joins an answer that was cut off and its continuation.
      const { meta, messages, checkpoints, compactions } = withoutCutWords(conversation, hiding);
      return {
        ...conversation,
        meta: withoutPrivateWords(meta, hide) as Conversation['meta'],
        messages: eachOf(messages, hide),
        // A person typed these names.
        checkpoints: new Map(
          [...eachOf(checkpoints, hide)].map(([name, point]) => [hide(name).text, point] as const),
        ),
        compactions: eachOf(compactions, hide),
      };
    }),
  value: <T>(value: T): Promise<T> =>
    filter.hiding('sync', ({ hide }) => withoutPrivateWords(value, hide) as T),
});
