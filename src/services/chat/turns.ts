// One turn: an answer in as many steps as its tools take, each a request that fits and a message that is saved.
//
//   question ─► recall ─► ┌─ request ─► (taken over | asked) ─► answer saved ─► calls? ─► tools ─► results saved ─┐
//                         └───────────◄──────────────── D-Mail ◄──────────────────────────────────────────────────┘
//
// An answer has its id before its first word, and its draft row carries it: saving it twice is saving it once.
import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import type { ChatModel } from '../../adapters/models/chat-model.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, type MessageId, newMessageId } from '../../domain/base/ids.ts';
import { lazily, loadPart } from '../../domain/base/part.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { type Finish, type Message, textOf } from '../../domain/chat/message.ts';
import type { Price } from '../../domain/context/budget.ts';
import { hasRecallContent, type Recall } from '../../domain/context/recalled.ts';
import { queryForMessage } from '../../domain/memory/query.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { TurnContext } from '../context/turn-context.ts';
import type { Documents, OpenConversation } from '../documents/documents.ts';
import type { Applying } from '../memory/applying.ts';
import type { Memory } from '../memory/memory.ts';
import type { Prompts } from '../prompts/prompts.ts';
import type { ModelChoice } from '../settings/settings.ts';
import type { DraftRow } from './draft-rows.ts';
import type { ModelRefusals } from './model-refusals.ts';
import { createSaving } from './saving.ts';
import type { NotesLike } from './tools/index.ts';
import { showTurn, type TurnEnd, type TurnRequest, type TurnSession } from './turn.ts';
import type { RecallOfTurn } from './turn-recall.ts';
import type { TurnSteps, TurnStepsDeps } from './turn-steps.ts';

const NOTHING: Recall = { type: 'recall', query: '', threshold: 0, passages: [], nearMisses: [] };

interface TurnDependencies {
  readonly documents: Documents;
  readonly keyValues: KeyValues;
  readonly model: (conversation: Conversation, by?: ModelChoice) => ChatModel | null;
  readonly memory: Pick<Memory, 'recall' | 'wake'>;
  readonly context: TurnContext;
  readonly notes: NotesLike | undefined;
  readonly withoutForgotten: ((message: Message) => Message | null) | undefined;
  readonly applying?: Applying | undefined;
  readonly refusals: ModelRefusals;
  readonly config: Readable<Config>;
  readonly personaOf?: Prompts['personaOf'] | undefined;
  readonly now: () => number;
  readonly device: () => string;
  readonly priceOf?: ((model: ChatModel) => Price | null) | undefined;
  readonly draft: (id: ConversationId, answer: Message, replaces: MessageId | null) => DraftRow;
}

/**
 * Makes the runner of turns. One runner serves all conversations of a tab; each `run` is one
 * turn, from its question to its last step.
 */
export function createTurns(deps: TurnDependencies) {
  return new Turns(deps);
}

/** Runs single turns; `turn-queue.ts` says which, and when. */
class Turns {
  readonly #deps: TurnDependencies;
  readonly #saving: ReturnType<typeof createSaving>;
  /** Asks memory; its code is loaded with the first turn (decision 1115). */
  readonly #memories = lazily(async () => (await import('./turn-recall.ts')).createTurnRecall(this.#deps));
  readonly #stepDeps: Omit<TurnStepsDeps, 'ask' | 'runCalls'>;
  /** Saves a message into its conversation. */
  readonly save: ReturnType<typeof createSaving>['save'];

