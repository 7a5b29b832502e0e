// Carries out what a person asks of a conversation: send, answer again, edit, send back. `turn-queue.ts` runs its turns
// one at a time, `turns.ts` a single one.
//
//   send ──► user message saved ──► turn: recall (bounded) ──► steps ──► answer saved ──► next in the queue
//                                     └─ draft row, every half second: the part that a crash would lose

import type { KeyValues } from '../../adapters/log/conversation-log.ts';
import type { ChatModel } from '../../adapters/models/chat-model.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import {
  asMessageId,
  type ConversationId,
  type MessageId,
  newConversationId,
  newMessageId,
} from '../../domain/base/ids.ts';
import { loadPart } from '../../domain/base/part.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { piecesUpTo, pieceToContinue } from '../../domain/chat/continuation.ts';
import { type Conversation, effectiveHead } from '../../domain/chat/conversation.ts';
import { hasContent } from '../../domain/chat/draft.ts';
import type { Message, Part } from '../../domain/chat/message.ts';
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
  MAX_COMPARED,
  type RegenerateOptions,
  type SendBack,
  type SendOptions,
} from './chat.ts';
import { Comparing } from './comparing.ts';
import { createComposerDrafts } from './composer-drafts.ts';
import type { ChannelLike } from './cross-tab-turns.ts';
import { deleteMessage } from './delete-message.ts';
import { createDeletedMessages } from './deleted-messages.ts';
import { createDraftRows } from './draft-rows.ts';
import { MessageAppender } from './message-appender.ts';
import { refuseTooLarge } from './message-size.ts';
import { createModelRefusals, type ModelRefusals } from './model-refusals.ts';
import { answerToPatch, planSendBack, questionsAfter } from './send-back.ts';
import { createTab, type LocksLike, type TabMemory } from './tab.ts';
import type { NotesLike } from './tools/index.ts';
import type { TurnRequest } from './turn.ts';
import { TurnQueue } from './turn-queue.ts';
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
  /** The same for words that this tab noted when its page was left, at a time in ms since 1970. */
  readonly notedSince?: ((place: string, text: string, at: number) => Promise<string>) | undefined;
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

/** Creates the service. Nothing happens before the first call; `rescueDrafts` is for the start. */
export function createChat(deps: ChatDependencies): Chat {
  return new ChatService(deps);
}

class ChatService implements Chat {
  readonly #deps: ChatDependencies;
  readonly #onProblem: (problem: Problem) => void;
  readonly #rows: ReturnType<typeof createDraftRows>;
  readonly #turns: ReturnType<typeof createTurns>;
  readonly #turnQueue: TurnQueue;
  readonly #comparing: Comparing;
  readonly #messages: MessageAppender;
  readonly modelRefusals: Chat['modelRefusals'];
  readonly forgetModelRefusals: Chat['forgetModelRefusals'];
  readonly composerDrafts: Chat['composerDrafts'];
  readonly deleted: Chat['deleted'];

