// Finds private words in a text and replaces them with tokens.

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
  const plain = plainForm(masked(left, found));
  if (plain)
    for (const { from, to, category } of scan(plain.text))
      found.push({ from: plain.at(from), to: plain.at(to - 1) + 1, category });
  return withoutOverlaps(found.map((one) => ({ ...one, words: text.slice(one.from, one.to) })));
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

/** Keeps the longer of two overlapping finds; ascending. */
function withoutOverlaps(found: PrivateSpan[]): PrivateSpan[] {
  found.sort((one, other) => byPlace(one, other) || other.to - one.to);
  const kept: PrivateSpan[] = [];
  for (const one of found) if (one.from >= (kept.at(-1)?.to ?? 0)) kept.push(one);
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
