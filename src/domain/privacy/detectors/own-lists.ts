// Finds the words on the person's own lists: names, addresses, words and patterns.

import { comparableForm, placesFinder } from '../../text/find.ts';
import type { Category } from '../categories.ts';
import type { Detector, PersonalLists, TextSpan } from '../detector.ts';
import { ownPattern } from '../own-pattern.ts';

const LETTER = /[\p{L}\p{N}_]/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** A Latin name must not be part of a longer word; Chinese has no spaces between words. */
const isJoined = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  LETTER.test(one) &&
  LETTER.test(other) &&
  !UNSPACED.test(one) &&
  !UNSPACED.test(other);

/** Spans in a text; the first span that contains a character keeps it. */
class Taken {
  readonly spans: TextSpan[] = [];
  readonly #units: Uint8Array;

  constructor(length: number) {
    this.#units = new Uint8Array(length);
  }

  add(from: number, to: number): void {
    if (to <= from || this.#units[from] || this.#units[to - 1]) return;
    this.#units.fill(1, from, to);
    this.spans.push({ from, to });
  }
}

/** Adds every entry of a list; case, accents, width and script variants of letters do not matter. */
function addListed(text: string, list: readonly string[], taken: Taken): void {
  if (list.length === 0) return;
  const placesOf = placesFinder(text);
  // Longer entries first: "Anna Bergmann" before "Anna".
  for (const entry of [...list].sort((one, other) => other.length - one.length))
    for (const [from, to] of placesOf(comparableForm(entry.trim())))
      if (!isJoined(text[from - 1], text[from]) && !isJoined(text[to - 1], text[to])) taken.add(from, to);
}

const ownList = (category: Category, list: keyof PersonalLists): Detector => ({
  category,
  find(text, lists) {
    if (lists[list].length === 0) return [];
    const taken = new Taken(text.length);
    addListed(text, lists[list], taken);
    return taken.spans;
  },
});

export const names = ownList('names', 'own_names');
export const addresses = ownList('addresses', 'own_addresses');

export const words: Detector = {
  category: 'words',
  find(text, { own_words: listed, own_patterns: patterns }) {
    if (listed.length + patterns.length === 0) return [];
    const taken = new Taken(text.length);
    addListed(text, listed, taken);
    for (const source of patterns) {
      const pattern = ownPattern(source);
      if (!(pattern instanceof RegExp)) continue;
      for (const { 0: found, index } of text.matchAll(pattern)) taken.add(index, index + found.length);
    }
    return taken.spans;
  },
};
