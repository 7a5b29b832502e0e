// Patches an answer after something before it has changed: one request in which the model writes only the differences.
// If its blocks cannot be applied nothing is lost: the whole answer is requested.

import type { Conversation } from '../../domain/chat/conversation.ts';
import { pathTo } from '../../domain/chat/conversation.ts';
import type { Message, Part } from '../../domain/chat/message.ts';
import { textOf } from '../../domain/chat/message.ts';
import { MESSAGE_OVERHEAD } from '../../domain/context/meter.ts';
import { applyPatch, patchedSoFar, patchRequest } from '../../domain/context/patch.ts';
import { estimateTokens } from '../../domain/context/tokens.ts';
import type { PreparedStep } from '../context/turn-context.ts';

/** The answer that is patched. */
export interface PatchTarget {
  readonly answer: Message;
  /** Requests that it took, its tools included. */
  readonly steps: number;
}

/** Record of an answer's patch, or of the reason for which there was none. */
export type PatchRecord = NonNullable<Message['patch']>;

/** Finds the answer on the old branch, and its number of requests; undefined if it is gone. */
export function patchTargetOf({ messages }: Conversation, answer: Message['id']): PatchTarget | undefined {
  const path = pathTo(messages, answer);
  const question = path.findLastIndex(({ role, kind }) => role === 'user' && kind === 'message');
  const message = path.at(-1);
  const steps = path.slice(question + 1).filter(({ role }) => role === 'assistant').length;
  return message && { answer: message, steps };
}

/** Builds the request with the old answer at its end, without tools, which would invite the model to start again. */
export function patchingRequest(step: PreparedStep, { answer }: PatchTarget): PreparedStep {
  const text = patchRequest(textOf(answer));
  const last = step.prompt.messages.at(-1);
  const part: Part = { type: 'text', text };
  const messages =
    last?.role === 'user'
      ? [...step.prompt.messages.slice(0, -1), { ...last, parts: [...last.parts, part] }]
      : [...step.prompt.messages, { role: 'user' as const, parts: [part] }];
  const tokens = estimateTokens(text) + MESSAGE_OVERHEAD;
  const { tokens: before } = step.manifest;
  return {
    prompt: { ...step.prompt, messages },
    manifest: {
      ...step.manifest,
      tokens: { ...before, messages: before.messages + tokens, total: before.total + tokens },
      patches: { text, tokens },
    },
  };
}

const isText = (part: Part): boolean => part.type === 'text';

/** Applies the blocks that have arrived, while they stream. `before`: parts from earlier steps. */
export function shownPatching(
  parts: readonly Part[],
  before: readonly Part[],
  { answer }: PatchTarget,
): Part[] {
  const come = parts.slice(before.length);
  const text = patchedSoFar(textOf(answer), textOf({ parts: come }));
  return [...before, ...come.filter((part) => !isText(part)), { type: 'text', text }];
}

/**
 * Applies all blocks; or returns the reason for which the whole answer must be requested. `got`: the streamed result.
 */
export function patchedAnswer<Streamed extends Pick<Message, 'parts' | 'finish'>>(
  got: Streamed,
  before: readonly Part[],
  patching: PatchTarget,
): { readonly got: Streamed; readonly record: PatchRecord | undefined } | { readonly record: PatchRecord } {
  const { answer, steps } = patching;
  const come = got.parts.slice(before.length);
  // Some of the blocks make no answer, and a failed request would most likely fail for the whole, too.
  if (got.finish === 'stopped' || got.finish === 'error')
    return { got: { ...got, parts: before }, record: undefined };
  const written = textOf({ parts: come });
  const made = got.finish === 'stop' ? applyPatch(textOf(answer), written) : ({ failure: 'form' } as const);
  if ('failure' in made) return { record: { of: answer.id, reason: made.failure } };
  return {
    got: {
      ...got,
      parts: [...before, ...come.filter((part) => !isText(part)), { type: 'text', text: made.text }],
    },
    record: {
      of: answer.id,
      edits: made.edits,
      savedTokens: Math.max(0, estimateTokens(made.text) - estimateTokens(written)),
      savedCalls: steps - 1,
    },
  };
}
