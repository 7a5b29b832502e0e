// Results that come in waves (words first, meaning a moment later), put together so that nothing moves under the cursor.
import type { SearchHit } from '../../services/memory/memory.ts';

/**
 * `shown` with the newer order of `incoming`, but its first `held` rows stay where they are; rows that `incoming` lacks are kept in
 * `held` only. Numbers and snippets are always the newer ones.
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
