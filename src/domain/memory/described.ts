// Description of a conversation: its summary, texts in place of compacted messages, the session memory, its keywords. It is
// searched, and never found itself: it leads to the passages of the conversation.

import type { Conversation } from '../chat/conversation.ts';
import { savedFiles } from '../chat/memory-file.ts';
import { planOf, summaryTextOf } from '../context/compaction/plan.ts';
import { words } from '../text/words.ts';

/** Search words kept of a description: what a long session memory begins with. */
const MOST_WORDS = 600;
/** A conversation is meant where its description has so many of the question's words, and so much of what they are worth. */
const [LEAST_WORDS, LEAST_SHARE] = [2, 0.5];
/** So many conversations at most are meant. */
const MOST_MEANT = 3;

/** Texts that a person, a model or rules wrote of the conversation, newest compaction first; none is empty. */
export function writtenOf(conversation: Pick<Conversation, 'meta' | 'compactions'>): string[] {
  const { meta, compactions } = conversation;
  const newest = [...compactions.values()]
    .filter(({ undone }) => !undone)
    .sort((a, b) => b.createdAt - a.createdAt)[0];
  const plan = newest && planOf(newest);
  return [
    meta.summary ?? '',
    ...(savedFiles({ meta }).current?.lines.map(({ text }) => text) ?? []),
    newest?.summary ?? (plan ? summaryTextOf(plan) : ''),
  ].filter((text) => text.trim() !== '');
}

/** The search words of these texts, each once, parted by spaces. */
export const descriptionOf = (texts: readonly string[]): string =>
  [...new Set(texts.flatMap((text) => words(text).split(' ')))]
    .filter(Boolean)
    .slice(0, MOST_WORDS)
    .join(' ');

/**
 * The conversations that a question means by what is written of them, with the words they have of it, where nothing of them was found.
 * `worth`: of its words, in their order.
 */
export function meantBy<Id>(
  {
    candidates,
    described = [],
  }: {
    readonly candidates: readonly { readonly conversationId: Id }[];
    readonly described?: readonly { readonly conversationId: Id; readonly has: readonly boolean[] }[];
  },
  worth: readonly number[],
): Map<Id, readonly boolean[]> {
  const there = new Set(candidates.map(({ conversationId }) => conversationId));
  const sum = (has: readonly boolean[]) =>
    worth.reduce((all, one, at) => all + (has[at] === true ? one : 0), 0);
  const all = sum(worth.map(() => true));
  return new Map(
    described
      .filter(({ conversationId }) => !there.has(conversationId))
      .filter(({ has }) => has.filter(Boolean).length >= LEAST_WORDS && sum(has) >= LEAST_SHARE * all)
      .slice(0, MOST_MEANT)
      .map(({ conversationId, has }) => [conversationId, has]),
  );
}
