// Tokens: what stands where private words stood, and how words are put back. `[phone-3]` is of this device; `[phone-3@k7f2]` came from another
// one, which alone has the words.
import { type Category, LABELS } from './categories.ts';

/** Stands where words were redacted that no token is kept for. No letter in it, so it is no search word either. */
export const REDACTED = '•••';

const NAMES = Object.values(LABELS).join('|');
/** A token, with or without a number. */
export const ANY_TOKEN = String.raw`\[(?:${NAMES})(?:-\d{1,7}(?:@[0-9a-z]{4})?)?\]`;
/** Every token in a text: 1 its label, 2 its number, 3 the tag of the device that has the words. */
export const tokenPattern = (): RegExp =>
  new RegExp(String.raw`\[(${NAMES})-(\d{1,7})(?:@([0-9a-z]{4}))?\]`, 'g');
/** The text with marks for all tokens: a passage is the same whatever number its words had when it was read. */
export const withoutTokens = (text: string): string =>
  text.includes('[') ? text.replace(new RegExp(ANY_TOKEN, 'g'), REDACTED) : text;
/** Longest token there is, in characters. */
export const TOKEN_LENGTH = '[account-9999999@zzzz]'.length;

const CATEGORY_OF = new Map(Object.entries(LABELS).map(([category, label]) => [label, category as Category]));
/** The category of a token's label; undefined if no category has it. */
export const categoryOf = (label: string): Category | undefined => CATEGORY_OF.get(label);

/** The token that stands for hidden words, such as `[LABEL-1]`. */
export const tokenFor = (category: Category, number: number): string => `[${LABELS[category]}-${number}]`;
/** Token without a number, if none can be given: the words cannot be put back, and are hidden all the same. */
export const bareToken = (category: Category): string => `[${LABELS[category]}]`;

/** Words for a token; undefined: it stays as it is. */
export type WordsOf = (token: string) => string | undefined;

/** The text with its tokens turned back into words. */
export const restored = (text: string, wordsOf: WordsOf): string =>
  text.includes('[') ? text.replace(tokenPattern(), (token) => wordsOf(token) ?? token) : text;

/** The same within the text of a JSON value: words are written as JSON writes them. */
export const restoredInJson = (json: string, wordsOf: WordsOf): string =>
  restored(json, (token) => {
    const words = wordsOf(token);
    return words === undefined ? undefined : JSON.stringify(words).slice(1, -1);
  });

/** Behind a label: what may go on to be a token. */
const BEGUN = new RegExp(`^(?:${NAMES})-(?:\\d{1,7}(?:@[0-9a-z]{0,4})?)?$`);
/** True if a text, from its bracket on, may be the beginning of a token. */
const isBegun = (text: string): boolean =>
  text.length < TOKEN_LENGTH &&
  (Object.values(LABELS).some((label) => label.startsWith(text.slice(1))) || BEGUN.test(text.slice(1)));

/** Turns tokens back in a text that comes piece by piece: one that is cut between two pieces is held until it is whole. */
export class StreamRestorer {
  readonly #wordsOf: WordsOf;
  #held = '';

  constructor(wordsOf: WordsOf) {
    this.#wordsOf = wordsOf;
  }

  /** Gives as much text as is certain now. */
  push(piece: string): string {
    const text = this.#held + piece;
    const open = text.lastIndexOf('[');
    const from = open >= 0 && isBegun(text.slice(open)) ? open : text.length;
    this.#held = text.slice(from);
    return restored(text.slice(0, from), this.#wordsOf);
  }

  /** Gives the held rest, which is no token after all. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}
