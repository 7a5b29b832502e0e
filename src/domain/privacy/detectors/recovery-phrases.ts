// Recovery phrases of wallets and of locked devices: twelve or more words of a BIP-39 list in
// a row, also numbered or one per line.
import { wordlist as english } from '@scure/bip39/wordlists/english.js';
import { wordlist as chinese } from '@scure/bip39/wordlists/simplified-chinese.js';
import type { Detector, TextSpan } from '../detector.ts';

const WORDS: ReadonlySet<string> = new Set([...english, ...chinese]);
/** A word of a list: three to eight letters, or a single Han character. */
const WORD = /(?<![\p{L}\p{N}_])(?:[A-Za-z]{3,8}|\p{Script=Han})(?![\p{L}\p{N}_])/gu;
/** Between two words: spaces, commas, quotes, the number of the next word. */
const GAP = /^[\s,;|"'`[\]-]{0,8}(?:#?\d{1,2}[.):\s-]{1,4})?["'`]?$/;
const LEAST = 12;

interface Word extends TextSpan {
  readonly word: string;
}

/** Excludes a list in its own order (a dictionary) and one repeated word, except the phrase of zeros. */
const isPhrase = (run: readonly Word[]): boolean =>
  run.length >= LEAST &&
  run.some(({ word }, at) => at > 0 && word <= (run[at - 1] as Word).word) &&
  new Set(run.map(({ word }) => word)).size > 1;

export const recoveryPhrases: Detector = {
  category: 'secrets',
  find(text) {
    const spans: TextSpan[] = [];
    let run: Word[] = [];
    const end = () => {
      const [first, last] = [run[0], run.at(-1)];
      if (first && last && isPhrase(run)) spans.push({ from: first.from, to: last.to });
      run = [];
    };
    for (const { 0: written, index: from } of text.matchAll(WORD)) {
      const word = written.toLowerCase();
      const last = run.at(-1);
      if (last && !(from - last.to <= 16 && from > last.to && GAP.test(text.slice(last.to, from)))) end();
      if (WORDS.has(word)) run.push({ word, from, to: from + written.length });
      else end();
    }
    end();
    return spans;
  },
};
