// Texts as sets of rough words, to tell whether two of them speak of the same.
import { isStopWord } from './words.ts';

/** So much of a passage is compared, characters, and so many letters of a word: enough to tell it in its forms. */
const [COMPARED, BEGINNING] = [1_500, 5];
const PIECE = /\p{Script=Han}+|\p{N}+(?:[.,:]\p{N}+)*|(?:(?!\p{Script=Han})[\p{L}\p{M}'’])+/gu;

/** A text in rough words: beginnings of words, pairs of Han characters, figures as they are. Linear in the text. */
export function roughWords(text: string): { readonly words: Set<string>; readonly figures: Set<string> } {
  const words = new Set<string>();
  const figures = new Set<string>();
  for (const [piece] of text.slice(0, COMPARED).normalize('NFKC').toLowerCase().matchAll(PIECE)) {
    if (/^\p{N}/u.test(piece)) {
      figures.add(piece);
      words.add(piece);
    } else if (/^\p{Script=Han}/u.test(piece))
      for (let at = 0; at + 1 < piece.length; at++) words.add(piece.slice(at, at + 2));
    else if (!isStopWord(piece.split(/['’]/u, 1)[0] ?? '')) words.add(piece.slice(0, BEGINNING));
  }
  return { words, figures };
}
