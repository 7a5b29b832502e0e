// Notices that the model asks for something it may have been told before, in this conversation or another. Pure.
import type { Message } from '../../domain/chat/message.ts';
import { textOf } from '../../domain/chat/message.ts';
import { asks, offers, requests } from '../../domain/text/cues.ts';
import { sentencesOf } from '../../domain/text/sentences.ts';

/** Longest question that is looked up, characters; longer ones are rarely one. */
const MAX_QUESTION = 300;

/**
 * The questions about facts, and requests for them, with which the last answer on the path ends, as one text; null where it asks nothing.
 * Whether the answer to them is known is for memory to say.
 */
export function askedAgain(path: readonly Message[]): string | null {
  const last = path.findLast((message) => message.kind === 'message' && message.role !== 'system');
  if (last?.role !== 'assistant') return null;
  const text = textOf(last)
    // Code asks nobody, nor does what is quoted.
    .replace(/(^|\n)(```|~~~)[\s\S]*?(\n\2|$)/g, '\n')
    .replace(/^[ \t]*>.*$/gm, '')
    .slice(-2000);
  const questions = sentencesOf(text)
    .map((sentence) => sentence.trim())
    .filter((sentence) => {
      const bare = sentence.replace(/^[-*\d.)\s]+/, '');
      return (asks(bare) || requests(bare)) && sentence.length <= MAX_QUESTION && !offers(bare);
    })
    .slice(-3);
  return questions.length > 0 ? questions.join('\n') : null;
}

/**
 * Queries for memory: the question alone, since "as always" only blurs it, and with the answer, since "the one of the
 * server" may be what makes it one.
 */
export const queriesFor = (question: string, answer: string): readonly string[] => [
  ...new Set([question, `${question}\n${answer}`.trim()]),
];
