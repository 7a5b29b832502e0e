// Keeps what a model sees within its window, and tells how. Strategies plan (`domain/context/compaction`), this carries plans out:
//
//   step ──► request ──► too large? ──► begin ─► strategy.plan ─► (confirm) ─► stored in the document ─► end ──► request again
//                           └─ no ──► send                                          undo = one flag, any time
//
// A compaction that fails leaves everything as it was: the request is sent all the same, without its oldest turns if it must be.
import { v7 } from 'uuid';
import type { Drawer } from '../../adapters/log/conversation-log.ts';
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { type Readable, type Writable, writable } from '../../domain/base/readable.ts';
import { firstLineOf } from '../../domain/chat/checkpoint.ts';
import type { Compaction, CompactionReason } from '../../domain/chat/compaction.ts';
import { type Conversation, effectiveHead, pathTo } from '../../domain/chat/conversation.ts';
import type { Message, PartOf, Usage } from '../../domain/chat/message.ts';
import { costOf, gaugeOf, type Price } from '../../domain/context/budget.ts';
import { planCompaction, strategyOf } from '../../domain/context/compaction/index.ts';
import { rememberAsItGoes } from '../../domain/context/compaction/memory.ts';
import { boundaryOf, type CompactionPlan, summaryTextOf } from '../../domain/context/compaction/plan.ts';
import type { CompactionTools } from '../../domain/context/compaction/strategy.ts';
import { readAhead } from '../../domain/context/folded.ts';
import { type RequestLedger, requestLedgerSchema } from '../../domain/context/ledger.ts';
import { MESSAGE_OVERHEAD, type TokenCounter } from '../../domain/context/meter.ts';
import { notesOf } from '../../domain/context/notes.ts';
import type { BuiltPrompt } from '../../domain/context/prompt.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { Memory } from '../memory/memory.ts';
import { createCheckpointDesk } from './checkpoints.ts';
import {
  type CompactionEvent,
  type CompactOptions,
  type CompactResult,
  type ContextControl,
  type ContextState,
  IDLE_CONTEXT,
  type PendingPlan,
  type PlanBlock,
} from './context.ts';
import { createMeters } from './meters.ts';
import { type Built, createRequests } from './requests.ts';
import { SUMMARY_PATIENCE_MS, summariseWith } from './summarise.ts';
import type { StepRequest, TurnContext } from './turn-context.ts';
import { createUpkeep } from './upkeep.ts';

export interface ContextDependencies {
  readonly documents: Pick<Documents, 'library' | 'read' | 'change' | 'open'>;
  readonly drawer: Drawer;
  /** The model that would answer now; null: memory answers. */
  readonly model: () => ChatModel | null;
  readonly config: Readable<Config>;
  /** ms since 1970 */
  readonly now: () => number;
  readonly device: string;
  /** Tools that would be offered with a request. */
  readonly tools?: (() => readonly ToolDescription[]) | undefined;
  /** The model's own tokenizer, once it is loaded. */
  readonly counterFor?: ((model: ChatModel) => TokenCounter | undefined) | undefined;
  readonly priceOf?: ((model: ChatModel) => Price | null) | undefined;
  /** Relevance of messages of a conversation to a question by meaning, 0–1. */
  readonly relevance?:
    | ((id: ConversationId, question: string, signal: AbortSignal) => Promise<ReadonlyMap<MessageId, number>>)
    | undefined;
  /** Longest time for one summary, ms. */
  readonly summaryPatienceMs?: number;
  readonly onProblem?: (problem: Problem) => void;
}

/** Of one conversation, kept for the interface. */
const MAX_EVENTS = 50;
/** After an attempt that did not help, the next one waits until the request has grown by this factor. */
const GROWTH = 1.1;

/** Meaning is worth waiting for so long, ms; by words alone after that. */
const RELEVANCE_PATIENCE_MS = 3000;

/** Longest stretch of reading ahead, ms. */
const SLICE_MS = 8;

