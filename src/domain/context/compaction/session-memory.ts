// The default: notes on the conversation, kept by rules as it goes on, stand for everything but the newest turns. No model is asked.
import type { MessageId } from '../../base/ids.ts';
import { bareLine } from '../../chat/memory-file.ts';
import { termsOf } from '../../text/words.ts';
import { type Decision, type Draft, finish, keepAll } from './finish.ts';
import { HEADINGS } from './headings.ts';
import { memoryBudget, writeMemory } from './memory.ts';
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

/** Room that nothing else needs goes to the memory up to here, tokens. */
const MOST_SPARE = 2_000;
/** Share of the memory's room that a model's text may take. */
const MOST_WRITTEN = 0.9;

/** A memory that stands for the compacted ones of these groups. */
export function memoryDraft(outline: Outline, compacted: readonly number[], tokens: number): Draft {
  const { view, language, meter } = outline;
  const focus = view.request.instruction ? new Set(termsOf(view.request.instruction)) : undefined;
  // The person's own words are carried on by themselves, and what a model wrote beside them would tell the same once more.
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
  const said = view.file ? [...view.file.out, ...view.file.lines.map(({ text }) => bareLine(text))] : [];
  const without = new Set(said.filter((line) => line !== ''));
  // The written part speaks of its time; the person's rules of that time are carried on word for word by `finish`.
  const baseTokens = base ? meter.text(base.text) + 1 : 0;
  const write = (available: number): string => {
    // A written part that would leave no room for what came after it gives way to notes made by rules.
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

/** Everything but the newest turns behind a memory; also what other strategies fall back on. */
export function planWithMemory(
  outline: Outline,
  decision: Pick<Decision, 'strategy' | 'attempts' | 'fallback'>,
): CompactionPlan {
  const facts = { ...decision, fallback: steppedIn(decision.fallback, 'session-memory') };
  const { goal, budget, before } = outline;
  if (before <= goal) return keepAll(outline, facts);
  const available = freeTokens(outline);
  const memory = memoryBudget(available);
  // The newest turns get what the memory leaves: more where it needs less than its room, less where the person set many rules.
  let keep = newestGroups(outline, available - memory, budget.keepTurns);
  let draft = memoryDraft(outline, compactedGroups(outline, keep), memory);
  const used = outline.meter.text(draft.summary.text) + 24;
  if (used < memory * 0.7 || used > memory * 1.1) {
    keep = newestGroups(outline, available - used, budget.keepTurns);
    draft = memoryDraft(outline, compactedGroups(outline, keep), memory);
  }
  // Give the memory the room that the newest turns leave: a long output without room would leave half of a small window
  // empty.
  const spare = available - chosenTokens(outline, keep) - 24;
  if (spare > memory)
    draft = memoryDraft(
      outline,
      compactedGroups(outline, keep),
      Math.max(memory, Math.min(spare, MOST_SPARE)),
    );
  return finish(outline, { ...facts, keep, drafts: [draft] });
}

/** A fallback that says whose way was taken. */
export const steppedIn = (
  fallback: Decision['fallback'],
  strategy: string,
): NonNullable<Decision['fallback']> | null => (fallback ? { ...fallback, strategy } : null);

export const sessionMemory: CompactionStrategy = {
  id: 'session-memory',
  label: 'context.strategies.session-memory',
  needsModel: false,
  plan: async (view, budget, tools) =>
    planWithMemory(outlineOf(view, budget, tools), { strategy: 'session-memory' }),
};
