// Asks a model for a summary: in pieces if the messages are more than its window, again if it was too long, and
// reports a failure.
import { isAbort, toProblem } from '../../base/errors.ts';
import type { Message } from '../../chat/message.ts';
import { type Decision, finish } from './finish.ts';
import { compactedGroups, firstOf, messagesOf, type Outline } from './outline.ts';
import { boundaryOf, type CompactionPlan, dispositionsOf, summaryTextOf } from './plan.ts';
import { SUMMARY_SYSTEM, summaryPrompt, transcriptOf } from './prompts.ts';
import { planWithMemory } from './session-memory.ts';
import type { CompactionTools, Summarise } from './strategy.ts';

interface Summarised {
  /** Null if there is none: `fallback` has the reason. */
  readonly text: string | null;
  readonly attempts: number;
  readonly fallback: CompactionPlan['fallback'];
}

/** Most tokens of the prompt around the messages. */
const FRAME = 900;

/**
 * Summarises messages that follow on an earlier summary, in at most `maxTokens`. A piece is tried again if its summary
 * is too long or empty, `budget.maxAttempts` times in all. Throws only AbortError.
 */
export async function summarised(
  { view, budget, meter, language, signal }: Outline,
  summarise: Summarise,
  messages: readonly Message[],
  { previous, maxTokens }: { previous: string | null; maxTokens: number },
): Promise<Summarised> {
  // Space in one call beside the prompt, the earlier summary and the answer.
  const available = Math.max(400, budget.window - FRAME - 2 * maxTokens);
  const pieces: Message[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const cost = meter.parts(message.parts) + 12;
    if (size + cost > available) {
      pieces.push([]);
      size = 0;
    }
    pieces.at(-1)?.push(message);
    size += cost;
  }
  let text = previous;
  let attempts = 0;
  let number = 0;
  for (const piece of pieces) {
    const transcript = piece
      .map((message, index) => transcriptOf(message, number + index + 1))
      .filter(Boolean)
      .join('\n\n');
    number += piece.length;
    let written: string | null = null;
    let fallback: CompactionPlan['fallback'] = null;
    for (let attempt = 0; attempt < Math.max(1, budget.maxAttempts) && written === null; attempt++) {
      attempts += 1;
      const again = fallback?.code === 'too-long';
      try {
        const { text: answer } = await summarise({
          system: SUMMARY_SYSTEM[language],
          prompt: summaryPrompt({
            language,
            transcript,
            previous: text,
            instruction: view.request.instruction,
            custom: view.request.prompt,
            maxTokens,
            again,
          }),
          messages: piece,
          previous: text,
          language,
          maxTokens,
        });
        signal.throwIfAborted();
        const own = answer.trim();
        if (own === '') fallback = { code: 'empty', message: 'The model gave an empty summary.' };
        else if (meter.text(own) > maxTokens * 1.25)
          fallback = { code: 'too-long', message: 'The summary was longer than its room.' };
        else written = own;
      } catch (error) {
        signal.throwIfAborted();
        if (isAbort(error)) throw error;
        // A failed request may have been billed, so it is not repeated by itself.
        return {
          text: null,
          attempts,
          fallback: { code: 'failed', message: toProblem(error).message },
        };
      }
    }
    if (written === null) return { text: null, attempts, fallback };
    text = written;
  }
  return { text, attempts, fallback: null };
}

/** Earlier summary of compacted groups, and the groups that it does not cover. */
function compactedBefore(
  { view, groups }: Outline,
  compacted: readonly number[],
): { text: string | null; fresh: readonly number[] } {
  const { previous, path, request } = view;
  // With guidance or an own prompt the summary is written again, from the messages themselves.
  if (!previous || request.instruction || request.prompt) return { text: null, fresh: compacted };
  const text = summaryTextOf({ summaries: previous.plan.summaries.filter(({ edited }) => !edited) });
  const at = path.findIndex(({ id }) => id === boundaryOf(previous.plan));
  if (text === '' || at < 0) return { text: null, fresh: compacted };
  const dispositions = dispositionsOf(previous.plan, path, previous.keepVerbatim);
  return {
    text,
    fresh: compacted.filter((index) =>
      groups[index]?.members.some((place) => dispositions[place]?.action !== 'fold'),
    ),
  };
}

/**
 * Compacts everything but `keep` into one summary by a model. Without a model it uses the session memory, and after a
 * failure the result of `instead`: the session memory by default.
 */
export async function planWithSummary(
  outline: Outline,
  { summarise }: Pick<CompactionTools, 'summarise'>,
  {
    strategy,
    keep,
    heading,
    maxTokens,
    instead = (decision) => planWithMemory(outline, decision),
  }: {
    strategy: string;
    keep: ReadonlySet<number>;
    heading: string;
    maxTokens: number;
    instead?: (decision: Pick<Decision, 'strategy' | 'attempts' | 'fallback'>) => CompactionPlan;
  },
): Promise<CompactionPlan> {
  if (!summarise)
    return planWithMemory(outline, {
      strategy,
      fallback: { code: 'no-model', message: 'There is no model that could write a summary.' },
    });
  const compacted = compactedGroups(outline, keep);
  const [first] = compacted;
  if (first === undefined) return finish(outline, { strategy, keep, drafts: [] });
  const { text: previous, fresh } = compactedBefore(outline, compacted);
  const { text, ...decision } = await summarised(outline, summarise, messagesOf(outline, fresh), {
    previous,
    maxTokens,
  });
  if (text === null) return instead({ strategy, ...decision });
  const before = firstOf(outline, first);
  return finish(outline, {
    strategy,
    ...decision,
    keep,
    drafts: [
      { summary: { id: 'summary', kind: 'summary', heading, text, before, covers: compacted.length } },
    ],
  });
}
