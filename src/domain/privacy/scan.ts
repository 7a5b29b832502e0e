// Finds private words in a text and replaces them with tokens.

import { joinedForm, writtenForms } from '../text/written-forms.ts';
import type { Category } from './categories.ts';
import { type KnownPrivateWords, masked, matches, type PersonalLists, type TextSpan } from './detector.ts';
import { DETECTORS } from './detectors/index.ts';
import { createKnownWords } from './known-words.ts';
import { plainForm } from './plain-form.ts';
import { ANY_TOKEN } from './tokens.ts';

const TOKENS = new RegExp(ANY_TOKEN, 'g');

export interface PrivateSpan extends TextSpan {
  readonly category: Category;
  readonly words: string;
}

const byPlace = (one: TextSpan, other: TextSpan): number => one.from - other.from;

type Sight = TextSpan & { readonly category: Category };

/**
 * Returns private words of these categories, ascending and without overlaps. It skips tokens in the text. Its work is
 * linear in the text's length.
 */
export function findPrivate(
  text: string,
  categories: ReadonlySet<Category>,
  lists: PersonalLists,
  known?: KnownPrivateWords,
): PrivateSpan[] {
  if (categories.size === 0 || text === '') return [];
  const left = text.includes('[') ? masked(text, matches(text, TOKENS)) : text;
  const scan = (written: string) => seenIn(written, categories, lists, known);
  const found = scan(left);
  const plainly = (written: string, seen: readonly Sight[]): Sight[] => {
    const plain = plainForm(masked(written, seen));
    if (!plain) return [];
    return scan(plain.text).map(({ from, to, category }) => ({
      from: plain.at(from),
      to: plain.at(to - 1) + 1,
      category,
    }));
  };
  found.push(...plainly(left, found));
  // Escapes, and what a page does not show, hide words from the detectors.
  const said: { category: Category; words: string }[] = [];
  for (const { text: form, changes, startOf, endOf } of writtenForms(masked(left, [...found].sort(byPlace))))
    for (const [start, end] of stretchesAround(form, changes)) {
      const near = form.slice(start, end);
      const seen = scan(near);
      for (const { from, to, category } of [...seen, ...plainly(near, seen)]) {
        found.push({ from: startOf(start + from), to: endOf(start + to), category });
        said.push({ category, words: near.slice(from, to) });
      }
    }
  for (const cut of CUT_BY_LINES) {
    const wanted = new Set(cut.categories.filter((category) => categories.has(category)));
    const joined = wanted.size === 0 ? null : joinedForm(left, cut.what);
    if (!joined) continue;
    const { text: form, changes, startOf, endOf } = joined;
    for (const [start, end] of stretchesAround(form, changes))
      for (const { from, to, category } of seenIn(form.slice(start, end), wanted, lists, undefined)) {
        const cuts = changes.filter((place) => place > start + from && place < start + to).length;
        if (cuts === 0 || cuts > cut.most) continue;
        found.push({ from: startOf(start + from), to: endOf(start + to), category });
      }
  }
  const again = createKnownWords(said);
  const one = withoutOverlaps(found.map((sight) => ({ ...sight, words: text.slice(sight.from, sight.to) })));
  if (!again) return one;
  const more = again.find(masked(left, one));
  return withoutOverlaps([
    ...one,
    ...more.map((sight) => ({ ...sight, words: text.slice(sight.from, sight.to) })),
  ]);
}

/**
 * Words that the end of a line may divide. A number over more than two lines is rather a column of a table, and two
 * lines that have nothing to do with each other too easily make a password or a telephone number.
 */
const CUT_BY_LINES: readonly {
  readonly what: 'key' | 'number';
  readonly categories: readonly Category[];
  readonly most: number;
}[] = [
  { what: 'key', categories: ['secrets'], most: 40 },
  { what: 'number', categories: ['cards', 'bank_accounts'], most: 1 },
];

/** Characters beside a changed place that are read with it, up to a gap between words. */
const NEAR = 240;
/** Longest word that is read whole: that of the longest key. */
const LONGEST = 6_000;

/** Joins the stretches around these places of a text, each from one gap between words to another. */
function* stretchesAround(text: string, places: readonly number[]): Generator<readonly [number, number]> {
  let start = -1;
  let end = -1;
  for (const place of places) {
    if (place <= end) {
      if (end < text.length) end = Math.max(end, gapFrom(text, place + NEAR));
      continue;
    }
    const from = gapBefore(text, place - NEAR);
    if (from > end) {
      if (start >= 0) yield [start, end];
      start = from;
    }
    end = gapFrom(text, place + NEAR);
  }
  if (start >= 0) yield [start, end];
}

function gapBefore(text: string, place: number): number {
  let at = Math.max(0, place);
  for (const least = Math.max(0, at - LONGEST); at > least && !/\s/.test(text[at] as string); ) at -= 1;
  return at;
}

