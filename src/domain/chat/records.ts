// Records of a conversation beside its messages, as stored in its document: checkpoints and compactions.
import { z } from 'zod';
import type { ProblemParams } from '../base/errors.ts';
import type { MessageId } from '../base/ids.ts';
import { timeSchema } from '../base/time.ts';
import { type Known, usageSchema } from './message.ts';

/** A stored checkpoint. Older versions and other tools write a bare message id, without any details. */
export const checkpointSchema = z.preprocess(
  (value) => (typeof value === 'string' ? { messageId: value } : value),
  z.looseObject({
    messageId: z.string().min(1),
    /** ms since 1970; 0 if unknown. */
    createdAt: timeSchema.default(0),
    /** True if the app made it, so it may expire. */
    auto: z.boolean().default(false),
    by: z.enum(['person', 'model', 'app']).default('person'),
  }),
);
export type Checkpoint = Omit<Known<z.infer<typeof checkpointSchema>>, 'messageId'> & {
  readonly messageId: MessageId;
};

/** `auto`: the window filled up; `length`: an answer ended for want of space; the others were asked for. */
const compactionReasonSchema = z.enum(['auto', 'manual', 'manual-with-prompt', 'length']);
export type CompactionReason = z.infer<typeof compactionReasonSchema>;

/** Replaces `z.record`, whose type would lose the known keys. */
const paramsSchema = z.custom<ProblemParams>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((one) => typeof one === 'string' || typeof one === 'number'),
);

/** A stored compaction: a strategy's plan and its outcome. Unknown keys are kept. Each key is last-writer-wins. */
export const compactionSchema = z.looseObject({
  id: z.string(),
  /** Newest message that is not sent whole: the compaction is in force on every branch with this message. */
  at: z.string(),
  /** ms since 1970 */
  createdAt: z.number(),
  /** Strategy of the plan; `wanted` if another had been asked for first and failed. */
  strategy: z.string(),
  wanted: z.string().optional(),
  reason: compactionReasonSchema,
  guidance: z.string().optional(),
  /** Kept and compacted messages, and the summary: data of the strategy (`domain/context/compaction/plan.ts`). */
  plan: z.looseObject({}),
  /** The person's own wording of the summary, in place of the plan's; null or absent: the plan's. */
  summary: z.string().nullable().optional(),
  /** Figures of the prompt, estimated tokens. */
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  durationMs: z.number(),
  /** Device that made it. */
  device: z.string().optional(),
  /** Model and usage of the summary call, if a model wrote it. */
  model: z.string().optional(),
  usage: usageSchema.optional(),
  /** Price of the summary call; absent if unknown. */
  cost: z.number().optional(),
  /** Currency of the cost, as in ISO 4217; absent in older ones: US dollars. */
  currency: z.string().optional(),
  /** Reason for which the wanted strategy was not used, or the summary differs from the request. */
  problem: z
    .looseObject({
      code: z.string(),
      message: z.string(),
      /** Parameters of its sentence. */
      params: paramsSchema.optional().catch(undefined),
    })
    .optional(),
  /** Undone: the messages are sent whole. */
  undone: z.boolean().default(false),
});
export type Compaction = Omit<Known<z.infer<typeof compactionSchema>>, 'at' | 'plan'> & {
  readonly at: MessageId;
  readonly plan: Readonly<Record<string, unknown>>;
};
