// Words that were private once are private wherever they stand: a password that an answer repeats has no "password:" before it.
import type { Category } from './categories.ts';
import type { KnownWords, Span } from './detector.ts';

/** By so many characters words are looked up; shorter ones are too likely to be something else. */
const HEAD = 4;
/** Words and numbers of people stand anywhere by chance; a value behind a keyword only where it is like no common word. */
const isDistinct = (category: Category, words: string): boolean =>
  words.length >= HEAD &&
  (category !== 'keywords' || words.length >= 16 || (words.length >= 6 && /[^\p{L}\s]/u.test(words)));

const isWordBetween = (before: string | undefined, after: string | undefined): boolean =>
  before !== undefined && after !== undefined && /[A-Za-z0-9]/.test(before) && /[A-Za-z0-9]/.test(after);

/** Finds these words in texts, the longer of two first. Work grows with the length of the text, whatever their number. */
export function createKnownWords(
  entries: Iterable<{ readonly category: Category; readonly words: string }>,
): KnownWords | undefined {
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
      const spans: (Span & { readonly category: Category })[] = [];
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
