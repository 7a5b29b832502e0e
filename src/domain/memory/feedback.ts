// Feedback on passages found for a question: pinned, never again, not related.
import { queryWords } from '../text/words.ts';
import { createNeverTest, type Feedback, feedbackSubject } from './notes.ts';
import type { PassageMessage } from './passages.ts';

const searchWordsOf = (text: string): ReadonlySet<string> =>
  new Set(queryWords(text).split(' ').filter(Boolean));

/** Questions that share this part of their words count as one: not related to one means not related to the other. */
const SAME_QUESTION = 0.6;

/** Selects the feedback on this question, for the ranking. */
export function feedbackFor(
  feedback: readonly Feedback[],
  question: string,
): Readonly<Record<'pinned' | 'never' | 'notRelated', (said: PassageMessage) => boolean>> {
  const asked = searchWordsOf(question);
  const isSame = (other: string): boolean => {
    const others = searchWordsOf(other);
    let shared = 0;
    for (const word of asked) if (others.has(word)) shared += 1;
    const all = asked.size + others.size - shared;
    return all === 0 ? question.trim() === other.trim() : shared / all >= SAME_QUESTION;
  };
  const pinned = new Set(feedback.filter(({ verdict }) => verdict === 'pinned').map(feedbackSubject));
  const notRelated = new Set(
    feedback
      .filter(({ verdict, query }) => verdict === 'not-related' && isSame(query ?? ''))
      .map(({ messageId }) => messageId),
  );
  return {
    pinned: (said) => pinned.has(feedbackSubject(said)),
    never: createNeverTest(feedback),
    notRelated: ({ messageId }) => notRelated.has(messageId),
  };
}
