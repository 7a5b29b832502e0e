// The shelf: every strategy, in the order in which a person is offered them. One line each.
import { hierarchical } from './hierarchical.ts';
import { interactive } from './interactive.ts';
import { isSettled } from './outline.ts';
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

/** The strategy of this id; the session memory for an id that nobody knows. */
export const strategyOf = (id: string): CompactionStrategy =>
  STRATEGIES.find((strategy) => strategy.id === id) ?? sessionMemory;

/**
 * Plans a compaction. Where the plan in force was made by the same strategy, nothing was said since and nothing new is asked for, it is
 * that plan again: compacting twice is compacting once.
 */
export async function planCompaction(
  strategy: CompactionStrategy,
  view: CompactionView,
  budget: CompactionBudget,
  tools: CompactionTools,
): Promise<CompactionPlan> {
  tools.signal.throwIfAborted();
  if (isSettled(strategy.id, view)) return (view.previous as NonNullable<typeof view.previous>).plan;
  return strategy.plan(view, budget, tools);
}
