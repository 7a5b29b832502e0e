// Runs compactions: automatic ones for a step, those a person asks for, pending plans, and undoing. Every attempt has
// one begin and one end event, and a failed one changes nothing.
import { v7 } from 'uuid';
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { unlessAborted } from '../../domain/base/time-limit.ts';
import {
  type Conversation,
  type ConversationMeta,
  effectiveHead,
  haveSameWords,
  pathTo,
} from '../../domain/chat/conversation.ts';
import { linesOf, savedFiles } from '../../domain/chat/memory-file.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { Compaction, CompactionReason } from '../../domain/chat/records.ts';
import { boundaryOf, planOf, summaryTextOf } from '../../domain/context/compaction/plan.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { CompactOptions, CompactResult, ContextControl, PendingPlan } from './context.ts';
import type { MemoryFiles } from './memory-files.ts';
import {
  type Bill,
  blocksOf,
  type CompactionAttempt,
  costOfBill,
  type Planned,
  type Planning,
  strategyThatPlanned,
} from './planning.ts';
import type { ContextSession, Sessions } from './sessions.ts';
import type { StepRequest } from './turn-context.ts';

interface CompactingDependencies {
  readonly documents: Pick<Documents, 'change'>;
  /** Throws `conversation-missing`. */
  readonly needed: (id: ConversationId) => Promise<Conversation>;
  readonly sessions: Sessions;
  readonly planning: Planning;
  readonly files: Pick<MemoryFiles, 'change' | 'cleared'>;
  readonly config: Readable<Config>;
  readonly model: (conversation: Conversation) => ChatModel | null;
  readonly tools: (conversation: ConversationId) => readonly ToolDescription[];
  /** ms since 1970 */
  readonly now: () => number;
  /** Resolves when the data on models is loaded. */
  readonly ready: () => Promise<void>;
  readonly closing: AbortSignal;
}

interface Compacting
  extends Pick<
    ContextControl,
    'compact' | 'adjust' | 'apply' | 'cancel' | 'undo' | 'redo' | 'rewrite' | 'again'
  > {
  /** Compacts for a step; asks the person first if they want that. True if a new compaction is in force. */
  forStep(request: StepRequest, reason: CompactionReason, force: boolean): Promise<boolean>;
}

/**
 * Makes the part of the context service that runs compactions. Attempts of one conversation run one after another; a
 * failed attempt changes nothing and ends in an event with its problem.
 */
export function createCompacting(deps: CompactingDependencies): Compacting {
  return new CompactionService(deps);
}

class CompactionService implements Compacting {
  readonly #deps: CompactingDependencies;

  constructor(deps: CompactingDependencies) {
    this.#deps = deps;
  }

  readonly compact: Compacting['compact'] = (id, options = {}) => this.#compact(id, options, {});

