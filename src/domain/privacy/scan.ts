// Finds private words in a text, and puts tokens in their place.

import type { Category } from './categories.ts';
import { type KnownWords, masked, matches, type PersonalLists, type Span } from './detector.ts';
import { DETECTORS } from './detectors/index.ts';
import { createKnownWords } from './known-words.ts';
import { plainForm } from './plain-form.ts';
import { ANY_TOKEN } from './tokens.ts';

const TOKENS = new RegExp(ANY_TOKEN, 'g');

export interface Found extends Span {
  readonly category: Category;
  readonly words: string;
}

const byPlace = (one: Span, other: Span): number => one.from - other.from;

type Sight = Span & { readonly category: Category };

/** Private words of these categories, ascending and without overlaps. Tokens that stand in the text are none. Linear in its length. */
export function findPrivate(
  text: string,
  categories: ReadonlySet<Category>,
  lists: PersonalLists,
  known?: KnownWords,
): Found[] {
  if (categories.size === 0 || text === '') return [];
  const left = text.includes('[') ? masked(text, matches(text, TOKENS)) : text;
  const look = (written: string) => seenIn(written, categories, lists, known);
  const found = look(left);
  const plain = plainForm(masked(left, found));
  if (plain)
    for (const { from, to, category } of look(plain.text))
      found.push({ from: plain.at(from), to: plain.at(to - 1) + 1, category });
  return withoutOverlaps(found.map((one) => ({ ...one, words: text.slice(one.from, one.to) })));
}

/** Private words as they stand in a text; ascending. */
function seenIn(
  text: string,
  categories: ReadonlySet<Category>,
  lists: PersonalLists,
  known: KnownWords | undefined,
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
  // Words that occur twice may show only once what they are.
  const again = createKnownWords(found);
  if (again) take(again.find(left));
  if (known) take(known.find(left).filter(({ category }) => categories.has(category)));
  return found.sort(byPlace);
}

/** The one that covers more stays; ascending. */
function withoutOverlaps(found: Found[]): Found[] {
  found.sort((one, other) => byPlace(one, other) || other.to - one.to);
  const kept: Found[] = [];
  for (const one of found) if (one.from >= (kept.at(-1)?.to ?? 0)) kept.push(one);
  return kept;
}

/** The token for words of a category. */
export type TokenOf = (category: Category, words: string) => string;

/** The text with each of these words replaced. */
export function replaceFound(text: string, found: readonly Found[], tokenOf: TokenOf): string {
  if (found.length === 0) return text;
  let out = '';
  let at = 0;
  for (const { from, to, category, words } of found) {
    out += text.slice(at, from) + tokenOf(category, words);
    at = to;
  }
  return out + text.slice(at);
}

/** Characters of a text on each side of its border with the next one that are read together: as long as a key may be. */
const BORDER = 6_000;

/** The beginning of a text without its private words. It is read beyond its end, so that words across it are seen whole. */
export const cleanHead = (text: string, length: number, clean: (text: string) => string): string =>
  clean(text.slice(0, length + BORDER)).slice(0, length);

/** The same for its end. */
export const cleanTail = (text: string, length: number, clean: (text: string) => string): string =>
  clean(text.slice(-(length + BORDER))).slice(-length);

/**
 * Texts that follow one another without a gap, such as an answer and its continuation: what stands across a border between two of them is found
 * too. Its token stands at the end of the first; the rest of the words is taken out of the next ones.
 */
export function findAcross(texts: readonly string[], find: (text: string) => readonly Found[]): Found[][] {
  const found = texts.map((text) => [...find(text)]);
  for (let at = 0; at + 1 < texts.length; at++) {
    const [before, after] = [texts[at] as string, texts[at + 1] as string];
    if (before === '' || after === '') continue;
    const tail = before.slice(-BORDER);
    const offset = before.length - tail.length;
    const across = find(tail + after.slice(0, BORDER)).find(
      ({ from, to }) => from < tail.length && to > tail.length,
    );
    if (!across) continue;
    const from = offset + across.from;
    const to = across.to - tail.length;
    found[at] = [
      ...(found[at] as Found[]).filter((one) => one.to <= from),
      { ...across, from, to: before.length },
    ];
    found[at + 1] = [
      { from: 0, to, category: across.category, words: '' },
      ...(found[at + 1] as Found[]).filter((one) => one.from >= to),
    ];
  }
  return found;
}
