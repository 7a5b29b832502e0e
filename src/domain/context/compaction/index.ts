// The registry of strategies, in the order in which a person sees them. One line each.
import { hierarchical } from './hierarchical.ts';
import { interactive } from './interactive.ts';
import { isSettled, retriesSummary } from './outline.ts';
import type { CompactionPlan } from './plan.ts';
import { retrieval } from './retrieval.ts';
import { sessionMemory } from './session-memory.ts';
import { slidingWindow } from './sliding-window.ts';
import { smart } from './smart.ts';
import type { CompactionBudget, CompactionStrategy, CompactionTools, CompactionView } from './strategy.ts';
import { summary } from './summary.ts';
import { turns } from './turns.ts';

export const STRATEGIES: readonly CompactionStrategy[] = [
  sessionMemory,
  summary,
  turns,
  slidingWindow,
  retrieval,
  smart,
  hierarchical,
  interactive,
];

/** Returns the strategy of this id; the session memory for an unknown id. */
export const strategyOf = (id: string): CompactionStrategy =>
  STRATEGIES.find((strategy) => strategy.id === id) ?? sessionMemory;

/**
 * Plans a compaction. A plan in force by the same strategy, with no new messages or wishes, is returned: compacting
 * twice is compacting once. A failed summary is tried again when a person asks, from the messages.
 */
export async function planCompaction(
  strategy: CompactionStrategy,
  view: CompactionView,
  budget: CompactionBudget,
  tools: CompactionTools,
): Promise<CompactionPlan> {
  tools.signal.throwIfAborted();
  const settled = isSettled(strategy.id, view, budget, tools.meter);
  const again = settled && retriesSummary(view, tools);
  if (settled && !again) return (view.previous as NonNullable<typeof view.previous>).plan;
  const plan = await strategy.plan(again ? { ...view, previous: ownWordsOf(view) } : view, budget, tools);
  const { prompt } = view.request;
  return prompt && plan.attempts > 0 ? { ...plan, prompt } : plan;
}

/**
 * Compaction in force with only the person's own summaries, without replacements of
 * a failed one; null if there are none.
 */
function ownWordsOf({ previous }: CompactionView): CompactionView['previous'] {
  const own = previous?.plan.summaries.filter(({ edited }) => edited === true) ?? [];
  if (!previous || own.length === 0) return null;
  const runs = previous.plan.runs.map((run) =>
    run.action === 'keep' || own.some(({ id }) => id === run.summary)
      ? run
      : { ...run, action: 'keep' as const },
  );
  return { ...previous, plan: { ...previous.plan, runs, summaries: own } };
}
