// Asks a model once for a step: builds a request that fits, then reuses the answer to an identical request, or streams
// a new one to the screen and into its draft row; asks again without tools if the endpoint refuses them. Errors of the
// model are part of the result; only a request that cannot be made throws.
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { createPacer, pauseWhileWriting, speedOf } from '../../domain/base/pacer.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { addToDraft, hasContent } from '../../domain/chat/draft.ts';
import type { Finish, Message, Part, Usage } from '../../domain/chat/message.ts';
import { callsAsWords } from '../../domain/context/wire.ts';
import { requestKey } from '../context/request-key.ts';
import type { PreparedStep, StepRequest, TurnContext } from '../context/turn-context.ts';
import type { Omission } from './chat.ts';
import type { DraftRow } from './draft-rows.ts';
import type { ModelRefusals } from './model-refusals.ts';
import {
  type PatchRecord,
  type PatchTarget,
  patchedAnswer,
  patchingRequest,
  shownPatching,
} from './patching.ts';

/** Characters of the part that is being streamed. */
const lengthOf = (parts: readonly Part[]): number => {
  const last = parts.at(-1);
  return last?.type === 'text' || last?.type === 'reasoning' ? last.text.length : 0;
};

/** Outcome of a request. */
export interface Streamed {
  readonly parts: readonly Part[];
  readonly finish: Finish;
  readonly usage: Usage | undefined;
  readonly problem: Problem | null;
  /** Tokens that replaced private words in the request. */
  readonly hidden?: readonly string[];
}

interface StepToAsk {
  readonly request: StepRequest;
  /** Left out because the model refused it. */
  readonly omitted: readonly Omission[];
  /** Parts that the answer has already. */
  readonly before: readonly Part[];
  /** Answers to an identical request may be reused from other branches. */
  readonly reuse: boolean;
  /** Answer to patch instead of writing a new one. */
  readonly patching?: PatchTarget | undefined;
  /** The last step: the model has to answer now. */
  readonly noCalls: boolean;
  /** Makes the row that keeps the answer while it streams; called only if a model is asked. */
  readonly draft: () => DraftRow;
  /** Called with the answer so far, as often as a screen can show it. */
  readonly onParts: (parts: readonly Part[]) => void;
}

interface Asked {
  readonly got: Streamed;
  /** The step that was sent; null if the person stopped before that. */
  readonly prepared: PreparedStep | null;
  /** Key of the request. */
  readonly key: string | undefined;
  /** The answer that was reused. */
  readonly taken: Message | undefined;
  readonly draft: DraftRow | undefined;
  /** Record of the patch, or of the reason for which there is none. */
  readonly patch: PatchRecord | undefined;
  /** Usage of a patch that failed. */
  readonly lost: Usage | undefined;
  /** Tools offered in the end: none if the model refused them. */
  readonly tools: readonly ToolDescription[];
}

/**
 * Makes the function that asks a model for one step. It rejects only if the request cannot be made;
 * the model's errors are in its result.
 */
export const createAsking =
  ({ context, refusals }: { context: TurnContext; refusals: ModelRefusals }) =>
  async (step: StepToAsk): Promise<Asked> => {
    const { request, omitted, before, reuse, patching, noCalls, draft: begin, onParts } = step;
    const { model, signal } = request;
    let { tools } = request;
    let draft: DraftRow | undefined;
    let got: Streamed = { parts: before, finish: 'stopped', usage: undefined, problem: null };
    let prepared: PreparedStep | null = null;
    let taken: Message | undefined;
    let key: string | undefined;
    let patch: PatchRecord | undefined;
    let lost: Usage | undefined;
    const asked = () => ({ got, prepared, key, taken, draft, patch, lost, tools });
    try {
      if (signal.aborted) return asked();
      prepared = plain(await context.prepare(request), omitted);
      key = requestKey(model, prepared.prompt, tools);
      taken = reuse ? answerTo(request.conversation(), key) : undefined;
      if (taken) {
        got = { ...got, parts: [...before, ...taken.parts.filter(isSaid)], finish: taken.finish ?? 'stop' };
        return asked();
      }
      draft = begin();
      const row = draft;
      if (patching) {
        const asks = patchingRequest(prepared, patching);
        const come = await stream(model, asks, {
          before,
          omitted,
          tools: [],
          noCalls,
          // Save no draft of patch blocks: a rescue after a crash would take them for the answer.
          draft: { ...row, update: () => undefined },
          onParts: (parts) => onParts(shownPatching(parts, before, patching)),
          signal,
        });
        const made = patchedAnswer(come, before, patching);
        patch = made.record;
        if ('got' in made) {
          got = made.got;
          prepared = asks;
          key = requestKey(model, asks.prompt, []);
          return asked();
        }
        lost = come.usage;
        onParts(before);
      }
      const ask = (what: PreparedStep) =>
        stream(model, what, { before, omitted, noCalls, tools, draft: row, onParts, signal });
      got = await ask(prepared);
      if (tools.length > 0 && looksRefused(got, before)) {
        // Some models refuse tools: one attempt without them, remembered if it helped.
        const { problem } = got;
        tools = [];
        prepared = plain(await context.prepare({ ...request, tools }), ['tools']);
        key = requestKey(model, prepared.prompt, tools);
        got = await ask(prepared);
        if (got.finish !== 'error') await refusals.remember(model, ['tools'], problem);
      }
    } catch (error) {
      if (!isAbort(error)) {
        draft?.release();
        throw error;
      }
    }
    return asked();
  };

