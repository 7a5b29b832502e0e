// Candidates of a ranking and what they are ranked by, as the tests of ranking and of choosing make them.
import type { Rankable, RankContext } from '../../../src/domain/memory/rank.ts';

export const DAY = 86_400_000;
export const NOW = Date.UTC(2026, 0, 1);
export const context: RankContext = {
  weights: { vector: 0.6, keyword: 0.4 },
  scale: { related: 0.85, spread: 0.03 },
  idfWeights: [10, 10, 10],
  question: 'three words asked',
  decayFactor: 0.001,
  now: NOW,
};
let next = 0;
/** `bm25` is shared out evenly among three words. */
export const candidate = ({ bm25 = 5, ...more }: Partial<Rankable> & { bm25?: number } = {}): Rankable => ({
  chunkId: ++next,
  messageId: `m${next}`,
  conversationId: `c${next}`,
  text: `passage ${next}`,
  createdAt: NOW,
  cosine: 0.85,
  terms: [bm25 / 3, bm25 / 3, bm25 / 3],
  ...more,
});
