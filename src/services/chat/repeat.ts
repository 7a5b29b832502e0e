// Notices that the model asks for something it may have been told before, in this conversation or another. Pure.
import type { Message } from '../../domain/chat/message.ts';
import { textOf } from '../../domain/chat/message.ts';
import { sentencesOf } from '../../domain/memory/sentences.ts';

/** Offers and courtesies are no questions about what was said: "Would you like me to …?", "需要我…吗？" */
const OFFER =
  /^(?:(?:so|and|also|ok(?:ay)?|great)[,，]?\s+)?(?:would you (?:like|prefer|rather)|do you (?:want|need) (?:me|help|more|any)|shall (?:i|we)|should (?:i|we)|can i|may i|(?:is there )?anything else|want me|need (?:me|any|more)|how (?:can|may) i help|does (?:this|that) (?:help|make sense|answer|work|sound)|make sense|sound good|any (?:other )?questions)\b|^(?:要不要|需不需要|(?:您|你)?(?:还)?需要我|(?:您|你)?想(?:要)?我|是否需要|要我|我(?:可以|能|要不要|来)|还有(?:什么|别的|其他)|这样(?:可以|行|好)|可以吗|好吗|对吗|明白了吗)/iu;
const QUESTION = /[?？]\s*["'”’」）)]*\s*$/u;
/** Longest question that is looked up, characters; longer ones are rarely one. */
const MAX_QUESTION = 300;

/**
 * The questions about facts with which the last answer on the path ends, as one text; null where it asks nothing. Whether the answer to
 * them is known is for memory to say.
 */
export function askedAgain(path: readonly Message[]): string | null {
  const last = path.findLast((message) => message.kind === 'message' && message.role !== 'system');
  if (last?.role !== 'assistant') return null;
  const text = textOf(last)
    // Code asks nobody.
    .replace(/(^|\n)(```|~~~)[\s\S]*?(\n\2|$)/g, '\n')
    .slice(-2000);
  const questions = sentencesOf(text)
    .map((sentence) => sentence.trim())
    .filter(
      (sentence) =>
        QUESTION.test(sentence) &&
        sentence.length <= MAX_QUESTION &&
        !OFFER.test(sentence.replace(/^[-*\d.)\s]+/, '')),
    )
    .slice(-3);
  return questions.length > 0 ? questions.join('\n') : null;
}
