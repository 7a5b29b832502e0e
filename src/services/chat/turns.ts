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
import { modelCheckpoints, startsTurn } from '../../domain/chat/checkpoint.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { dmailText } from '../../domain/chat/dmail.ts';
import { addToDraft, hasContent } from '../../domain/chat/draft.ts';
import {
  type Finish,
  type Message,
  type Part,
  type PartOf,
  textOf,
  type Usage,
} from '../../domain/chat/message.ts';
import type { Config } from '../../domain/settings/config.ts';
import { requestKey } from '../context/request-key.ts';
import type { PreparedStep, StepRequest, TurnContext } from '../context/turn-context.ts';
import type { Documents, OpenConversation } from '../documents/documents.ts';
import type { Memory } from '../memory/memory.ts';
import type { Replay, TurnState } from './chat.ts';
import type { DraftRow } from './draft-rows.ts';
import { askedAgain } from './repeat.ts';
import type { ToolRefusals } from './tool-refusals.ts';
import { descriptionOf, type NotesLike, runTool, type Tool, toolsInForce } from './tools/index.ts';

/** A slow index holds up an answer no longer than this, ms. */
const RECALL_PATIENCE = 3000;
/** Without a model the recall is the answer: then there is time for an index that is just waking up, ms. */
const RECALL_ONLY_PATIENCE = 30_000;
/** The screen hears of new words about 30 times a second. */
const FRAME_MS = 33;
/** What of a long message is asked of memory, characters: it is kept with the answer. */
const MAX_QUERY = 4000;

type Recall = PartOf<'recall'>;
type Call = PartOf<'tool-call'>;

export interface TurnRequest {
  /** The question. */
  readonly asked: MessageId;
  /** What the next message hangs on, where the answer has begun already. */
  readonly from?: MessageId;
  readonly without?: readonly MessageId[];
  /** Memory of an earlier answer to the same message, used again as it is. */
  readonly recall?: Recall;
  /** The person asked for this answer: show the conversation at its question. */
  readonly explicit?: boolean;
  /** A failed answer without content that this one takes the place of. */
  readonly replaces?: MessageId;
  /** Answers to the very same request may be taken over from other branches. */
  readonly reuse?: boolean;
  /** Questions of the old branch that are asked again afterwards, oldest first. */
  readonly after?: readonly MessageId[];
}

/** What a turn needs to know of the conversation's session. */
export interface TurnSession {
  readonly state: Writable<TurnState>;
  /** Set while a turn runs; aborting it is "stop". */
  turn: AbortController | null;
}

/** How a turn ended: the last message it saved, and why there was no more. Null where nothing was saved. */
export interface TurnEnd {
  readonly last: MessageId;
  readonly finish: Finish;
}

export interface TurnDependencies {
  readonly documents: Documents;
  readonly drawer: Drawer;
  readonly model: () => ChatModel | null;
  readonly memory: Pick<Memory, 'recall' | 'wake'>;
  readonly context: TurnContext;
  readonly notes: NotesLike | undefined;
  readonly refusals: ToolRefusals;
  readonly config: Readable<Config>;
  readonly now: () => number;
  readonly device: string;
  readonly draft: (id: ConversationId, answer: Message, replaces: MessageId | null) => DraftRow;
}

