// Conducts turns: one at a time in a conversation, as many conversations at once as one likes.
//
//   send ──► user message saved ──► recall (bounded) ──► prompt ──► stream ──► answer saved ──► next in the queue
//                                                          └─ draft row, every half second: what a crash would lose
//
// An answer has its id before its first word, and its draft row carries it: saving it twice is saving it once.

import type { Drawer } from '../../adapters/log/conversation-log.ts';
import type { ChatModel } from '../../adapters/models/chat-model.ts';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import {
  asMessageId,
  type ConversationId,
  type MessageId,
  newConversationId,
  newMessageId,
} from '../../domain/base/ids.ts';
import { type Readable, type Writable, writable } from '../../domain/base/readable.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import { addToDraft, hasContent } from '../../domain/chat/draft.ts';
import {
  type Finish,
  type Message,
  type Part,
  type PartOf,
  textOf,
  type Usage,
} from '../../domain/chat/message.ts';
import { buildPrompt } from '../../domain/context/prompt.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents, OpenConversation } from '../documents/documents.ts';
import type { Memory } from '../memory/memory.ts';
import { type Chat, IDLE_TURN, type SendOptions, type TurnState } from './chat.ts';
import { createDraftRows, type DraftRow, type LocksLike } from './draft-rows.ts';

export interface ChatDependencies {
  readonly documents: Documents;
  readonly drawer: Drawer;
  /** The model that answers now; null: memory answers. Asked once for each turn. */
  readonly model: () => ChatModel | null;
  readonly memory: Pick<Memory, 'recall' | 'wake'>;
  readonly config: Readable<Config>;
  /** ms since 1970 */
  readonly now: () => number;
  /** This device's name in the messages it writes. */
  readonly device: string;
  /** `navigator.locks` where there is one: tells the draft of a living tab from that of a dead one. */
  readonly locks?: LocksLike | undefined;
  /** Hears of what went wrong beside a turn (a draft row that could not be written, say). */
  readonly onProblem?: (problem: Problem) => void;
}

/** Text of one message, UTF-8. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024;
/** Files of one message, as they are kept (data URLs). */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** A slow index holds up an answer no longer than this, ms. */
const RECALL_PATIENCE = 3000;
/** Without a model the recall is the answer: then there is time for an index that is just waking up, ms. */
const RECALL_ONLY_PATIENCE = 30_000;
/** The screen hears of new words about 30 times a second. */
const FRAME_MS = 33;
const TITLE_LENGTH = 60;
/** What of a long message is asked of memory, characters: it is kept with the answer. */
const MAX_QUERY = 4000;

type Recall = PartOf<'recall'>;

/** What one conversation has going on in this tab. */
interface Session {
  readonly state: Writable<TurnState>;
  /** Set while a turn runs; aborting it is "stop". */
  turn: AbortController | null;
  /** Asked for explicitly while a turn ran: before what is queued. */
  next: TurnRequest[];
  /** Ends when the turn and all that was queued behind it are done. Never rejects. */
  running: Promise<void>;
  /** Changes of this conversation one after another. */
  line: Promise<unknown>;
}

interface TurnRequest {
  /** The message to answer. */
  readonly asked: MessageId;
  readonly without?: readonly MessageId[];
  /** Memory of an earlier answer to the same message, used again as it is. */
  readonly recall?: Recall;
  /** The person asked for this answer: show the conversation at its question. */
  readonly explicit?: boolean;
  /** A failed answer without content that this one takes the place of. */
  readonly replaces?: MessageId;
}

