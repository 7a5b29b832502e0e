// A question that was asked before in vain, and the answer that knew nothing of it: nearer to the
// question asked again than its source is.
import { memoized } from '../base/once.ts';
import type { Role } from '../chat/message.ts';
import { answersNothing, asksInWords, endsWithQuestionMark } from '../text/cues.ts';
import { sentencesOf, squeezed } from '../text/sentences.ts';
import { queryWords } from '../text/words.ts';
import type { Rankable } from './rank.ts';

/** An answer longer than this may contain something although it begins by saying that it knows nothing; characters. */
const SAYS_NO_MORE = 600;

/**
 * Finds the person's unanswered questions among candidates: the last of their conversation, followed by another message
 * of theirs or by an answer that knows nothing; and that answer. An answer from memory alone does not count.
 */
export function unansweredIn<C extends Rankable & { readonly role: Role }>(
  candidates: readonly C[],
): (candidate: C) => boolean {
  const byChunk = new Map(candidates.map((one) => [one.chunkId, one]));
  const isEmpty = memoized(
    ({ role, note, text }: C) => role === 'assistant' && !note && answersNothing(text),
  );
  return (candidate) => {
    const { role, next, previous, text, note } = candidate;
    if (note) return false;
    if (role === 'assistant') {
      const asked = byChunk.get(previous ?? -1);
      return (
        asked?.role === 'user' && asksInWords(asked.text) && text.length <= SAYS_NO_MORE && isEmpty(candidate)
      );
    }
    if (role !== 'user') return false;
    if (typeof next !== 'number') return asksInWords(text);
    const reply = byChunk.get(next);
    return (
      (reply?.role === 'user' && endsWithQuestionMark(text)) ||
      (!!reply && isEmpty(reply) && asksInWords(text))
    );
  };
}

/** Two questions with this share of common words, of the shorter one's, ask the same; with the second, surely. */
const [SAME_QUESTION, SURELY_SAME] = [0.4, 0.75];

/**
 * How far a candidate is this question asked before in vain, 0–1; 0 if it is not, or says something in a
 * sentence of its own. 1: in the same words.
 */
function echoOf({ text, unanswered, next }: Rankable, question: string): number {
  if (!unanswered) return 0;
  if (squeezed(text) === squeezed(question)) return 1;
  const wordsIn = (some: string) => queryWords(some).split(' ').filter(Boolean);
  const [own, asked] = [wordsIn(text), new Set(wordsIn(question))];
  const common = own.filter((word) => asked.has(word)).length;
  const fewer = Math.min(own.length, asked.size);
  const share = fewer === 0 ? 0 : Math.min(1, common / fewer);
  if (own.length > 0 && common === own.length) return share;
  // A reply to a question with one word in common may be about another matter.
  const isSame = share >= SAME_QUESTION && common > (typeof next === 'number' ? 1 : 0);
  return isSame && asksInWords(question) && sentencesOf(text).every(asksInWords) ? share : 0;
}

/**
 * Candidates without this question, if it was asked before in vain, and without the answers that knew nothing of it;
 * `again`: surely the same question was.
 */
export function withoutEchoes<C extends Rankable>(
  candidates: readonly C[],
  question: string,
): { readonly rest: readonly C[]; readonly again: boolean } {
  const echoes = new Map(
    candidates.flatMap((one) => {
      const echo = one.role === 'assistant' ? 0 : echoOf(one, question);
      return echo > 0 ? [[one.messageId, echo] as const] : [];
    }),
  );
  if (echoes.size === 0) return { rest: candidates, again: false };
  const answersEcho = ({ unanswered, before }: C) => unanswered && echoes.has(before ?? '');
  return {
    rest: candidates.filter((one) => !echoes.has(one.messageId) && !answersEcho(one)),
    again: Math.max(...echoes.values()) >= SURELY_SAME,
  };
}
