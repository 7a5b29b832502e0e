// One turn: an answer in as many steps as its tools take, each a request that fits and a message that is saved.
//
//   question ─► recall ─► ┌─ request ─► (taken over | asked) ─► answer saved ─► calls? ─► tools ─► results saved ─┐
//                         └───────────◄──────────────── letter to the past ◄──────────────────────────────────────┘
//
// An answer has its id before its first word, and its draft row carries it: saving it twice is saving it once.
import type { Drawer } from '../../adapters/log/conversation-log.ts';
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, type MessageId, newMessageId } from '../../domain/base/ids.ts';
import type { Readable, Writable } from '../../domain/base/readable.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { hasContent } from '../../domain/chat/draft.ts';
import type { Finish, Message, Part, Usage } from '../../domain/chat/message.ts';
import { costOf, type Price } from '../../domain/context/budget.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { PreparedStep, StepRequest, TurnContext } from '../context/turn-context.ts';
import type { Documents, OpenConversation } from '../documents/documents.ts';
import type { Memory, RecallResult } from '../memory/memory.ts';
import type { ModelChoice } from '../settings/settings.ts';
import { createAsking, type Streamed, wantsToCall } from './asking.ts';
import type { Omission, Replay, TurnState } from './chat.ts';
import type { DraftRow } from './draft-rows.ts';
import { isOmission, type ModelRefusals } from './model-refusals.ts';
import { createSaving } from './saving.ts';
import { createToolCalls } from './tool-calls.ts';
import { descriptionOf, type NotesLike, toolsInForce } from './tools/index.ts';
import { createTurnRecall, type Recall, type Recalled } from './turn-recall.ts';

export interface TurnRequest {
  /** The question. */
  readonly asked: MessageId;
  /** What the next message hangs on, where the answer has begun already. */
  readonly from?: MessageId;
  readonly without?: readonly MessageId[];
  readonly announced?: RecallResult;
  /** Memory of an earlier answer to the same message, used again as it is. */
  readonly recall?: Recall;
  /** The person asked for this answer: show the conversation at its question. */
  readonly explicit?: boolean;
  /** A failed answer without content that this one takes the place of. */
  readonly replaces?: MessageId;
  /** Left out because the endpoint refused it, as `refused` says. */
  readonly omit?: Omission;
  readonly refused?: { readonly message: string } | undefined;
  /** Who answers, instead of the model in use. */
  readonly by?: ModelChoice;
  /** Answers to the very same request may be taken over from other branches. */
  readonly reuse?: boolean;
  /** Questions of the old branch that are asked again afterwards, oldest first. */
  readonly after?: readonly MessageId[];
}

/** From this share of the window on, an answer that was cut off may have been cut off by the window. */
const HALF_FULL = 0.5;

const NOTHING: Recall = { type: 'recall', query: '', threshold: 0, passages: [], nearMisses: [] };

/** What a turn needs to know of the conversation's session. */
interface TurnSession {
  readonly state: Writable<TurnState>;
  /** Set while a turn runs; aborting it is "stop". */
  turn: AbortController | null;
}

/** How a turn ended: the last message it saved, and why there was no more. Null where nothing was saved. */
interface TurnEnd {
  readonly last: MessageId;
  readonly finish: Finish;
}

interface TurnDependencies {
  readonly documents: Documents;
  readonly drawer: Drawer;
  readonly model: (conversation: Conversation, by?: ModelChoice) => ChatModel | null;
  readonly memory: Pick<Memory, 'recall' | 'wake'>;
  readonly context: TurnContext;
  readonly notes: NotesLike | undefined;
  readonly refusals: ModelRefusals;
  readonly config: Readable<Config>;
  readonly now: () => number;
  readonly device: string;
  readonly priceOf?: ((model: ChatModel) => Price | null) | undefined;
  readonly draft: (id: ConversationId, answer: Message, replaces: MessageId | null) => DraftRow;
}

