// Whole turns: the last few stay, a model condenses the older ones into one marked block. Where that fails or comes out too long, old tool
// output goes first, then the oldest turns.
import { COMPACTED_TURNS } from './headings.ts';
import { finish, firstOf, messagesOf, mustTokens, newestGroups, outlineOf } from './outline.ts';
import { planWithMemory } from './session-memory.ts';
import type { CompactionStrategy } from './strategy.ts';
import { foldedBefore, summarised } from './summarising.ts';

/** Share of the free room that the summary gets, and its bounds in tokens. */
const SHARE = 0.4;
const LEAST = 150;
const MOST = 4_000;

export const turns: CompactionStrategy = {
  id: 'turns',
  label: 'context.strategies.turns',
  needsModel: true,
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    const facts = { strategy: 'turns' };
    const all = outline.groups.map((_, index) => index);
    if (outline.before <= outline.goal && !view.previous)
      return finish(outline, { ...facts, keep: new Set(all), drafts: [] });
    if (!tools.summarise)
      return planWithMemory(outline, {
        ...facts,
        fallback: { code: 'no-model', message: 'There is no model that could write a summary.' },
      });
    const room = Math.max(0, outline.goal - outline.fixed - budget.extra - mustTokens(outline));
    const maxTokens = Math.max(LEAST, Math.min(MOST, Math.floor(room * SHARE)));
    const keep = newestGroups(outline, room - maxTokens, budget.keepTurns);
    const folded = all.filter((index) => !keep.has(index));
    if (folded.length === 0) return finish(outline, { ...facts, keep, drafts: [] });
    const before = foldedBefore(outline, folded);
    const made = await summarised(outline, tools, messagesOf(outline, before.fresh), {
      previous: before.text,
      maxTokens,
    });
    const told = { attempts: made.attempts, usage: made.usage, fallback: made.fallback };
    // Without a summary there is room for more of the newest turns; `finish` shortens their tool output before it folds any.
    if (made.text === null)
      return finish(outline, {
        ...facts,
        ...told,
        keep: newestGroups(outline, room * 1.5, Number.POSITIVE_INFINITY),
        drafts: [],
      });
    return finish(outline, {
      ...facts,
      ...told,
      keep,
      drafts: [
        {
          summary: {
            id: 'summary',
            kind: 'summary',
            heading: COMPACTED_TURNS,
            text: made.text,
            before: firstOf(outline, folded[0] as number),
            covers: folded.length,
          },
        },
      ],
    });
  },
};
