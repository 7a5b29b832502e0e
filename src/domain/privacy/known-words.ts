// Finds private words again wherever they occur: a password that an answer repeats has no "password:" before it.
import type { Category } from './categories.ts';
import type { KnownPrivateWords, TextSpan } from './detector.ts';

/** Words are looked up by this many first characters; shorter ones are too likely to be something else. */
const HEAD = 4;
/**
 * People's words and numbers occur by chance, so they do not count; a value after a keyword counts only if it is
 * unlike common words.
 */
const isDistinct = (category: Category, words: string): boolean =>
  words.length >= HEAD &&
  (category !== 'keywords' || words.length >= 16 || (words.length >= 6 && /[^\p{L}\s]/u.test(words)));

const isWordBetween = (before: string | undefined, after: string | undefined): boolean =>
  before !== undefined && after !== undefined && /[A-Za-z0-9]/.test(before) && /[A-Za-z0-9]/.test(after);

/**
 * Builds a finder of these words, which prefers the longer of two. Its work is linear in the text's length, however
 * many words there are.
 */
export function createKnownWords(
  entries: Iterable<{ readonly category: Category; readonly words: string }>,
): KnownPrivateWords | undefined {
  const byHead = new Map<string, { readonly category: Category; readonly words: string }[]>();
  for (const { category, words } of entries) {
    if (!isDistinct(category, words)) continue;
    const head = words.slice(0, HEAD);
    const same = byHead.get(head);
    if (same) same.push({ category, words });
    else byHead.set(head, [{ category, words }]);
  }
  if (byHead.size === 0) return undefined;
  for (const same of byHead.values()) same.sort((one, other) => other.words.length - one.words.length);
  return {
    find(text) {
      const spans: (TextSpan & { readonly category: Category })[] = [];
      for (let at = 0; at + HEAD <= text.length; at++) {
        const fits = byHead
          .get(text.slice(at, at + HEAD))
          ?.find(
            ({ words }) =>
              text.startsWith(words, at) &&
              !isWordBetween(text[at - 1], text[at]) &&
              !isWordBetween(text[at + words.length - 1], text[at + words.length]),
          );
        if (!fits) continue;
        spans.push({ from: at, to: at + fits.words.length, category: fits.category });
        at += fits.words.length - 1;
      }
      return spans;
    },
  };
}
