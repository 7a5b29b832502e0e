// Contract of a detector, which finds the words of one category in a text. One file each in `detectors/`, one line each in
// their registry.
import type { Category } from './categories.ts';

/** Place of words in a text: [from, to) in UTF-16 units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Lists of the person's own. */
export interface PersonalLists {
  readonly sensitive_keywords: readonly string[];
  readonly own_names: readonly string[];
  readonly own_addresses: readonly string[];
  readonly own_words: readonly string[];
  /** Regular expressions that `ownPattern` accepts. */
  readonly own_patterns: readonly string[];
}

export interface Detector {
  readonly category: Category;
  /**
   * Spans in any order, without overlaps. What was found before stands in the text as a row of `MASK` of the same length. Takes work that grows
   * with the length of the text.
   */
  find(text: string, lists: PersonalLists): readonly Span[];
}

/** Words that were found before, wherever they stand now. */
export interface KnownWords {
  find(text: string): readonly (Span & { readonly category: Category })[];
}

/** Stands for each character of what was found already. */
export const MASK = '•';

/** All matches of a global pattern; its group `kept`, at the beginning of the match, does not belong to the words. */
export function matches(text: string, pattern: RegExp): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    const from = match.index + (match.groups?.kept?.length ?? 0);
    const to = match.index + match[0].length;
    if (to > from) spans.push({ from, to });
  }
  return spans;
}

/** The text with these spans as rows of `MASK`; the same length. `spans` ascending. */
export function masked(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let out = '';
  let at = 0;
  for (const { from, to } of spans) {
    out += text.slice(at, from) + MASK.repeat(to - from);
    at = to;
  }
  return out + text.slice(at);
}
