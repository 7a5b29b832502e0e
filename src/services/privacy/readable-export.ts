// Writes placeholders into exports for people, for words that are kept out of sync: such a file is meant to be
// passed on.
import type { Conversation } from '../../domain/chat/conversation.ts';
import { withoutPrivateWords } from '../documents/cleaning.ts';
import type { Hide, PrivacyFilter } from './privacy-filter.ts';

const eachOf = <Key, Value>(values: ReadonlyMap<Key, Value>, hide: Hide): ReadonlyMap<Key, Value> =>
  new Map([...values].map(([key, value]) => [key, withoutPrivateWords(value, hide) as Value]));

/** Makes the values for such a file; the same value if nothing in it is hidden. */
export const readableExport = (filter: PrivacyFilter) => ({
  conversation: (conversation: Conversation): Promise<Conversation> =>
    filter.hiding('sync', ({ hide }) => ({
      ...conversation,
      meta: withoutPrivateWords(conversation.meta, hide) as Conversation['meta'],
      messages: eachOf(conversation.messages, hide),
      checkpoints: eachOf(conversation.checkpoints, hide),
      compactions: eachOf(conversation.compactions, hide),
    })),
  value: <T>(value: T): Promise<T> =>
    filter.hiding('sync', ({ hide }) => withoutPrivateWords(value, hide) as T),
});
