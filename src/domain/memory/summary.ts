// A summary made of the conversation's own sentences, word for word: it can be incomplete, never wrong.
import { type Message, textOf } from '../chat/message.ts';
import { keywordsOf, weightsOf } from './keywords.ts';
import { cjkShare, plainText, sentencesOf } from './sentences.ts';
import { words } from './words.ts';

const MAX_TEXT = 6_000;
/** Sentences looked at: the beginning and the end of a very long conversation. */
const MAX_SENTENCES = 600;

/** Characters a sentence may have; a Han character says about as much as three Latin ones. */
const fits = (sentence: string): boolean => {
  const size = sentence.length * (cjkShare(sentence) > 0.5 ? 3 : 1);
  return size >= 24 && size <= 320;
};

/**
 * One to three sentences, verbatim and in their order, joined by spaces; empty for a conversation without any.
 * The first is the person's (what it is about); the others hold most of the weighty words not yet said.
 */
export function summaryOf(
  messages: readonly Pick<Message, 'role' | 'kind' | 'parts'>[],
  redact: (text: string) => string,
  sentences = 3,
): string {
  const weights = weightsOf(messages, redact);
  const all: { text: string; stems: Set<string>; user: boolean }[] = [];
  for (const message of messages) {
    if (message.kind !== 'message' || (message.role !== 'user' && message.role !== 'assistant')) continue;
    for (const sentence of sentencesOf(plainText(redact(textOf(message).slice(0, MAX_TEXT)))))
      if (fits(sentence))
        all.push({
          text: sentence,
          stems: new Set(words(sentence).split(' ')),
          user: message.role === 'user',
        });
  }
  const pool =
    all.length > MAX_SENTENCES ? [...all.slice(0, MAX_SENTENCES / 2), ...all.slice(-MAX_SENTENCES / 2)] : all;
  if (pool.length === 0) return keywordsOf(messages, redact, 8).join(', ');
  const covered = new Set<string>();
  const chosen = new Set<number>();
  const score = (index: number): number => {
    const { stems, user } = pool[index] as (typeof pool)[number];
    let sum = 0;
    for (const stem of stems) if (!covered.has(stem)) sum += weights.get(stem) ?? 0;
    return (sum / Math.sqrt(3 + stems.size)) * (user ? 1.3 : 1);
  };
  const take = (index: number) => {
    chosen.add(index);
    for (const stem of (pool[index] as (typeof pool)[number]).stems) covered.add(stem);
  };
  const firstUsers = pool.flatMap((sentence, index) => (sentence.user ? [index] : [])).slice(0, 4);
  const opening = (firstUsers.length > 0 ? firstUsers : [0]).reduce((a, b) =>
    score(b) > score(a) * 1.5 ? b : a,
  );
  take(opening);
  while (chosen.size < Math.min(sentences, pool.length)) {
    let best = -1;
    let most = 0;
    for (let index = 0; index < pool.length; index++) {
      if (chosen.has(index)) continue;
      const value = score(index);
      if (value > most) [best, most] = [index, value];
    }
    if (best < 0) break;
    take(best);
  }
  return [...chosen]
    .sort((a, b) => a - b)
    .map((index) => (pool[index] as (typeof pool)[number]).text)
    .join(' ');
}