  constructor(deps: TurnDependencies) {
    this.#deps = deps;
    this.#saving = createSaving(deps);
    this.#stepDeps = {
      ...deps,
      saving: this.#saving,
      toMessage: (answer, got, prepared, key, startedAt) => ({
        ...answer,
        parts: got.parts,
        durationMs: Math.max(0, deps.now() - startedAt),
        finish: got.finish,
        ...(got.usage ? { usage: got.usage } : {}),
        ...(got.problem ? { problem: { ...got.problem } } : {}),
        ...(prepared
          ? { ledger: { ...prepared.manifest, ...(got.hidden?.length ? { hidden: got.hidden } : {}) } }
          : {}),
        ...(key === undefined ? {} : { request: key }),
      }),
    };
    this.save = this.#saving.save;
  }

  /** Runs a turn to its end. A problem before anything was saved is in the state; the result is null then. */
  async run(session: TurnSession, id: ConversationId, request: TurnRequest): Promise<TurnEnd | null> {
    const control = new AbortController();
    session.turn = control;
    const { signal } = control;
    const startedAt = this.#deps.now();
    const answerId = newMessageId();
    showTurn(session, {
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
      open = await this.#deps.documents.open(id);
      const conversation = open.get();
      const model = this.#deps.model(conversation, request.by);
      showTurn(session, { model: model?.id ?? null });
      const asked = conversation.messages.get(request.asked);
      const leaf = request.from ?? request.asked;
      if (!asked || !conversation.messages.has(leaf))
        throw new RecollectError('message-missing', 'The message to answer is not there any more.');
      const path = pathTo(conversation.messages, leaf);
      if (request.explicit && effectiveHead(conversation) !== leaf)
        await this.#deps.documents.change(id, { meta: { head: leaf } });

      const remembered: RecallOfTurn =
        request.recall || request.from !== undefined
          ? { recall: request.recall ?? null, problem: null, why: undefined, applied: [] }
          : await (await this.#memories()).forQuestion({
              conversation,
              path,
              asked,
              answering: model !== null,
              without: request.without,
              announced: request.announced,
              pressure: async () =>
                model
                  ? await this.#deps.context.pressure({
                      id,
                      conversation: open?.get ?? (() => conversation),
                      leaf,
                      model,
                      recall: null,
                      tools: [],
                    })
                  : 0,
              onAsking: () => showTurn(session, { status: 'recalling' }),
              signal,
            });
      const { problem, why, applied } = remembered;
      const recall = remembered.recall && this.#withoutForgotten(remembered.recall, asked);
      if (!model)
        return await this.#fromMemory(id, open, {
          request,
          asked,
          recall,
          problem,
          answerId,
          startedAt,
          signal,
        });

      // An empty recall leaves no trace on an answer, unless the person left passages out, or memory failed although it
      // is always asked.
      const { degraded } = recall ?? {};
      const found: Recall | null =
        recall && (recall.passages.length > 0 || recall.leftOut?.length)
          ? recall
          : why?.trigger && (problem || degraded)
            ? {
                ...NOTHING,
                query: queryForMessage(textOf(asked)),
                ...why,
                ...(problem ? { skipped: { ...problem } } : { degraded }),
              }
            : null;
      const given: Recall | null =
        applied.length > 0 ? { ...(found ?? NOTHING), applied: [...applied] } : found;
      const steps = await this.#stepsOf({
        session,
        id,
        open,
        model,
        request,
        asked,
        first: { recall: given && hasRecallContent(given) ? given : null, parts: given ? [given] : [] },
        startedAt,
        signal,
      });
      const end = await steps.run();
      if (end) this.#deps.context.settled(id);
      return end;
    } catch (error) {
      showTurn(session, { problem: toProblem(error) });
      return null;
    } finally {
      open?.close();
      session.turn = null;
    }
  }

  /** Brings the steps of a turn, whose code is loaded with the first that a model answers (decision 1113). */
  async #stepsOf(turn: ConstructorParameters<typeof TurnSteps>[1]): Promise<TurnSteps> {
    const [{ TurnSteps }, { createAsking }, { createToolCalls }] = await loadPart(() =>
      Promise.all([import('./turn-steps.ts'), import('./asking.ts'), import('./tool-calls.ts')]),
    );
    const deps = { ...this.#stepDeps, ask: createAsking(this.#deps), runCalls: createToolCalls(this.#deps) };
    return new TurnSteps(deps, turn);
  }

  /** Removes what was forgotten since: the index may not have read that yet, and a person may have kept a passage. */
  #withoutForgotten(recall: Recall, { id, createdAt }: Message): Recall {
    const answer: Message = {
      ...{ id: newMessageId(), parentId: id, role: 'assistant', kind: 'message' },
      createdAt: Math.max(createdAt, this.#deps.now()),
      parts: [recall],
    };
    const [left] = this.#deps.withoutForgotten?.(answer)?.parts ?? answer.parts;
    return left?.type === 'recall' ? left : recall;
  }

  /** Without a model the passages are the answer. */
  async #fromMemory(
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
    // Finding nothing is an answer, too; a memory that could not be asked is not.
    const finish: Finish = problem ? 'error' : signal.aborted ? 'stopped' : 'stop';
    const answer: Message = {
      id: answerId,
      parentId: request.from ?? asked.id,
      role: 'assistant',
      kind: 'recall',
      createdAt: Math.max(startedAt, asked.createdAt + 1),
      parts: recall ? [recall] : problem ? [] : [NOTHING],
      device: this.#deps.device(),
      durationMs: Math.max(0, this.#deps.now() - startedAt),
      finish,
      ...(problem ? { problem: { ...problem } } : {}),
    };
    if (!(await this.#saving.stillThere(id)))
      throw new RecollectError('conversation-missing', `Conversation ${id} was erased while it was answered`);
    await this.#saving.save(id, open.get(), answer, { replaces: request.replaces });
    this.#deps.memory.wake('changed');
    return { last: answer.id, finish };
  }
}
