// The person decides: what is ticked stays, what is not is folded, and guidance says what the summary should keep. Without ticks it is a
// proposal that is made as the session memory would.
import { COMPACTED } from './headings.ts';
import { memoryRoom } from './memory.ts';
import { finish, firstOf, messagesOf, mustTokens, newestGroups, outlineOf } from './outline.ts';
import { planWithMemory } from './session-memory.ts';
import type { CompactionStrategy } from './strategy.ts';
import { summarised } from './summarising.ts';

export const interactive: CompactionStrategy = {
  id: 'interactive',
  label: 'context.strategies.interactive',
  needsModel: false,
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    const facts = { strategy: 'interactive' };
    // Guidance in words needs somebody who understands words.
    if (!view.wish.instruction || !tools.summarise) return planWithMemory(outline, facts);
    const room = Math.max(0, outline.goal - outline.fixed - budget.extra - mustTokens(outline));
    const maxTokens = Math.max(150, memoryRoom(room));
    const keep = newestGroups(outline, room - maxTokens, budget.keepTurns);
    const folded = outline.groups.map((_, index) => index).filter((index) => !keep.has(index));
    if (folded.length === 0) return finish(outline, { ...facts, keep, drafts: [] });
    const made = await summarised(outline, tools, messagesOf(outline, folded), { previous: null, maxTokens });
    const told = { attempts: made.attempts, usage: made.usage, fallback: made.fallback };
    if (made.text === null) return planWithMemory(outline, { ...facts, ...told });
    return finish(outline, {
      ...facts,
      ...told,
      keep,
      drafts: [
        {
          summary: {
            id: 'summary',
            kind: 'summary',
            heading: COMPACTED,
            text: made.text,
            before: firstOf(outline, folded[0] as number),
            covers: folded.length,
          },
        },
      ],
    });
  },
};
