// Notices that the model asks for something it may have been told before, in this conversation or another. Pure.
import type { Message } from '../../domain/chat/message.ts';
import { textOf } from '../../domain/chat/message.ts';
import { sentencesOf } from '../../domain/text/sentences.ts';

/** Offers and courtesies are no questions about what was said: "Would you like me to …?", "需要我…吗？" */
const OFFER =
  /^(?:(?:so|and|also|ok(?:ay)?|great)[,，]?\s+)?(?:would you (?:like|prefer|rather)|do you (?:want|need) (?:me|help|more|any)|shall (?:i|we)|should (?:i|we)|can i|may i|(?:is there )?anything else|want me|need (?:me|any|more)|how (?:can|may) i help|does (?:this|that) (?:help|make sense|answer|work|sound)|make sense|sound good|any (?:other )?questions)\b|^(?:要不要|需不需要|(?:您|你)?(?:还)?需要我|(?:您|你)?想(?:要)?我|是否需要|要我|我(?:可以|能|要不要|来)|还有(?:什么|别的|其他)|这样(?:可以|行|好)|可以吗|好吗|对吗|明白了吗)/iu;
const QUESTION = /[?？][\s"'”’」）)]*$/u;
/** Asked for without a question mark: "Please tell me which …", "Let me know your …", "请告诉我你的…". */
const REQUEST =
  /(?:^|[,，:：–—-]\s*)(?:(?:please|kindly)\s+)?(?:(?:tell|remind) me|let me know)(?: again)?,? (?:which|what|when|where|who|whose|how|your|the)\b|^(?:(?:so|and|also|but)[,，]? )?i(?: (?:still|also|would|will|first))*(?:['’](?:d|ll)(?: (?:still|also|first))*)? need to know (?:which|what|when|where|who|whose|how|your|the)\b|(?:^|[,，:：–—-]\s*)(?:please|kindly) (?:specify|provide|share|give me|send me) (?:which|what|when|where|who|whose|how|your)\b|(?:^|[,，:：])\s*(?:(?:请|麻烦|烦请)(?:您|你)?(?:先|再|也)?(?:告诉我|提醒我|告知我?|提供|说明)|(?:告诉|提醒)我)(?:一下)?.*(?:哪|什么|几|谁|多少|何|[你您]的)/iu;
/** A request that is an offer all the same, or asks for what cannot have been said yet. */
const OPEN =
  /^(?:if|should|whenever|once|feel free)\b|\b(?:what|which|how|when|where)(?: \p{L}+){0,2}? (?:you['’]d|you['’]re|you (?:would|are|think|want|like|prefer|find|see|need|feel|decide|get)|(?:i|we) (?:can|could|should|may)|(?:it|this|that) (?:goes|works|went|looks|feels|prints|shows|says))|\byour (?:thoughts|opinion|feedback|questions|preferences?|decision|choice|ideas?)\b|\bthe (?:results?|outcome|output)\b|^(?:如果|如有|若|要是|有(?:任何|什么)?(?:问题|需要|疑问))|[你您]还?(?:需要|想|希望|觉得)|更多|[你您]的(?:想法|看法|意见|反馈|感受|建议|选择|决定)/iu;
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
      const asks = QUESTION.test(bare) || (REQUEST.test(bare) && !OPEN.test(bare));
      return asks && sentence.length <= MAX_QUESTION && !OFFER.test(bare);
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