function gapFrom(text: string, place: number): number {
  let at = Math.min(text.length, place);
  for (const most = Math.min(text.length, at + LONGEST); at < most && !/\s/.test(text[at] as string); )
    at += 1;
  return at;
}

/** Finds private words in the plain form of a text; ascending. */
function seenIn(
  text: string,
  categories: ReadonlySet<Category>,
  lists: PersonalLists,
  known: KnownPrivateWords | undefined,
): Sight[] {
  const found: (Sight & { readonly words: string })[] = [];
  let left = text;
  const take = (spans: readonly Sight[]) => {
    if (spans.length === 0) return;
    for (const { from, to, category } of spans)
      found.push({ from, to, category, words: text.slice(from, to) });
    left = masked(left, [...spans].sort(byPlace));
  };
  for (const { category, find } of DETECTORS)
    if (categories.has(category)) take(find(left, lists).map((span) => ({ ...span, category })));
  // Words that occur twice may be recognisable in only one place.
  const again = createKnownWords(found);
  if (again) take(again.find(left));
  if (known) take(known.find(left).filter(({ category }) => categories.has(category)));
  return found.sort(byPlace);
}

/** Makes one of overlapping finds, so that no end of one stays; ascending. */
function withoutOverlaps(found: PrivateSpan[]): PrivateSpan[] {
  found.sort((one, other) => byPlace(one, other) || other.to - one.to);
  const kept: PrivateSpan[] = [];
  for (const one of found) {
    const last = kept.at(-1);
    if (!last || one.from >= last.to) kept.push(one);
    else if (one.to > last.to) {
      const words = last.words + one.words.slice(last.to - one.from);
      kept[kept.length - 1] = { ...last, to: one.to, words };
    }
  }
  return kept;
}

/** Returns the token for words of a category. */
export type TokenOf = (category: Category, words: string) => string;

/** Replaces each of these words in the text. */
export function replaceFound(text: string, found: readonly PrivateSpan[], tokenOf: TokenOf): string {
  if (found.length === 0) return text;
  let out = '';
  let at = 0;
  for (const { from, to, category, words } of found) {
    out += text.slice(at, from) + tokenOf(category, words);
    at = to;
  }
  return out + text.slice(at);
}

/** Characters on each side of a border between texts that are read together: the length of the longest key. */
const BORDER = 6_000;

/**
 * Returns the beginning of a text without its private words. It reads past the end so that words across it are
 * recognised.
 */
export const cleanHead = (text: string, length: number, clean: (text: string) => string): string =>
  clean(text.slice(0, length + BORDER)).slice(0, length);

/** Returns the end of a text in the same way. */
export const cleanTail = (text: string, length: number, clean: (text: string) => string): string =>
  clean(text.slice(-(length + BORDER))).slice(-length);

/**
 * Finds private words across borders of consecutive texts, such as an answer and its continuations. The token goes to
 * the end of the first text; the rest of the words is removed from the next ones. Linear in the length of all texts.
 */
export function findAcross(
  texts: readonly string[],
  find: (text: string) => readonly PrivateSpan[],
): PrivateSpan[][] {
  const found = texts.map((text) => [...find(text)]);
  const starts: number[] = [];
  let length = 0;
  for (const text of texts) {
    starts.push(length);
    length += text.length;
  }
  const borders = starts.filter((at) => at > 0 && at < length);
  if (borders.length === 0) return found;
  for (const span of spansAt(borders, texts.join(''), find)) {
    let isFirst = true;
    for (let at = lastUpTo(starts, span.from); at < texts.length; at++) {
      const start = starts[at] as number;
      const from = Math.max(0, span.from - start);
      const to = Math.min((texts[at] as string).length, span.to - start);
      if (start >= span.to) break;
      if (from >= to) continue;
      const piece = { ...span, from, to, words: isFirst ? span.words : '' };
      const others = (found[at] as PrivateSpan[]).filter((one) => one.to <= from || one.from >= to);
      found[at] = [...others, piece].sort(byPlace);
      isFirst = false;
    }
  }
  return found;
}

/** Finds the words that go across a border of a joined text, in pieces that overlap by the length of a key. */
function spansAt(
  borders: readonly number[],
  joined: string,
  find: (text: string) => readonly PrivateSpan[],
): PrivateSpan[] {
  const hasBorder = (from: number, to: number): boolean => {
    const last = lastUpTo(borders, to - 1);
    return last >= 0 && (borders[last] as number) > from;
  };
  const across: PrivateSpan[] = [];
  for (let start = 0; start === 0 || start + BORDER < joined.length; start += BORDER) {
    if (!hasBorder(start, start + 2 * BORDER)) continue;
    for (const one of find(joined.slice(start, start + 2 * BORDER))) {
      const span = { ...one, from: start + one.from, to: start + one.to };
      if (hasBorder(span.from, span.to)) across.push(span);
    }
  }
  return withoutOverlaps(across);
}

/** Returns the index of the last number up to `most` in an ascending list; -1: none is. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
