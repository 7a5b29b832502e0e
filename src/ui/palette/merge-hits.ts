// Merges results that arrive in waves (words first, meaning a moment later) so that nothing moves under the cursor.
import type { SearchHit } from '../../services/memory/memory.ts';

/**
 * `shown` in the newer order of `incoming`, but its first `held` rows stay in place; rows that `incoming` lacks are
 * kept only within `held`. Numbers and snippets are always the newer ones.
 */
export function mergeHits(
  shown: readonly SearchHit[],
  incoming: readonly SearchHit[],
  held: number,
): SearchHit[] {
  const newer = new Map(incoming.map((hit) => [hit.messageId, hit]));
  const top = shown.slice(0, held).map((hit) => newer.get(hit.messageId) ?? hit);
  const there = new Set(top.map((hit) => hit.messageId));
  return [...top, ...incoming.filter((hit) => !there.has(hit.messageId))];
}