export function createTurns(deps: TurnDependencies) {
  const { documents, memory, context, config, now, device, refusals } = deps;
  const saving = createSaving(deps);
  const memories = createTurnRecall(deps);
  const ask = createAsking(deps);
  const runCalls = createToolCalls(deps);

  const set = (session: TurnSession, change: Partial<TurnState>) =>
    session.state.update((state) => ({ ...state, ...change }));

  // ---------------------------------------------------------------------------------------- the steps
  async function steps(
    session: TurnSession,
    id: ConversationId,
    open: OpenConversation,
    model: ChatModel,
    request: TurnRequest,
    asked: Message,
    first: { recall: Recall | null; parts: readonly Part[] },
    signal: AbortSignal,
    startedAt: number,
  ): Promise<TurnEnd | null> {
    const { max_steps: maxSteps } = config.get().tools;
    let leaf = request.from ?? asked.id;
    let { recall, parts: before } = first;
    let replaces = request.replaces;
    let roomMade = false;
    let end: TurnEnd | null = null;

    /** The row that the step is kept in meanwhile: whatever goes wrong, it beats no longer, and another tab may take it over. */
    let held: DraftRow | undefined;
    try {
      for (let step = 0; step < maxSteps; step += 1) {
        const stepStartedAt = step === 0 ? startedAt : now();
        const answerId = step === 0 ? (session.state.get().answerId ?? newMessageId()) : newMessageId();
        set(session, { status: 'waiting', parts: before, parentId: leaf, answerId, step, calls: [] });
        const omitted = [...refusals.leftOut(model), ...(request.omit ? [request.omit] : [])].filter(
          isOmission,
        );
        const tools = omitted.includes('tools')
          ? []
          : toolsInForce(config.get(), { notes: deps.notes, conversationId: id });
        const described = tools.map(descriptionOf);
        const parent = open.get().messages.get(leaf);
        const answer: Message = {
          id: answerId,
          parentId: leaf,
          role: 'assistant',
          kind: 'message',
          createdAt: Math.max(stepStartedAt, (parent?.createdAt ?? 0) + 1),
          parts: before,
          device,
          model: model.id,
        };
        const stepRequest = (offered: readonly ToolDescription[]): StepRequest => ({
          id,
          conversation: open.get,
          leaf,
          model,
          recall,
          tools: offered,
          signal,
          onStatus: (status) => set(session, { status }),
        });

        const outcome = await ask({
          request: stepRequest(described),
          before,
          omitted,
          reuse: request.reuse ?? false,
          noCalls: step + 1 >= maxSteps,
          draft: () => {
            held = deps.draft(id, answer, replaces ?? null);
            return held;
          },
          onParts: (parts) => set(session, { status: 'streaming', parts }),
        });
        const { prepared, key, taken, draft, tools: offered } = outcome;
        let { got } = outcome;

        if (step + 1 >= maxSteps && offered.length > 0 && step > 0 && wantsToCall(got))
          got = {
            ...got,
            finish: 'error',
            problem: new RecollectError(
              'tool-limit',
              `The model called tools ${maxSteps} times without answering.`,
              { params: { limit: maxSteps } },
            ).problem,
          };

        if (request.omit && got.finish !== 'error' && got.finish !== 'stopped')
          await refusals.remember(model, [request.omit], request.refused ? toProblem(request.refused) : null);

        // ROOM: cut off for its length, or refused for the length of what was asked: once more with a smaller request.
        // An answer can also end at the endpoint's own limit for answers: then room in the window would help nothing.
        const cutOff =
          got.problem?.code === 'model-context' ||
          (got.finish === 'length' && context.pressure(stepRequest(offered)) >= HALF_FULL);
        if (cutOff && !roomMade && !signal.aborted && prepared) {
          roomMade = true;
          let room = false;
          try {
            room = await context.compactAfterCutOff(stepRequest(offered));
          } catch (error) {
            if (!isAbort(error)) throw error;
          }
          if (room) {
            if (hasContent(got.parts)) {
              const kept = finished(answer, got, prepared, key, stepStartedAt);
              if (!(await saving.stillThere(id))) {
                await saving.drop(draft);
                return end;
              }
              await saving.save(id, open.get(), kept, { draft, aside: true });
            } else await saving.drop(draft);
            step -= 1;
            // The answer that is asked for now is another message than the one that was cut off.
            set(session, { answerId: newMessageId() });
            continue;
          }
        }

        // SAVED
        const message: Message = {
          ...finished(answer, got, prepared, key, stepStartedAt),
          ...(taken ? { reused: taken.id } : {}),
          ...(taken?.usage || !got.usage ? {} : { usage: got.usage }),
          ...costIn(model, taken ? undefined : got.usage),
        };
        // Erased for good while it was being answered: it must not come back as a lone answer.
        if (!(await saving.stillThere(id))) {
          await saving.drop(draft);
          throw new RecollectError(
            'conversation-missing',
            `Conversation ${id} was erased while it was answered`,
          );
        }
        await saving.save(id, open.get(), message, { replaces, draft });
        replaces = undefined;
        if (prepared && !taken) context.learn(model, prepared.manifest, got.usage);
        memory.wake('changed');
        count(session, taken !== undefined);
        end = { last: message.id, finish: got.finish };
        leaf = message.id;

        // TOOLS
        const calls = message.parts.filter((part) => part.type === 'tool-call');
        const called = got.finish === 'tool-calls' || got.finish === 'stop';
        if (calls.length === 0 || !called || offered.length === 0 || signal.aborted) break;
        const results = await runCalls(id, open.get, {
          message,
          calls,
          tools,
          taken,
          onProgress: (shown) => set(session, shown),
          signal,
        });
        if (!(await saving.stillThere(id))) break;
        await saving.save(id, open.get(), results.message);
        leaf = results.message.id;
        end = { last: leaf, finish: signal.aborted ? 'stopped' : 'tool-calls' };
        if (signal.aborted) break;
        before = [];
        recall = null;

        // LETTER
        if (results.mail) {
          leaf = await saving.deliver(id, open, results.message, results.mail, asked);
          end = { last: leaf, finish: 'tool-calls' };
          // The question stands in the past too, and what memory had given for it.
          const back = pathTo(open.get().messages, leaf);
          const given = first.recall;
          if (
            given &&
            back.some((said) => said.id === asked.id || said.copyOf === asked.id) &&
            !back.some((said) =>
              said.parts.some((part) => part.type === 'recall' && part.query === given.query),
            )
          ) {
            recall = given;
            before = [given];
          }
        }
      }
      return end;
    } finally {
      held?.release();
    }
  }

  const finished = (
    answer: Message,
    got: Streamed,
    prepared: PreparedStep | null,
    key: string | undefined,
    startedAt: number,
  ): Message => ({
    ...answer,
    parts: got.parts,
    durationMs: Math.max(0, now() - startedAt),
    finish: got.finish,
    ...(got.usage ? { usage: got.usage } : {}),
    ...(got.problem ? { problem: { ...got.problem } } : {}),
    ...(prepared ? { ledger: prepared.manifest } : {}),
    ...(key === undefined ? {} : { request: key }),
  });

  const costIn = (model: ChatModel, usage: Usage | undefined): Pick<Message, 'cost'> => {
    const price = usage && deps.priceOf?.(model);
    const amount = price ? costOf(usage, price) : null;
    return price && amount !== null ? { cost: { amount, currency: price.currency } } : {};
  };

  const count = (session: TurnSession, saved: boolean) => {
    const { replay } = session.state.get();
    if (!replay) return;
    const next: Replay = {
      ...replay,
      done: replay.done + 1,
      total: Math.max(replay.total, replay.done + 1),
      saved: replay.saved + (saved ? 1 : 0),
      asked: replay.asked + (saved ? 0 : 1),
    };
    set(session, { replay: next });
  };

  // ---------------------------------------------------------------------------------------- a turn
  /** Runs a turn to its end. What goes wrong before anything could be saved is in the state; null then. */
  async function run(
    session: TurnSession,
    id: ConversationId,
    request: TurnRequest,
  ): Promise<TurnEnd | null> {
    const control = new AbortController();
    session.turn = control;
    const { signal } = control;
    const startedAt = now();
    const answerId = newMessageId();
    set(session, {
      status: 'waiting',
      parts: [],
      parentId: request.from ?? request.asked,
      answerId,
      step: 0,
      calls: [],
      model: null,
      startedAt,
      problem: null,
      ...(request.reuse ? {} : { replay: null }),
    });
    let open: OpenConversation | undefined;
    try {
      open = await documents.open(id);
      const conversation = open.get();
      const model = deps.model(conversation, request.by);
      set(session, { model: model?.id ?? null });
      const asked = conversation.messages.get(request.asked);
      const leaf = request.from ?? request.asked;
      if (!asked || !conversation.messages.has(leaf))
        throw new RecollectError('message-missing', 'The message to answer is not there any more.');
      const path = pathTo(conversation.messages, leaf);
      if (request.explicit && effectiveHead(conversation) !== leaf)
        await documents.change(id, { meta: { head: leaf } });

      const { recall, problem, trigger }: Recalled =
        request.recall || request.from !== undefined
          ? { recall: request.recall ?? null, problem: null, trigger: undefined }
          : await memories.forQuestion({
              conversation,
              path,
              asked,
              answering: model !== null,
              without: request.without,
              announced: request.announced,
              pressure: () =>
                model
                  ? context.pressure({
                      id,
                      conversation: open?.get ?? (() => conversation),
                      leaf,
                      model,
                      recall: null,
                      tools: [],
                    })
                  : 0,
              onAsking: () => set(session, { status: 'recalling' }),
              signal,
            });
      if (!model)
        return await fromMemory(id, open, { request, asked, recall, problem, answerId, startedAt, signal });

      // What found nothing leaves no trace on an answer; what the person left out, and that memory could not be asked, or not wholly, does.
      const { degraded } = recall ?? {};
      const given: Recall | null =
        recall && (recall.passages.length > 0 || recall.leftOut?.length)
          ? recall
          : trigger && (problem || degraded)
            ? {
                ...NOTHING,
                trigger,
                ...(problem ? { skipped: { ...problem } } : { degraded }),
              }
            : null;
      const end = await steps(
        session,
        id,
        open,
        model,
        request,
        asked,
        { recall: given && given.passages.length > 0 ? given : null, parts: given ? [given] : [] },
        signal,
        startedAt,
      );
      if (end) context.settled(id);
      return end;
    } catch (error) {
      set(session, { problem: toProblem(error) });
      return null;
    } finally {
      open?.close();
      session.turn = null;
    }
  }

  /** Without a model the passages are the answer. */
  async function fromMemory(
    id: ConversationId,
    open: OpenConversation,
    {
      request,
      asked,
      recall,
      problem,
      answerId,
      startedAt,
      signal,
    }: {
      request: TurnRequest;
      asked: Message;
      recall: Recall | null;
      problem: Problem | null;
      answerId: MessageId;
      startedAt: number;
      signal: AbortSignal;
    },
  ): Promise<TurnEnd | null> {
    // Nothing to quote is an answer too; that memory could not be asked is not.
    const finish: Finish = problem ? 'error' : signal.aborted ? 'stopped' : 'stop';
    const answer: Message = {
      id: answerId,
      parentId: request.from ?? asked.id,
      role: 'assistant',
      kind: 'recall',
      createdAt: Math.max(startedAt, asked.createdAt + 1),
      parts: recall ? [recall] : problem ? [] : [NOTHING],
      device,
      durationMs: Math.max(0, now() - startedAt),
      finish,
      ...(problem ? { problem: { ...problem } } : {}),
    };
    if (!(await saving.stillThere(id)))
      throw new RecollectError('conversation-missing', `Conversation ${id} was erased while it was answered`);
    await saving.save(id, open.get(), answer, { replaces: request.replaces });
    memory.wake('changed');
    return { last: answer.id, finish };
  }

  return { run, save: saving.save };
}