type Recall = PartOf<'recall'>;

interface Session {
  readonly state: Writable<ContextState>;
  /** Attempts of this conversation one after another. */
  line: Promise<unknown>;
  /** Reads ahead; one at a time. */
  tending: boolean;
  /** Ends what runs. */
  control: AbortController | null;
  /** Tokens at which the last attempt did not help; 0: it did. */
  futile: number;
  /** The waiting plan, and how it was made. */
  waiting: { readonly wish: Wish; readonly planned: Planned } | null;
  /** A turn that waits for the person. */
  decided: ((applied: boolean) => void) | null;
}

/** One attempt to compact. */
interface Wish {
  readonly reason: CompactionReason;
  readonly strategy: string;
  readonly guidance: string;
  readonly leaf: MessageId | null;
  readonly model: ChatModel | null;
  readonly tools: readonly ToolDescription[];
  readonly recall: Recall | null;
  readonly keep?: readonly MessageId[];
  readonly fold?: readonly MessageId[];
  /** The compaction this one takes the place of. */
  readonly replaces?: string;
  /** The request is too large whatever the window is said to be. */
  readonly force?: boolean;
  readonly preview: boolean;
  readonly blocking: boolean;
}

interface Planned {
  /** It is what is in force already. */
  readonly settled: boolean;
  readonly plan: CompactionPlan;
  readonly path: readonly Message[];
  readonly usage: Usage | null;
  readonly cost: number | null;
  readonly problem: Problem | null;
}

