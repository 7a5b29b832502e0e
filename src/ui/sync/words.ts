// Checks the 24 words while they are typed: which are known, and suggestions for the others. Pure.
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { distance } from 'fastest-levenshtein';
import { plainWords, wordsIn } from '../../domain/sync/pairing.ts';

export const PHRASE_WORDS = 24;

export interface TypedWord {
  readonly text: string;
  /** `started`: the last word, still being typed, and the beginning of a known one. */
  readonly state: 'known' | 'started' | 'unknown';
  /** Nearest known word for an unknown one, if one is near. */
  readonly meant: string | null;
}

const KNOWN = new Set(wordlist);
/** Largest number of typing errors that still gives a suggestion. */
const NEAR = 2;

function nearest(text: string): string | null {
  let best: string | null = null;
  let least = NEAR + 1;
  for (const word of wordlist) {
    const away = distance(text, word);
    if (away < least) [best, least] = [word, away];
  }
  return best;
}

/** True if the text looks like words rather than a link. */
export const looksLikeWords = (text: string): boolean =>
  text.trim() !== '' &&
  !/pair=|:\/\/|#/.test(text) &&
  /^[\p{L}\s\d,;.)、。]+$/u.test(plainWords(text).trim());

/** Splits the text as the parser of phrases does. */
export function typedWords(text: string): readonly TypedWord[] {
  const finished = /[\s,;.、。]$/.test(plainWords(text));
  const parts = wordsIn(text);
  return parts.map((part, at): TypedWord => {
    if (KNOWN.has(part)) return { text: part, state: 'known', meant: null };
    const typing = at === parts.length - 1 && !finished;
    if (typing && wordlist.some((word) => word.startsWith(part)))
      return { text: part, state: 'started', meant: null };
    return { text: part, state: 'unknown', meant: nearest(part) };
  });
}
