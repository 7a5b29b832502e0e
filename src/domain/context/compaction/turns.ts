// Keeps the last whole turns; a model condenses the older ones into one marked block. If that fails or comes out too
// long, old tool output goes first, then the oldest turns.

import { finish, keepAll } from './finish.ts';
import { COMPACTED_TURNS } from './headings.ts';
import { freeTokens, newestGroups, outlineOf } from './outline.ts';
import { fallbackStrategyOf } from './session-memory.ts';
import type { CompactionStrategy } from './strategy.ts';
import { planWithSummary } from './summarising.ts';

/** The summary's share of the free space, and its bounds in tokens. */
const SHARE = 0.4;
const LEAST = 150;
const MOST = 4_000;

export const turns: CompactionStrategy = {
  id: 'turns',
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    if (outline.before <= outline.goal && !view.previous) return keepAll(outline, { strategy: 'turns' });
    const available = freeTokens(outline);
    const maxTokens = Math.max(LEAST, Math.min(MOST, Math.floor(available * SHARE)));
    return planWithSummary(outline, tools, {
      strategy: 'turns',
      keep: newestGroups(outline, available - maxTokens, budget.keepTurns),
      heading: COMPACTED_TURNS,
      maxTokens,
      // Without a summary there is space for more of the newest turns; `finish` shortens their
      // tool output before it compacts any.
      instead: (decision) =>
        finish(outline, {
          ...decision,
          fallback: fallbackStrategyOf(decision.fallback, 'sliding-window'),
          keep: newestGroups(outline, available * 1.5, Number.POSITIVE_INFINITY),
          drafts: [],
        }),
    });
  },
};
