// Makes a plan for a branch, and the plan's stored record. Asks model and index if the
// strategy wants them; carries nothing out.
import { v7 } from 'uuid';
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import { loadPart } from '../../domain/base/part.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { firstLineOf } from '../../domain/chat/checkpoint.ts';
import { type Conversation, pathTo } from '../../domain/chat/conversation.ts';
import { keptIn } from '../../domain/chat/kept.ts';
import { memoryFileOn } from '../../domain/chat/memory-file.ts';
import type { Message, PartOf, Usage } from '../../domain/chat/message.ts';
import type { Compaction, CompactionReason } from '../../domain/chat/records.ts';
import { costOf, type Price } from '../../domain/context/budget.ts';
import { boundaryOf, type CompactionPlan, summaryTextOf } from '../../domain/context/compaction/plan.ts';
import type { CompactionTools } from '../../domain/context/compaction/strategy.ts';
import { MESSAGE_OVERHEAD, type TokenMeter } from '../../domain/context/meter.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Recognising } from '../memory/recognising.ts';
import type { PlanBlock } from './context.ts';
import { heldOn } from './holding.ts';
import { type MeaningSource, withTimeout } from './meaning.ts';
import type { Meters } from './meters.ts';
import type { Built, Requests } from './requests.ts';
import type { SessionMemoryJob } from './session-memory-job.ts';
import { summariseWith } from './summarise.ts';

/** One attempt to compact. */
export interface CompactionAttempt {
  readonly reason: CompactionReason;
  readonly strategy: string;
  readonly guidance: string;
  readonly leaf: MessageId | null;
  readonly model: ChatModel | null;
  readonly tools: readonly ToolDescription[];
  readonly recall: PartOf<'recall'> | null;
  readonly keep?: readonly MessageId[];
  readonly compact?: readonly MessageId[];
  /** The compaction this one takes the place of. */
  readonly replaces?: string;
  /** The request is too large, whatever window the settings assume. */
  readonly force?: boolean;
  readonly preview: boolean;
  readonly blocking: boolean;
}

export interface Planned {
  /** The plan equals the compaction already in force. */
  readonly settled: boolean;
  readonly plan: CompactionPlan;
  readonly path: readonly Message[];
  /** The same messages as they lie in the conversation, with private words. */
  readonly read: readonly Message[];
  /** Meter that it was measured with. */
  readonly meter: TokenMeter;
  readonly problem: Problem | null;
}

/** The calls of an attempt that reported their usage, failed ones included; a plan that is made again adds to it. */
export type Bill = { readonly usage: Usage; readonly price: Price | null }[];

/** Problem to show if another strategy took the place of the wanted one. */
const problemOf = ({ strategy: wanted }: CompactionAttempt, made: CompactionPlan): Problem | null =>
  made.fallback
    ? new RecollectError('compaction-fallback', made.fallback.message, {
        params: {
          wanted,
          strategy: strategyThatPlanned(made),
          reason: made.fallback.code,
          detail: made.fallback.message,
        },
      }).problem
    : null;

/** A branch as a compaction finds it. */
interface Sight {
  readonly seen: Conversation;
  readonly path: readonly Message[];
  readonly built: Built;
}

interface PlanningDependencies {
  readonly config: Readable<Config>;
  readonly meters: Meters;
  readonly requests: Requests;
  readonly sessionMemoryJob: SessionMemoryJob;
  /** ms since 1970 */
  readonly now: () => number;
  readonly device: () => string;
  readonly priceOf: (model: ChatModel) => Price | null;
  readonly meaning: MeaningSource;
  /** Recognises what must stay word for word; absent: by the words alone. */
  readonly recognising?: Recognising | undefined;
  /** Longest time for one summary, ms. */
  readonly timeoutMs: number;
}

export interface Planning {
  /** The branch a wish is about, as it is sent now. */
  snapshot(conversation: Conversation, attempt: CompactionAttempt): Sight;
  /** Throws only AbortError and programming errors: a summary that fails is in the plan. Adds the usage to `bill`. */
  plan(
    id: ConversationId,
    sight: Sight,
    attempt: CompactionAttempt,
    signal: AbortSignal,
    bill: Bill,
  ): Promise<Planned>;
  /** Stored form of a plan; null for one that changes nothing. `summary`: the person's wording of it. */
  record(
    attempt: CompactionAttempt,
    planned: Planned,
    bill: Bill,
    durationMs: number,
    summary?: string,
  ): Compaction | null;
}

/**
 * Makes the planner of compactions. It writes nothing to the conversation; the calls that it makes to a
 * model are added to the attempt's bill.
 */
