// Carries compactions out: automatic ones for a step, those a person asks for, plans that wait, and taking them back. Every attempt has one
// begin and one end, and one that fails leaves everything as it was.
import { v7 } from 'uuid';
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { unlessAborted } from '../../domain/base/within.ts';
import type { Compaction, CompactionReason } from '../../domain/chat/compaction.ts';
import { type Conversation, effectiveHead } from '../../domain/chat/conversation.ts';
import { summaryTextOf } from '../../domain/context/compaction/plan.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import type { CompactOptions, CompactResult, ContextControl, PendingPlan } from './context.ts';
import {
  type Bill,
  billed,
  blocksOf,
  type CompactionAttempt,
  madeBy,
  type Planned,
  type Planning,
} from './planning.ts';
import type { Session, Sessions } from './sessions.ts';
import type { StepRequest } from './turn-context.ts';

interface CompactingDependencies {
  readonly documents: Pick<Documents, 'change'>;
  /** Throws `conversation-missing`. */
  readonly needed: (id: ConversationId) => Promise<Conversation>;
  readonly sessions: Sessions;
  readonly planning: Planning;
  readonly config: Readable<Config>;
  readonly model: (conversation: Conversation) => ChatModel | null;
  readonly tools: (conversation: ConversationId) => readonly ToolDescription[];
  /** ms since 1970 */
  readonly now: () => number;
  /** What is known of models is there. */
  readonly ready: () => Promise<void>;
  readonly closing: AbortSignal;
}

interface Compacting
  extends Pick<
    ContextControl,
    'compact' | 'adjust' | 'apply' | 'cancel' | 'undo' | 'redo' | 'rewrite' | 'again'
  > {
  /** Compacts for a step; asks first where the person wants to be asked. True where something is in force now that was not before. */
  forStep(request: StepRequest, reason: CompactionReason, force: boolean): Promise<boolean>;
}

