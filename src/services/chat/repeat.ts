// Notices that the model asks for something that the person may have said before, in any conversation. Pure.
import type { Message } from '../../domain/chat/message.ts';
import { textOf } from '../../domain/chat/message.ts';
import { endsWithQuestionMark, makesOffer, makesRequest } from '../../domain/text/cues.ts';
import { sentencesOf } from '../../domain/text/sentences.ts';

/** Longest question that is looked up, characters; longer texts seldom are one. */
const MAX_QUESTION = 300;

/**
 * Joins the questions about facts, and requests for them, that end the last answer on the path; null for none.
 * Memory decides whether the answer to them is known.
 */
export function askedAgain(path: readonly Message[]): string | null {
  const last = path.findLast((message) => message.kind === 'message' && message.role !== 'system');
  if (last?.role !== 'assistant') return null;
  const text = textOf(last)
    // Code and quotations are no questions.
    .replace(/(^|\n)(```|~~~)[\s\S]*?(\n\2|$)/g, '\n')
    .replace(/^[ \t]*>.*$/gm, '')
    .slice(-2000);
  const questions = sentencesOf(text)
    .map((sentence) => sentence.trim())
    .filter((sentence) => {
      const bare = sentence.replace(/^[-*\d.)\s]+/, '');
      return (
        (endsWithQuestionMark(bare) || makesRequest(bare)) &&
        sentence.length <= MAX_QUESTION &&
        !makesOffer(bare)
      );
    })
    .slice(-3);
  return questions.length > 0 ? questions.join('\n') : null;
}

/**
 * Queries for memory: the question alone, since "as always" only blurs it, and with the answer, since "the one of the
 * server" may be what identifies it.
 */
export const queriesFor = (question: string, answer: string): readonly string[] => [
  ...new Set([question, `${question}\n${answer}`.trim()]),
];
