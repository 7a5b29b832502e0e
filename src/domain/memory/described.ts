// Description of a conversation: its summary, texts in place of compacted messages, the session memory, its keywords.
// It is searched, and never found itself: it leads to the passages of the conversation.

import type { Conversation } from '../chat/conversation.ts';
import { savedFiles } from '../chat/memory-file.ts';
import { planOf, summaryTextOf } from '../context/compaction/plan.ts';
import { words } from '../text/words.ts';

/** Most search words of a description: a long session memory keeps those of its beginning. */
const MOST_WORDS = 600;
/**
 * A conversation is meant if its description has so many of the question's words, and that share of their IDF weight.
 */
const [LEAST_WORDS, LEAST_SHARE] = [2, 0.5];
/** Most conversations that are meant. */
const MOST_MEANT = 3;

/** Lists texts that a person, a model or rules wrote about the conversation, newest compaction first; none is empty. */
export function descriptionTextsOf(conversation: Pick<Conversation, 'meta' | 'compactions'>): string[] {
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

/** Joins the search words of these texts, each once, separated by spaces. */
export const descriptionOf = (texts: readonly string[]): string =>
  [...new Set(texts.flatMap((text) => words(text).split(' ')))]
    .filter(Boolean)
    .slice(0, MOST_WORDS)
    .join(' ');

/**
 * Finds conversations that a question means by their description though none of their passages was found, with the
 * shared words. `idfWeights`: those of the question's words, in order.
 */
export function conversationsMeantBy<Id>(
  {
    candidates,
    described = [],
  }: {
    readonly candidates: readonly { readonly conversationId: Id }[];
    readonly described?: readonly { readonly conversationId: Id; readonly has: readonly boolean[] }[];
  },
  idfWeights: readonly number[],
): Map<Id, readonly boolean[]> {
  const there = new Set(candidates.map(({ conversationId }) => conversationId));
  const sum = (has: readonly boolean[]) =>
    idfWeights.reduce((all, one, at) => all + (has[at] === true ? one : 0), 0);
  const all = sum(idfWeights.map(() => true));
  return new Map(
    described
      .filter(({ conversationId }) => !there.has(conversationId))
      .filter(({ has }) => has.filter(Boolean).length >= LEAST_WORDS && sum(has) >= LEAST_SHARE * all)
      .slice(0, MOST_MEANT)
      .map(({ conversationId, has }) => [conversationId, has]),
  );
}
