// Finds out if two passages say the same in nearly the same words. A correction looks much like its original ("port
// 8080", "port 8081"), so only words without content may be added, and no word may replace another.
import { memoized } from '../base/once.ts';
import { endsWithQuestionMark } from './cues.ts';
import { squeezed } from './sentences.ts';

/** Words without content; the Chinese ones are removed before a text is read by characters. */
const FILLERS = new Set(
  (
    'a an the ok okay yes yeah yep sure well so and oh hm now just also still again please thanks ' +
    'actually really indeed simply very'
  ).split(' '),
);
const HAN_FILLERS = /好的|现在|現在|[嗯啊吧呀哦呢了]/gu;
// A sign before a number, an arrow or a currency counts as a word, too.
const WORD =
  /\p{Script=Han}|\p{S}|(?<![\p{L}\p{N}])[-−](?=\p{N})|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}'])+/gu;
/** A text with fewer words is too short to compare by wording. */
const LEAST_WORDS = 5;

/** A text's words without fillers, in order and separated by spaces; Han by characters. Null below `LEAST_WORDS`. */
function wordingOf(text: string): string | null {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll('’', "'").replace(HAN_FILLERS, ' ');
  const words = (plain.match(WORD) ?? []).filter((word) => !FILLERS.has(word));
  return words.length < LEAST_WORDS ? null : `${words.join(' ')}${endsWithQuestionMark(text) ? ' ?' : ''}`;
}

/**
 * Makes a function that returns a text's wording, or its few words squeezed. It
 * computes each text once, as that takes time.
 */
export const createWordings = (): ((text: string) => string) =>
  memoized((text: string) => wordingOf(text) ?? squeezed(text));
