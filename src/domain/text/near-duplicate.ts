// Whether two passages say the same in nearly the same words. A correction looks much like what it corrects ("port 8080", "port 8081"), so
// words may be added only where they say nothing, and none may stand in place of another.
import { memoized } from '../base/once.ts';
import { asks } from './cues.ts';
import { squeezed } from './sentences.ts';

/** Words around what is said; Chinese ones are taken out before it is read by characters. */
const FILLERS = new Set(
  (
    'a an the ok okay yes yeah yep sure well so and oh hm now just also still again please thanks ' +
    'actually really indeed simply very'
  ).split(' '),
);
const HAN_FILLERS = /好的|现在|現在|[嗯啊吧呀哦呢了]/gu;
// A sign before a number, an arrow or a currency is a word, too.
const WORD =
  /\p{Script=Han}|\p{S}|(?<![\p{L}\p{N}])[-−](?=\p{N})|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}'])+/gu;
/** Fewer words are no wording to go by. */
const LEAST_WORDS = 5;

/** A text's words without fillers, in order and separated by spaces; Han by characters. Null for a text of less than five. */
function wordingOf(text: string): string | null {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll('’', "'").replace(HAN_FILLERS, ' ');
  const words = (plain.match(WORD) ?? []).filter((word) => !FILLERS.has(word));
  return words.length < LEAST_WORDS ? null : `${words.join(' ')}${asks(text) ? ' ?' : ''}`;
}

/** Gives the wording of one text after the other, or its few words squeezed; of the same text once only, as that takes time. */
export const wordings = (): ((text: string) => string) =>
  memoized((text: string) => wordingOf(text) ?? squeezed(text));
