// Reads why an answer ended, by whatever name and in whatever field an endpoint says it.
import { type Fields, isFields, stringOf } from '../../domain/base/json.ts';

/** Finish reasons of a failure. */
const BROKEN =
  /^((\w+_)?error|insufficient_system_resource|malformed_\w+|unexpected_tool_call|too_many_tool_calls|fail(ed|ure)|exception|(\w+_)?overload(ed)?|(rate|usage)_limit\w*|quota\w*)$/;
/** Finish reasons of an answer that was broken off, by whomever. */
const BROKEN_OFF =
  /^(incomplete|time_limit|deadline_exceeded|preempted|network|pause(_turn)?|repetition\w*)$|(^|_)(abort(ed)?|cancel(l?ed)?|interrupt(ed)?|time(d_)?out|disconnect(ed)?|unloaded|closed|(user|client)_stop(ped)?)$/;
/**
 * An answer that came to a limit: `max_tokens`, `max_new_tokens`, `output_length`,
 * `token_limit_reached`, `context_length_exceeded`.
 */
const LENGTH = /(^|_)(length|limit|truncated|context_window)(_|$)|^tokens$/;
const MOST_TOKENS = /(^|_)max(imum)?_/;
const TOKENS = /(^|_)(tokens?|output)(_|$)/;
const FILTER =
  /(^|_)(content_?filter(ed)?|policy|safety|recitation|prohibited|sensitive|block(ed|list)|spii|refusal|moderat(ed|ion)|guardrails?|flagged|censored|risk)(_|$)/;
const CALLS = /^(tool_?calls?|tool_use|function_?calls?)$/;

/** Finish reasons of the chat API that are passed on. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

const reasonOf = (raw: unknown): string =>
  // SGLang's own form says beside it what matched.
  stringOf(isFields(raw) ? raw.type : raw)
    .trim()
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');

/**
 * Maps a finish reason to one of the chat API; unknown ones (`eos`, `end_turn`) mean that the answer is whole. Behind
 * a colon Gemini says more: `content_filter: RECITATION`.
 */
export function finishOf(raw: unknown): FinishReason | 'broken' | undefined {
  const found = reasonOf(raw).split(/:_?/).map(finishNamed);
  return found.find((one) => one !== 'stop') ?? found[0];
}

function finishNamed(reason: string): FinishReason | 'broken' | undefined {
  if (/^(|null|none|(finish_reason_)?unspecified)$/.test(reason) || BROKEN_OFF.test(reason)) return undefined;
  if (BROKEN.test(reason)) return 'broken';
  if (LENGTH.test(reason) || (MOST_TOKENS.test(reason) && TOKENS.test(reason))) return 'length';
  if (FILTER.test(reason)) return 'content_filter';
  return CALLS.test(reason) ? 'tool_calls' : 'stop';
}

/**
 * Places of a finish reason, the usual one first. A gateway's `stop` says less than the reason of the model behind it.
 */
const reasonsIn = ({ delta, finish_details: details, ...choice }: Fields): readonly unknown[] => [
  choice.finish_reason,
  choice.finishReason,
  choice.stop_reason,
  isFields(delta) ? delta.finish_reason : undefined,
  isFields(details) ? details.type : undefined,
  choice.native_finish_reason,
];
/** The most specific finish reason of a choice; `broken` for a failure, undefined if it goes on or was broken off. */
export function finishIn(choice: Fields): ReturnType<typeof finishOf> {
  const found = reasonsIn(choice)
    .map(finishOf)
    .find((reason) => reason !== undefined);
  const native = finishOf(choice.native_finish_reason);
  return found === 'stop' && native !== undefined && native !== 'tool_calls' ? native : found;
}

/** The reason of a failure as the endpoint wrote it; '' if there is none. */
export const brokenIn = (choice: Fields): string =>
  stringOf(reasonsIn(choice).find((reason) => finishOf(reason) === 'broken'));

/** True if a reason says that the answer was broken off. */
export const saysBrokenOff = (reason: unknown): boolean => BROKEN_OFF.test(reasonOf(reason));
/** True if a choice says that the answer was broken off. */
export const isBrokenOff = (choice: Fields): boolean => reasonsIn(choice).some(saysBrokenOff);
