// Finds the reply to a passage that only asks: it says what the passage does not.
import type { RecalledPassage } from '../chat/message.ts';
import { asksInWords } from '../text/cues.ts';
import { sentencesOf } from '../text/sentences.ts';
import { neighboursOf } from './passages.ts';

/** A shorter sentence ("Hi!") says nothing by itself, characters. */
const SAYS_SOMETHING = 8;
/** Longer texts count as saying something, characters. */
const QUESTIONS = 600;

/** True if a text only asks: then its reply says more. */
export function onlyAsks(text: string): boolean {
  if (text.length > QUESTIONS) return false;
  const sentences = sentencesOf(text)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[?？]$/u.test(sentence) || sentence.length >= SAYS_SOMETHING);
  return sentences.length > 0 && sentences.every(asksInWords);
}

/** The reply beside a passage in which the person only asks; undefined for none. */
export const neighbourReply = (
  passage: RecalledPassage,
): RecalledPassage['neighbours'][number] | undefined =>
  passage.role === 'user' && onlyAsks(passage.passage)
    ? neighboursOf(passage).after.find(({ role, text }) => role === 'assistant' && text.trim() !== '')
    : undefined;
