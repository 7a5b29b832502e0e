// Runs what was asked in each conversation, one turn after another; shows and stops turns of other tabs.
//
//   start ──► turn asked for ──► explicit requests made meanwhile ──► queued messages, one by one ──► idle

import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { asMessageId, type ConversationId, isTemporary, type MessageId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import { until, type Writable, writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { type Conversation, effectiveHead } from '../../domain/chat/conversation.ts';
import type { Message, PartOf } from '../../domain/chat/message.ts';
import type { Documents } from '../documents/documents.ts';
import { IDLE_TURN, type TurnState } from './chat.ts';
import { type ChannelLike, createCrossTabTurns, type ShownTurn } from './cross-tab-turns.ts';
import type { createDraftRows, Queued } from './draft-rows.ts';
import type { MessageAppender } from './message-appender.ts';
import type { Tab } from './tab.ts';
import type { TurnRequest } from './turn.ts';
import type { createTurns } from './turns.ts';

interface TurnQueueDeps {
  readonly documents: Pick<Documents, 'open' | 'read' | 'saving'>;
  readonly messages: MessageAppender;
  readonly turns: Pick<ReturnType<typeof createTurns>, 'run'>;
  /** Closed with the queue. */
  readonly rows: ReturnType<typeof createDraftRows>;
  readonly tab: Tab;
  /** Channel to the other tabs of this origin; absent: each tab knows only its own turns. */
  readonly tabs?: ChannelLike | undefined;
  /** ms since 1970 */
  readonly now: () => number;
  readonly onProblem: (problem: Problem) => void;
  /** Called when another tab has gone and its rows belong to nobody. */
  readonly onTabGone: () => Promise<unknown>;
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

/** Runs the turns of all conversations in this tab, and shows those of other tabs. */
export class TurnQueue {
  readonly #deps: TurnQueueDeps;
  readonly #rows: TurnQueueDeps['rows'];
  readonly #sessions = new Map<ConversationId, ChatSession>();
  readonly #closing = new AbortController();
  #closed = false;
  readonly #crossTab: ReturnType<typeof createCrossTabTurns> | undefined;

  constructor(deps: TurnQueueDeps) {
    this.#deps = deps;
    this.#rows = deps.rows;
    this.#crossTab =
      deps.tabs &&
      createCrossTabTurns({
        channel: deps.tabs,
        tab: deps.tab.id,
        alive: deps.tab.locked,
        whenGone: async (other) => {
          await this.#rows.whenGone(other);
          await deps.onTabGone();
        },
        onTurn: (id, turn) => {
          const session = this.sessionOf(id);
          const { status, inAnotherTab, answerId } = session.state.get();
          // Two tabs began a turn at the same moment: each shows its own.
          if (status !== 'idle' && !inAnotherTab) return;
          if (turn) return this.set(session, { ...turn, inAnotherTab: true, problem: null });
          this.#endInAnotherTab(session, id, answerId).catch((error: unknown) =>
            this.#deps.onProblem(toProblem(error)),
          );
        },
        onStop: (id) => this.#stopHere(this.#sessions.get(id)),
      });
  }

  /** Sessions of all conversations that were asked for in this tab. */
  get sessions(): ReadonlyMap<ConversationId, ChatSession> {
    return this.#sessions;
  }

  /** Returns the session of a conversation; an idle one if nothing was asked of it in this tab yet. */
  sessionOf(id: ConversationId): ChatSession {
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

  /** Changes what the session shows. */
  set(session: ChatSession, change: Partial<TurnState>): void {
    session.state.update((state) => ({ ...state, ...change }));
  }

  /** True while a turn runs, here or in another tab. */
  isBusy(session: ChatSession): boolean {
    return session.state.get().status !== 'idle';
  }

  /** Runs the turn, then explicit requests made meanwhile, then queued messages, one by one. */
  start(session: ChatSession, id: ConversationId, request: TurnRequest | null): void {
    if (request) session.next.push(request);
    if (this.isBusy(session)) return;
    const work = async () => {
      // Queued messages hang below the answer they were written under, whichever branch is shown meanwhile.
      let tip: MessageId | null = null;
      while (!this.#closed) {
        const wanted = session.next.shift();
        const queued = session.state.get().queue[0];
        try {
          if (wanted) {
            const end = await this.#deps.turns.run(session, id, wanted);
            tip = end?.last ?? wanted.asked;
            const [next, ...after] = wanted.after ?? [];
            // A replay continues only as long as its answers succeed.
            if (next !== undefined && end?.finish === 'stop') {
              const again = await this.askAgain(id, next, end.last);
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
              this.onceSaved(session, id, { leaf: said.id, unsaved }, () => this.start(session, id, request));
              break;
            }
            session.next.unshift(request);
          } else break;
        } catch (error) {
          this.set(session, { problem: toProblem(error) });
          break;
        }
      }
      // Drop requests made during a run that ended early: they must not run, and cost, before the next message.
      session.next = [];
      const { queue, problem, replay } = session.state.get();
      this.set(session, { ...IDLE_TURN, queue, problem, replay });
    };
    session.stopAsked = false;
    this.set(session, { status: 'waiting' });
    session.running = work();
  }

  /** Keeps the conversation busy until `work` ends; aborting `control` stops all of it. */
  holdForComparison(
    id: ConversationId,
    { question, models }: { readonly question: MessageId; readonly models: string },
    control: AbortController,
    work: Promise<unknown>,
  ): void {
    const session = this.sessionOf(id);
    const joins = this.isBusy(session) ? session.running : Promise.resolve();
    session.turn = control;
    session.stopAsked = false;
    this.set(session, {
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
      this.set(session, { ...IDLE_TURN, queue, problem });
      if (!session.stopAsked && !this.#closed && (queue.length > 0 || session.next.length > 0))
        this.start(session, id, null);
    });
  }

  /**
   * Continues as soon as the message is on the disk, unless the person has moved on by then.
   * Until then the turn shows the reason.
   */
  onceSaved(
    session: ChatSession,
    id: ConversationId,
    { leaf, unsaved }: { leaf: MessageId; unsaved: Problem },
    goOn: () => unknown,
  ): void {
    this.set(session, { problem: unsaved });
    const wait = async () => {
      await until(this.#deps.documents.saving, ({ state }) => state === 'saved', this.#closing.signal);
      if (session.state.get().problem === unsaved) this.set(session, { problem: null });
      const conversation = await this.#deps.documents.read(id);
      if (this.#closed || this.isBusy(session) || !conversation || effectiveHead(conversation) !== leaf)
        return;
      this.set(session, { problem: null });
      await goOn();
    };
    wait().catch((error: unknown) => {
      if (!isAbort(error)) this.set(session, { problem: toProblem(error) });
    });
  }

  /** Repeats a question of the old branch below the new one, and returns the copy; null if it is gone. */
  async askAgain(id: ConversationId, question: MessageId, below: MessageId): Promise<MessageId | null> {
    const conversation = await this.needed(id);
    const said = conversation.messages.get(question);
    if (!said) return null;
    const copy = await this.#deps.messages.appendMessage(id, conversation, {
      parts: said.parts,
      parentId: below,
      more: { copyOf: said.id },
    });
    if (copy.unsaved) throw new RecollectError(copy.unsaved.code, copy.unsaved.message, copy.unsaved);
    return copy.said.id;
  }

  /** Stores the queue, with what is being taken from it. Resolves when it is durable; throws as `KeyValues.set`. */
  keepQueue(session: ChatSession, id: ConversationId): Promise<void> {
    return this.#rows.queue(id, [...session.sending, ...session.state.get().queue]);
  }

  /** Reads the conversation. Throws `conversation-missing`. */
  async needed(id: ConversationId): Promise<Conversation> {
    const conversation = await this.#deps.documents.read(id);
    if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
    return conversation;
  }

  /** Stops the answer because something replaces it; the queue continues. */
  stop(session: ChatSession, id: ConversationId): void {
    if (session.state.get().inAnotherTab) this.#crossTab?.stop(id);
    else this.#abort(session);
  }

  /** Stops the answer and holds the queue, in whichever tab it runs: after Stop the person wants nothing more sent. */
  stopByPerson(id: ConversationId): void {
    const session = this.#sessions.get(id);
    if (session?.state.get().inAnotherTab) this.#crossTab?.stop(id);
    else this.#stopHere(session);
  }

  /** Stops the turns of this tab and waits for them, then for their rows. Those of other tabs continue there. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    for (const session of this.#sessions.values()) this.#abort(session);
    await Promise.all([...this.#sessions.values()].map((session) => session.running));
    await this.#rows.close();
    this.#crossTab?.close();
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
    this.set(session, { ...IDLE_TURN, queue, problem });
    if (session.next.length > 0 || (queue.length > 0 && !failed)) this.start(session, id, null);
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
    this.set(session, { queue: others(session.state.get().queue) });
    const settle = async (unsaved: Problem | null) => {
      if (unsaved)
        await until(this.#deps.documents.saving, ({ state }) => state === 'saved', this.#closing.signal);
      session.sending = others(session.sending);
      await this.keepQueue(session, id);
    };
    // A leftover row is recognised by its id later, so the turn need not fail for it.
    const onLeft = (error: unknown) => {
      if (!isAbort(error)) this.#deps.onProblem(toProblem(error));
    };
    try {
      const conversation = await this.needed(id);
      const done = await this.#deps.messages.appendMessage(id, conversation, {
        id: asMessageId(queued.id),
        parts: queued.parts,
        parentId: tip !== null && conversation.messages.has(tip) ? tip : effectiveHead(conversation),
      });
      const settled = settle(done.unsaved).catch(onLeft);
      if (!done.unsaved) await settled;
      return done;
    } catch (error) {
      session.sending = others(session.sending);
      this.set(session, { queue: [queued, ...session.state.get().queue] });
      throw error;
    }
  }

  #stopHere(session: ChatSession | undefined): void {
    if (session && this.isBusy(session)) session.stopAsked = true;
    this.#abort(session);
  }

  #abort(session: ChatSession | undefined): void {
    session?.turn?.abort(new DOMException('Stopped', 'AbortError'));
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