  constructor(deps: ChatDependencies) {
    this.#deps = deps;
    this.#messages = new MessageAppender(deps);
    this.#onProblem = deps.onProblem ?? (() => undefined);
    const tab = createTab(deps.locks, deps.tabMemory);
    this.#rows = createDraftRows({
      keyValues: deps.keyValues,
      tab,
      locks: deps.locks,
      now: deps.now,
      onProblem: this.#onProblem,
    });
    const refusals =
      deps.refusals ??
      createModelRefusals({ keyValues: deps.keyValues, now: deps.now, onProblem: this.#onProblem });
    this.#turns = createTurns({
      ...deps,
      notes: deps.notes,
      withoutForgotten: deps.withoutForgotten,
      refusals,
      draft: this.#rows.draft,
    });
    this.#turnQueue = new TurnQueue({
      ...deps,
      tab,
      rows: this.#rows,
      turns: this.#turns,
      messages: this.#messages,
      onProblem: this.#onProblem,
      // Rescues the drafts of a closed tab now, instead of at the next start of a tab.
      onTabGone: () => this.rescueDrafts(),
    });
    this.#comparing = new Comparing({
      run: (...turn) => this.#turns.run(...turn),
      hold: (id, about, control, work) => this.#turnQueue.holdForComparison(id, about, control, work),
      prepare: (id, answer) => this.#memoryOf(id, answer),
      keyValues: deps.keyValues,
    });
    this.modelRefusals = refusals.all;
    this.forgetModelRefusals = refusals.forget;
    this.deleted = createDeletedMessages(deps);
    this.composerDrafts = createComposerDrafts({
      keyValues: deps.keyValues,
      tab,
      locks: deps.locks,
      now: deps.now,
      memory: deps.tabMemory,
      withoutForgotten: deps.notedSince,
    });
  }

  comparison(id: ConversationId): Readable<Comparison | null> {
    return this.#comparing.of(id);
  }

  async compare(id: ConversationId, answer: MessageId, choices: readonly ModelChoice[]): Promise<void> {
    const session = this.#turnQueue.sessionOf(id);
    await session.changes.run(async () => {
      if (this.#turnQueue.isBusy(session))
        throw new RecollectError('conversation-busy', 'An answer is being written.');
      const { asked } = questionOf((await this.#turnQueue.needed(id)).messages, answer);
      const given = await this.#memoryOf(id, answer);
      this.#comparing.begin(id, { answer, question: asked.id }, choices.slice(0, MAX_COMPARED), given);
    });
  }

  readonly turn: Chat['turn'] = (id) => this.#turnQueue.sessionOf(id).state;

  readonly editQueued: Chat['editQueued'] = (id, queued, parts) => {
    const session = this.#turnQueue.sessionOf(id);
    this.#turnQueue.set(session, {
      queue: session.state
        .get()
        .queue.flatMap((item) => (item.id !== queued ? [item] : parts === null ? [] : [{ ...item, parts }])),
    });
    this.#turnQueue.keepQueue(session, id).catch((error) => this.#onProblem(toProblem(error)));
  };

  readonly removeQueued: Chat['removeQueued'] = (id, queued) => {
    const session = this.#turnQueue.sessionOf(id);
    const { queue: before } = session.state.get();
    const at = before.findIndex((item) => item.id === queued);
    const removed = before[at];
    if (!removed) return () => undefined;
    this.editQueued(id, queued, null);
    return () => {
      const { queue } = session.state.get();
      if (queue.includes(removed)) return;
      this.#turnQueue.set(session, { queue: queue.toSpliced(at, 0, removed) });
      this.#turnQueue.keepQueue(session, id).catch((error) => this.#onProblem(toProblem(error)));
    };
  };

  readonly takeOut: Chat['takeOut'] = (eraser) => {
    this.composerDrafts.takeOut(eraser.clean);
    for (const [id, session] of this.#turnQueue.sessions) {
      const { queue } = session.state.get();
      const left = eraser.isGone(id) ? [] : queue.flatMap((item) => remainsOfQueued(item, eraser) ?? []);
      for (const [queued, recall] of session.chosen) session.chosen.set(queued, eraser.clean(recall));
      if (left.length === queue.length && left.every((item, at) => item === queue[at])) continue;
      this.#turnQueue.set(session, { queue: left });
      this.#turnQueue.keepQueue(session, id).catch((error) => this.#onProblem(toProblem(error)));
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
    const session = this.#turnQueue.sessionOf(id);
    return await session.changes.run(async () => {
      const waiting = session.state.get().queue;
      if (this.#turnQueue.isBusy(session) || waiting.length > 0) {
        const queued = newMessageId();
        if (recall) session.chosen.set(queued, recall);
        this.#turnQueue.set(session, { queue: [...waiting, { id: queued, parts }] });
        await this.#turnQueue.keepQueue(session, id).catch((error) => {
          const { queue } = session.state.get();
          // The message left the queue meanwhile: its turn has begun.
          if (!queue.some((item) => item.id === queued)) return;
          // Takes the message out: its sender gets it back with the error, so it must
          // not be sent from the queue as well.
          session.chosen.delete(queued);
          this.#turnQueue.set(session, { queue: queue.filter((item) => item.id !== queued) });
          throw error;
        });
        this.#turnQueue.start(session, id, null);
        return { conversationId: id };
      }
      const conversation = conversationId === undefined ? undefined : await this.#deps.documents.read(id);
      if (conversationId !== undefined && !conversation)
        throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
      this.#turnQueue.set(session, { problem: null });
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
          this.#turnQueue.onceSaved(session, id, { leaf: said.id, unsaved }, () =>
            this.#turnQueue.start(session, id, request),
          );
        else this.#turnQueue.start(session, id, request);
        return { conversationId: id };
      } catch (error) {
        this.#turnQueue.set(session, { problem: toProblem(error) });
        throw error;
      }
    });
  }

  async regenerate(
    id: ConversationId,
    answerId: MessageId,
    { without, by }: RegenerateOptions = {},
  ): Promise<void> {
    const session = this.#turnQueue.sessionOf(id);
    await session.changes.run(async () => {
      const conversation = await this.#turnQueue.needed(id);
      const { asked, first } = questionOf(conversation.messages, answerId);
      const before = first?.parts.find((part) => part.type === 'recall');
      const stored = before && (await this.#recallAgain(before));
      const fruitless =
        first?.finish !== undefined &&
        first.finish !== 'stop' &&
        !hasContent(first.parts) &&
        ![...conversation.messages.values()].some((message) => message.parentId === first.id);
      this.#turnQueue.stop(session, id);
      this.#turnQueue.start(session, id, {
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
    const session = this.#turnQueue.sessionOf(id);
    await session.changes.run(async () => {
      const { messages } = await this.#turnQueue.needed(id);
      const pieces = piecesUpTo(messages, answerId);
      const last = pieces.at(-1);
      const from = pieceToContinue(pieces);
      if (!last || !from) throw new RecollectError('message-missing', 'There is no answer to go on with.');
      const { asked } = questionOf(messages, from.id);
      this.#turnQueue.stop(session, id);
      this.#turnQueue.start(session, id, {
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
    const session = this.#turnQueue.sessionOf(id);
    await session.changes.run(async () => {
      const conversation = await this.#turnQueue.needed(id);
      const original = conversation.messages.get(messageId);
      if (!original) throw new RecollectError('message-missing', `There is no message ${messageId}`);
      const { said, unsaved } = await this.#messages.appendMessage(id, conversation, {
        parts,
        parentId: original.parentId,
        role: original.role,
      });
      const goOn = () => {
        if (!rerun || said.role !== 'user') return;
        this.#turnQueue.stop(session, id);
        this.#turnQueue.start(session, id, { asked: said.id, explicit: true });
      };
      if (unsaved) this.#turnQueue.onceSaved(session, id, { leaf: said.id, unsaved }, goOn);
      else goOn();
    });
  }

  async sendBack(
    id: ConversationId,
    mail: SendBack,
  ): Promise<{ readonly messageId: MessageId; readonly undo: () => Promise<void> }> {
    refuseTooLarge(mail.parts);
    const replay = mail.replay ?? this.#deps.config.get().context.after_send_back;
    const session = this.#turnQueue.sessionOf(id);
    return await session.changes.run(async () => {
      const conversation = await this.#turnQueue.needed(id);
      const before = effectiveHead(conversation);
      const plan = planSendBack(conversation, mail, { now: this.#deps.now(), device: this.#deps.device() });
      const unsaved = await this.#messages.change(
        id,
        { messages: plan.messages, meta: { head: plan.leaf } },
        plan.sent,
      );
      const goOn = async () => {
        if (replay !== 'none' && (plan.asked !== null || replay === 'branch')) {
          this.#turnQueue.stop(session, id);
          const after = replay === 'branch' ? plan.after : [];
          // A single answer is no replay: its patch shows what was saved.
          this.#turnQueue.set(session, {
            replay: replay === 'branch' ? { done: 0, total: plan.answers, saved: 0, asked: 0 } : null,
          });
          const first = await this.#firstOf(id, plan, after);
          const patchOf = replay === 'patch' ? answerToPatch(conversation, mail.message, mail.type) : null;
          const request = first && patchOf !== null ? { ...first, patchOf } : first;
          if (request) this.#turnQueue.start(session, id, request);
        }
      };
      if (unsaved) this.#turnQueue.onceSaved(session, id, { leaf: plan.leaf, unsaved }, goOn);
      else await goOn();
      return {
        messageId: plan.sent,
        undo: async () => {
          this.#turnQueue.stop(session, id);
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
    const conversation = await this.#turnQueue.needed(id);
    const { questions, answers } = questionsAfter(conversation, message);
    return { turns: questions.length, answers, patch: answerToPatch(conversation, message, type) !== null };
  }

  async deleteMessage(
    id: ConversationId,
    message: MessageId,
  ): Promise<{ readonly count: number; readonly undo: () => Promise<void> }> {
    const session = this.#turnQueue.sessionOf(id);
    return await session.changes.run(() =>
      deleteMessage(this.#deps.documents, id, message, this.#deps.now()),
    );
  }

  stop(id: ConversationId): void {
    this.#turnQueue.stopByPerson(id);
  }

  sendQueued(id: ConversationId): void {
    const session = this.#turnQueue.sessionOf(id);
    if (session.state.get().queue.length === 0) return;
    this.#turnQueue.set(session, { problem: null });
    if (this.#turnQueue.isBusy(session)) this.#turnQueue.stop(session, id);
    else this.#turnQueue.start(session, id, null);
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
        const message: Message = isWhole(answer)
          ? answer
          : { ...answer, finish: hasContent(answer.parts) ? 'cut' : 'error', problem: { ...cut } };
        await this.#turns.save(conversationId, conversation, message, {
          replaces: replaces ?? undefined,
          draft: { settle: async () => key },
        });
        rescued += 1;
        this.#deps.memory.wake('changed');
      },
      queue: async ({ conversationId, items, key }) => {
        const session = this.#turnQueue.sessionOf(conversationId);
        const conversation = await this.#deps.documents.read(conversationId);
        const there = new Set(session.state.get().queue.map(({ id }) => id));
        const lost = conversation
          ? items.filter((item) => !there.has(item.id) && !conversation.messages.has(asMessageId(item.id)))
          : [];
        // Shown again but not sent, since the person may have continued elsewhere. They go out before the next message.
        if (lost.length > 0) {
          this.#turnQueue.set(session, { queue: [...lost, ...session.state.get().queue] });
          await this.#turnQueue.keepQueue(session, conversationId);
        }
        await this.#deps.keyValues.set(key, undefined);
      },
    });
    return rescued;
  }

  async close(): Promise<void> {
    await this.#turnQueue.close();
  }

  /** Passages that memory gave to an answer, as far as they still hold. */
  async #memoryOf(id: ConversationId, answer: MessageId): Promise<Pick<TurnRequest, 'recall'>> {
    const { first } = questionOf((await this.#turnQueue.needed(id)).messages, answer);
    const before = first?.parts.find((part) => part.type === 'recall');
    return before ? { recall: await this.#recallAgain(before) } : {};
  }

  async #recallAgain(before: Recall): Promise<Recall> {
    const { recallAgain } = await loadPart(() => import('./turn-recall.ts'));
    return await recallAgain(before, { documents: this.#deps.documents, notes: this.#deps.notes });
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
    const again = next === undefined ? null : await this.#turnQueue.askAgain(id, next, leaf);
    return again === null ? null : { asked: again, reuse: true, explicit: true, after: rest };
  }
}

/** True if the tab died only while it saved the answer. One that called tools was not the end of its turn. */
const isWhole = ({ finish, parts }: Message): boolean =>
  finish !== undefined && parts.every(({ type }) => type !== 'tool-call');

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
