// Lets the answering model write a summary. One request, no tools, bounded in time; errors
// are thrown, and the strategy decides.
import type { ChatModel } from '../../adapters/models/chat-model.ts';
import { RecollectError, toError } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { isTimeout, withTimeLimit } from '../../domain/base/time-limit.ts';
import type { Usage } from '../../domain/chat/message.ts';
import type { Summarise, SummariseRequest } from '../../domain/context/compaction/strategy.ts';

/** Longest time for a summary, ms: the conversation waits for it. */
export const SUMMARY_TIMEOUT_MS = 120_000;

/** Bounds of one request. */
interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Most tokens of an answer. */
  readonly answerTokens?: number;
}

/**
 * Makes the function. It throws RecollectError (`model-*`, `compaction-failed` for no time or no space), or AbortError.
 * `onUsage` gets every call's usage.
 */
export function summariseWith(
  model: ChatModel,
  { timeoutMs, signal, onUsage, answerTokens }: Limits & { onUsage: (usage: Usage) => void },
): (asked: Pick<SummariseRequest, 'system' | 'prompt'>) => ReturnType<Summarise> {
  return async ({ system, prompt }) => {
    let text = '';
    await withTimeLimit(signal, timeoutMs, async (bounded) => {
      for await (const event of model.stream(
        { system, messages: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }] },
        { signal: bounded, ...(answerTokens === undefined ? {} : { maxTokens: answerTokens }) },
      )) {
        if (event.type === 'text-delta') text += event.text;
        else if (event.type === 'text-was-reasoning') text = '';
        else if (event.type === 'reasoning-was-text') text += event.words;
        else if (event.type === 'usage') onUsage(event.usage);
        else if (event.type === 'end') {
          signal.throwIfAborted();
          if (isTimeout(bounded.reason))
            throw failed(`The summary took longer than ${Math.round(timeoutMs / 1000)} seconds.`, 'timeout');
          if (event.problem && event.finish !== 'stop') throw toError(event.problem);
          // A summary that was cut off would pass for a whole one.
          if (event.finish === 'length') throw failed('The summary was cut off for its length.', 'length');
        }
      }
    });
    return { text: withoutCalls(text) };
  };
}

/**
 * Asks for one text beside any conversation, such as a title. Throws as the function above does. `usage` is empty if
 * the endpoint reports none.
 */
export async function askOnce(
  model: ChatModel,
  system: string,
  prompt: string,
  limits: Limits,
): Promise<{ readonly text: string; readonly usage: Usage }> {
  let usage: Usage = {};
  const onUsage = (reported: Usage) => {
    usage = reported;
  };
  const { text } = await summariseWith(model, { ...limits, onUsage })({ system, prompt });
  return { text, usage };
}

const failed = (detail: string, reason: string) =>
  new RecollectError('compaction-failed', detail, { params: { detail, reason }, retry: true });

/**
 * Blocks in which models write calls without a tool interface: Qwen, Llama, Mistral, Kimi,
 * DeepSeek. One without an end takes the rest.
 */
const CALLS: readonly RegExp[] = [
  /<(tool_calls?|function_calls?|invoke|function)\b[^>\n]{0,200}>[\s\S]*?(?:<\/\1>|$)/gi,
  /<function=[^>\n]{0,200}>[\s\S]*?(?:<\/function>|$)/gi,
  /<\|python_tag\|>[\s\S]*?(?:<\|eom_id\|>|$)/g,
  /\[TOOL_CALLS\][\s\S]*?(?:\[\/TOOL_CALLS\]|$)/g,
  /<\|tool_calls_section_begin\|>[\s\S]*?(?:<\|tool_calls_section_end\|>|$)/g,
  /<[|｜]tool▁calls▁begin[|｜]>[\s\S]*?(?:<[|｜]tool▁calls▁end[|｜]>|$)/g,
];

/** Removes calls that are written as words. */
function withoutCalls(text: string): string {
  const words = CALLS.reduce((rest, call) => rest.replace(call, ''), text).trim();
  return isCallAlone(words) ? '' : words;
}

/** True if the whole text is a call, `{"name": …, "arguments": …}`, perhaps in a fence. */
function isCallAlone(words: string): boolean {
  const bare = words.replace(/^```\w*\s*|(?<!\s)\s*```$/g, '').trim();
  if (!/^[[{]/.test(bare) || !/[\]}]$/.test(bare)) return false;
  try {
    const value: unknown = JSON.parse(bare);
    const first = Array.isArray(value) ? value[0] : value;
    return (
      typeof first === 'object' &&
      first !== null &&
      'name' in first &&
      ('arguments' in first || 'parameters' in first)
    );
  } catch (error) {
    log.debug('A summary that begins like a tool call is none', error);
    return false;
  }
}
