// Words of scripts that are written without spaces, as the browser's own segmenter cuts them.
import { once } from '../base/once.ts';

export interface Segment {
  readonly text: string;
  /** False for marks and spaces. */
  readonly isWord: boolean;
}

/** The browser reads its dictionary for it: 50 ms of a slow phone. */
const segmenterOf = once(() =>
  typeof Intl.Segmenter === 'function' ? new Intl.Segmenter('zh', { granularity: 'word' }) : undefined,
);
/** Ends every word, and is part of none. */
const BETWEEN = '\n';

/**
 * Cuts each run into its segments, in order; none where there is no segmenter. A run has no line break in it. All runs of a text belong into one
 * call: each call makes a copy of the dictionary's reader, 1.6 KB that lie about until the next collection of garbage, and takes 4 µs for it.
 */
export function wordSegments(runs: readonly string[]): readonly (readonly Segment[])[] {
  const found = runs.map((): Segment[] => []);
  if (runs.length === 0) return found;
  const segmenter = segmenterOf();
  if (!segmenter) return found;
  let run = 0;
  for (const { segment, isWordLike } of segmenter.segment(runs.join(BETWEEN)))
    if (segment === BETWEEN) run += 1;
    else found[run]?.push({ text: segment, isWord: isWordLike !== false });
  return found;
}
