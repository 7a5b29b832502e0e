// Picks the keywords of a conversation without a model.
import type { Digest } from './digest.ts';

/** Returns up to `limit` keywords, the weightiest first, each in its most frequent form. */
export function keywordsOf({ names }: Digest, limit = 8): string[] {
  return [...names]
    .sort((a, b) => b[1].weight - a[1].weight || (a[0] < b[0] ? -1 : 1))
    .slice(0, limit)
    .map(
      ([, { forms }]) => [...forms].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0]?.[0] as string,
    );
}
