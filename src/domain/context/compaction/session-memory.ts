// The default: notes on the conversation, by rules as it grows, replace everything
// but the newest turns. It asks no model.
import type { MessageId } from '../../base/ids.ts';
import { withoutBullet } from '../../chat/memory-file.ts';
import { termsOf } from '../../text/words.ts';
import { type Decision, finish, keepAll, type SummaryDraft } from './finish.ts';
import { HEADINGS } from './headings.ts';
import { memoryBudget, writeMemory } from './memory-writer.ts';
import {
  chosenTokens,
  compactedGroups,
  firstOf,
  freeTokens,
  messagesOf,
  newestGroups,
  type Outline,
  outlineOf,
} from './outline.ts';
import type { CompactionPlan } from './plan.ts';
import type { CompactionStrategy } from './strategy.ts';

/** Most spare space that goes to the memory, tokens. */
const MOST_SPARE = 2_000;
/** Largest share of the memory's space for a model's text. */
const MOST_WRITTEN = 0.9;

/** Makes a memory that covers the compacted ones of these groups. */
export function memoryDraft(outline: Outline, compacted: readonly number[], tokens: number): SummaryDraft {
  const { view, language, meter } = outline;
  const focus = view.request.instruction ? new Set(termsOf(view.request.instruction)) : undefined;
  // The person's own words are carried on separately, and a model's text beside them would repeat them.
  const base = outline.own ? null : (view.modelMemory ?? null);
  const after = base ? view.path.findIndex(({ id }) => id === base.upTo) : -1;
  const all = messagesOf(outline, compacted);
  const newer =
    after < 0
      ? all
      : messagesOf(
          outline,
          compacted.filter((group) => (outline.groups[group]?.members[0] ?? 0) > after),
        );
  const said = view.file ? [...view.file.out, ...view.file.lines.map(({ text }) => withoutBullet(text))] : [];
  const without = new Set(said.filter((line) => line !== ''));
  // The written part covers its time; `finish` carries the person's rules of that time word for word.
  const baseTokens = base ? meter.text(base.text) + 1 : 0;
  const write = (available: number): string => {
    // A written part that leaves no space for later messages is replaced by notes made by rules.
    const written = base && after >= 0 && baseTokens <= available * MOST_WRITTEN ? base.text : null;
    return writeMemory(written === null ? all : newer, {
      language,
      meter,
      tokens: available,
      focus,
      base: written,
      ...(without.size > 0 ? { without } : {}),
    });
  };
  return {
    summary: {
      id: 'memory',
      kind: 'memory',
      heading: HEADINGS[language].memory,
      text: write(tokens),
      before: compacted.length > 0 ? firstOf(outline, compacted[0] as number) : ('' as MessageId),
      covers: all.length,
    },
    shorter: (available) => write(available),
  };
}

/** Compacts everything but the newest turns into a memory; also the fallback of other strategies. */
export function planWithMemory(
  outline: Outline,
  decision: Pick<Decision, 'strategy' | 'attempts' | 'fallback'>,
): CompactionPlan {
  const facts = { ...decision, fallback: fallbackStrategyOf(decision.fallback, 'session-memory') };
  const { goal, budget, before } = outline;
  if (before <= goal) return keepAll(outline, facts);
  const available = freeTokens(outline);
  const memory = memoryBudget(available);
  // The newest turns get the rest of the space: more if the memory is short, less if the person set many rules.
  let keep = newestGroups(outline, available - memory, budget.keepTurns);
  let draft = memoryDraft(outline, compactedGroups(outline, keep), memory);
  const used = outline.meter.text(draft.summary.text) + 24;
  if (used < memory * 0.7 || used > memory * 1.1) {
    keep = newestGroups(outline, available - used, budget.keepTurns);
    draft = memoryDraft(outline, compactedGroups(outline, keep), memory);
  }
  // The memory gets the space that the newest turns leave: otherwise a long output that does not fit would
  // leave half of a small window empty.
  const spare = available - chosenTokens(outline, keep) - 24;
  if (spare > memory)
    draft = memoryDraft(
      outline,
      compactedGroups(outline, keep),
      Math.max(memory, Math.min(spare, MOST_SPARE)),
    );
  return finish(outline, { ...facts, keep, drafts: [draft] });
}

/** Names the strategy that a fallback used. */
export const fallbackStrategyOf = (
  fallback: Decision['fallback'],
  strategy: string,
): NonNullable<Decision['fallback']> | null => (fallback ? { ...fallback, strategy } : null);

export const sessionMemory: CompactionStrategy = {
  id: 'session-memory',
  plan: async (view, budget, tools) =>
    planWithMemory(outlineOf(view, budget, tools), { strategy: 'session-memory' }),
};