/** Creates the service. Nothing happens before the first call; `rescueDrafts` is for the start. */
export function createChat(deps: ChatDependencies): Chat {
  const { documents, drawer, memory, config, now, device } = deps;
  const onProblem = deps.onProblem ?? (() => undefined);
  const rows = createDraftRows({ drawer, locks: deps.locks, now, onProblem });
  const sessions = new Map<ConversationId, Session>();
  let closed = false;

  const sessionOf = (id: ConversationId): Session => {
    const known = sessions.get(id);
    if (known) return known;
    const session: Session = {
      state: writable(IDLE_TURN),
      turn: null,
      next: [],
      running: Promise.resolve(),
      line: Promise.resolve(),
    };
    sessions.set(id, session);
    return session;
  };

  const set = (session: Session, change: Partial<TurnState>) =>
    session.state.update((state) => ({ ...state, ...change }));

  /** Runs `work` after all earlier work on the conversation. */
  function inLine<T>(session: Session, work: () => Promise<T>): Promise<T> {
    const result = session.line.then(work);
    session.line = result.catch(() => undefined);
    return result;
  }

  // ---------------------------------------------------------------------------------------- user messages
  async function appendUser(
    id: ConversationId,
    conversation: Conversation | undefined,
    message: {
      id?: MessageId;
      parts: readonly Part[];
      parentId: MessageId | null;
      role?: Message['role'];
    },
  ): Promise<Message> {
    const parent = message.parentId === null ? undefined : conversation?.messages.get(message.parentId);
    const said: Message = {
      id: message.id ?? newMessageId(),
      parentId: message.parentId,
      role: message.role ?? 'user',
      kind: 'message',
      // A clock that was set back must not put an answer before its question.
      createdAt: Math.max(now(), (parent?.createdAt ?? 0) + 1),
      parts: message.parts,
      device,
    };
    await documents.change(id, {
      messages: [said],
      meta: {
        head: said.id,
        ...(conversation ? {} : { createdAt: said.createdAt, title: provisionalTitle(said.parts) }),
      },
    });
    return said;
  }

  // ---------------------------------------------------------------------------------------- memory
  /** The passages for the answer, as they will be kept with it; null where none were asked for. Never throws. */
  async function remember(
    conversation: Conversation,
    asked: Message,
    request: TurnRequest,
    patience: number,
    signal: AbortSignal,
  ): Promise<{ recall: Recall | null; problem: Problem | null }> {
    const text = textOf(asked).trim().slice(0, MAX_QUERY);
    if (text === '') return { recall: null, problem: null };
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    const { exclude_current_session: exclude } = config.get().recall.filters;
    try {
      const found = await unlessAborted(
        memory.recall({
          text,
          ...(exclude ? { currentConversation: conversation.id } : {}),
          signal: bounded,
        }),
        bounded,
      );
      const without = new Set<string>(request.without ?? []);
      return {
        recall: {
          type: 'recall',
          query: text,
          threshold: found.threshold,
          passages: found.passages.filter((passage) => !without.has(passage.messageId)),
          nearMisses: found.nearMisses.filter((passage) => !without.has(passage.messageId)),
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
          : new RecollectError('index-unavailable', 'Memory did not answer in time.', { retry: true })
              .problem,
      };
    }
  }

  /** Recall by itself happens for the first message of a conversation. */
  const recallsByItself = (path: readonly Message[]): boolean => {
    const { enabled, trigger_on_start: onStart } = config.get().recall.auto_recall;
    const said = path.filter((message) => message.role === 'user' && message.kind === 'message');
    return enabled && onStart && said.length === 1;
  };

  // ---------------------------------------------------------------------------------------- a turn
  async function runTurn(
    session: Session,
    id: ConversationId,
    request: TurnRequest,
  ): Promise<MessageId | null> {
    const control = new AbortController();
    session.turn = control;
    const { signal } = control;
    const model = deps.model();
    const startedAt = now();
    const answerId = newMessageId();
    set(session, {
      status: 'waiting',
      parts: [],
      parentId: request.asked,
      answerId,
      model: model?.id ?? null,
      startedAt,
      problem: null,
    });
    let open: OpenConversation | undefined;
    let draft: DraftRow | undefined;
    const screen = createPacer(FRAME_MS, () => set(session, { parts }));
    let parts: readonly Part[] = [];
    try {
      open = await documents.open(id);
      const conversation = open.get();
      const asked = conversation.messages.get(request.asked);
      if (!asked) throw new RecollectError('message-missing', 'The message to answer is not there any more.');
      const path = pathTo(conversation.messages, asked.id);
      if (request.explicit && effectiveHead(conversation) !== asked.id)
        await documents.change(id, { meta: { head: asked.id } });

      let recall = request.recall ?? null;
      let problem: Problem | null = null;
      if (!recall && (model === null || recallsByItself(path))) {
        set(session, { status: 'recalling' });
        ({ recall, problem } = await remember(
          conversation,
          asked,
          request,
          model ? RECALL_PATIENCE : RECALL_ONLY_PATIENCE,
          signal,
        ));
      }
      // What found nothing leaves no trace on an answer; where memory itself is the answer, it does.
      if (recall && (model === null || recall.passages.length > 0)) parts = [recall];

      const answer: Message = {
        id: answerId,
        parentId: asked.id,
        role: 'assistant',
        kind: model ? 'message' : 'recall',
        createdAt: Math.max(startedAt, asked.createdAt + 1),
        parts,
        device,
        ...(model ? { model: model.id } : {}),
      };
      let finish: Finish = signal.aborted ? 'stopped' : 'stop';
      let usage: Usage | undefined;

      if (!model) {
        // Nothing to quote is an answer too; that memory could not be asked is not.
        if (!recall && !problem)
          parts = [{ type: 'recall', query: '', threshold: 0, passages: [], nearMisses: [] }];
        if (problem) finish = 'error';
      } else if (!signal.aborted) {
        // That memory did not answer in time is no reason to show a problem on an answer.
        problem = null;
        const { context } = config.get();
        const prompt = buildPrompt({
          path,
          recall,
          system: conversation.meta.systemPrompt,
          window: model.contextWindow ?? context.window_tokens,
          reserve: context.reserved_tokens,
        });
        set(session, { status: 'waiting', parts });
        draft = rows.draft(id, { ...answer, parts }, request.replaces ?? null);
        try {
          for await (const event of model.stream(prompt, { signal })) {
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
        }
      }
      screen.flush();

      const finished: Message = {
        ...answer,
        parts,
        durationMs: Math.max(0, now() - startedAt),
        finish,
        ...(usage ? { usage } : {}),
        ...(problem ? { problem: { ...problem } } : {}),
      };
      // Erased for good while it was being answered: it must not come back as a lone answer.
      if (!(await documents.read(id))) {
        const row = await draft?.settle();
        if (row !== undefined) await drawer.set(row, undefined);
        return null;
      }
      await saveAnswer(id, open.get(), finished, request.replaces, draft);
      memory.wake('changed');
      return finished.id;
    } catch (error) {
      set(session, { problem: toProblem(error) });
      return null;
    } finally {
      screen.stop();
      draft?.release();
      open?.close();
      session.turn = null;
    }
  }

  /** Appends the answer and takes its draft row away, both or neither. The head follows unless the person has gone elsewhere. */
  async function saveAnswer(
    id: ConversationId,
    conversation: Conversation,
    answer: Message,
    replaces: MessageId | undefined,
    draft: Pick<DraftRow, 'settle'> | undefined,
  ): Promise<void> {
    const failed = replaces === undefined ? undefined : conversation.messages.get(replaces);
    const head = effectiveHead(conversation);
    const here = head === answer.parentId || (failed !== undefined && head === failed.id);
    const row = await draft?.settle();
    await documents.change(
      id,
      {
        messages: [answer],
        ...(here ? { meta: { head: answer.id } } : {}),
        ...(failed ? { removed: [failed.id] } : {}),
      },
      row === undefined ? {} : { writes: [{ key: row, value: undefined }] },
    );
  }

  /** Runs the turn, then what was asked for meanwhile, then what was queued, one by one. */
  function start(session: Session, id: ConversationId, request: TurnRequest | null): void {
    if (request) session.next.push(request);
    if (isBusy(session)) return;
    const work = async () => {
      // Where the queued messages hang on: below the answer they were written under, wherever the person looks meanwhile.
      let tip: MessageId | null = null;
      while (!closed) {
        const wanted = session.next.shift();
        const queued = session.state.get().queue[0];
        try {
          if (wanted) {
            const answer = await runTurn(session, id, wanted);
            tip = answer ?? wanted.asked;
          } else if (queued) {
            const conversation = await needed(id);
            const said = await appendUser(id, conversation, {
              id: asMessageId(queued.id),
              parts: queued.parts,
              parentId: tip !== null && conversation.messages.has(tip) ? tip : effectiveHead(conversation),
            });
            tip = said.id;
            await removeQueued(session, id, queued.id);
            session.next.unshift({ asked: said.id });
          } else break;
        } catch (error) {
          // It stays in the queue, where it can be seen and sent again.
          set(session, { problem: toProblem(error) });
          break;
        }
      }
      set(session, { ...IDLE_TURN, queue: session.state.get().queue, problem: session.state.get().problem });
    };
    set(session, { status: 'waiting' });
    session.running = work();
  }

  const isBusy = (session: Session) => session.state.get().status !== 'idle';

  const stop = (session: Session) => session.turn?.abort(new DOMException('Stopped', 'AbortError'));

  // ---------------------------------------------------------------------------------------- the queue
  const keepQueue = (session: Session, id: ConversationId) => rows.queue(id, session.state.get().queue);

  async function removeQueued(session: Session, id: ConversationId, queued: string): Promise<void> {
    set(session, { queue: session.state.get().queue.filter((item) => item.id !== queued) });
    await keepQueue(session, id);
  }

  return {
    turn: (id) => sessionOf(id).state,

    send: async ({ conversationId, parts, withoutPassages }: SendOptions) => {
      refuseTooLarge(parts);
      const id = conversationId ?? newConversationId();
      const session = sessionOf(id);
      return await inLine(session, async () => {
        const waiting = session.state.get().queue;
        if (isBusy(session) || waiting.length > 0) {
          set(session, { queue: [...waiting, { id: newMessageId(), parts }] });
          await keepQueue(session, id);
          start(session, id, null);
          return { conversationId: id };
        }
        const conversation = conversationId === undefined ? undefined : await documents.read(id);
        if (conversationId !== undefined && !conversation)
          throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
        set(session, { problem: null });
        try {
          const said = await appendUser(id, conversation, {
            parts,
            parentId: conversation ? effectiveHead(conversation) : null,
          });
          start(session, id, { asked: said.id, ...(withoutPassages ? { without: withoutPassages } : {}) });
          return { conversationId: id };
        } catch (error) {
          set(session, { problem: toProblem(error) });
          throw error;
        }
      });
    },

    regenerate: async (id, answerId) => {
      const session = sessionOf(id);
      await inLine(session, async () => {
        const conversation = await needed(id);
        const { asked, first } = questionOf(conversation, answerId);
        const stored = first?.parts.find((part) => part.type === 'recall');
        const fruitless =
          first?.finish !== undefined &&
          first.finish !== 'stop' &&
          !hasContent(first.parts) &&
          ![...conversation.messages.values()].some((message) => message.parentId === first.id);
        stop(session);
        start(session, id, {
          asked: asked.id,
          explicit: true,
          // The same passages as before, byte for byte; an answer that had none may find some now.
          ...(stored && stored.passages.length > 0 ? { recall: stored } : {}),
          ...(fruitless ? { replaces: first.id } : {}),
        });
      });
    },

    edit: async (id, messageId, parts, rerun) => {
      refuseTooLarge(parts);
      const session = sessionOf(id);
      await inLine(session, async () => {
        const conversation = await needed(id);
        const original = conversation.messages.get(messageId);
        if (!original) throw new RecollectError('message-missing', `There is no message ${messageId}`);
        const said = await appendUser(id, conversation, {
          parts,
          parentId: original.parentId,
          role: original.role,
        });
        if (!rerun || said.role !== 'user') return;
        stop(session);
        start(session, id, { asked: said.id, explicit: true });
      });
    },

    stop: (id) => {
      const session = sessions.get(id);
      if (session) stop(session);
    },

    editQueued: (id, queued, parts) => {
      const session = sessionOf(id);
      set(session, {
        queue: session.state
          .get()
          .queue.flatMap((item) =>
            item.id !== queued ? [item] : parts === null ? [] : [{ ...item, parts }],
          ),
      });
      keepQueue(session, id).catch((error) => onProblem(toProblem(error)));
    },

    rescueDrafts: async () => {
      let rescued = 0;
      await rows.rescue({
        draft: async ({ conversationId, answer, replaces, key }) => {
          const conversation = await documents.read(conversationId);
          const drop = () => drawer.set(key, undefined);
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
          await saveAnswer(conversationId, conversation, message, replaces ?? undefined, {
            settle: async () => key,
          });
          rescued += 1;
          memory.wake('changed');
        },
        queue: async ({ conversationId, items, key }) => {
          const session = sessionOf(conversationId);
          const conversation = await documents.read(conversationId);
          const lost = conversation
            ? items.filter((item) => !conversation.messages.has(asMessageId(item.id)))
            : [];
          // Shown again, not sent: the person may have gone on elsewhere. They go out before the next message.
          if (lost.length > 0) {
            set(session, { queue: [...lost, ...session.state.get().queue] });
            await keepQueue(session, conversationId);
          }
          await drawer.set(key, undefined);
        },
      });
      return rescued;
    },

    close: async () => {
      closed = true;
      for (const session of sessions.values()) stop(session);
      await Promise.all([...sessions.values()].map((session) => session.running));
      await rows.close();
    },
  };

  async function needed(id: ConversationId): Promise<Conversation> {
    const conversation = await documents.read(id);
    if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
    return conversation;
  }
}

/**
 * The question behind an answer, and the first message of that answer (it can go on over tool calls). A question is its own
 * question: one that was never answered can be answered this way.
 */
function questionOf(
  conversation: Conversation,
  answer: MessageId,
): { asked: Message; first: Message | undefined } {
  let at = conversation.messages.get(answer);
  let first: Message | undefined;
  const seen = new Set<MessageId>();
  while (at && !seen.has(at.id)) {
    if (at.role === 'user' && at.kind === 'message') return { asked: at, first };
    seen.add(at.id);
    first = at;
    at = at.parentId === null ? undefined : conversation.messages.get(at.parentId);
  }
  throw new RecollectError('message-missing', 'There is no message that this answers.');
}

function refuseTooLarge(parts: readonly Part[]): void {
  const texts = parts.flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : []));
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  // A UTF-16 unit takes at most three bytes: the exact count is needed only near the limit.
  const bytes =
    units * 3 <= MAX_TEXT_BYTES
      ? units
      : texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
  const files = parts.reduce((sum, part) => sum + (part.type === 'file' ? (part.url?.length ?? 0) : 0), 0);
  const tell = (kind: 'text' | 'files', size: number, limit: number) => {
    if (size <= limit) return;
    const inMb = (value: number) => Math.ceil((value / 1024 / 1024) * 10) / 10;
    throw new RecollectError('message-too-large', `A message may have ${inMb(limit)} MB of ${kind}.`, {
      params: { kind, size: inMb(size), limit: inMb(limit) },
    });
  };
  tell('text', bytes, MAX_TEXT_BYTES);
  tell('files', files, MAX_FILE_BYTES);
}

/** A name until the words of the conversation have given it a better one: the first line, cut between words. */
function provisionalTitle(parts: readonly Part[]): string {
  const line =
    parts
      .filter((part) => part.type === 'text')
      .flatMap((part) => part.text.slice(0, 2000).split('\n'))
      .map((text) => text.replace(/^[#>*\-\s]+/, '').trim())
      .find((text) => text !== '') ??
    parts.find((part) => part.type === 'file')?.name ??
    '';
  const characters = [...line];
  if (characters.length <= TITLE_LENGTH) return line;
  const cut = characters.slice(0, TITLE_LENGTH - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > TITLE_LENGTH / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
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
