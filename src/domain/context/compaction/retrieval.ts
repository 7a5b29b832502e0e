// Keeps the newest turns, and older messages that are relevant to the newest question, whole.
import type { MessageId } from '../../base/ids.ts';
import { type Message, textOf } from '../../chat/message.ts';
import { termsOf } from '../../text/words.ts';
import { createCompactedSearch } from '../compacted.ts';
import { termsIn } from '../reading.ts';
import { finish } from './finish.ts';
import { chosenTokens, freeTokens, newestGroups, type Outline, outlineOf } from './outline.ts';
import type { CompactionStrategy } from './strategy.ts';

/** Share of the free space for the newest turns. */
const NEWEST = 0.4;

/** Below this a group is irrelevant. */
const LEAST = 0.3;

/** Fit of each group to the newest question: that of its best sentence, by words and, if known, by meaning. */
function relevanceOf(outline: Outline, relevance?: ReadonlyMap<MessageId, number>): Map<number, number> {
  const { view, groupAt, head } = outline;
  const { path } = view;
  const question = path.findLast(({ role, kind }) => role === 'user' && kind === 'message');
  const scores = new Map<number, number>();
  if (!question || head >= path.length) return scores;
  const [from, to] = [(path[head] as Message).id, (path.at(-1) as Message).id];
  const everything = createCompactedSearch(path, {
    id: '',
    plan: {
      strategy: '',
      runs: [{ action: 'fold', from, to, count: 0, tokens: 0, why: '' }],
      summaries: [],
      tokensBefore: 0,
      tokensAfter: 0,
      target: 0,
      fits: true,
      whyNot: null,
      attempts: 0,
      fallback: null,
    },
  });
  const asked = new Set(termsOf(textOf(question)));
  for (const { at, message, unit, score } of everything.find(textOf(question), 2_000, relevance)) {
    const group = groupAt[at] ?? -1;
    // A whole message returns only if it mentions the question's subject itself; its
    // neighbours return as sentences, if at all.
    const speaks =
      (relevance?.get(message.id) ?? 0) >= 0.5 || [...termsIn(unit).keys()].some((term) => asked.has(term));
    if (group >= 0 && speaks && message.id !== question.id)
      scores.set(group, Math.max(scores.get(group) ?? 0, score));
  }
  return scores;
}

export const retrieval: CompactionStrategy = {
  id: 'retrieval',
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    const available = freeTokens(outline);
    const keep = newestGroups(outline, available * NEWEST, budget.keepTurns);
    let left = available - chosenTokens(outline, keep);
    const question = view.path.findLast(({ role, kind }) => role === 'user' && kind === 'message');
    const meaning = question && tools.relevance ? await tools.relevance(textOf(question)) : undefined;
    tools.signal.throwIfAborted();
    const scores = relevanceOf(outline, meaning);
    const relevant = new Set<number>();
    let best = 0;
    for (const score of scores.values()) best = Math.max(best, score);
    for (const [index, score] of [...scores].sort((a, b) => b[1] - a[1] || b[0] - a[0])) {
      if (score < Math.max(LEAST, Math.min(1, best) * 0.4)) break;
      const group = outline.groups[index];
      if (!group || keep.has(index) || group.unwanted || group.tokens > left) continue;
      left -= group.tokens;
      keep.add(index);
      relevant.add(index);
    }
    return finish(outline, {
      strategy: 'retrieval',
      keep,
      why: (index) => (relevant.has(index) ? 'relevant' : undefined),
      drafts: [],
    });
  },
};
