// Tokens replace private words, and are later turned back into them. `[phone-3]` is from this device; `[phone-3@k7f2]`
// is from another device, which alone has the words.
import { type Category, LABELS } from './categories.ts';

/** Replaces redacted words for which no token is kept. It contains no letter, so it is not a search word either. */
export const REDACTED = '•••';

const NAMES = Object.values(LABELS).join('|');
/** A token, with or without a number. */
export const ANY_TOKEN = String.raw`\[(?:${NAMES})(?:-\d{1,7}(?:@[0-9a-z]{4})?)?\]`;
/** Matches every token in a text: group 1 is its label, 2 its number, 3 the tag of the device that has the words. */
export const tokenPattern = (): RegExp =>
  new RegExp(String.raw`\[(${NAMES})-(\d{1,7})(?:@([0-9a-z]{4}))?\]`, 'g');
/** Replaces all tokens with one mark, so that a passage compares equal whatever numbers its words had. */
export const withoutTokens = (text: string): string =>
  text.includes('[') ? text.replace(new RegExp(ANY_TOKEN, 'g'), REDACTED) : text;
/** Length of the longest token, in characters. */
export const TOKEN_LENGTH = '[account-9999999@zzzz]'.length;

const CATEGORY_OF = new Map(Object.entries(LABELS).map(([category, label]) => [label, category as Category]));
/** Returns the category of a token's label; undefined if none has it. */
export const categoryOf = (label: string): Category | undefined => CATEGORY_OF.get(label);

/** Returns the token for hidden words, such as `[LABEL-1]`. */
export const tokenFor = (category: Category, number: number): string => `[${LABELS[category]}-${number}]`;
/** Returns a token without a number, for words that cannot be stored: they stay hidden and cannot be put back. */
export const bareToken = (category: Category): string => `[${LABELS[category]}]`;

/** Returns the words of a token; undefined leaves the token in place. */
export type PrivateWordsOf = (token: string) => string | undefined;

/** Turns the tokens of a text back into words. */
export const restored = (text: string, privateWordsOf: PrivateWordsOf): string =>
  text.includes('[') ? text.replace(tokenPattern(), (token) => privateWordsOf(token) ?? token) : text;

/** Turns tokens back inside the text of a JSON value, escaping the words for JSON. */
export const restoredInJson = (json: string, privateWordsOf: PrivateWordsOf): string =>
  restored(json, (token) => {
    const words = privateWordsOf(token);
    return words === undefined ? undefined : JSON.stringify(words).slice(1, -1);
  });

/** A label followed by an incomplete rest of a token. */
const BEGUN = new RegExp(`^(?:${NAMES})-(?:\\d{1,7}(?:@[0-9a-z]{0,4})?)?$`);
/** True if the text, from its bracket on, may be the beginning of a token. */
const isBegun = (text: string): boolean =>
  text.length < TOKEN_LENGTH &&
  (Object.values(LABELS).some((label) => label.startsWith(text.slice(1))) || BEGUN.test(text.slice(1)));

/** Turns tokens back in a streamed text: it holds a token that is cut between two pieces until it is complete. */
export class StreamRestorer {
  readonly #privateWordsOf: PrivateWordsOf;
  #held = '';

  constructor(privateWordsOf: PrivateWordsOf) {
    this.#privateWordsOf = privateWordsOf;
  }

  /** Returns as much text as is certain now. */
  push(piece: string): string {
    const text = this.#held + piece;
    const open = text.lastIndexOf('[');
    const from = open >= 0 && isBegun(text.slice(open)) ? open : text.length;
    this.#held = text.slice(from);
    return restored(text.slice(0, from), this.#privateWordsOf);
  }

  /** Returns the held rest, which turned out to be no token. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}
