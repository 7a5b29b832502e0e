// Runs turns: one at a time in a conversation, in any number of conversations at once. `turns.ts` runs a single turn.
//
//   send ──► user message saved ──► turn: recall (bounded) ──► steps ──► answer saved ──► next in the queue
//                                     └─ draft row, every half second: the part that a crash would lose

import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import type { ChatModel } from '../../adapters/models/chat-model.ts';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import {
  asMessageId,
  type ConversationId,
  isTemporary,
  type MessageId,
  newConversationId,
  newMessageId,
} from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import { loadPart } from '../../domain/base/part.ts';
import { type Readable, until, type Writable, writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { piecesUpTo, pieceToContinue } from '../../domain/chat/continuation.ts';
import { type Conversation, effectiveHead } from '../../domain/chat/conversation.ts';
import { hasContent } from '../../domain/chat/draft.ts';
import type { Message, Part, PartOf } from '../../domain/chat/message.ts';
import type { Price } from '../../domain/context/budget.ts';
import { hasRecallContent, type Recall } from '../../domain/context/recalled.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { TurnContext } from '../context/turn-context.ts';
import type { Documents } from '../documents/documents.ts';
import { remainsOfQueued } from '../forget/traces.ts';
import type { Applying } from '../memory/applying.ts';
import type { Memory } from '../memory/memory.ts';
import type { Prompts } from '../prompts/prompts.ts';
import type { ModelChoice } from '../settings/settings.ts';
import {
  type Chat,
  type Comparison,
  IDLE_TURN,
  MAX_COMPARED,
  type RegenerateOptions,
  type SendBack,
  type SendOptions,
  type TurnState,
} from './chat.ts';
import { Comparing } from './comparing.ts';
import { createComposerDrafts } from './composer-drafts.ts';
import { type ChannelLike, createCrossTabTurns, type ShownTurn } from './cross-tab-turns.ts';
import { deleteMessage } from './delete-message.ts';
import { createDraftRows, type Queued } from './draft-rows.ts';
import { MessageAppender } from './message-appender.ts';
import { refuseTooLarge } from './message-size.ts';
import { createModelRefusals, type ModelRefusals } from './model-refusals.ts';
import { answerToPatch, planSendBack, questionsAfter } from './send-back.ts';
import type { Tab } from './tab.ts';
import { createTab, type LocksLike, type TabMemory } from './tab.ts';
import type { NotesLike } from './tools/index.ts';
import type { TurnRequest } from './turn.ts';
import { createTurns } from './turns.ts';

interface ChatDependencies {
  readonly documents: Documents;
  readonly keyValues: KeyValues;
  /**
   * Model that answers in a conversation now, or the one asked for (`by`); null: memory
   * answers. Called once for each turn.
   */
  readonly model: (conversation: Conversation, by?: ModelChoice) => ChatModel | null;
  /** Called with a conversation after its first message. */
  readonly onBegun?: (id: ConversationId) => void;
  readonly memory: Pick<Memory, 'recall' | 'wake'>;
  /** Builds requests that fit. */
  readonly context: TurnContext;
  /** Stores notes of models; absent: they cannot write any. */
  readonly notes?: NotesLike | undefined;
  /**
   * Removes from a message whatever was forgotten since it began; null if nothing is left. Absent: nothing is ever
   * forgotten.
   */
  readonly withoutForgotten?: ((message: Message) => Message | null) | undefined;
  /** Finds the person's notes that apply to a question; absent: none. */
  readonly applying?: Applying | undefined;
  readonly config: Readable<Config>;
  /** Persona of a conversation; absent: none anywhere. */
  readonly personaOf?: Prompts['personaOf'] | undefined;
  /** ms since 1970 */
  readonly now: () => number;
  /** This device's name in the messages it writes. */
  readonly device: () => string;
  /** Price of a model; null if unknown. Absent: no answer carries its cost. */
  readonly priceOf?: (model: ChatModel) => Price | null;
  /** `navigator.locks` if the browser has it: distinguishes drafts of living tabs from those of dead ones. */
  readonly locks?: LocksLike | undefined;
  /** Channel to the other tabs of this origin; absent: each tab knows only its own turns. */
  readonly tabs?: ChannelLike | undefined;
  /** `sessionStorage` if the browser has it: keeps a tab's texts over a reload. */
  readonly tabMemory?: (() => TabMemory) | undefined;
  /** Remembers refusals of models; made here if no other service needs it. */
  readonly refusals?: ModelRefusals;
  /** Reports errors beside a turn (e.g. a draft row that could not be written). */
  readonly onProblem?: (problem: Problem) => void;
}

/** Longest wait for another tab's finished answer to be read here, ms. */
const ARRIVES_WITHIN_MS = 3000;

/** State of one conversation in this tab. */
interface ChatSession {
  readonly state: Writable<TurnState>;
  /** Set while a turn runs; aborting it stops the turn. */
  turn: AbortController | null;
  /** The person pressed Stop: the queue waits until they send it or an answer succeeds. */
  stopAsked: boolean;
  /** Requests made explicitly while a turn ran: they come before the queue. */
  next: TurnRequest[];
  /** Taken from the queue and not yet in the log: stored with the queue until then, but no longer to be taken back. */
  sending: Queued;
  /** Passages that the person chose for queued messages. */
  readonly chosen: Map<string, PartOf<'recall'>>;
  /** Resolves when the turn and everything queued behind it are done. Never rejects. */
  running: Promise<void>;
  /** Serial queue of changes to this conversation. */
  readonly changes: SerialQueue;
}

/** Creates the service. Nothing happens before the first call; `rescueDrafts` is for the start. */
export function createChat(deps: ChatDependencies): Chat {
  return new ChatService(deps);
}

class ChatService implements Chat {
  readonly #deps: ChatDependencies;
  readonly #onProblem: (problem: Problem) => void;
  readonly #tab: Tab;
  readonly #rows: ReturnType<typeof createDraftRows>;
  readonly #refusals: ModelRefusals;
  readonly #turns: ReturnType<typeof createTurns>;
  readonly #sessions = new Map<ConversationId, ChatSession>();
  readonly #closing = new AbortController();
  #closed = false;
  readonly #crossTab: ReturnType<typeof createCrossTabTurns> | undefined;
  readonly #comparing: Comparing;
  readonly #messages: MessageAppender;
  readonly modelRefusals: Chat['modelRefusals'];
  readonly forgetModelRefusals: Chat['forgetModelRefusals'];
  readonly composerDrafts: Chat['composerDrafts'];

  constructor(deps: ChatDependencies) {
    this.#deps = deps;
    this.#messages = new MessageAppender(deps);
    this.#onProblem = deps.onProblem ?? (() => undefined);
    this.#tab = createTab(deps.locks, deps.tabMemory);
    this.#rows = createDraftRows({
      keyValues: deps.keyValues,
      tab: this.#tab,
      locks: deps.locks,
      now: deps.now,
      onProblem: this.#onProblem,
    });
    this.#refusals =
      deps.refusals ??
      createModelRefusals({ keyValues: deps.keyValues, now: deps.now, onProblem: this.#onProblem });
    this.#turns = createTurns({
      ...deps,
      notes: deps.notes,
      withoutForgotten: deps.withoutForgotten,
      refusals: this.#refusals,
      draft: this.#rows.draft,
    });
    this.#crossTab =
      deps.tabs &&
      createCrossTabTurns({
        channel: deps.tabs,
        tab: this.#tab.id,
        alive: this.#tab.locked,
        // Rescues the drafts of a closed tab now, instead of at the next start of a tab.
        whenGone: async (other) => {
          await this.#rows.whenGone(other);
          await this.rescueDrafts();
        },
        onTurn: (id, turn) => {
          const session = this.#sessionOf(id);
          const { status, inAnotherTab, answerId } = session.state.get();
          // Two tabs began a turn at the same moment: each shows its own.
          if (status !== 'idle' && !inAnotherTab) return;
          if (turn) return this.#set(session, { ...turn, inAnotherTab: true, problem: null });
          this.#endInAnotherTab(session, id, answerId).catch((error: unknown) =>
            this.#onProblem(toProblem(error)),
          );
        },
        onStop: (id) => this.#stopByPerson(this.#sessions.get(id)),
      });
    this.#comparing = new Comparing({
      run: (...turn) => this.#turns.run(...turn),
      hold: (id, about, control, work) => this.#holdForComparison(id, about, control, work),
      prepare: (id, answer) => this.#memoryOf(id, answer),
      keyValues: deps.keyValues,
    });
    this.modelRefusals = this.#refusals.all;
    this.forgetModelRefusals = this.#refusals.forget;
    this.composerDrafts = createComposerDrafts({
      keyValues: deps.keyValues,
      tab: this.#tab,
      locks: deps.locks,
      now: deps.now,
      memory: deps.tabMemory,
    });
  }

  comparison(id: ConversationId): Readable<Comparison | null> {
    return this.#comparing.of(id);
  }

  async compare(id: ConversationId, answer: MessageId, choices: readonly ModelChoice[]): Promise<void> {
    const session = this.#sessionOf(id);
    await session.changes.run(async () => {
      if (this.#isBusy(session)) throw new RecollectError('conversation-busy', 'An answer is being written.');
      const { asked } = questionOf((await this.#needed(id)).messages, answer);
      const given = await this.#memoryOf(id, answer);
      this.#comparing.begin(id, { answer, question: asked.id }, choices.slice(0, MAX_COMPARED), given);
    });
  }

  readonly turn: Chat['turn'] = (id) => this.#sessionOf(id).state;

  readonly editQueued: Chat['editQueued'] = (id, queued, parts) => {
    const session = this.#sessionOf(id);
    this.#set(session, {
      queue: session.state
        .get()
        .queue.flatMap((item) => (item.id !== queued ? [item] : parts === null ? [] : [{ ...item, parts }])),
    });
    this.#keepQueue(session, id).catch((error) => this.#onProblem(toProblem(error)));
  };

  readonly takeOut: Chat['takeOut'] = (eraser) => {
    this.composerDrafts.takeOut(eraser.clean);
    for (const [id, session] of this.#sessions) {
      const { queue } = session.state.get();
      const left = eraser.isGone(id) ? [] : queue.flatMap((item) => remainsOfQueued(item, eraser) ?? []);
      for (const [queued, recall] of session.chosen) session.chosen.set(queued, eraser.clean(recall));
      if (left.length === queue.length && left.every((item, at) => item === queue[at])) continue;
      this.#set(session, { queue: left });
      this.#keepQueue(session, id).catch((error) => this.#onProblem(toProblem(error)));
    }
  };

  async send({
    conversationId,
    parts,
    withoutPassages,
    announced,
    recall,
  }: SendOptions): Promise<{ conversationId: ConversationId }> {
    refuseTooLarge(parts);
    const id = conversationId ?? newConversationId();
    const session = this.#sessionOf(id);
    return await session.changes.run(async () => {
      const waiting = session.state.get().queue;
      if (this.#isBusy(session) || waiting.length > 0) {
        const queued = newMessageId();
        if (recall) session.chosen.set(queued, recall);
        this.#set(session, { queue: [...waiting, { id: queued, parts }] });
        await this.#keepQueue(session, id).catch((error) => {
          const { queue } = session.state.get();
          // The message left the queue meanwhile: its turn has begun.
          if (!queue.some((item) => item.id === queued)) return;
          // Takes the message out: its sender gets it back with the error, so it must
          // not be sent from the queue as well.
          session.chosen.delete(queued);
          this.#set(session, { queue: queue.filter((item) => item.id !== queued) });
          throw error;
        });
        this.#start(session, id, null);
        return { conversationId: id };
      }
      const conversation = conversationId === undefined ? undefined : await this.#deps.documents.read(id);
      if (conversationId !== undefined && !conversation)
        throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
      this.#set(session, { problem: null });
      try {
        const { said, unsaved } = await this.#messages.appendMessage(id, conversation, {
          parts,
          parentId: conversation ? effectiveHead(conversation) : null,
        });
        if (!conversation?.messages.size) this.#deps.onBegun?.(id);
        const request: TurnRequest = {
          asked: said.id,
          ...(withoutPassages ? { without: withoutPassages } : {}),
          ...(announced ? { announced } : {}),
          ...(recall ? { recall } : {}),
        };
        if (unsaved)
          this.#onceSaved(session, id, { leaf: said.id, unsaved }, () => this.#start(session, id, request));
        else this.#start(session, id, request);
        return { conversationId: id };
      } catch (error) {
        this.#set(session, { problem: toProblem(error) });
        throw error;
      }
    });
  }

  async regenerate(
    id: ConversationId,
    answerId: MessageId,
    { without, by }: RegenerateOptions = {},
  ): Promise<void> {
    const session = this.#sessionOf(id);
    await session.changes.run(async () => {
      const conversation = await this.#needed(id);
      const { asked, first } = questionOf(conversation.messages, answerId);
      const before = first?.parts.find((part) => part.type === 'recall');
      const stored = before && (await this.#recallAgain(before));
      const fruitless =
        first?.finish !== undefined &&
        first.finish !== 'stop' &&
        !hasContent(first.parts) &&
        ![...conversation.messages.values()].some((message) => message.parentId === first.id);
      this.#stop(session, id);
      this.#start(session, id, {
        asked: asked.id,
        explicit: true,
        // The same passages as before, byte for byte, as far as they still hold. An answer without any, or whose memory
        // was not ready, may find some now, unless the person wanted none.
        ...(stored && ((hasRecallContent(stored) && !stored.degraded) || stored.leftOut?.length)
          ? { recall: stored }
          : {}),
        ...(fruitless ? { replaces: first.id } : {}),
        ...(without ? { omit: without, refused: first?.problem } : {}),
        ...(by ? { by } : {}),
      });
    });
  }

  async goOn(id: ConversationId, answerId: MessageId): Promise<void> {
    const session = this.#sessionOf(id);
    await session.changes.run(async () => {
      const { messages } = await this.#needed(id);
      const pieces = piecesUpTo(messages, answerId);
      const last = pieces.at(-1);
      const from = pieceToContinue(pieces);
      if (!last || !from) throw new RecollectError('message-missing', 'There is no answer to go on with.');
      const { asked } = questionOf(messages, from.id);
      this.#stop(session, id);
      this.#start(session, id, {
        asked: asked.id,
        from: from.id,
        explicit: true,
        ...(hasContent(last.parts) ? {} : { replaces: last.id }),
      });
    });
  }

  async edit(
    id: ConversationId,
    messageId: MessageId,
    parts: readonly Part[],
    rerun: boolean,
  ): Promise<void> {
    refuseTooLarge(parts);
    const session = this.#sessionOf(id);
    await session.changes.run(async () => {
      const conversation = await this.#needed(id);
      const original = conversation.messages.get(messageId);
      if (!original) throw new RecollectError('message-missing', `There is no message ${messageId}`);
      const { said, unsaved } = await this.#messages.appendMessage(id, conversation, {
        parts,
        parentId: original.parentId,
        role: original.role,
      });
      const goOn = () => {
        if (!rerun || said.role !== 'user') return;
        this.#stop(session, id);
        this.#start(session, id, { asked: said.id, explicit: true });
      };
      if (unsaved) this.#onceSaved(session, id, { leaf: said.id, unsaved }, goOn);
      else goOn();
    });
  }

  async sendBack(
    id: ConversationId,
    mail: SendBack,
  ): Promise<{ readonly messageId: MessageId; readonly undo: () => Promise<void> }> {
    refuseTooLarge(mail.parts);
    const replay = mail.replay ?? this.#deps.config.get().context.after_send_back;
    const session = this.#sessionOf(id);
    return await session.changes.run(async () => {
      const conversation = await this.#needed(id);
      const before = effectiveHead(conversation);
      const plan = planSendBack(conversation, mail, { now: this.#deps.now(), device: this.#deps.device() });
      const unsaved = await this.#messages.change(
        id,
        { messages: plan.messages, meta: { head: plan.leaf } },
        plan.sent,
      );
      const goOn = async () => {
        if (replay !== 'none' && (plan.asked !== null || replay === 'branch')) {
          this.#stop(session, id);
          const after = replay === 'branch' ? plan.after : [];
          // A single answer is no replay: its patch shows what was saved.
          this.#set(session, {
            replay: replay === 'branch' ? { done: 0, total: plan.answers, saved: 0, asked: 0 } : null,
          });
          const first = await this.#firstOf(id, plan, after);
          const patchOf = replay === 'patch' ? answerToPatch(conversation, mail.message, mail.type) : null;
          const request = first && patchOf !== null ? { ...first, patchOf } : first;
          if (request) this.#start(session, id, request);
        }
      };
      if (unsaved) this.#onceSaved(session, id, { leaf: plan.leaf, unsaved }, goOn);
      else await goOn();
      return {
        messageId: plan.sent,
        undo: async () => {
          this.#stop(session, id);
          await this.#deps.documents.change(id, { meta: { head: before } });
        },
      };
    });
  }

  async sendBackCost(
    id: ConversationId,
    message: MessageId,
    type: SendBack['type'],
  ): Promise<{ turns: number; answers: number; patch: boolean }> {
    const conversation = await this.#needed(id);
    const { questions, answers } = questionsAfter(conversation, message);
    return { turns: questions.length, answers, patch: answerToPatch(conversation, message, type) !== null };
  }

  async deleteMessage(
    id: ConversationId,
    message: MessageId,
  ): Promise<{ readonly count: number; readonly undo: () => Promise<void> }> {
    const session = this.#sessionOf(id);
    return await session.changes.run(() => deleteMessage(this.#deps.documents, id, message));
  }

  stop(id: ConversationId): void {
    const session = this.#sessions.get(id);
    if (session?.state.get().inAnotherTab) this.#crossTab?.stop(id);
    else this.#stopByPerson(session);
  }

  sendQueued(id: ConversationId): void {
    const session = this.#sessionOf(id);
    if (session.state.get().queue.length === 0) return;
    this.#set(session, { problem: null });
    if (this.#isBusy(session)) this.#stop(session, id);
    else this.#start(session, id, null);
  }

  async rescueDrafts(): Promise<number> {
    let rescued = 0;
    await this.#rows.rescue({
      draft: async ({ conversationId, answer, replaces, key }) => {
        const conversation = await this.#deps.documents.read(conversationId);
        const drop = () => this.#deps.keyValues.set(key, undefined);
        if (!conversation || (answer.parentId !== null && !conversation.messages.has(answer.parentId)))
          return drop();
        if (conversation.messages.has(answer.id)) return drop();
        const cut = new RecollectError('model-cut', 'The tab was closed before the answer ended.', {
          retry: true,
          params: { endpoint: '', model: answer.model ?? '' },
        }).problem;
        const message: Message = {
          ...answer,
          finish: hasContent(answer.parts) ? 'cut' : 'error',
          problem: { ...cut },
        };
        await this.#turns.save(conversationId, conversation, message, {
          replaces: replaces ?? undefined,
          draft: { settle: async () => key },
        });
        rescued += 1;
        this.#deps.memory.wake('changed');
      },
      queue: async ({ conversationId, items, key }) => {
        const session = this.#sessionOf(conversationId);
        const conversation = await this.#deps.documents.read(conversationId);
        const there = new Set(session.state.get().queue.map(({ id }) => id));
        const lost = conversation
          ? items.filter((item) => !there.has(item.id) && !conversation.messages.has(asMessageId(item.id)))
          : [];
        // Shown again but not sent, since the person may have continued elsewhere. They go out before the next message.
        if (lost.length > 0) {
          this.#set(session, { queue: [...lost, ...session.state.get().queue] });
          await this.#keepQueue(session, conversationId);
        }
        await this.#deps.keyValues.set(key, undefined);
      },
    });
    return rescued;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    // Turns that run in other tabs continue there.
    for (const session of this.#sessions.values()) this.#abort(session);
    await Promise.all([...this.#sessions.values()].map((session) => session.running));
    await this.#rows.close();
    this.#crossTab?.close();
  }

  #sessionOf(id: ConversationId): ChatSession {
    const known = this.#sessions.get(id);
    if (known) return known;
    const session: ChatSession = {
      state: writable(IDLE_TURN),
      turn: null,
      stopAsked: false,
      next: [],
      sending: [],
      chosen: new Map(),
      running: Promise.resolve(),
      changes: new SerialQueue(),
    };
    this.#sessions.set(id, session);
    if (!isTemporary(id))
      session.state.subscribe(() => {
        const state = session.state.get();
        if (!state.inAnotherTab) this.#crossTab?.notify(id, state.status === 'idle' ? null : shownOf(state));
      });
    return session;
  }

  /** Shows another tab's turn until its answer is here; then this tab is free again. */
  async #endInAnotherTab(session: ChatSession, id: ConversationId, answer: MessageId | null): Promise<void> {
    const shown = session.state.get();
    let failed = false;
    // A conversation that was erased meanwhile cannot be opened: there is nothing to wait for.
    const open =
      answer === null
        ? null
        : await orElse(this.#deps.documents.open(id), null, 'an answer of a conversation that was erased');
    if (open && answer !== null) {
      const limited = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ARRIVES_WITHIN_MS)]);
      const arrived = until(open, ({ messages }) => messages.has(answer), limited);
      await orElse(arrived, null, 'an answer of another tab that did not arrive in time');
      failed = hasFailed(open.get().messages.get(answer)?.finish);
      open.close();
    }
    const { queue, problem, startedAt, inAnotherTab } = session.state.get();
    if (this.#closed || !inAnotherTab || startedAt !== shown.startedAt) return;
    this.#set(session, { ...IDLE_TURN, queue, problem });
    if (session.next.length > 0 || (queue.length > 0 && !failed)) this.#start(session, id, null);
  }

  #set(session: ChatSession, change: Partial<TurnState>): void {
    session.state.update((state) => ({ ...state, ...change }));
  }

  /**
   * Continues as soon as the message is on the disk, unless the person has moved on by then.
   * Until then the turn shows the reason.
   */
  #onceSaved(
    session: ChatSession,
    id: ConversationId,
    { leaf, unsaved }: { leaf: MessageId; unsaved: Problem },
    goOn: () => unknown,
  ): void {
    this.#set(session, { problem: unsaved });
    const wait = async () => {
      await until(this.#deps.documents.saving, ({ state }) => state === 'saved', this.#closing.signal);
      if (session.state.get().problem === unsaved) this.#set(session, { problem: null });
      const conversation = await this.#deps.documents.read(id);
      if (this.#closed || this.#isBusy(session) || !conversation || effectiveHead(conversation) !== leaf)
        return;
      this.#set(session, { problem: null });
      await goOn();
    };
    wait().catch((error: unknown) => {
      if (!isAbort(error)) this.#set(session, { problem: toProblem(error) });
    });
  }

  /** Passages that memory gave to an answer, as far as they still hold. */
  async #memoryOf(id: ConversationId, answer: MessageId): Promise<Pick<TurnRequest, 'recall'>> {
    const { first } = questionOf((await this.#needed(id)).messages, answer);
    const before = first?.parts.find((part) => part.type === 'recall');
    return before ? { recall: await this.#recallAgain(before) } : {};
  }

  async #recallAgain(before: Recall): Promise<Recall> {
    const { recallAgain } = await loadPart(() => import('./turn-recall.ts'));
    return await recallAgain(before, { documents: this.#deps.documents, notes: this.#deps.notes });
  }

  /** Keeps the conversation busy until `work` ends; aborting `control` stops all of it. */
  #holdForComparison(
    id: ConversationId,
    { question, models }: { readonly question: MessageId; readonly models: string },
    control: AbortController,
    work: Promise<unknown>,
  ): void {
    const session = this.#sessionOf(id);
    const joins = this.#isBusy(session) ? session.running : Promise.resolve();
    session.turn = control;
    session.stopAsked = false;
    this.#set(session, {
      status: 'waiting',
      parts: [],
      parentId: question,
      answerId: null,
      model: models,
      startedAt: this.#deps.now(),
      problem: null,
    });
    session.running = Promise.all([joins, work]).then(() => {
      if (session.turn !== control) return;
      session.turn = null;
      const { queue, problem } = session.state.get();
      this.#set(session, { ...IDLE_TURN, queue, problem });
      if (!session.stopAsked && !this.#closed && (queue.length > 0 || session.next.length > 0))
        this.#start(session, id, null);
    });
  }

  /** Runs the turn, then explicit requests made meanwhile, then queued messages, one by one. */
  #start(session: ChatSession, id: ConversationId, request: TurnRequest | null): void {
    if (request) session.next.push(request);
    if (this.#isBusy(session)) return;
    const work = async () => {
      // Queued messages hang below the answer they were written under, whichever branch is shown meanwhile.
      let tip: MessageId | null = null;
      while (!this.#closed) {
        const wanted = session.next.shift();
        const queued = session.state.get().queue[0];
        try {
          if (wanted) {
            const end = await this.#turns.run(session, id, wanted);
            tip = end?.last ?? wanted.asked;
            const [next, ...after] = wanted.after ?? [];
            // A replay continues only as long as its answers succeed.
            if (next !== undefined && end?.finish === 'stop') {
              const again = await this.#askAgain(id, next, end.last);
              if (again) session.next.unshift({ asked: again, explicit: true, reuse: true, after });
            }
            // Don't send queued messages after a failed answer: they would most likely fail as well.
            if (session.next.length === 0 && (hasFailed(end?.finish) || session.stopAsked)) break;
          } else if (queued) {
            const { said, unsaved } = await this.#sayQueued(session, id, queued, tip);
            tip = said.id;
            const recall = session.chosen.get(queued.id);
            session.chosen.delete(queued.id);
            const request: TurnRequest = { asked: said.id, ...(recall ? { recall } : {}) };
            if (unsaved) {
              this.#onceSaved(session, id, { leaf: said.id, unsaved }, () =>
                this.#start(session, id, request),
              );
              break;
            }
            session.next.unshift(request);
          } else break;
        } catch (error) {
          this.#set(session, { problem: toProblem(error) });
          break;
        }
      }
      // Drop requests made during a run that ended early: they must not run, and cost, before the next message.
      session.next = [];
      const { queue, problem, replay } = session.state.get();
      this.#set(session, { ...IDLE_TURN, queue, problem, replay });
    };
    session.stopAsked = false;
    this.#set(session, { status: 'waiting' });
    session.running = work();
  }

  /**
   * Sends the first queued message below `tip`, if any. Dequeues before awaiting, so it cannot be both taken back and
   * sent; its row stays until it is in the log. Throws if it was not sent: then it is first in the queue again.
   */
  async #sayQueued(
    session: ChatSession,
    id: ConversationId,
    queued: Queued[number],
    tip: MessageId | null,
  ): Promise<{ said: Message; unsaved: Problem | null }> {
    const others = (items: Queued) => items.filter((item) => item.id !== queued.id);
    session.sending = [...session.sending, queued];
    this.#set(session, { queue: others(session.state.get().queue) });
    const settle = async (unsaved: Problem | null) => {
      if (unsaved)
        await until(this.#deps.documents.saving, ({ state }) => state === 'saved', this.#closing.signal);
      session.sending = others(session.sending);
      await this.#keepQueue(session, id);
    };
    // A leftover row is recognised by its id later, so the turn need not fail for it.
    const onLeft = (error: unknown) => {
      if (!isAbort(error)) this.#onProblem(toProblem(error));
    };
    try {
      const conversation = await this.#needed(id);
      const done = await this.#messages.appendMessage(id, conversation, {
        id: asMessageId(queued.id),
        parts: queued.parts,
        parentId: tip !== null && conversation.messages.has(tip) ? tip : effectiveHead(conversation),
      });
      const settled = settle(done.unsaved).catch(onLeft);
      if (!done.unsaved) await settled;
      return done;
    } catch (error) {
      session.sending = others(session.sending);
      this.#set(session, { queue: [queued, ...session.state.get().queue] });
      throw error;
    }
  }

  /** Repeats a question of the old branch below the new one. */
  async #askAgain(id: ConversationId, question: MessageId, below: MessageId): Promise<MessageId | null> {
    const conversation = await this.#needed(id);
    const said = conversation.messages.get(question);
    if (!said) return null;
    const copy = await this.#messages.appendMessage(id, conversation, {
      parts: said.parts,
      parentId: below,
      more: { copyOf: said.id },
    });
    if (copy.unsaved) throw new RecollectError(copy.unsaved.code, copy.unsaved.message, copy.unsaved);
    return copy.said.id;
  }

  #isBusy(session: ChatSession): boolean {
    return session.state.get().status !== 'idle';
  }

  #abort(session: ChatSession | undefined): void {
    session?.turn?.abort(new DOMException('Stopped', 'AbortError'));
  }

  /** Stops the answer and holds the queue: after Stop the person wants nothing more sent. */
  #stopByPerson(session: ChatSession | undefined): void {
    if (session && this.#isBusy(session)) session.stopAsked = true;
    this.#abort(session);
  }

  /** Stops the answer because something replaces it; the queue continues. */
  #stop(session: ChatSession, id: ConversationId): void {
    if (session.state.get().inAnotherTab) this.#crossTab?.stop(id);
    else this.#abort(session);
  }

  #keepQueue(session: ChatSession, id: ConversationId): Promise<void> {
    return this.#rows.queue(id, [...session.sending, ...session.state.get().queue]);
  }

  /**
   * Finds the first message to ask about after something was sent back: the one without its answer, or
   * else the next question of the branch.
   */
  async #firstOf(
    id: ConversationId,
    plan: ReturnType<typeof planSendBack>,
    after: readonly MessageId[],
  ): Promise<TurnRequest | null> {
    const { asked, leaf } = plan;
    if (asked !== null)
      return { asked, reuse: true, explicit: true, after, ...(leaf === asked ? {} : { from: leaf }) };
    const [next, ...rest] = after;
    const again = next === undefined ? null : await this.#askAgain(id, next, leaf);
    return again === null ? null : { asked: again, reuse: true, explicit: true, after: rest };
  }

  async #needed(id: ConversationId): Promise<Conversation> {
    const conversation = await this.#deps.documents.read(id);
    if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
    return conversation;
  }
}

const hasFailed = (finish: Message['finish']): boolean => finish === 'error' || finish === 'cut';

const shownOf = ({
  status,
  parts,
  parentId,
  step,
  calls,
  answerId,
  model,
  startedAt,
}: TurnState): ShownTurn => ({
  status,
  parts,
  parentId,
  step,
  calls,
  answerId,
  model,
  startedAt,
});

/**
 * Finds the question of an answer, and the answer's first message (tool calls may split it). A question is its own
 * question, so one that was never answered can be answered this way.
 */
function questionOf(
  messages: Conversation['messages'],
  answer: MessageId,
): { asked: Message; first: Message | undefined } {
  let at = messages.get(answer);
  let first: Message | undefined;
  const seen = new Set<MessageId>();
  while (at && !seen.has(at.id)) {
    if (at.role === 'user' && at.kind === 'message') return { asked: at, first };
    seen.add(at.id);
    first = at;
    at = at.parentId === null ? undefined : messages.get(at.parentId);
  }
  throw new RecollectError('message-missing', 'There is no message that this answers.');
}