export function createCompacting({
  documents,
  needed,
  sessions,
  planning,
  config,
  now,
  closing,
  ...deps
}: CompactingDependencies): Compacting {
  /** Null once it is durable; the problem where it is in force and waits in line for the disk. Throws where it is not even in force. */
  async function store(
    id: ConversationId,
    compaction: Compaction,
    replaces: string | undefined,
  ): Promise<Problem | null> {
    try {
      await documents.change(id, {
        compactions: {
          [compaction.id]: compaction,
          ...(replaces ? { [replaces]: { undone: true } } : {}),
        },
      });
      return null;
    } catch (error) {
      const conversation = await orElse(needed(id), null, 'a look whether a compaction was kept');
      if (!conversation?.compactions.has(compaction.id)) throw error;
      return toProblem(error);
    }
  }

  const applied = (compaction: Compaction, unsaved: Problem | null): CompactResult => ({
    outcome: 'applied',
    compaction,
    ...(unsaved ? { unsaved } : {}),
  });

  /**
   * One attempt, from its begin to its end. Throws nothing; only a stopped turn's AbortError. `onPreview` is called before the plan can be seen,
   * and so before anybody can decide.
   */
  async function runAttempt(
    id: ConversationId,
    session: Session,
    attempt: CompactionAttempt,
    signal: AbortSignal,
    conversation?: Conversation,
    onPreview: () => void = () => undefined,
  ): Promise<CompactResult> {
    const run = v7();
    const startedAt = now();
    const control = new AbortController();
    session.control = control;
    const own = AbortSignal.any([signal, control.signal, closing]);
    const bill: Bill = [];
    let planned: Planned | null = null;
    let result: CompactResult = { outcome: 'cancelled' };
    let begun = false;
    let before = 0;
    try {
      const sight = planning.snapshot(conversation ?? (await needed(id)), attempt);
      before = sight.built.total;
      begun = true;
      sessions.set(session, {
        running: { id: run, reason: attempt.reason, strategy: attempt.strategy, startedAt },
      });
      sessions.emit(session, {
        type: 'compaction-begin',
        id: run,
        conversationId: id,
        reason: attempt.reason,
        strategy: attempt.strategy,
        tokensBefore: before,
        at: startedAt,
      });
      planned = await planning.plan(id, sight, attempt, own, bill);
      own.throwIfAborted();
      const compaction = planned.settled ? null : planning.record(attempt, planned, bill, now() - startedAt);
      if (!compaction) result = { outcome: 'nothing' };
      else if (attempt.preview) {
        const pending = pendingOf(run, attempt, planned);
        session.pendingPlan = { attempt, planned, asked: attempt, bill, reportedCalls: bill.length };
        onPreview();
        sessions.set(session, { pending });
        result = { outcome: 'preview', pending };
      } else {
        result = applied(compaction, await store(id, compaction, attempt.replaces));
      }
    } catch (error) {
      result = isAbort(error)
        ? { outcome: 'cancelled' }
        : { outcome: 'failed', problem: toCompactionProblem(error) };
    } finally {
      session.control = null;
      const failure = problemOf(result);
      sessions.set(session, {
        running: null,
        problem:
          failure ??
          planned?.problem ??
          (result.outcome === 'cancelled' ? session.state.get().problem : null),
      });
      if (begun)
        sessions.emit(session, {
          type: 'compaction-end',
          id: run,
          conversationId: id,
          reason: attempt.reason,
          strategy: planned ? madeBy(planned.plan) : attempt.strategy,
          outcome: result.outcome,
          ...sizesOf(result.outcome, before, planned?.plan),
          durationMs: now() - startedAt,
          ...spentIn(bill),
          problem: failure ?? planned?.problem ?? null,
          at: now(),
        });
    }
    if (result.outcome === 'cancelled') signal.throwIfAborted();
    return result;
  }

  /** Takes the waiting plan away without carrying it out. What making it again cost is told: its preview did not know. */
  function dismiss(id: ConversationId, session: Session): void {
    const { pending } = session.state.get();
    const { pendingPlan: waiting } = session;
    sessions.settle(session, false);
    if (!pending || !waiting || waiting.bill.length === waiting.reportedCalls) return;
    const event = eventOf(id, pending);
    sessions.emit(session, { type: 'compaction-begin', ...event, at: now() });
    sessions.emit(session, {
      type: 'compaction-end',
      ...event,
      outcome: 'cancelled',
      ...sizesOf('cancelled', pending.tokensBefore),
      durationMs: 0,
      ...spentIn(waiting.bill),
      problem: null,
      at: now(),
    });
  }

  const eventOf = (conversationId: ConversationId, { reason, plan, tokensBefore }: PendingPlan) => ({
    id: v7(),
    conversationId,
    reason,
    strategy: madeBy(plan),
    tokensBefore,
  });

  function pendingOf(run: string, attempt: CompactionAttempt, planned: Planned): PendingPlan {
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

  const attemptOfStep = (request: StepRequest, reason: CompactionReason): CompactionAttempt => ({
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

  /** Compacts for a step; asks first where the person wants to be asked. True where something is in force now that was not before. */
  async function forStep(request: StepRequest, reason: CompactionReason, force: boolean): Promise<boolean> {
    const session = sessions.of(request.id);
    return await sessions.enqueue(
      session,
      async () => {
        request.onStatus('compacting');
        const { confirm, strategy } = config.get().context;
        const preview = confirm || strategy === 'interactive';
        const attempt: CompactionAttempt = {
          ...attemptOfStep(request, reason),
          force,
          preview,
          blocking: preview,
        };
        let decision = Promise.resolve(false);
        const result = await runAttempt(
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
          dismiss(request.id, session);
          throw error;
        }
      },
      request.signal,
    );
  }

  async function compact(
    id: ConversationId,
    options: CompactOptions,
    more: Partial<CompactionAttempt>,
  ): Promise<CompactResult> {
    await deps.ready();
    const session = sessions.of(id);
    const conversation = await needed(id);
    const guidance = options.guidance?.trim() ?? '';
    const { context } = config.get();
    const strategy = options.strategy ?? context.strategy;
    if (session.state.get().pending) dismiss(id, session);
    return await sessions.enqueue(session, () =>
      runAttempt(
        id,
        session,
        {
          reason: guidance === '' ? 'manual' : 'manual-with-prompt',
          strategy,
          guidance,
          leaf: effectiveHead(conversation),
          model: deps.model(conversation),
          tools: deps.tools(conversation.id),
          recall: null,
          preview: options.preview ?? (context.confirm || strategy === 'interactive'),
          blocking: false,
          ...more,
        },
        closing,
      ),
    );
  }

  return {
    forStep,
    compact: (id, options = {}) => compact(id, options, {}),

    adjust: async (id, change) => {
      const session = sessions.of(id);
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
      // What is shown stays what would be carried out until the new plan is there.
      session.pendingPlan = { ...before, asked: attempt };
      sessions.set(session, { pending: { ...pending, busy: true } });
      session.control?.abort(new DOMException('Asked again', 'AbortError'));
      const control = new AbortController();
      session.control = control;
      try {
        await deps.ready();
        const planned = await planning.plan(
          id,
          planning.snapshot(await needed(id), attempt),
          attempt,
          AbortSignal.any([control.signal, closing]),
          before.bill,
        );
        if (session.control !== control || session.state.get().pending?.id !== pending.id) return;
        session.pendingPlan = { ...before, attempt, planned, asked: attempt };
        sessions.set(session, { pending: pendingOf(pending.id, attempt, planned) });
      } catch (error) {
        if (isAbort(error) || session.state.get().pending?.id !== pending.id) return;
        sessions.set(session, { pending: { ...pending, busy: false, problem: toCompactionProblem(error) } });
      } finally {
        if (session.control === control) session.control = null;
      }
    },

    apply: async (id, summary) => {
      const session = sessions.of(id);
      const { pending } = session.state.get();
      const { pendingPlan: waiting } = session;
      if (!pending || !waiting) return { outcome: 'nothing' };
      const { attempt, planned, bill } = waiting;
      const startedAt = now();
      const event = eventOf(id, pending);
      sessions.emit(session, { type: 'compaction-begin', ...event, at: startedAt });
      let result: CompactResult = { outcome: 'nothing' };
      try {
        const compaction = planning.record(attempt, planned, bill, now() - startedAt, summary);
        if (compaction) {
          result = applied(compaction, await store(id, compaction, attempt.replaces));
          const unsaved = problemOf(result);
          if (unsaved) sessions.set(session, { problem: unsaved });
        }
        // Another plan that was being made would be paid for and never seen.
        session.control?.abort(new DOMException('Applied', 'AbortError'));
        sessions.settle(session, result.outcome === 'applied');
      } catch (error) {
        // The plan stays on the screen, to be tried again.
        result = { outcome: 'failed', problem: toCompactionProblem(error) };
        sessions.set(session, { problem: result.problem });
      } finally {
        sessions.emit(session, {
          type: 'compaction-end',
          ...event,
          outcome: result.outcome,
          ...sizesOf(result.outcome, pending.tokensBefore, pending),
          durationMs: now() - startedAt,
          ...spentIn(bill),
          problem: problemOf(result) ?? pending.problem,
          at: now(),
        });
      }
      return result;
    },

    cancel: (id) => {
      const session = sessions.of(id);
      session.control?.abort(new DOMException('Cancelled', 'AbortError'));
      if (session.state.get().pending) dismiss(id, session);
    },

    undo: async (id, compaction) => {
      await needed(id);
      const session = sessions.of(id);
      session.futile = 0;
      // What was missed is sent again as it is: nothing has to be brought back.
      sessions.set(session, { loss: null });
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
  };
}

/** Choices of blocks add up; the last word on a message counts. */
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

/** Why an attempt failed, or why what is in force is not on the disk yet. */
const problemOf = (result: CompactResult): Problem | null =>
  result.outcome === 'failed'
    ? result.problem
    : result.outcome === 'applied'
      ? (result.unsaved ?? null)
      : null;

/** What an attempt made of the prompt: a plan's figures hold where it is carried out or shown, otherwise nothing has changed. */
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
  const { usage, cost } = billed(bill);
  return { usage, cost };
};

const toCompactionProblem = (error: unknown): Problem => {
  const problem = toProblem(error);
  return problem.code === 'unexpected'
    ? { ...problem, code: 'compaction-failed', params: { detail: problem.message } }
    : problem;
};