  readonly adjust: Compacting['adjust'] = async (id, change) => {
    const session = this.#deps.sessions.of(id);
    const { pending } = session.state.get();
    const before = session.pendingPlan;
    if (!pending || !before) return;
    const { keep: _keep, compact: _compact, ...rest } = before.asked;
    const attempt: CompactionAttempt = {
      ...rest,
      ...chosen(before.asked, change),
      ...(change.guidance === undefined
        ? {}
        : {
            guidance: change.guidance.trim(),
            ...(before.asked.reason === 'manual' && change.guidance.trim() !== ''
              ? { reason: 'manual-with-prompt' as const }
              : {}),
          }),
      ...(change.strategy ? { strategy: change.strategy } : {}),
    };
    // Until the new plan is there, applying uses the one on the screen.
    session.pendingPlan = { ...before, asked: attempt };
    this.#deps.sessions.set(session, { pending: { ...pending, busy: true } });
    session.control?.abort(new DOMException('Asked again', 'AbortError'));
    const control = new AbortController();
    session.control = control;
    try {
      await this.#deps.ready();
      const planned = await this.#deps.planning.plan(
        id,
        this.#deps.planning.snapshot(await this.#deps.needed(id), attempt),
        attempt,
        AbortSignal.any([control.signal, this.#deps.closing]),
        before.bill,
      );
      if (session.control !== control || session.state.get().pending?.id !== pending.id) return;
      session.pendingPlan = { ...before, attempt, planned, asked: attempt };
      this.#deps.sessions.set(session, { pending: this.#pendingOf(pending.id, attempt, planned) });
    } catch (error) {
      if (isAbort(error) || session.state.get().pending?.id !== pending.id) return;
      this.#deps.sessions.set(session, {
        pending: { ...pending, busy: false, problem: toCompactionProblem(error) },
      });
    } finally {
      if (session.control === control) session.control = null;
    }
  };

  readonly apply: Compacting['apply'] = async (id, summary) => {
    const session = this.#deps.sessions.of(id);
    const { pending } = session.state.get();
    const { pendingPlan: waiting } = session;
    if (!pending || !waiting) return { outcome: 'nothing' };
    const { attempt, planned, bill } = waiting;
    const startedAt = this.#deps.now();
    const event = this.#eventOf(id, pending);
    this.#deps.sessions.emit(session, { type: 'compaction-begin', ...event, at: startedAt });
    let result: CompactResult = { outcome: 'nothing' };
    try {
      const compaction = this.#deps.planning.record(
        attempt,
        planned,
        bill,
        Math.max(0, this.#deps.now() - startedAt),
        summary,
      );
      if (compaction) {
        result = this.#applied(compaction, await this.#store(id, compaction, planned.read, attempt.replaces));
        const unsaved = problemOf(result);
        if (unsaved) this.#deps.sessions.set(session, { problem: unsaved });
      }
      // A second plan in the making would cost money and never be shown.
      session.control?.abort(new DOMException('Applied', 'AbortError'));
      this.#deps.sessions.settle(session, result.outcome === 'applied');
    } catch (error) {
      // The plan stays on the screen for another attempt.
      result = { outcome: 'failed', problem: toCompactionProblem(error) };
      this.#deps.sessions.set(session, { problem: result.problem });
    } finally {
      this.#deps.sessions.emit(session, {
        type: 'compaction-end',
        ...event,
        outcome: result.outcome,
        ...sizesOf(result.outcome, pending.tokensBefore, pending),
        durationMs: Math.max(0, this.#deps.now() - startedAt),
        summary: result.outcome === 'applied' ? (summary ?? summaryTextOf(planned.plan)) : null,
        ...spentIn(bill),
        problem: problemOf(result) ?? pending.problem,
        at: this.#deps.now(),
      });
    }
    return result;
  };

  readonly cancel: Compacting['cancel'] = (id) => {
    const session = this.#deps.sessions.of(id);
    session.control?.abort(new DOMException('Cancelled', 'AbortError'));
    if (session.state.get().pending) this.#dismiss(id, session);
  };

  readonly undo: Compacting['undo'] = async (id, compaction) => {
    await this.#deps.needed(id);
    const session = this.#deps.sessions.of(id);
    session.futile = 0;
    // The missed messages are sent whole again, so nothing has to be brought back.
    this.#deps.sessions.set(session, { loss: null });
    await this.#deps.documents.change(id, { compactions: { [compaction]: { undone: true } } });
  };

  readonly redo: Compacting['redo'] = async (id, compaction) => {
    await this.#deps.needed(id);
    await this.#deps.documents.change(id, { compactions: { [compaction]: { undone: false } } });
  };

  readonly rewrite: Compacting['rewrite'] = async (id, compaction, summary) => {
    const conversation = await this.#deps.needed(id);
    const made = conversation.compactions.get(compaction);
    const meta = made ? await this.#wordedOf(conversation, made, summary) : {};
    await this.#deps.documents.change(id, { meta, compactions: { [compaction]: { summary } } });
  };

  /** Saves a person's wording of a summary as their session memory; `text` null removes it. */
  async #wordedOf(
    conversation: Conversation,
    made: Compaction,
    text: string | null,
  ): Promise<Partial<ConversationMeta>> {
    const plan = planOf(made);
    const { current } = savedFiles(conversation);
    if (!plan || (text === null && !current)) return {};
    // Keeps the words that the person wrote before the compaction was made.
    const before = plan.summaries.find(({ edited }) => edited === true)?.text ?? null;
    if (text === null && before === null) return await this.#deps.files.cleared(conversation);
    const shown = linesOf(summaryTextOf(plan), current?.lines, 'rules');
    return await this.#deps.files.change(conversation, pathTo(conversation.messages, made.at), {
      shown,
      lines: linesOf(text ?? before ?? '', shown),
      upTo: boundaryOf(plan),
    });
  }

  readonly again: Compacting['again'] = async (id, compaction, guidance) => {
    const made = (await this.#deps.needed(id)).compactions.get(compaction);
    return await this.#compact(
      id,
      { guidance, ...(made ? { strategy: made.wanted ?? made.strategy } : {}) },
      made ? { replaces: made.id } : {},
    );
  };

  /** Compacts for a step; asks the person first if they want that. True if a new compaction is in force. */
  async forStep(request: StepRequest, reason: CompactionReason, force: boolean): Promise<boolean> {
    const session = this.#deps.sessions.of(request.id);
    return await this.#deps.sessions.enqueue(
      session,
      async () => {
        request.onStatus('compacting');
        const { confirm, strategy } = this.#deps.config.get().context;
        const preview = confirm || strategy === 'interactive';
        const attempt: CompactionAttempt = {
          ...this.#attemptOfStep(request, reason),
          force,
          preview,
          blocking: preview,
        };
        let decision = Promise.resolve(false);
        const result = await this.#runAttempt(
          request.id,
          session,
          attempt,
          request.signal,
          request.conversation(),
          () => {
            decision = new Promise((resolve) => {
              session.decided = resolve;
            });
          },
        );
        if (result.outcome === 'applied') return true;
        if (result.outcome !== 'preview') return false;
        request.onStatus('confirming');
        try {
          return await unlessAborted(decision, request.signal);
        } catch (error) {
          this.#dismiss(request.id, session);
          throw error;
        }
      },
      request.signal,
    );
  }

  /**
   * Null once it is durable; the problem if it is in force but waits for the disk. Throws if it is not even in force:
   * also `message-missing`, if its source (`read`) was deleted or forgotten meanwhile.
   */
  async #store(
    id: ConversationId,
    compaction: Compaction,
    read: readonly Message[],
    replaces: string | undefined,
  ): Promise<Problem | null> {
    const conversation = await this.#deps.needed(id);
    if (!haveSameWords(read, conversation))
      throw new RecollectError(
        'message-missing',
        'A message that the summary tells of is not there any more',
      );
    try {
      const { summary } = compaction;
      const meta =
        typeof summary === 'string' ? await this.#wordedOf(conversation, compaction, summary) : undefined;
      await this.#deps.documents.change(id, {
        ...(meta ? { meta } : {}),
        compactions: {
          [compaction.id]: compaction,
          ...(replaces ? { [replaces]: { undone: true } } : {}),
        },
      });
      return null;
    } catch (error) {
      const conversation = await orElse(
        this.#deps.needed(id),
        null,
        'the check whether a compaction is in force',
      );
      if (!conversation?.compactions.has(compaction.id)) throw error;
      return toProblem(error);
    }
  }

  #applied(compaction: Compaction, unsaved: Problem | null): CompactResult {
    return {
      outcome: 'applied',
      compaction,
      ...(unsaved ? { unsaved } : {}),
    };
  }

  /**
   * Runs one attempt, from its begin to its end. Throws only the AbortError of a stopped turn. `onPreview` is called
   * before the plan can be seen, and so before the person can decide.
   */
  async #runAttempt(
    id: ConversationId,
    session: ContextSession,
    attempt: CompactionAttempt,
    signal: AbortSignal,
    conversation?: Conversation,
    onPreview: () => void = () => undefined,
  ): Promise<CompactResult> {
    const run = v7();
    const startedAt = this.#deps.now();
    const control = new AbortController();
    session.control = control;
    const own = AbortSignal.any([signal, control.signal, this.#deps.closing]);
    const bill: Bill = [];
    let planned: Planned | null = null;
    let result: CompactResult = { outcome: 'cancelled' };
    let begun = false;
    let before = 0;
    try {
      const sight = this.#deps.planning.snapshot(conversation ?? (await this.#deps.needed(id)), attempt);
      before = sight.built.total;
      begun = true;
      this.#deps.sessions.set(session, {
        running: { id: run, reason: attempt.reason, strategy: attempt.strategy, startedAt },
      });
      this.#deps.sessions.emit(session, {
        type: 'compaction-begin',
        id: run,
        conversationId: id,
        reason: attempt.reason,
        strategy: attempt.strategy,
        tokensBefore: before,
        at: startedAt,
      });
      planned = await this.#deps.planning.plan(id, sight, attempt, own, bill);
      own.throwIfAborted();
      const compaction = planned.settled
        ? null
        : this.#deps.planning.record(attempt, planned, bill, Math.max(0, this.#deps.now() - startedAt));
      if (!compaction) result = { outcome: 'nothing' };
      else if (attempt.preview) {
        const pending = this.#pendingOf(run, attempt, planned);
        session.pendingPlan = { attempt, planned, asked: attempt, bill, reportedCalls: bill.length };
        onPreview();
        this.#deps.sessions.set(session, { pending });
        result = { outcome: 'preview', pending };
      } else {
        result = this.#applied(compaction, await this.#store(id, compaction, planned.read, attempt.replaces));
      }
    } catch (error) {
      result = isAbort(error)
        ? { outcome: 'cancelled' }
        : { outcome: 'failed', problem: toCompactionProblem(error) };
    } finally {
      session.control = null;
      const failure = problemOf(result);
      this.#deps.sessions.set(session, {
        running: null,
        problem:
          failure ??
          planned?.problem ??
          (result.outcome === 'cancelled' ? session.state.get().problem : null),
      });
      if (begun)
        this.#deps.sessions.emit(session, {
          type: 'compaction-end',
          id: run,
          conversationId: id,
          reason: attempt.reason,
          strategy: planned ? strategyThatPlanned(planned.plan) : attempt.strategy,
          outcome: result.outcome,
          ...sizesOf(result.outcome, before, planned?.plan),
          durationMs: Math.max(0, this.#deps.now() - startedAt),
          summary: planned && result.outcome === 'applied' ? summaryTextOf(planned.plan) : null,
          ...spentIn(bill),
          problem: failure ?? planned?.problem ?? null,
          at: this.#deps.now(),
        });
    }
    if (result.outcome === 'cancelled') signal.throwIfAborted();
    return result;
  }

  /** Dismisses the pending plan. Reports the cost of remaking it, which its preview did not include. */
  #dismiss(id: ConversationId, session: ContextSession): void {
    const { pending } = session.state.get();
    const { pendingPlan: waiting } = session;
    this.#deps.sessions.settle(session, false);
    if (!pending || !waiting || waiting.bill.length === waiting.reportedCalls) return;
    const event = this.#eventOf(id, pending);
    this.#deps.sessions.emit(session, { type: 'compaction-begin', ...event, at: this.#deps.now() });
    this.#deps.sessions.emit(session, {
      type: 'compaction-end',
      ...event,
      outcome: 'cancelled',
      ...sizesOf('cancelled', pending.tokensBefore),
      durationMs: 0,
      summary: null,
      ...spentIn(waiting.bill),
      problem: null,
      at: this.#deps.now(),
    });
  }

  #eventOf(conversationId: ConversationId, { reason, plan, tokensBefore }: PendingPlan) {
    return {
      id: v7(),
      conversationId,
      reason,
      strategy: strategyThatPlanned(plan),
      tokensBefore,
    };
  }

  #pendingOf(run: string, attempt: CompactionAttempt, planned: Planned): PendingPlan {
    const { plan, problem } = planned;
    return {
      id: run,
      reason: attempt.reason,
      strategy: plan.strategy,
      guidance: attempt.guidance,
      blocking: attempt.blocking,
      plan,
      blocks: blocksOf(planned),
      summary: summaryTextOf(plan),
      tokensBefore: plan.tokensBefore,
      tokensAfter: plan.tokensAfter,
      busy: false,
      problem,
    };
  }

  #attemptOfStep(request: StepRequest, reason: CompactionReason): CompactionAttempt {
    return {
      reason,
      strategy: this.#deps.config.get().context.strategy,
      guidance: '',
      leaf: request.leaf,
      model: request.model,
      tools: request.tools,
      recall: request.recall,
      preview: false,
      blocking: false,
    };
  }

  async #compact(
    id: ConversationId,
    options: CompactOptions,
    more: Partial<CompactionAttempt>,
  ): Promise<CompactResult> {
    await this.#deps.ready();
    const session = this.#deps.sessions.of(id);
    const conversation = await this.#deps.needed(id);
    const guidance = options.guidance?.trim() ?? '';
    const { context } = this.#deps.config.get();
    const strategy = options.strategy ?? context.strategy;
    if (session.state.get().pending) this.#dismiss(id, session);
    return await this.#deps.sessions.enqueue(session, () =>
      this.#runAttempt(
        id,
        session,
        {
          reason: guidance === '' ? 'manual' : 'manual-with-prompt',
          strategy,
          guidance,
          leaf: effectiveHead(conversation),
          model: this.#deps.model(conversation),
          tools: this.#deps.tools(conversation.id),
          recall: null,
          preview: options.preview ?? (context.confirm || strategy === 'interactive'),
          blocking: false,
          ...more,
        },
        this.#deps.closing,
      ),
    );
  }
}

