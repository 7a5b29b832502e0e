// Reduces single words to the forms by which they are found.
import { stemmer } from 'stemmer';
import { lightStems } from './light-stems.ts';
import { isMeaningfulPair, isStopWord } from './stop-words.ts';
import { usualForm } from './usual-form.ts';

/** Longest word kept, in characters. */
export const MAX_WORD = 48;

/** A name and its number written as one: `rtx4090`, `gpt4o`, `kb5034441`. */
const NUMBERED = /^(\p{L}{2,12})(\p{N}[\p{L}\p{N}]{0,5}|\p{N}{7,10})$/u;
const HANGUL = /^\p{Script=Hangul}{3,}$/u;

/**
 * Adds a word in lower case: English as its stem; with `inParts` a name with a number also in two parts,
 * Korean also as pairs. Skips stop words.
 */
export function addWord(word: string, out: string[], inParts = true): void {
  if (word.length > MAX_WORD || isStopWord(word)) return;
  if (/^[a-z]{3,}$/.test(word)) {
    out.push(stemmer(usualForm(word)));
    return;
  }
  out.push(word);
  if (!inParts) return;
  for (const stem of lightStems(word)) out.push(stem);
  const [, name, number] = NUMBERED.exec(word) ?? [];
  if (name !== undefined && number !== undefined) {
    addWord(name, out);
    out.push(number);
  }
  if (HANGUL.test(word)) addPairs(word, isMeaningfulPair, out);
}

/** Adds each pair of adjacent characters in a run for which `says`, given their code points, is true. */
export function addPairs(run: string, says: (one: number, other: number) => boolean, out: string[]): void {
  let [from, one] = [0, -1];
  for (let at = 0; at < run.length; ) {
    const other = run.codePointAt(at) as number;
    const to = at + (other > 0xffff ? 2 : 1);
    if (one >= 0 && says(one, other)) out.push(run.slice(from, to));
    [from, one] = [at, other];
    at = to;
  }
}
