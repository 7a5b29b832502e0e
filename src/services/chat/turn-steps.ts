// The steps of one turn: each is a request to the model, an answer that is saved, and the tools that the answer calls.
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import { isAbort, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, type MessageId, newMessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { pathTo } from '../../domain/chat/conversation.ts';
import { hasContent } from '../../domain/chat/draft.ts';
import type { Message, Part, Usage } from '../../domain/chat/message.ts';
import { costOf, type Price } from '../../domain/context/budget.ts';
import type { Recall } from '../../domain/context/recalled.ts';
import { configWith } from '../../domain/prompts/persona.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { PreparedStep, StepRequest, TurnContext } from '../context/turn-context.ts';
import type { OpenConversation } from '../documents/documents.ts';
import type { Memory } from '../memory/memory.ts';
import type { Prompts } from '../prompts/prompts.ts';
import { type createAsking, type Streamed, wantsToCall } from './asking.ts';
import type { Omission, Replay } from './chat.ts';
import type { DraftRow } from './draft-rows.ts';
import { isOmission, type ModelRefusals } from './model-refusals.ts';
import { patchTargetOf } from './patching.ts';
import type { createSaving } from './saving.ts';
import type { createToolCalls } from './tool-calls.ts';
import { descriptionOf, type NotesLike, type Tool, toolsInForce } from './tools/index.ts';
import { showTurn, type TurnEnd, type TurnRequest, type TurnSession } from './turn.ts';

/** From this fill of the window on, the window may be the reason for which an answer was cut off. */
const HALF_FULL = 0.5;

export interface TurnStepsDeps {
  readonly saving: ReturnType<typeof createSaving>;
  readonly ask: ReturnType<typeof createAsking>;
  readonly runCalls: ReturnType<typeof createToolCalls>;
  /** Makes the saved message from the streamed parts. */
  readonly toMessage: (
    answer: Message,
    got: Streamed,
    prepared: PreparedStep | null,
    key: string | undefined,
    startedAt: number,
  ) => Message;
  readonly memory: Pick<Memory, 'wake'>;
  readonly context: TurnContext;
  readonly notes: NotesLike | undefined;
  readonly refusals: ModelRefusals;
  readonly config: Readable<Config>;
  readonly personaOf?: Prompts['personaOf'] | undefined;
  readonly now: () => number;
  readonly device: () => string;
  readonly priceOf?: ((model: ChatModel) => Price | null) | undefined;
  readonly draft: (id: ConversationId, answer: Message, replaces: MessageId | null) => DraftRow;
}

interface Turn {
  readonly session: TurnSession;
  readonly id: ConversationId;
  readonly open: OpenConversation;
  readonly model: ChatModel;
  readonly request: TurnRequest;
  readonly asked: Message;
  /** Recall of the first step: for the request, and as the parts the answer begins with. */
  readonly first: { readonly recall: Recall | null; readonly parts: readonly Part[] };
  readonly startedAt: number;
  readonly signal: AbortSignal;
}

/** A step before its request. */
interface Prepared {
  readonly answer: Message;
  readonly startedAt: number;
  readonly omitted: readonly Omission[];
  readonly tools: readonly Tool[];
}

type Outcome = Awaited<ReturnType<TurnStepsDeps['ask']>>;
type Next = 'next step' | 'same step again' | 'end';

export class TurnSteps {
  readonly #deps: TurnStepsDeps;
  readonly #turn: Turn;
  readonly #maxSteps: number;
  /** Parent of the next message. */
  #leaf: MessageId;
  #recall: Recall | null;
  /** Parts that the next answer begins with. */
  #before: readonly Part[];
  #replaces: MessageId | undefined;
  /** The request was reduced once already. */
  #spaceFreed = false;
  #end: TurnEnd | null = null;
  /** Draft row of the step: after a failure it is no longer touched, so that another tab may take it over. */
  #draft: DraftRow | undefined;

  constructor(deps: TurnStepsDeps, turn: Turn) {
    this.#deps = deps;
    this.#turn = turn;
    this.#maxSteps = deps.config.get().tools.max_steps;
    this.#leaf = turn.request.from ?? turn.asked.id;
    this.#recall = turn.first.recall;
    this.#before = turn.first.parts;
    this.#replaces = turn.request.replaces;
  }

  /** Runs the steps to the end of the turn. Null if nothing was saved; rejects if a step could not be saved. */
  async run(): Promise<TurnEnd | null> {
    try {
      for (let step = 0; step < this.#maxSteps; ) {
        const next = await this.#step(step);
        if (next === 'end') break;
        if (next === 'next step') step += 1;
      }
      return this.#end;
    } finally {
      this.#draft?.release();
    }
  }

  async #step(step: number): Promise<Next> {
    const prepared = this.#prepare(step);
    const outcome = await this.#ask(step, prepared);
    const { session, id, model, request, signal } = this.#turn;
    const got = this.#withinLimit(step, outcome);
    if (request.omit && got.finish !== 'error' && got.finish !== 'stopped')
      await this.#deps.refusals.remember(
        model,
        [request.omit],
        request.refused ? toProblem(request.refused) : null,
      );

    const mayFreeSpace = !this.#spaceFreed && !signal.aborted && outcome.prepared !== null;
    if (mayFreeSpace && (await this.#wasCutOff(got, outcome))) {
      this.#spaceFreed = true;
      if (await this.#freeSpace(outcome)) {
        if (!(await this.#keepCutOff(prepared, outcome, got))) return 'end';
        // The new answer is another message than the one that was cut off.
        showTurn(session, { answerId: newMessageId() });
        return 'same step again';
      }
    }
    const message = await this.#save(prepared, outcome, got);

    const calls = message.parts.filter((part) => part.type === 'tool-call');
    const called = got.finish === 'tool-calls' || got.finish === 'stop';
    if (calls.length === 0 || !called || outcome.tools.length === 0 || signal.aborted) return 'end';
    const results = await this.#deps.runCalls(id, this.#turn.open.get, {
      message,
      calls,
      tools: prepared.tools,
      taken: outcome.taken,
      onProgress: (shown) => showTurn(session, shown),
      signal,
    });
    if (!(await this.#deps.saving.stillThere(id))) return 'end';
    await this.#deps.saving.save(id, this.#turn.open.get(), results.message);
    this.#leaf = results.message.id;
    this.#end = { last: this.#leaf, finish: signal.aborted ? 'stopped' : 'tool-calls' };
    if (signal.aborted) return 'end';
    this.#before = [];
    this.#recall = null;
    if (results.mail) await this.#deliver(results.message, results.mail);
    return 'next step';
  }

  #prepare(step: number): Prepared {
    const { session, id, open, model, request } = this.#turn;
    const startedAt = step === 0 ? this.#turn.startedAt : this.#deps.now();
    const answerId = step === 0 ? (session.state.get().answerId ?? newMessageId()) : newMessageId();
    showTurn(session, {
      status: 'waiting',
      parts: this.#before,
      parentId: this.#leaf,
      answerId,
      step,
      calls: [],
    });
    const omitted = [...this.#deps.refusals.leftOut(model), ...(request.omit ? [request.omit] : [])].filter(
      isOmission,
    );
    const config = configWith(this.#deps.config.get(), this.#deps.personaOf?.(open.get()) ?? null);
    const tools = omitted.includes('tools')
      ? []
      : toolsInForce(config, { notes: this.#deps.notes, conversationId: id });
    const parent = open.get().messages.get(this.#leaf);
    return {
      answer: {
        id: answerId,
        parentId: this.#leaf,
        role: 'assistant',
        kind: 'message',
        createdAt: Math.max(startedAt, (parent?.createdAt ?? 0) + 1),
        parts: this.#before,
        device: this.#deps.device(),
        model: model.id,
      },
      startedAt,
      omitted,
      tools,
    };
  }

  #request(offered: readonly ToolDescription[]): StepRequest {
    const { session, id, open, model, signal } = this.#turn;
    return {
      id,
      conversation: open.get,
      leaf: this.#leaf,
      model,
      recall: this.#recall,
      tools: offered,
      signal,
      onStatus: (status) => showTurn(session, { status }),
    };
  }

  async #ask(step: number, { answer, omitted, tools }: Prepared): Promise<Outcome> {
    const { session, id, open, request } = this.#turn;
    const { patchOf } = request;
    return await this.#deps.ask({
      request: this.#request(tools.map(descriptionOf)),
      before: this.#before,
      omitted,
      reuse: request.reuse ?? false,
      ...(step === 0 && patchOf !== undefined ? { patching: patchTargetOf(open.get(), patchOf) } : {}),
      noCalls: step + 1 >= this.#maxSteps,
      draft: () => {
        this.#draft = this.#deps.draft(id, answer, this.#replaces ?? null);
        return this.#draft;
      },
      onParts: (parts) => showTurn(session, { status: 'streaming', parts }),
    });
  }

  /** Streamed result; with a problem if the last step still calls tools. */
  #withinLimit(step: number, { got, tools }: Outcome): Streamed {
    if (step + 1 < this.#maxSteps || tools.length === 0 || step === 0 || !wantsToCall(got)) return got;
    const { problem } = new RecollectError(
      'tool-limit',
      `The model called tools ${this.#maxSteps} times without answering.`,
      { params: { limit: this.#maxSteps } },
    );
    return { ...got, finish: 'error', problem };
  }

  /**
   * True if a smaller request may help: cut off for its length, or the question refused for its length. At the
   * endpoint's own limit for answers, space in the window would not help.
   */
  async #wasCutOff(got: Streamed, { tools }: Outcome): Promise<boolean> {
    if (got.problem?.code === 'model-context') return true;
    return got.finish === 'length' && (await this.#deps.context.pressure(this.#request(tools))) >= HALF_FULL;
  }

  /** True if the next request will be smaller; false if that is impossible, or the person stopped it. */
  async #freeSpace({ tools }: Outcome): Promise<boolean> {
    try {
      return await this.#deps.context.compactAfterCutOff(this.#request(tools));
    } catch (error) {
      if (!isAbort(error)) throw error;
      return false;
    }
  }

  /** Saves the parts of an answer that was cut off as a branch. False if the conversation is gone. */
  async #keepCutOff(step: Prepared, { prepared, key, draft }: Outcome, got: Streamed): Promise<boolean> {
    const { saving, toMessage } = this.#deps;
    const { id, open } = this.#turn;
    if (!hasContent(got.parts)) {
      await saving.drop(draft);
      return true;
    }
    const kept = toMessage(step.answer, got, prepared, key, step.startedAt);
    if (!(await saving.stillThere(id))) {
      await saving.drop(draft);
      return false;
    }
    await saving.save(id, open.get(), kept, { draft, aside: true });
    return true;
  }

  /** Rejects with `conversation-missing` if it was erased meanwhile. */
  async #save(step: Prepared, outcome: Outcome, got: Streamed): Promise<Message> {
    const { prepared, key, taken, draft, patch, lost } = outcome;
    const { saving, toMessage, context, memory } = this.#deps;
    const { session, id, open, model } = this.#turn;
    const usage = lost && got.usage ? bothUsed(lost, got.usage) : (got.usage ?? lost);
    const message: Message = {
      ...toMessage(step.answer, got, prepared, key, step.startedAt),
      ...(taken ? { reused: taken.id } : {}),
      ...(patch ? { patch } : {}),
      ...(taken?.usage || !usage ? {} : { usage }),
      ...this.#costOf(taken ? undefined : usage),
    };
    // Erased for good while it was being answered: it must not return as a lone answer.
    if (!(await saving.stillThere(id))) {
      await saving.drop(draft);
      throw new RecollectError('conversation-missing', `Conversation ${id} was erased while it was answered`);
    }
    await saving.save(id, open.get(), message, { replaces: this.#replaces, draft });
    this.#replaces = undefined;
    if (prepared && !taken) context.learn(model, prepared.manifest, got.usage);
    memory.wake('changed');
    countReplayed(session, taken !== undefined);
    this.#end = { last: message.id, finish: got.finish };
    this.#leaf = message.id;
    return message;
  }

  #costOf(usage: Usage | undefined): Pick<Message, 'cost'> {
    const price = usage && this.#deps.priceOf?.(this.#turn.model);
    const amount = price ? costOf(usage, price) : null;
    return price && amount !== null ? { cost: { amount, currency: price.currency } } : {};
  }

  /** Delivers a D-Mail: the turn continues there, perhaps with the question and its passages repeated. */
  async #deliver(results: Message, mail: Parameters<TurnStepsDeps['saving']['deliver']>[3]): Promise<void> {
    const { id, open, asked, first } = this.#turn;
    this.#leaf = await this.#deps.saving.deliver(id, open, results, mail, asked);
    this.#end = { last: this.#leaf, finish: 'tool-calls' };
    const back = pathTo(open.get().messages, this.#leaf);
    const given = first.recall;
    if (
      given &&
      back.some((said) => said.id === asked.id || said.copyOf === asked.id) &&
      !back.some((said) => said.parts.some((part) => part.type === 'recall' && part.query === given.query))
    ) {
      this.#recall = given;
      this.#before = [given];
    }
  }
}

/** Sums the usage of two requests for one answer. */
function bothUsed(one: Usage, other: Usage): Usage {
  const sum = { ...one, ...other };
  for (const key of ['inputTokens', 'outputTokens', 'cachedInputTokens', 'reasoningTokens'] as const) {
    const [a, b] = [one[key], other[key]];
    if (a !== undefined || b !== undefined) sum[key] = (a ?? 0) + (b ?? 0);
  }
  return sum;
}

/** Counts a step of a replay: `saved` if an earlier answer was reused. */
function countReplayed(session: TurnSession, saved: boolean): void {
  const { replay } = session.state.get();
  if (!replay) return;
  const next: Replay = {
    ...replay,
    done: replay.done + 1,
    total: Math.max(replay.total, replay.done + 1),
    saved: replay.saved + (saved ? 1 : 0),
    asked: replay.asked + (saved ? 0 : 1),
  };
  showTurn(session, { replay: next });
}
