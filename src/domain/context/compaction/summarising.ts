// Asking a model for a summary: in pieces where the messages are more than it reads at once, again where it was too long, and an
// honest word where nothing came of it.
import { isAbort, toProblem } from '../../base/errors.ts';
import type { Message, Usage } from '../../chat/message.ts';
import type { Outline } from './outline.ts';
import { SUMMARY_SYSTEM, summaryPrompt, transcriptOf } from './prompts.ts';
import { boundaryOf, type CompactionPlan, fatesOf, summaryTextOf } from './record.ts';
import type { CompactionTools } from './strategy.ts';

export interface Summarised {
  /** Null where there is none: `fallback` tells why. */
  readonly text: string | null;
  readonly attempts: number;
  readonly usage: Usage | undefined;
  readonly fallback: CompactionPlan['fallback'];
}

/** Tokens of a call that the prompt around the messages may cost. */
const FRAME = 900;

const added = (a: Usage | undefined, b: Usage | undefined): Usage | undefined => {
  if (!a || !b) return a ?? b;
  const sum = (key: keyof Usage) =>
    a[key] === undefined && b[key] === undefined ? {} : { [key]: (a[key] ?? 0) + (b[key] ?? 0) };
  return {
    ...sum('inputTokens'),
    ...sum('outputTokens'),
    ...sum('reasoningTokens'),
    ...sum('cachedInputTokens'),
  };
};

/**
 * A summary of messages that follow on an earlier one, of at most `maxTokens`. A piece is tried once more where its summary is too long or
 * empty, `budget.maxAttempts` times in all. Throws only AbortError.
 */
export async function summarised(
  { view, budget, meter, language }: Outline,
  tools: CompactionTools,
  messages: readonly Message[],
  { previous, maxTokens }: { previous: string | null; maxTokens: number },
): Promise<Summarised> {
  const { summarise, signal } = tools;
  if (!summarise)
    return {
      text: null,
      attempts: 0,
      usage: undefined,
      fallback: { code: 'no-model', message: 'There is no model that could write a summary.' },
    };
  // What fits into one call beside the prompt, the earlier summary and the answer.
  const room = Math.max(400, budget.window - FRAME - 2 * maxTokens);
  const pieces: Message[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const cost = meter.parts(message.parts) + 12;
    if (size + cost > room) {
      pieces.push([]);
      size = 0;
    }
    pieces.at(-1)?.push(message);
    size += cost;
  }
  let text = previous;
  let attempts = 0;
  let usage: Usage | undefined;
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
        const answer = await summarise({
          system: SUMMARY_SYSTEM[language],
          prompt: summaryPrompt({
            language,
            transcript,
            previous: text,
            instruction: view.wish.instruction,
            custom: view.wish.prompt,
            maxTokens,
            again,
          }),
          messages: piece,
          previous: text,
          language,
          maxTokens,
        });
        signal.throwIfAborted();
        usage = added(usage, answer.usage);
        const own = answer.text.trim();
        if (own === '') fallback = { code: 'empty', message: 'The model gave an empty summary.' };
        else if (meter.text(own) > maxTokens * 1.25)
          fallback = { code: 'too-long', message: 'The summary was longer than its room.' };
        else written = own;
      } catch (error) {
        signal.throwIfAborted();
        if (isAbort(error)) throw error;
        // A request that failed may have been billed: it is not repeated by itself.
        return {
          text: null,
          attempts,
          usage,
          fallback: { code: 'failed', message: toProblem(error).message },
        };
      }
    }
    if (written === null) return { text: null, attempts, usage, fallback };
    text = written;
  }
  return { text, attempts, usage, fallback: null };
}

/** What of folded groups an earlier summary speaks of already: its words, and the groups that are new. */
export function foldedBefore(
  { view, groups }: Outline,
  folded: readonly number[],
): { text: string | null; fresh: readonly number[] } {
  const { previous, path, wish } = view;
  // With guidance or a prompt of one's own the summary is written anew, from the messages themselves.
  if (!previous || wish.instruction || wish.prompt) return { text: null, fresh: folded };
  const text = summaryTextOf(previous.plan);
  const at = path.findIndex(({ id }) => id === boundaryOf(previous.plan));
  if (text === '' || at < 0) return { text: null, fresh: folded };
  const fates = fatesOf(previous.plan, path);
  return {
    text,
    fresh: folded.filter((index) => groups[index]?.members.some((place) => fates[place]?.action !== 'fold')),
  };
}
