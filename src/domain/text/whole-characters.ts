// Cuts text without cutting a character: an emoji of several signs, a letter with its marks.
import { once } from '../base/once.ts';

/** More code units than a character of real text has: a family of four in different skins has 20. */
const REACH = 64;

const segmenterOf = once(() =>
  typeof Intl.Segmenter === 'function'
    ? new Intl.Segmenter(undefined, { granularity: 'grapheme' })
    : undefined,
);

/** The last place at or before `at` where a character begins, in UTF-16 code units. Takes the same time anywhere. */
function boundaryBefore(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(at, 0), text.length);
  const from = Math.max(0, at - REACH);
  const whole = segmenterOf()
    ?.segment(text.slice(from, at + REACH))
    .containing(at - from);
  const start = whole ? from + whole.index : at;
  if (start > from || start === 0) return start;
  // Letters under a heap of marks: only pairs of code units stay together.
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

/** The first `most` UTF-16 code units of a text, fewer where that would cut a character. */
export const startOf = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, boundaryBefore(text, most));

/** The last `most` UTF-16 code units of a text, more by the rest of a character that would be cut. */
export const endOf = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(boundaryBefore(text, text.length - most));
