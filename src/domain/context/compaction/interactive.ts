// Lets the person decide: ticked messages stay, the others are compacted, and guidance says what the summary should
// keep. Without ticks it proposes what the session memory would.
import { COMPACTED } from './headings.ts';
import { memoryBudget } from './memory-writer.ts';
import { freeTokens, newestGroups, outlineOf } from './outline.ts';
import { planWithMemory } from './session-memory.ts';
import type { CompactionStrategy } from './strategy.ts';
import { planWithSummary } from './summarising.ts';

export const interactive: CompactionStrategy = {
  id: 'interactive',
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    const strategy = 'interactive';
    // Only a model can follow guidance in words.
    if (!view.request.instruction || !tools.summarise) return planWithMemory(outline, { strategy });
    const available = freeTokens(outline);
    const maxTokens = Math.max(150, memoryBudget(available));
    const keep = newestGroups(outline, available - maxTokens, budget.keepTurns);
    return planWithSummary(outline, tools, { strategy, keep, heading: COMPACTED, maxTokens });
  },
};