/** Creates the service. Nothing happens before the first call. */
export function createContext(deps: ContextDependencies): ContextControl & TurnContext {
  const { documents, drawer, config, now } = deps;
  const onProblem = deps.onProblem ?? (() => undefined);
  const meters = createMeters({ drawer, counterFor: (model) => deps.counterFor?.(model), onProblem });
  const requests = createRequests({ config, meters });
  const { build, appliedOn, windowOf } = requests;
  const sessions = new Map<ConversationId, Session>();
  const listeners = new Set<(event: CompactionEvent) => void>();
  const closing = new AbortController();
  const upkeep = createUpkeep({
    drawer,
    documents,
    config,
    patienceMs: deps.summaryPatienceMs ?? SUMMARY_PATIENCE_MS,
    onState: (id, state) => set(sessionOf(id), { upkeep: state }),
  });

  const sessionOf = (id: ConversationId): Session => {
    const known = sessions.get(id);
    if (known) return known;
    const session: Session = {
      state: writable(IDLE_CONTEXT),
      line: Promise.resolve(),
      control: null,
      futile: 0,
      tending: false,
      waiting: null,
      decided: null,
    };
    sessions.set(id, session);
    return session;
  };
  const set = (session: Session, change: Partial<ContextState>) =>
    session.state.update((state) => ({ ...state, ...change }));

  function inLine<T>(session: Session, work: () => Promise<T>): Promise<T> {
    const result = session.line.then(work);
    session.line = result.catch(() => undefined);
    return result;
  }

  async function needed(id: ConversationId): Promise<Conversation> {
    const conversation = await documents.read(id);
    if (!conversation) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
    return conversation;
  }

  // ---------------------------------------------------------------------------------------- planning
  const emit = (session: Session, event: CompactionEvent) => {
    set(session, { events: [...session.state.get().events, event].slice(-MAX_EVENTS) });
    for (const listener of [...listeners]) listener(event);
  };

  interface Sight {
    readonly seen: Conversation;
    readonly path: readonly Message[];
    readonly built: Built;
  }

  function look(conversation: Conversation, wish: Wish): Sight {
    // A compaction that is made again starts from what was there before it.
    const seen: Conversation = wish.replaces
      ? { ...conversation, compactions: without(conversation.compactions, wish.replaces) }
      : conversation;
    const path = pathTo(seen.messages, wish.leaf);
    return { seen, path, built: build(seen, path, wish) };
  }

  async function makePlan(
    id: ConversationId,
    { seen, path, built }: Sight,
    wish: Wish,
    signal: AbortSignal,
  ): Promise<Planned> {
    const { context } = config.get();
    const budget = wish.force
      ? {
          ...built.budget,
          target: Math.min(built.budget.target, Math.floor(built.total * context.target_ratio)),
        }
      : built.budget;
    const calls: Usage[] = [];
    const price = wish.model ? (deps.priceOf?.(wish.model) ?? null) : null;
    const tools: CompactionTools = {
      meter: meters.of(wish.model),
      summarise: wish.model
        ? summariseWith(wish.model, {
            patienceMs: deps.summaryPatienceMs ?? SUMMARY_PATIENCE_MS,
            signal,
            onUsage: (usage) => calls.push(usage),
          })
        : null,
      ...(deps.relevance
        ? {
            relevance: async (question: string) => {
              try {
                return (await deps.relevance?.(id, question, signal)) ?? new Map();
              } catch {
                signal.throwIfAborted();
                // By words alone, then.
                return new Map<MessageId, number>();
              }
            },
          }
        : {}),
      signal,
    };
    const previous = appliedOn(seen, path);
    const polished = await upkeep.memoryOn(id, path);
    const plan = await planCompaction(
      strategyOf(wish.strategy),
      {
        path,
        system: seen.meta.systemPrompt,
        previous,
        ...(polished ? { polished } : {}),
        wish: {
          reason: wish.reason,
          ...(wish.guidance === '' ? {} : { instruction: wish.guidance }),
          ...(context.summary_prompt.trim() === '' ? {} : { prompt: context.summary_prompt }),
          ...(wish.keep ? { keep: new Set(wish.keep) } : {}),
          ...(wish.fold ? { fold: new Set(wish.fold) } : {}),
        },
      },
      budget,
      tools,
    );
    const costs = price ? calls.map((usage) => costOf(usage, price)) : [];
    return {
      plan,
      path,
      settled: previous !== null && plan === previous.plan,
      usage: calls.length > 0 ? added(calls) : null,
      cost: costs.some((cost) => cost !== null)
        ? costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0)
        : null,
      problem: plan.fallback
        ? new RecollectError('compaction-fallback', plan.fallback.message, {
            params: {
              wanted: wish.strategy,
              strategy: plan.strategy,
              reason: plan.fallback.code,
              detail: plan.fallback.message,
            },
          }).problem
        : null,
    };
  }

  const recordOfPlan = (
    wish: Wish,
    planned: Planned,
    durationMs: number,
    summary?: string,
  ): Compaction | null => {
    const at = boundaryOf(planned.plan);
    if (at === null) return null;
    const { plan, usage, cost, problem } = planned;
    return {
      id: v7(),
      at,
      createdAt: now(),
      strategy: plan.strategy,
      ...(plan.strategy === wish.strategy ? {} : { wanted: wish.strategy }),
      reason: wish.reason,
      ...(wish.guidance === '' ? {} : { guidance: wish.guidance }),
      plan,
      ...(summary === undefined || summary === summaryTextOf(plan) ? {} : { summary }),
      tokensBefore: plan.tokensBefore,
      tokensAfter: plan.tokensAfter,
      durationMs,
      device: deps.device,
      ...(wish.model && plan.attempts > 0 ? { model: wish.model.id } : {}),
      ...(usage ? { usage } : {}),
      ...(cost === null ? {} : { cost }),
      ...(problem ? { problem: { ...problem } } : {}),
      undone: false,
    };
  };

  const store = (id: ConversationId, compaction: Compaction, replaces: string | undefined) =>
    documents.change(id, {
      compactions: {
        [compaction.id]: compaction,
        ...(replaces ? { [replaces]: { undone: true } } : {}),
      },
    });

  /** One attempt, from its begin to its end. Throws nothing; only a stopped turn's AbortError. */
  async function attempt(
    id: ConversationId,
    session: Session,
    wish: Wish,
    signal: AbortSignal,
    conversation?: Conversation,
  ): Promise<CompactResult> {
    const run = v7();
    const startedAt = now();
    const control = new AbortController();
    session.control = control;
    const own = AbortSignal.any([signal, control.signal, closing.signal]);
    let planned: Planned | null = null;
    let result: CompactResult = { outcome: 'cancelled' };
    let begun = false;
    let before = 0;
    try {
      const sight = look(conversation ?? (await needed(id)), wish);
      before = sight.built.total;
      begun = true;
      set(session, { running: { id: run, reason: wish.reason, strategy: wish.strategy, startedAt } });
      emit(session, {
        type: 'compaction-begin',
        id: run,
        conversationId: id,
        reason: wish.reason,
        strategy: wish.strategy,
        tokensBefore: before,
        at: startedAt,
      });
      planned = await makePlan(id, sight, wish, own);
      own.throwIfAborted();
      const compaction = planned.settled ? null : recordOfPlan(wish, planned, now() - startedAt);
      if (!compaction) result = { outcome: 'nothing' };
      else if (wish.preview) {
        const pending = pendingOf(run, wish, planned);
        session.waiting = { wish, planned };
        set(session, { pending });
        result = { outcome: 'preview', pending };
      } else {
        await store(id, compaction, wish.replaces);
        result = { outcome: 'applied', compaction };
      }
    } catch (error) {
      result = isAbort(error)
        ? { outcome: 'cancelled' }
        : { outcome: 'failed', problem: toCompactionProblem(error) };
    } finally {
      session.control = null;
      const { problem: failure } = result.outcome === 'failed' ? result : { problem: null };
      set(session, {
        running: null,
        problem:
          failure ??
          planned?.problem ??
          (result.outcome === 'cancelled' ? session.state.get().problem : null),
      });
      if (begun)
        emit(session, {
          type: 'compaction-end',
          id: run,
          conversationId: id,
          reason: wish.reason,
          strategy: planned?.plan.strategy ?? wish.strategy,
          outcome: result.outcome,
          tokensBefore: planned?.plan.tokensBefore ?? before,
          tokensAfter: planned?.plan.tokensAfter ?? before,
          ratio:
            planned && planned.plan.tokensBefore > 0
              ? planned.plan.tokensAfter / planned.plan.tokensBefore
              : 1,
          durationMs: now() - startedAt,
          usage: planned?.usage ?? null,
          cost: planned?.cost ?? null,
          problem: failure ?? planned?.problem ?? null,
          at: now(),
        });
    }
    if (result.outcome === 'cancelled') signal.throwIfAborted();
    return result;
  }

  function pendingOf(run: string, wish: Wish, { plan, path, problem }: Planned): PendingPlan {
    return {
      id: run,
      reason: wish.reason,
      strategy: plan.strategy,
      guidance: wish.guidance,
      blocking: wish.blocking,
      plan,
      blocks: blocksOf(plan, path),
      summary: summaryTextOf(plan),
      tokensBefore: plan.tokensBefore,
      tokensAfter: plan.tokensAfter,
      busy: false,
      problem,
    };
  }

  /** Takes the waiting plan away and lets the turn behind it go on. */
  function settle(session: Session, applied: boolean): void {
    session.waiting = null;
    set(session, { pending: null });
    const { decided } = session;
    session.decided = null;
    decided?.(applied);
  }

  // ---------------------------------------------------------------------------------------- for turns
  const wishOfStep = (request: Omit<StepRequest, 'signal' | 'onStatus'>, reason: CompactionReason): Wish => ({
    reason,
    strategy: config.get().context.strategy,
    guidance: '',
    leaf: request.leaf,
    model: request.model,
    tools: request.tools,
    recall: request.recall,
    preview: false,
    blocking: false,
  });

  const builtFor = (request: Omit<StepRequest, 'signal' | 'onStatus'>, bringBack = true) => {
    const conversation = request.conversation();
    return build(conversation, pathTo(conversation.messages, request.leaf), request, bringBack);
  };

  /** Compacts for a step; asks first where the person wants to be asked. True where something is in force now that was not before. */
  async function compactForStep(
    request: StepRequest,
    reason: CompactionReason,
    force: boolean,
  ): Promise<boolean> {
    const session = sessionOf(request.id);
    return await inLine(session, async () => {
      request.onStatus('compacting');
      const { confirm, strategy } = config.get().context;
      const preview = confirm || strategy === 'interactive';
      const wish: Wish = { ...wishOfStep(request, reason), force, preview, blocking: preview };
      const result = await attempt(request.id, session, wish, request.signal, request.conversation());
      if (result.outcome === 'applied') return true;
      if (result.outcome !== 'preview') return false;
      request.onStatus('confirming');
      return await new Promise<boolean>((resolve, reject) => {
        const stopped = () => {
          session.decided = null;
          settle(session, false);
          reject(request.signal.reason);
        };
        if (request.signal.aborted) return stopped();
        request.signal.addEventListener('abort', stopped, { once: true });
        session.decided = (applied) => {
          request.signal.removeEventListener('abort', stopped);
          resolve(applied);
        };
      });
    });
  }

  const turns: TurnContext = {
    pressure: (request) => {
      const { total, prompt, budget } = builtFor(request, false);
      // What does not even fit counts as full.
      return prompt.ledger.leftOut.some(({ why }) => why === 'window')
        ? Math.max(1, total / budget.window)
        : total / budget.window;
    },

    prepare: async (request) => {
      await meters.ready;
      const session = sessionOf(request.id);
      let built = builtFor(request);
      for (let tries = 0; built.pressed && tries < config.get().context.max_attempts; tries += 1) {
        if (session.futile > 0 && wantedOf(built) < session.futile * GROWTH) break;
        const changed = await compactForStep(request, 'auto', false);
        request.signal.throwIfAborted();
        const after = changed ? builtFor(request) : built;
        const helped = changed && !after.pressed;
        session.futile = helped ? 0 : wantedOf(after);
        built = after;
        if (!changed) break;
      }
      request.onStatus('waiting');
      return { prompt: built.prompt, ledger: built.prompt.ledger.request };
    },

    makeRoom: async (request) => {
      const before = builtFor(request).total;
      const changed = await compactForStep(request, 'length', true);
      return changed && builtFor(request).total < before * 0.95;
    },

    learn: (model, ledger, usage) => meters.learn(model, ledger, usage),

    settled: (id) => void lookAfter(id).catch((error) => onProblem(toProblem(error))),
  };

  // ---------------------------------------------------------------------------------------- in the background
  /** Messages that were read ahead. */
  const read = new WeakSet<Message>();

  /** After an answer: sees whether it missed something, and keeps the notes up to date that a session memory is made of. */
  async function lookAfter(id: ConversationId): Promise<void> {
    await pause();
    const conversation = await documents.read(id);
    if (!conversation || closing.signal.aborted) return;
    const path = pathTo(conversation.messages, effectiveHead(conversation));
    const applied = appliedOn(conversation, path);
    const session = sessionOf(id);
    if (applied) {
      const answer = path.findLast(({ role, kind }) => role === 'assistant' && kind === 'message')?.id;
      const losses = requests.lossesOf(id, path, applied);
      set(session, { loss: answer && losses.length > 0 ? { answer, losses } : null });
    }
    const { every_tokens: everyTokens, every_tool_calls: everyCalls } = config.get().context.session_memory;
    const meter = meters.of(deps.model());
    let [tokens, calls] = [0, 0];
    for (let at = path.length - 1; at >= 0 && !read.has(path[at] as Message); at -= 1) {
      const message = path[at] as Message;
      tokens += meter.parts(message.parts);
      calls += message.parts.filter((part) => part.type === 'tool-call').length;
      if (tokens >= everyTokens || calls >= everyCalls) return await tend(id);
    }
  }

  /** Reads every message of the branch once, in slices, so that a compaction under pressure finds it done. */
  async function tend(id: ConversationId): Promise<void> {
    const session = sessionOf(id);
    if (session.tending) return;
    session.tending = true;
    // Held open: what was read is remembered with the message itself.
    const open = await documents.open(id).catch(() => null);
    try {
      if (!open) return;
      let rested = performance.now();
      for (const message of pathTo(open.get().messages, effectiveHead(open.get()))) {
        if (closing.signal.aborted) return;
        if (read.has(message)) continue;
        notesOf(message);
        readAhead(message);
        read.add(message);
        if (performance.now() - rested < SLICE_MS) continue;
        await pause();
        rested = performance.now();
      }
      rememberAsItGoes(pathTo(open.get().messages, effectiveHead(open.get())));
      const model = deps.model();
      if (model && config.get().context.session_memory.by_model)
        await upkeep.write(id, open.get, model, meters.of(model), closing.signal);
    } finally {
      session.tending = false;
      open?.close();
    }
  }

  // ---------------------------------------------------------------------------------------- for people
  /** The request as it stands before anything is typed; made again only where something it depends on is different. */
  let stands: { readonly of: readonly unknown[]; readonly built: Built } | undefined;

  function standing(conversation: Conversation | undefined, model: ChatModel | null): Built {
    const head = conversation ? effectiveHead(conversation) : null;
    const tools = model ? (deps.tools?.() ?? []) : [];
    const of = [
      conversation?.messages,
      conversation?.compactions,
      conversation?.meta.systemPrompt,
      head,
      config.get(),
      meters.of(model),
      windowOf(model),
      tools.length,
    ];
    if (stands?.of.every((value, at) => Object.is(value, of[at]))) return stands.built;
    const path = conversation ? pathTo(conversation.messages, head) : [];
    if (conversation && path.some((message) => !read.has(message)))
      void lookAfter(conversation.id).catch((error) => onProblem(toProblem(error)));
    const built = build(conversation ?? EMPTY, path, { model, tools, recall: null });
    stands = { of, built };
    return built;
  }

  async function compact(
    id: ConversationId,
    options: CompactOptions,
    more: Partial<Wish>,
  ): Promise<CompactResult> {
    await meters.ready;
    const session = sessionOf(id);
    const conversation = await needed(id);
    const guidance = options.guidance?.trim() ?? '';
    const { context } = config.get();
    const strategy = options.strategy ?? context.strategy;
    if (session.state.get().pending) settle(session, false);
    return await inLine(session, () =>
      attempt(
        id,
        session,
        {
          reason: guidance === '' ? 'manual' : 'manual-with-prompt',
          strategy,
          guidance,
          leaf: effectiveHead(conversation),
          model: deps.model(),
          tools: deps.tools?.() ?? [],
          recall: null,
          preview: options.preview ?? (context.confirm || strategy === 'interactive'),
          blocking: false,
          ...more,
        },
        closing.signal,
      ),
    );
  }

  const control: ContextControl = {
    state: (id) => sessionOf(id).state,
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    compact: (id, options = {}) => compact(id, options, {}),

    adjust: async (id, change) => {
      const session = sessionOf(id);
      const { pending } = session.state.get();
      const before = session.waiting;
      if (!pending || !before) return;
      const wish: Wish = {
        ...before.wish,
        ...(change.keep ? { keep: change.keep } : {}),
        ...(change.fold ? { fold: change.fold } : {}),
        ...(change.guidance === undefined
          ? {}
          : {
              guidance: change.guidance.trim(),
              ...(before.wish.reason === 'manual' && change.guidance.trim() !== ''
                ? { reason: 'manual-with-prompt' as const }
                : {}),
            }),
        ...(change.strategy ? { strategy: change.strategy } : {}),
      };
      session.waiting = { wish, planned: before.planned };
      set(session, { pending: { ...pending, busy: true } });
      session.control?.abort(new DOMException('Asked again', 'AbortError'));
      const control = new AbortController();
      session.control = control;
      try {
        const planned = await makePlan(
          id,
          look(await needed(id), wish),
          wish,
          AbortSignal.any([control.signal, closing.signal]),
        );
        if (session.control !== control || session.state.get().pending?.id !== pending.id) return;
        session.waiting = { wish, planned };
        set(session, { pending: pendingOf(pending.id, wish, planned) });
      } catch (error) {
        if (isAbort(error) || session.state.get().pending?.id !== pending.id) return;
        set(session, { pending: { ...pending, busy: false, problem: toCompactionProblem(error) } });
      } finally {
        if (session.control === control) session.control = null;
      }
    },

    apply: async (id, summary) => {
      const session = sessionOf(id);
      const { pending } = session.state.get();
      const { waiting } = session;
      if (!pending || !waiting) return { outcome: 'nothing' };
      const { wish, planned } = waiting;
      const startedAt = now();
      const event = {
        id: v7(),
        conversationId: id,
        reason: pending.reason,
        strategy: pending.plan.strategy,
        tokensBefore: pending.tokensBefore,
      };
      emit(session, { type: 'compaction-begin', ...event, at: startedAt });
      let result: CompactResult = { outcome: 'nothing' };
      try {
        const compaction = recordOfPlan(wish, planned, now() - startedAt, summary);
        if (compaction) {
          await store(id, compaction, wish.replaces);
          result = { outcome: 'applied', compaction };
        }
        settle(session, result.outcome === 'applied');
      } catch (error) {
        // The plan stays on the screen, to be tried again.
        result = { outcome: 'failed', problem: toCompactionProblem(error) };
        set(session, { problem: result.problem });
      } finally {
        emit(session, {
          type: 'compaction-end',
          ...event,
          outcome: result.outcome,
          tokensAfter: pending.tokensAfter,
          ratio: pending.tokensBefore > 0 ? pending.tokensAfter / pending.tokensBefore : 1,
          durationMs: now() - startedAt,
          usage: null,
          cost: null,
          problem: result.outcome === 'failed' ? result.problem : pending.problem,
          at: now(),
        });
      }
      return result;
    },

    cancel: (id) => {
      const session = sessionOf(id);
      session.control?.abort(new DOMException('Cancelled', 'AbortError'));
      if (session.state.get().pending) settle(session, false);
    },

    undo: async (id, compaction) => {
      await needed(id);
      sessionOf(id).futile = 0;
      await documents.change(id, { compactions: { [compaction]: { undone: true } } });
    },
    redo: async (id, compaction) => {
      await needed(id);
      await documents.change(id, { compactions: { [compaction]: { undone: false } } });
    },
    rewrite: async (id, compaction, summary) => {
      await needed(id);
      await documents.change(id, { compactions: { [compaction]: { summary } } });
    },
    again: async (id, compaction, guidance) => {
      const made = (await needed(id)).compactions.get(compaction);
      return await compact(
        id,
        { guidance, ...(made ? { strategy: made.wanted ?? made.strategy } : {}) },
        made ? { replaces: made.id } : {},
      );
    },

    next: async (id, draft) => {
      await meters.ready;
      const model = deps.model();
      const conversation = id === null ? undefined : await documents.read(id);
      if (id !== null && !conversation) return null;
      const built = standing(conversation, model);
      // What is typed costs what it costs: the rest need not be made anew for every letter.
      const typed = draft.length > 0 ? meters.of(model).parts(draft) + MESSAGE_OVERHEAD : 0;
      const { request } = built.prompt.ledger;
      const { tokens } = request;
      const ledger: RequestLedger =
        typed === 0
          ? request
          : {
              ...request,
              tokens: { ...tokens, messages: tokens.messages + typed, total: tokens.total + typed },
              overflow: request.overflow || tokens.total + typed > request.limit,
            };
      return {
        gauge: gaugeOf(ledger, built.budget, model ? (deps.priceOf?.(model) ?? null) : null),
        ledger,
        model: model?.id ?? null,
      };
    },

    ledger: async (id, answer) => {
      const message = (await needed(id)).messages.get(answer);
      return requestLedgerSchema.safeParse(message?.ledger).data ?? null;
    },

    ...createCheckpointDesk({ documents, config, now }),

    close: async () => {
      closing.abort(new DOMException('Closing', 'AbortError'));
      upkeep.close();
      for (const session of sessions.values()) if (session.state.get().pending) settle(session, false);
      await Promise.all([...sessions.values()].map((session) => session.line));
    },
  };

  return { ...control, ...turns };
}

