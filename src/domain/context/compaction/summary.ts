// kimi-cli's way: the last messages of person and model stay unchanged, a model
// condenses all before them into six sections.
import type { Message } from '../../chat/message.ts';
import { COMPACTED } from './headings.ts';
import { type Outline, outlineOf } from './outline.ts';
import type { CompactionStrategy } from './strategy.ts';
import { planWithSummary } from './summarising.ts';

/** Shortest and longest summary that is asked for, tokens. */
const LEAST = 200;
const MOST = 4_000;

/** Returns the groups with the last `count` messages of person and model, and required ones. */
function lastMessages({ groups, view }: Outline, count: number): Set<number> {
  const keep = new Set<number>();
  let left = count;
  for (let index = groups.length - 1; index >= 0; index--) {
    const { members = [], must = null } = groups[index] ?? {};
    if (left > 0 || must) keep.add(index);
    left -= members.filter((at) => {
      const { role } = view.path[at] as Message;
      return role === 'user' || role === 'assistant';
    }).length;
  }
  return keep;
}

export const summary: CompactionStrategy = {
  id: 'summary',
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    const keep = lastMessages(outline, budget.keepMessages);
    const kept = [...keep].reduce((sum, index) => sum + (outline.groups[index]?.tokens ?? 0), 0);
    const available = outline.goal - outline.fixed - budget.extra - kept - 40;
    return planWithSummary(outline, tools, {
      strategy: 'summary',
      keep,
      heading: COMPACTED,
      maxTokens: Math.max(LEAST, Math.min(MOST, available)),
    });
  },
};