export function createTurns(deps: TurnDependencies) {
  const { documents, drawer, memory, context, config, now, device, refusals } = deps;

  const set = (session: TurnSession, change: Partial<TurnState>) =>
    session.state.update((state) => ({ ...state, ...change }));

  // ---------------------------------------------------------------------------------------- memory
  /** The passages for the answer, as they will be kept with it; null where none were asked for. Throws nothing. */
  async function remember(
    conversation: Conversation,
    query: string,
    {
      trigger,
      without,
      patience,
      signal,
    }: {
      trigger: Recall['trigger'];
      without: readonly MessageId[] | undefined;
      patience: number;
      signal: AbortSignal;
    },
  ): Promise<{ recall: Recall | null; problem: Problem | null }> {
    const text = query.trim().slice(0, MAX_QUERY);
    if (text === '') return { recall: null, problem: null };
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    const { exclude_current_session: exclude } = config.get().recall.filters;
    try {
      const found = await unlessAborted(
        memory.recall({
          text,
          ...(exclude ? { currentConversation: conversation.id } : {}),
          ...(trigger ? { purpose: 'inject' as const } : {}),
          signal: bounded,
        }),
        bounded,
      );
      const left = new Set<string>(without ?? []);
      return {
        recall: {
          type: 'recall',
          query: text,
          threshold: found.threshold,
          passages: found.passages.filter((passage) => !left.has(passage.messageId)),
          nearMisses: found.nearMisses.filter((passage) => !left.has(passage.messageId)),
          ...(trigger ? { trigger } : {}),
        },
        problem: null,
      };
    } catch (error) {
      if (!isAbort(error) && (error as { name?: string }).name !== 'TimeoutError')
        return { recall: null, problem: toProblem(error) };
      return {
        recall: null,
        problem: signal.aborted
          ? null
          : new RecollectError('index-unavailable', 'Memory did not answer in time.', {
              retry: true,
              params: { reason: 'slow' },
            }).problem,
      };
    }
  }

  /** Why memory should be asked by itself, and for what; null: it should not. */
  function recallTrigger(
    path: readonly Message[],
    asked: Message,
    pressure: () => number,
  ): { trigger: NonNullable<Recall['trigger']>; query: string } | null {
    const {
      enabled,
      trigger_on_start: onStart,
      trigger_token_threshold: full,
    } = config.get().recall.auto_recall;
    if (!enabled) return null;
    const questions = path.filter(startsTurn);
    if (questions.length <= 1) return onStart ? { trigger: 'start', query: textOf(asked) } : null;
    const repeated = askedAgain(path.slice(0, -1));
    if (repeated !== null) return { trigger: 'repeat', query: `${repeated}\n${textOf(asked)}` };
    // Once each time the window fills up, not with every message from then on.
    const lately = path.slice(-2 * RECALL_PAUSE_TURNS);
    const recalled = lately.some((message) =>
      message.parts.some((part) => part.type === 'recall' && part.trigger === 'window'),
    );
    return !recalled && pressure() >= full ? { trigger: 'window', query: textOf(asked) } : null;
  }

  // ---------------------------------------------------------------------------------------- saving
  /** Appends the message and takes its draft row away, both or neither. The head follows unless the person has gone elsewhere. */
  async function save(
    id: ConversationId,
    conversation: Conversation,
    message: Message,
    {
      replaces,
      draft,
      aside = false,
    }: {
      replaces?: MessageId | undefined;
      draft?: Pick<DraftRow, 'settle'> | undefined;
      aside?: boolean;
    } = {},
  ): Promise<void> {
    const failed = replaces === undefined ? undefined : conversation.messages.get(replaces);
    const head = effectiveHead(conversation);
    const here = !aside && (head === message.parentId || (failed !== undefined && head === failed.id));
    const row = await draft?.settle();
    await documents.change(
      id,
      {
        messages: [message],
        ...(here ? { meta: { head: message.id } } : {}),
        ...(failed ? { removed: [failed.id] } : {}),
      },
      row === undefined ? {} : { writes: [{ key: row, value: undefined }] },
    );
  }

  /** Drops the draft row of an answer that is not kept. */
  async function drop(draft: DraftRow | undefined): Promise<void> {
    const row = await draft?.settle();
    if (row !== undefined) await drawer.set(row, undefined);
  }

  // ---------------------------------------------------------------------------------------- asking a model
  interface Streamed {
    readonly parts: readonly Part[];
    readonly finish: Finish;
    readonly usage: Usage | undefined;
    readonly problem: Problem | null;
  }

  async function stream(
    session: TurnSession,
    model: ChatModel,
    { prompt }: PreparedStep,
    {
      before,
      tools,
      noCalls,
      draft,
      signal,
    }: {
      before: readonly Part[];
      tools: readonly ToolDescription[];
      noCalls: boolean;
      draft: DraftRow;
      signal: AbortSignal;
    },
  ): Promise<Streamed> {
    let parts = before;
    let finish: Finish = 'stop';
    let usage: Usage | undefined;
    let problem: Problem | null = null;
    const screen = createPacer(FRAME_MS, () => set(session, { parts }));
    try {
      for await (const event of model.stream(prompt, {
        ...(tools.length > 0 ? { tools } : {}),
        ...(tools.length > 0 && noCalls ? { toolChoice: 'none' as const } : {}),
        signal,
      })) {
        if (event.type === 'usage') usage = event.usage;
        else if (event.type === 'end') {
          finish = event.finish;
          problem = event.problem ?? null;
        } else {
          parts = addToDraft(parts, event);
          if (session.state.get().status !== 'streaming') set(session, { status: 'streaming', parts });
          else screen.touch();
          draft.update(parts);
        }
      }
    } catch (error) {
      // A model never throws; should one do so, what arrived is kept all the same.
      finish = 'error';
      problem = toProblem(error);
    } finally {
      screen.flush();
      screen.stop();
    }
    return { parts, finish, usage, problem };
  }

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

    for (let step = 0; step < maxSteps; step += 1) {
      const stepStartedAt = step === 0 ? startedAt : now();
      const answerId = step === 0 ? (session.state.get().answerId ?? newMessageId()) : newMessageId();
      set(session, { status: 'waiting', parts: before, parentId: leaf, answerId, step, calls: [] });
      const tools = refusals.refused(model) ? [] : toolsInForce(config.get(), { notes: deps.notes });
      let described: readonly ToolDescription[] = tools.map(descriptionOf);
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
      const stepRequest = (): StepRequest => ({
        id,
        conversation: open.get,
        leaf,
        model,
        recall,
        tools: described,
        signal,
        onStatus: (status) => set(session, { status }),
      });

      let draft: DraftRow | undefined;
      let got: Streamed = { parts: before, finish: 'stopped', usage: undefined, problem: null };
      let prepared: PreparedStep | null = null;
      let taken: Message | undefined;
      let key: string | undefined;
      try {
        if (!signal.aborted) {
          prepared = await context.prepare(stepRequest());
          key = requestKey(model, prepared.prompt, described);
          taken = request.reuse ? answerTo(open.get(), key) : undefined;
          if (taken)
            got = {
              ...got,
              parts: [...before, ...taken.parts.filter(isSaid)],
              finish: taken.finish ?? 'stop',
            };
          else {
            draft = deps.draft(id, answer, replaces ?? null);
            const asking = { before, noCalls: step + 1 >= maxSteps, draft, signal };
            got = await stream(session, model, prepared, { ...asking, tools: described });
            if (described.length > 0 && looksRefused(got, before)) {
              // Some models take no tools and say so with a refusal: once without, and remembered where that helped.
              const { problem } = got;
              described = [];
              prepared = await context.prepare(stepRequest());
              key = requestKey(model, prepared.prompt, described);
              got = await stream(session, model, prepared, { ...asking, tools: described });
              if (got.finish !== 'error') await refusals.remember(model, problem);
            }
          }
        }
      } catch (error) {
        if (!isAbort(error)) {
          draft?.release();
          throw error;
        }
      }

      if (step + 1 >= maxSteps && described.length > 0 && step > 0 && wantsToCall(got))
        got = {
          ...got,
          finish: 'error',
          problem: new RecollectError(
            'tool-limit',
            `The model called tools ${maxSteps} times without answering.`,
            {
              params: { limit: maxSteps },
            },
          ).problem,
        };

      // ROOM: cut off for its length, or refused for the length of what was asked: once more with a smaller request.
      const cutOff = got.finish === 'length' || got.problem?.code === 'model-context';
      if (cutOff && !roomMade && !signal.aborted && prepared) {
        roomMade = true;
        let room = false;
        try {
          room = await context.makeRoom(stepRequest());
        } catch (error) {
          if (!isAbort(error)) throw error;
        }
        if (room) {
          if (hasContent(got.parts)) {
            const kept = finished(answer, got, prepared, key, stepStartedAt);
            if (!(await stillThere(id))) {
              await drop(draft);
              return end;
            }
            await save(id, open.get(), kept, { draft, aside: true });
          } else await drop(draft);
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
      };
      // Erased for good while it was being answered: it must not come back as a lone answer.
      if (!(await stillThere(id))) {
        await drop(draft);
        return null;
      }
      await save(id, open.get(), message, { replaces, draft });
      draft?.release();
      replaces = undefined;
      if (prepared && !taken) context.learn(model, prepared.ledger, got.usage);
      memory.wake('changed');
      count(session, taken !== undefined);
      end = { last: message.id, finish: got.finish };
      leaf = message.id;

      // TOOLS
      const calls = message.parts.filter((part) => part.type === 'tool-call');
      const called = got.finish === 'tool-calls' || got.finish === 'stop';
      if (calls.length === 0 || !called || described.length === 0 || signal.aborted) break;
      const results = await carryOut(session, id, open, {
        message,
        calls,
        tools,
        taken,
        signal,
      });
      if (!results) break;
      leaf = results.message.id;
      end = { last: leaf, finish: signal.aborted ? 'stopped' : 'tool-calls' };
      if (signal.aborted) break;
      before = [];
      recall = null;

      // LETTER
      if (results.mail) {
        leaf = await deliver(id, open, results.message, results.mail);
        end = { last: leaf, finish: 'tool-calls' };
        // The question stands in the past too, and what memory had given for it.
        const back = pathTo(open.get().messages, leaf);
        const given = first.recall;
        if (
          given &&
          back.some((said) => said.id === asked.id) &&
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
    ...(prepared ? { ledger: prepared.ledger } : {}),
    ...(key === undefined ? {} : { request: key }),
  });

  const stillThere = async (id: ConversationId): Promise<boolean> => (await documents.read(id)) !== undefined;

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

  /** Runs the calls of a message one after another and saves their results. Null where the conversation is gone. */
  async function carryOut(
    session: TurnSession,
    id: ConversationId,
    open: OpenConversation,
    {
      message,
      calls,
      tools,
      taken,
      signal,
    }: {
      message: Message;
      calls: readonly Call[];
      tools: readonly Tool[];
      taken: Message | undefined;
      signal: AbortSignal;
    },
  ): Promise<{ message: Message; mail: { message: string; to: MessageId } | null } | null> {
    const resultId = newMessageId();
    const running = calls.map(({ callId, name }) => ({ callId, name }));
    set(session, {
      status: 'calling',
      parts: [],
      parentId: message.id,
      answerId: resultId,
      calls: running,
    });
    const copied = taken ? resultsOf(open.get(), taken.id) : undefined;
    const path = pathTo(open.get().messages, message.id);
    const checkpoints = modelCheckpoints(path);
    let parts: readonly Part[] = [];
    let newCheckpoints = 0;
    let mail: { message: string; to: MessageId } | null = null;
    if (copied) parts = copied.parts;
    else
      for (const [at, call] of calls.entries()) {
        set(session, { calls: running.slice(at), parts });
        let outcome: Awaited<ReturnType<typeof runTool>>;
        if (signal.aborted) outcome = { text: 'Not run: the person stopped the answer.', isError: true };
        else
          try {
            outcome = await unlessAborted(
              runTool(tools, call, {
                conversationId: id,
                path,
                checkpoints,
                newCheckpoints,
                mailPending: mail !== null,
                documents,
                memory,
                notes: deps.notes,
                config: config.get(),
                signal,
              }),
              signal,
            );
          } catch (error) {
            outcome = isAbort(error)
              ? { text: 'The person stopped it.', isError: true }
              : { text: `It failed: ${toProblem(error).message}`, isError: true };
          }
        if (outcome.checkpoint) newCheckpoints += 1;
        if (outcome.mail) mail = outcome.mail;
        parts = [
          ...parts,
          {
            type: 'tool-result',
            callId: call.callId,
            name: call.name,
            text: outcome.text,
            ...(outcome.isError ? { isError: true } : {}),
            ...(outcome.changed ? { changed: true } : {}),
            ...(outcome.checkpoint ? { checkpoint: true } : {}),
          },
        ];
      }
    const results: Message = {
      id: resultId,
      parentId: message.id,
      role: 'tool',
      kind: 'message',
      createdAt: Math.max(now(), message.createdAt + 1),
      parts,
      device,
      ...(copied ? { copyOf: copied.id } : {}),
    };
    if (!(await stillThere(id))) return null;
    await save(id, open.get(), results);
    return { message: results, mail };
  }

  /** Puts a model's letter below its checkpoint. What was done since stays on its branch, and the letter says which. */
  async function deliver(
    id: ConversationId,
    open: OpenConversation,
    from: Message,
    mail: { message: string; to: MessageId },
  ): Promise<MessageId> {
    const letter: Message = {
      id: newMessageId(),
      parentId: mail.to,
      role: 'user',
      kind: 'message',
      createdAt: Math.max(now(), from.createdAt + 1),
      parts: [{ type: 'text', text: dmailText(mail.message) }],
      device,
      dmail: { from: from.id, checkpoint: mail.to, by: 'model' },
    };
    const here = effectiveHead(open.get()) === from.id;
    await documents.change(id, { messages: [letter], ...(here ? { meta: { head: letter.id } } : {}) });
    return letter.id;
  }

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
    const model = deps.model();
    const startedAt = now();
    const answerId = newMessageId();
    set(session, {
      status: 'waiting',
      parts: [],
      parentId: request.from ?? request.asked,
      answerId,
      step: 0,
      calls: [],
      model: model?.id ?? null,
      startedAt,
      problem: null,
      ...(request.reuse ? {} : { replay: null }),
    });
    let open: OpenConversation | undefined;
    try {
      open = await documents.open(id);
      const conversation = open.get();
      const asked = conversation.messages.get(request.asked);
      const leaf = request.from ?? request.asked;
      if (!asked || !conversation.messages.has(leaf))
        throw new RecollectError('message-missing', 'The message to answer is not there any more.');
      const path = pathTo(conversation.messages, leaf);
      if (request.explicit && effectiveHead(conversation) !== leaf)
        await documents.change(id, { meta: { head: leaf } });

      let recall = request.recall ?? null;
      let problem: Problem | null = null;
      let trigger: Recall['trigger'];
      if (!recall && request.from === undefined) {
        const wanted =
          model === null
            ? { trigger: undefined, query: textOf(asked) }
            : recallTrigger(path, asked, () =>
                context.pressure({
                  id,
                  conversation: open?.get ?? (() => conversation),
                  leaf,
                  model,
                  recall: null,
                  tools: [],
                }),
              );
        if (wanted) {
          ({ trigger } = wanted);
          set(session, { status: 'recalling' });
          ({ recall, problem } = await remember(conversation, wanted.query, {
            trigger,
            without: request.without,
            patience: model ? RECALL_PATIENCE : RECALL_ONLY_PATIENCE,
            signal,
          }));
        }
      }
      if (!model)
        return await fromMemory(id, open, { request, asked, recall, problem, answerId, startedAt, signal });

      // What found nothing leaves no trace on an answer; that memory could not be asked does.
      const given: Recall | null =
        recall && recall.passages.length > 0
          ? recall
          : problem && trigger
            ? {
                type: 'recall',
                query: '',
                threshold: 0,
                passages: [],
                nearMisses: [],
                trigger,
                skipped: { ...problem },
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
    const nothing: Recall = { type: 'recall', query: '', threshold: 0, passages: [], nearMisses: [] };
    const finish: Finish = problem ? 'error' : signal.aborted ? 'stopped' : 'stop';
    const answer: Message = {
      id: answerId,
      parentId: request.from ?? asked.id,
      role: 'assistant',
      kind: 'recall',
      createdAt: Math.max(startedAt, asked.createdAt + 1),
      parts: recall ? [recall] : problem ? [] : [nothing],
      device,
      durationMs: Math.max(0, now() - startedAt),
      finish,
      ...(problem ? { problem: { ...problem } } : {}),
    };
    if (!(await stillThere(id))) return null;
    await save(id, open.get(), answer, { replaces: request.replaces });
    memory.wake('changed');
    return { last: answer.id, finish };
  }

  return { run, save };
}

/** Turns between two recalls for a full window. */
const RECALL_PAUSE_TURNS = 8;

const isSaid = (part: Part): boolean => part.type !== 'recall';

/** Was told not to call, and did so or tried to. */
const wantsToCall = ({
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

/** A whole answer to the very same request, on any branch; the newest. Linear in the conversation. */
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

/** The results that a taken-over answer had, as its tools gave them. */
function resultsOf(conversation: Conversation, answer: MessageId): Message | undefined {
  let found: Message | undefined;
  for (const message of conversation.messages.values())
    if (
      message.parentId === answer &&
      message.role === 'tool' &&
      !message.parts.some((part) => part.type === 'tool-result' && part.edited === true)
    )
      found = message;
  return found;
}

/** The endpoint would not take the request, perhaps for its tools: nothing came, and it was not the key, the model or the length. */
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
  return problem.code === 'model-server' && problem.params?.reason === 'request';
}

/** The promise, or the signal's reason as soon as it is aborted: for work that is slow to notice. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Calls `act` at most once in `ms`: at once when it is quiet, at the end of the interval when it is not. */
function createPacer(ms: number, act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting = false;
  const tick = () => {
    timer = undefined;
    if (!waiting) return;
    waiting = false;
    act();
    timer = setTimeout(tick, ms);
  };
  return {
    touch: () => {
      waiting = true;
      if (timer === undefined) tick();
    },
    flush: () => {
      if (waiting) act();
      waiting = false;
    },
    stop: () => clearTimeout(timer),
  };
}