export function createPlanning({
  config,
  meters,
  requests,
  sessionMemoryJob,
  now,
  device,
  timeoutMs,
  ...deps
}: PlanningDependencies): Planning {
  const { build, appliedOn } = requests;
  const bounded = withTimeout(deps.meaning);

  function snapshot(conversation: Conversation, attempt: CompactionAttempt): Sight {
    // A compaction that is made again starts from the state before it.
    const seen: Conversation = attempt.replaces
      ? { ...conversation, compactions: without(conversation.compactions, attempt.replaces) }
      : conversation;
    const path = requests.redaction().path(pathTo(seen.messages, attempt.leaf));
    return { seen, path, built: build(seen, path, attempt) };
  }

  async function plan(
    id: ConversationId,
    { seen, path, built }: Sight,
    attempt: CompactionAttempt,
    signal: AbortSignal,
    bill: Bill,
  ): Promise<Planned> {
    const { context } = config.get();
    const { planCompaction, strategyOf } = await loadPart(
      () => import('../../domain/context/compaction/index.ts'),
    );
    const budget = attempt.force
      ? {
          ...built.budget,
          target: Math.min(built.budget.target, Math.floor(built.total * context.target_ratio)),
        }
      : built.budget;
    const price = attempt.model ? deps.priceOf(attempt.model) : null;
    const tools: CompactionTools = {
      meter: meters.of(attempt.model),
      summarise: attempt.model
        ? summariseWith(attempt.model, {
            timeoutMs,
            signal,
            onUsage: (usage) => bill.push({ usage, price }),
          })
        : null,
      relevance: (question) => bounded.relevance(id, question, signal),
      vectors: (messages) => bounded.vectors(messages, signal),
      signal,
    };
    const previous = appliedOn(seen, path);
    const modelMemory = await sessionMemoryJob.memoryOn(id, path);
    const file = memoryFileOn(seen, path);
    const held = deps.recognising && (await heldOn(path, deps.recognising, budget.window, signal));
    const made = await planCompaction(
      strategyOf(attempt.strategy),
      {
        path,
        system: requests.systemOf(seen),
        previous,
        ...(modelMemory ? { modelMemory } : {}),
        ...(file ? { file } : {}),
        pinned: keptIn(seen),
        held,
        request: {
          reason: attempt.reason,
          ...(attempt.guidance === '' ? {} : { instruction: attempt.guidance }),
          ...(context.summary_prompt.trim() === '' ? {} : { prompt: context.summary_prompt }),
          ...(attempt.keep ? { keep: new Set(attempt.keep) } : {}),
          ...(attempt.compact ? { compact: new Set(attempt.compact) } : {}),
        },
      },
      budget,
      tools,
    );
    return {
      plan: made,
      path,
      read: pathTo(seen.messages, attempt.leaf),
      meter: tools.meter,
      settled: previous !== null && made === previous.plan,
      problem: problemOf(attempt, made),
    };
  }

  const record: Planning['record'] = (attempt, planned, bill, durationMs, summary) => {
    const at = boundaryOf(planned.plan);
    if (at === null) return null;
    const { plan, problem } = planned;
    const { usage, cost, currency } = costOfBill(bill);
    return {
      id: v7(),
      at,
      createdAt: now(),
      strategy: strategyThatPlanned(plan),
      ...(strategyThatPlanned(plan) === attempt.strategy ? {} : { wanted: attempt.strategy }),
      reason: attempt.reason,
      ...(attempt.guidance === '' ? {} : { guidance: attempt.guidance }),
      plan,
      ...(summary === undefined || summary === summaryTextOf(plan) ? {} : { summary }),
      tokensBefore: plan.tokensBefore,
      tokensAfter: plan.tokensAfter,
      durationMs,
      device: device(),
      ...(attempt.model && plan.attempts > 0 ? { model: attempt.model.id } : {}),
      ...(usage ? { usage } : {}),
      ...(cost === null ? {} : { cost, ...(currency === null ? {} : { currency }) }),
      ...(problem ? { problem: { ...problem } } : {}),
      undone: false,
    };
  };

  return { snapshot, plan, record };
}

/** The strategy that made a plan: not the requested one, if that one failed. */
export const strategyThatPlanned = (plan: CompactionPlan): string => plan.fallback?.strategy ?? plan.strategy;

/** The plan stretch by stretch, as a person ticks it. */
export function blocksOf({ plan, path, meter }: Pick<Planned, 'plan' | 'path' | 'meter'>): PlanBlock[] {
  const at = new Map<string, number>(path.map((message, index) => [message.id, index]));
  return plan.runs.flatMap((run): PlanBlock[] => {
    const [from, to] = [at.get(run.from), at.get(run.to)];
    if (from === undefined || to === undefined) return [];
    const messages = path.slice(from, to + 1);
    // People choose a stretch turn by turn: each question with its answers.
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
      tokens: turn.reduce((sum, message) => sum + costOfMessage(message, meter), 0),
      state: run.action,
      why: run.why,
    }));
  });
}

/** Tokens of a message sent whole; 0 for one that is never sent. */
const costOfMessage = ({ kind, parts }: Message, meter: TokenMeter): number =>
  kind === 'message' ? meter.parts(parts) + MESSAGE_OVERHEAD : 0;

const without = (
  compactions: ReadonlyMap<string, Compaction>,
  id: string,
): ReadonlyMap<string, Compaction> => {
  const others = new Map(compactions);
  others.delete(id);
  return others;
};

/** Sum of a bill; null if no call reported its usage, or the price is unknown. */
export function costOfBill(bill: Bill): {
  readonly usage: Usage | null;
  readonly cost: number | null;
  /** Currency of the cost. */
  readonly currency: string | null;
} {
  const costs = bill.flatMap(({ usage, price }) => (price ? (costOf(usage, price) ?? []) : []));
  return {
    usage: bill.length > 0 ? added(bill.map(({ usage }) => usage)) : null,
    cost: costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : null,
    currency: bill.find(({ price }) => price)?.price?.currency ?? null,
  };
}

function added(calls: readonly Usage[]): Usage {
  const sum: Record<string, number> = {};
  const estimated = calls.some((usage) => usage.estimated);
  for (const usage of calls)
    for (const [key, value] of Object.entries(usage))
      if (typeof value === 'number') sum[key] = (sum[key] ?? 0) + value;
  return { ...sum, ...(estimated ? { estimated } : {}) };
}