async function stream(
  model: ChatModel,
  { prompt }: PreparedStep,
  {
    before,
    omitted,
    tools,
    noCalls,
    draft,
    onParts,
    signal,
  }: {
    before: readonly Part[];
    omitted: readonly Omission[];
    tools: readonly ToolDescription[];
    noCalls: boolean;
    draft: DraftRow;
    onParts: (parts: readonly Part[]) => void;
    signal: AbortSignal;
  },
): Promise<Streamed> {
  let parts = before;
  let finish: Finish = 'stop';
  let usage: Usage | undefined;
  let hidden: readonly string[] = [];
  let problem: Problem | null = null;
  const without = (['thoughts', 'images'] as const).filter((what) => omitted.includes(what));
  /** Time of the first words, and characters since then. */
  let began: number | undefined;
  let came = 0;
  const screen = createPacer(
    () => pauseWhileWriting(lengthOf(parts), speedOf(came, performance.now() - (began ?? 0))),
    () => onParts(parts),
  );
  try {
    for await (const event of model.stream(prompt, {
      ...(tools.length > 0 ? { tools } : {}),
      ...(tools.length > 0 && noCalls ? { toolChoice: 'none' as const } : {}),
      ...(without.length > 0 ? { without } : {}),
      signal,
    })) {
      if (event.type === 'usage') usage = event.usage;
      else if (event.type === 'end') {
        finish = event.finish;
        problem = event.problem ?? null;
        hidden = event.tokensSent ?? [];
      } else {
        parts = addToDraft(parts, event);
        began ??= performance.now();
        if ('text' in event) came += event.text.length;
        screen.touch();
        draft.update(parts);
      }
    }
  } catch (error) {
    // A model never throws; if one does, the parts that arrived are still kept.
    finish = 'error';
    problem = toProblem(error);
  } finally {
    screen.flush();
    screen.stop();
  }
  return { parts, finish, usage, problem, hidden };
}

/** For a model without tools, rewrites calls and results of the request as words. */
const plain = (step: PreparedStep, omitted: readonly Omission[]): PreparedStep =>
  omitted.includes('tools')
    ? { ...step, prompt: { ...step.prompt, messages: callsAsWords(step.prompt.messages) } }
    : step;

const isSaid = (part: Part): boolean => part.type !== 'recall';

/** Finds the newest whole answer to an identical request, on any branch. Linear in the conversation. */
function answerTo(conversation: Conversation, key: string): Message | undefined {
  let found: Message | undefined;
  for (const message of conversation.messages.values())
    if (
      message.request === key &&
      (message.finish === 'stop' || message.finish === 'tool-calls') &&
      hasContent(message.parts) &&
      (!found || message.createdAt > found.createdAt)
    )
      found = message;
  return found;
}

/**
 * True if the endpoint may have refused the tools: nothing arrived, and neither key, model nor length was the reason.
 */
function looksRefused(
  { parts, finish, problem }: { parts: readonly Part[]; finish: Finish; problem: Problem | null },
  before: readonly Part[],
): boolean {
  if (finish !== 'error' || !problem || parts.length > before.length) return false;
  const detail = `${problem.params?.detail ?? ''} ${problem.message}`;
  if (
    /\b(tools?|functions?)\b/i.test(detail) &&
    /^model-(server|not-found|forbidden|refused|format)$/.test(problem.code)
  )
    return true;
  const { reason } = problem.params ?? {};
  return problem.code === 'model-server' && (reason === 'request' || reason === 'input');
}

/** True if the model called a tool, or tried to, although the request forbade it. */
export const wantsToCall = ({
  parts,
  finish,
  problem,
}: {
  parts: readonly Part[];
  finish: Finish;
  problem: Problem | null;
}): boolean =>
  parts.some((part) => part.type === 'tool-call') ||
  (finish === 'error' && problem?.code === 'unexpected' && /tool/i.test(problem.message));
