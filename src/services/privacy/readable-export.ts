// Exports a conversation to be read, with placeholders for what the person keeps out of sync: such a file is meant to be
// handed on.
import type { Conversation } from '../../domain/chat/conversation.ts';
import { withoutPrivateWords } from '../documents/cleaning.ts';
import type { Hide, PrivacyFilter } from './privacy-filter.ts';

const eachOf = <Key, Value>(values: ReadonlyMap<Key, Value>, hide: Hide): ReadonlyMap<Key, Value> =>
  new Map([...values].map(([key, value]) => [key, withoutPrivateWords(value, hide) as Value]));

/** Makes values as such a file has them; the same value where nothing is hidden in it. */
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
