// The default: notes on the conversation, kept by rules as it goes on, stand for everything but the newest turns. No model is asked.
import type { MessageId } from '../../base/ids.ts';
import { termsOf } from '../terms.ts';
import { type Decision, type Draft, finish, keepAll } from './finish.ts';
import { HEADINGS } from './headings.ts';
import { memoryRoom, writeMemory } from './memory.ts';
import {
  firstOf,
  foldedBeside,
  freeRoom,
  messagesOf,
  newestGroups,
  type Outline,
  outlineOf,
} from './outline.ts';
import type { CompactionPlan } from './plan.ts';
import type { CompactionStrategy } from './strategy.ts';

/** A memory that stands for the folded ones of these groups. */
export function memoryDraft(outline: Outline, folded: readonly number[], tokens: number): Draft {
  const { view, language, meter } = outline;
  const focus = view.wish.instruction ? new Set(termsOf(view.wish.instruction)) : undefined;
  // The person's own words are carried on by themselves, and what a model wrote beside them would tell the same once more.
  const base = outline.own ? null : (view.polished ?? null);
  const after = base ? view.path.findIndex(({ id }) => id === base.upTo) : -1;
  const all = messagesOf(outline, folded);
  const newer =
    after < 0
      ? all
      : messagesOf(
          outline,
          folded.filter((group) => (outline.groups[group]?.members[0] ?? 0) > after),
        );
  // The written part speaks of its time; the person's rules of that time are carried on word for word by `finish`.
  const write = (room: number): string =>
    writeMemory(base && after >= 0 ? newer : all, {
      language,
      meter,
      tokens: room,
      focus,
      base: base && after >= 0 ? base.text : null,
    });
  return {
    summary: {
      id: 'memory',
      kind: 'memory',
      heading: HEADINGS[language].memory,
      text: write(tokens),
      before: folded.length > 0 ? firstOf(outline, folded[0] as number) : ('' as MessageId),
      covers: all.length,
    },
    shorter: (room) => write(room),
  };
}

/** Everything but the newest turns behind a memory; also what other strategies fall back on. */
export function planWithMemory(
  outline: Outline,
  told: Pick<Decision, 'strategy' | 'attempts' | 'fallback'>,
): CompactionPlan {
  const facts = { ...told, fallback: steppedIn(told.fallback, 'session-memory') };
  const { goal, budget, before } = outline;
  if (before <= goal) return keepAll(outline, facts);
  const room = freeRoom(outline);
  const memory = memoryRoom(room);
  // The newest turns get what the memory leaves: more where it needs less than its room, less where the person set many rules.
  let keep = newestGroups(outline, room - memory, budget.keepTurns);
  let draft = memoryDraft(outline, foldedBeside(outline, keep), memory);
  const used = outline.meter.text(draft.summary.text) + 24;
  if (used < memory * 0.7 || used > memory * 1.1) {
    keep = newestGroups(outline, room - used, budget.keepTurns);
    draft = memoryDraft(outline, foldedBeside(outline, keep), memory);
  }
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