/** Choices of blocks add up; the last one for a message counts. */
function chosen(
  before: Pick<CompactionAttempt, 'keep' | 'compact'>,
  change: Pick<CompactionAttempt, 'keep' | 'compact'>,
): Pick<CompactionAttempt, 'keep' | 'compact'> {
  const { keep = [], compact = [] } = change;
  const but = (ids: readonly MessageId[] = [], removed: readonly MessageId[]) =>
    ids.filter((id) => !removed.includes(id));
  const next = {
    keep: [...new Set([...but(before.keep, compact), ...keep])],
    compact: [...new Set([...but(before.compact, keep), ...compact])],
  };
  return {
    ...(next.keep.length > 0 ? { keep: next.keep } : {}),
    ...(next.compact.length > 0 ? { compact: next.compact } : {}),
  };
}

/** Problem because of which an attempt failed, or is not on the disk yet. */
const problemOf = (result: CompactResult): Problem | null =>
  result.outcome === 'failed'
    ? result.problem
    : result.outcome === 'applied'
      ? (result.unsaved ?? null)
      : null;

/** Sizes of the prompt after an attempt: the plan's if it was carried out or shown, otherwise unchanged. */
function sizesOf(
  outcome: CompactResult['outcome'],
  before: number,
  plan?: Pick<PendingPlan, 'tokensBefore' | 'tokensAfter'>,
) {
  if (!plan || (outcome !== 'applied' && outcome !== 'preview'))
    return { tokensBefore: before, tokensAfter: before, ratio: 1 };
  const { tokensBefore, tokensAfter } = plan;
  return { tokensBefore, tokensAfter, ratio: tokensBefore > 0 ? tokensAfter / tokensBefore : 1 };
}

const spentIn = (bill: Bill) => {
  const { usage, cost } = costOfBill(bill);
  return { usage, cost };
};

const toCompactionProblem = (error: unknown): Problem => {
  const problem = toProblem(error);
  return problem.code === 'unexpected'
    ? { ...problem, code: 'compaction-failed', params: { detail: problem.message } }
    : problem;
};