/** Relevance as memory sees it: what of the conversation it would bring back for the question. */
export const relevanceBy =
  (memory: Pick<Memory, 'recall'>): NonNullable<ContextDependencies['relevance']> =>
  async (id, question, signal) => {
    const found = await memory.recall({
      text: question.slice(0, 4000),
      limit: 50,
      withContext: false,
      filter: { conversationIds: [id] },
      signal: AbortSignal.any([signal, AbortSignal.timeout(RELEVANCE_PATIENCE_MS)]),
    });
    const relevance = new Map<MessageId, number>();
    for (const { messageId, scores } of [...found.passages, ...found.nearMisses]) {
      const message = messageId as MessageId;
      relevance.set(message, Math.max(relevance.get(message) ?? 0, scores.final));
    }
    return relevance;
  };

/** A conversation that has not begun. */
const EMPTY: Conversation = {
  id: '' as ConversationId,
  meta: { systemPrompt: null } as Conversation['meta'],
  messages: new Map(),
  checkpoints: new Map(),
  compactions: new Map(),
};

const without = (
  compactions: ReadonlyMap<string, Compaction>,
  id: string,
): ReadonlyMap<string, Compaction> => {
  const others = new Map(compactions);
  others.delete(id);
  return others;
};

/** Lets the page have its turn. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

function added(calls: readonly Usage[]): Usage {
  const sum: Record<string, number> = {};
  for (const usage of calls)
    for (const [key, value] of Object.entries(usage))
      if (typeof value === 'number') sum[key] = (sum[key] ?? 0) + value;
  return sum;
}

/** The plan stretch by stretch, as a person ticks it. */
function blocksOf(plan: CompactionPlan, path: readonly Message[]): PlanBlock[] {
  const at = new Map<string, number>(path.map((message, index) => [message.id, index]));
  return plan.runs.flatMap((run): PlanBlock[] => {
    const [from, to] = [at.get(run.from), at.get(run.to)];
    if (from === undefined || to === undefined) return [];
    const messages = path.slice(from, to + 1);
    // A stretch is ticked turn by turn: each question with what answers it.
    const turns: Message[][] = [];
    for (const message of messages) {
      const turn = turns.at(-1);
      if (!turn || (message.role === 'user' && message.kind === 'message')) turns.push([message]);
      else turn.push(message);
    }
    return turns.map((turn) => ({
      id: (turn[0] as Message).id,
      ids: turn.map((message) => message.id),
      role: (turn[0] as Message).role,
      firstLine: firstLineOf(turn[0] as Message),
      tokens: Math.round((run.tokens * turn.length) / messages.length),
      state: run.action,
      why: run.why,
    }));
  });
}

/** Tokens of a request with what was left out for want of room: this grows on where the request itself cannot. */
const wantedOf = ({ total, prompt }: { readonly total: number; readonly prompt: BuiltPrompt }): number =>
  prompt.ledger.request.lines.reduce(
    (sum, line) => (line.form === 'out' && line.why === 'window' ? sum + line.tokens : sum),
    total,
  );

const toCompactionProblem = (error: unknown): Problem => {
  const problem = toProblem(error);
  return problem.code === 'unexpected'
    ? { ...problem, code: 'compaction-failed', params: { detail: problem.message } }
    : problem;
};
