// Finds the words on the person's own lists: names, addresses, words and patterns.

import { comparableForm, isIn, placesFinder } from '../../text/find.ts';
import { partedForm } from '../../text/written-forms.ts';
import type { Category } from '../categories.ts';
import type { Detector, PersonalLists, TextSpan } from '../detector.ts';
import { ownPattern } from '../own-pattern.ts';

const LETTER = /[\p{L}\p{N}_]/u;
const LETTER_ONLY = /\p{L}/u;
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

const parted = (text: string): string => partedForm(text)?.text ?? text;
const HAS_WORDS = /[\p{L}\p{N}][^\p{L}\p{N}]+[\p{L}\p{N}]/u;
/** Shortest name that is also found as one word, in letters: *Li Na* is not *Lina*. */
const LEAST_HANDLE = 8;

/** True if the text has a word of the entry at all, in any case: the cheap look before the others. */
const hasWordOf = (form: string, entry: string): boolean =>
  entry.split(' ').every((word) => isIn(form, comparableForm(UNSPACED.test(word) ? (word[0] ?? '') : word)));

/** Form of the last text: three lists read it one after the other. */
let last = { text: '', form: '' };
const comparedForm = (text: string): string => {
  if (last.text !== text) last = { text, form: comparableForm(text) };
  return last.form;
};

/** Adds the entries of several words, and those in Chinese, where something else stands between their words. */
function addParted(text: string, entries: readonly string[], taken: Taken): void {
  const compared = comparedForm(text);
  const wanted = entries
    .map(parted)
    .filter((entry) => (HAS_WORDS.test(entry) || UNSPACED.test(entry)) && hasWordOf(compared, entry));
  const form = wanted.length > 0 ? partedForm(text) : null;
  if (!form) return;
  const placesOf = placesFinder(form.text);
  for (const entry of wanted)
    for (const [from, to] of placesOf(comparableForm(entry)))
      if (!isJoined(form.text[from - 1], form.text[from]) && !isJoined(form.text[to - 1], form.text[to]))
        taken.add(form.startOf(from), form.endOf(to));
}

/** Adds names as accounts write them (`annabergmann92`), and as lists do (*Bergmann, Anna*). */
function addHandles(text: string, names: readonly string[], taken: Taken): void {
  const several = names.map((name) => parted(name.trim()).split(' ')).filter(({ length }) => length > 1);
  if (several.length === 0) return;
  addParted(
    text,
    several.map((words) => [words.at(-1), ...words.slice(0, -1)].join(' ')),
    taken,
  );
  const compared = comparedForm(text);
  const handles = several
    .map((words) => comparableForm(words.join('')))
    .filter((one) => one.length >= LEAST_HANDLE && !UNSPACED.test(one) && isIn(compared, one));
  if (handles.length === 0) return;
  const placesOf = placesFinder(text);
  for (const handle of handles)
    for (const [from, to] of placesOf(handle))
      if (!LETTER_ONLY.test(text[from - 1] ?? '') && !LETTER_ONLY.test(text[to] ?? '')) taken.add(from, to);
}

/** Adds every entry of a list; case, accents, width and script variants of letters do not matter. */
function addListed(text: string, list: readonly string[], taken: Taken): void {
  if (list.length === 0) return;
  const placesOf = placesFinder(text);
  // Longer entries first: "Anna Bergmann" before "Anna".
  const entries = list.map((entry) => entry.trim()).sort((one, other) => other.length - one.length);
  for (const entry of entries)
    for (const [from, to] of placesOf(comparableForm(entry)))
      if (!isJoined(text[from - 1], text[from]) && !isJoined(text[to - 1], text[to])) taken.add(from, to);
  addParted(text, entries, taken);
}

const ownList = (category: Category, list: keyof PersonalLists): Detector => ({
  category,
  find(text, lists) {
    if (lists[list].length === 0) return [];
    const taken = new Taken(text.length);
    addListed(text, lists[list], taken);
    if (category === 'names') addHandles(text, lists[list], taken);
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
