// What every member of the shelf agrees on, beyond the contract's words.
import type { IndexChange } from './memory-index.ts';

/** Query words that are looked up; what comes after them is ignored (each word costs time, a pasted page has thousands). */
export const QUERY_WORDS = 200;
/** Characters of a neighbour's text. */
export const NEIGHBOUR_TEXT = 600;
/** Messages looked at in each direction for neighbours: notes on the way are passed over. */
export const NEIGHBOUR_STEPS = 64;

const lastOf = <T extends { readonly id: string }>(rows: readonly T[], gone: (row: T) => boolean): T[] => [
  ...new Map(rows.filter((row) => !gone(row)).map((row) => [row.id, row])).values(),
];

/** The change without contradictions: removal wins over arrival, of two rows with one id the later counts. */
export function settleChange(change: IndexChange): IndexChange {
  const conversations = new Set<string>(change.removedConversations);
  const messages = new Set<string>(change.removedMessages);
  return {
    conversations: lastOf(change.conversations, (row) => conversations.has(row.id)),
    messages: lastOf(change.messages, (row) => messages.has(row.id) || conversations.has(row.conversationId)),
    removedMessages: [...messages] as IndexChange['removedMessages'][number][],
    removedConversations: [...conversations] as IndexChange['removedConversations'][number][],
  };
}
