// kimi-cli's way: the last messages of person and model stay as they are, a model condenses all before them into six sections.
import type { Message } from '../../chat/message.ts';
import { COMPACTED } from './headings.ts';
import { type Decision, finish, firstOf, messagesOf, type Outline, outlineOf } from './outline.ts';
import { planWithMemory } from './session-memory.ts';
import type { CompactionStrategy } from './strategy.ts';
import { foldedBefore, summarised } from './summarising.ts';

/** A summary is never asked to be shorter than this, and never longer than that, tokens. */
const LEAST = 200;
const MOST = 4_000;

/** The groups that hold the last `count` messages of person and model. */
function lastMessages({ groups, view }: Outline, count: number): Set<number> {
  const keep = new Set<number>();
  let left = count;
  for (let index = groups.length - 1; index >= 0; index--) {
    const members = groups[index]?.members ?? [];
    const counted = members.filter((at) => {
      const { role } = view.path[at] as Message;
      return role === 'user' || role === 'assistant';
    }).length;
    if (left <= 0) break;
    keep.add(index);
    left -= counted;
  }
  return keep;
}

export const summary: CompactionStrategy = {
  id: 'summary',
  label: 'context.strategies.summary',
  needsModel: true,
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    const facts = { strategy: 'summary' };
    if (!tools.summarise)
      return planWithMemory(outline, {
        ...facts,
        fallback: { code: 'no-model', message: 'There is no model that could write a summary.' },
      });
    const all = outline.groups.map((_, index) => index);
    const keep = lastMessages(outline, budget.keepMessages);
    for (const index of all) if (outline.groups[index]?.must) keep.add(index);
    const folded = all.filter((index) => !keep.has(index));
    if (folded.length === 0) return finish(outline, { ...facts, keep, drafts: [] });
    const kept = [...keep].reduce((sum, index) => sum + (outline.groups[index]?.tokens ?? 0), 0);
    const room = outline.goal - outline.fixed - budget.extra - kept - 40;
    const maxTokens = Math.max(LEAST, Math.min(MOST, room));
    const before = foldedBefore(outline, folded);
    const made = await summarised(outline, tools, messagesOf(outline, before.fresh), {
      previous: before.text,
      maxTokens,
    });
    const told: Partial<Decision> = { attempts: made.attempts, usage: made.usage, fallback: made.fallback };
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
