// Contract of a detector, which finds the words of one category in a text. One file each in
// `detectors/`, one line each in their registry.
import type { Category } from './categories.ts';

/** Position of words in a text: [from, to) in UTF-16 units. */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

/** The person's own lists. */
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
   * Returns spans in any order, without overlaps. Earlier finds appear in `text` as a row of `MASK` of the same
   * length. The work must be linear in the length of the text.
   */
  find(text: string, lists: PersonalLists): readonly TextSpan[];
}

/** Finds words again that were found before, wherever they occur. */
export interface KnownPrivateWords {
  find(text: string): readonly (TextSpan & { readonly category: Category })[];
}

/** Replaces each character of earlier finds. */
export const MASK = '•';

/**
 * Returns all matches of a global pattern, each without its group `kept`, which must be at the beginning of the
 * match.
 */
export function matches(text: string, pattern: RegExp): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const match of text.matchAll(pattern)) {
    const from = match.index + (match.groups?.kept?.length ?? 0);
    const to = match.index + match[0].length;
    if (to > from) spans.push({ from, to });
  }
  return spans;
}

/** Replaces these spans with rows of `MASK` of the same length. `spans` must be ascending. */
export function masked(text: string, spans: readonly TextSpan[]): string {
  if (spans.length === 0) return text;
  let out = '';
  let at = 0;
  for (const { from, to } of spans) {
    out += text.slice(at, from) + MASK.repeat(to - from);
    at = to;
  }
  return out + text.slice(at);
}
