// Cuts hits to the space that the prompt has for them.
import type { NeighbourRow } from '../../adapters/index/memory-index.ts';
import type { MessageId } from '../../domain/base/ids.ts';
import { passageSource } from '../../domain/chat/files.ts';
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { cutToTokens, estimateTokens } from '../../domain/context/tokens.ts';
import type { createNeverTest } from '../../domain/memory/notes.ts';
import { divideBudget, neighbourTokens } from '../../domain/memory/passages.ts';
import { excerptOf } from '../../domain/memory/snippet.ts';
import type { Ranked } from './search.ts';

/** Most tokens of a hit's neighbours. */
const NEIGHBOUR_TOKENS = 120;
/** Title, date and marks around a passage in the prompt. */
const FRAME_TOKENS = 24;
/** Shortest passage worth injecting. */
const LEAST_TOKENS = 24;

/**
 * Turns hits into passages within `budget` tokens: neighbours shrink, then long passages; what can still be cut stays.
 * No neighbour is a hit, in `already`, `never` to be recalled, or used twice; messages used are added to `already`.
 */
export function passagesOf(
  hits: readonly Ranked[],
  neighboursOf: ReadonlyMap<MessageId, { before: NeighbourRow[]; after: NeighbourRow[] }>,
  query: string,
  budget: number,
  already: Set<MessageId>,
  never: ReturnType<typeof createNeverTest>,
): RecalledPassage[] {
  const full = hits.map(({ candidate }) => estimateTokens(candidate.text));
  const kept = Math.max(1, Math.min(hits.length, Math.floor(budget / (FRAME_TOKENS + LEAST_TOKENS))));
  const shares = divideBudget(full.slice(0, kept), budget - kept * FRAME_TOKENS);
  const left = budget - kept * FRAME_TOKENS - shares.reduce((sum, share) => sum + share, 0);
  for (const { candidate } of hits.slice(0, kept)) already.add(candidate.messageId);
  const rowsAround = hits.slice(0, kept).map(({ candidate: { conversationId, messageId } }) => {
    const { before, after } = neighboursOf.get(messageId) ?? { before: [], after: [] };
    const rows = [
      ...before.map((row) => ({ ...row, side: 'before' as const })),
      ...after.map((row) => ({ ...row, side: 'after' as const })),
    ].filter((row) => !already.has(row.messageId) && !never({ ...row, conversationId }));
    for (const { messageId } of rows) already.add(messageId);
    return rows;
  });
  const wants = rowsAround.map((rows) =>
    rows.reduce(
      (sum, { text }) => sum + Math.min(NEIGHBOUR_TOKENS + neighbourTokens(''), neighbourTokens(text)),
      0,
    ),
  );
  const budgets = divideBudget(wants, left);
  return hits.slice(0, kept).map(({ candidate, scores }, at) => {
    const { text: said } = passageSource(candidate.text);
    const line = candidate.text.slice(0, candidate.text.length - said.length);
    const share = shares[at] ?? 0;
    // The passage keeps its file and page, however short it gets.
    const passage =
      line === ''
        ? excerptOf(said, query, share)
        : line + excerptOf(said, query, Math.max(LEAST_TOKENS, share - estimateTokens(line)));
    let spare = budgets[at] ?? 0;
    const rows = rowsAround[at] ?? [];
    const neighbours = rows.flatMap((row, place) => {
      const fair = Math.floor(spare / (rows.length - place)) - neighbourTokens('');
      const share = Math.min(NEIGHBOUR_TOKENS, fair);
      if (share < 8) return [];
      const text = cutToTokens(row.text, share);
      spare -= neighbourTokens(text);
      return [{ messageId: row.messageId, role: row.role, text, createdAt: row.createdAt, side: row.side }];
    });
    return {
      conversationId: candidate.conversationId,
      messageId: candidate.messageId,
      title: candidate.title,
      createdAt: candidate.createdAt,
      role: candidate.role,
      passage,
      neighbours,
      scores: { ...scores, boosts: [...scores.boosts] },
      tokens:
        FRAME_TOKENS +
        estimateTokens(passage) +
        neighbours.reduce((sum, { text }) => sum + neighbourTokens(text), 0),
    };
  });
}
