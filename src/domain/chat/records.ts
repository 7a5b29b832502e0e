// Records of a conversation beside its messages, as they lie in its document: checkpoints and compactions.
import { z } from 'zod';
import type { ProblemParams } from '../base/errors.ts';
import type { MessageId } from '../base/ids.ts';
import { timeSchema } from '../base/time.ts';
import { type Known, usageSchema } from './message.ts';

/** A checkpoint as it is kept. A bare message id (as older versions and other tools write it) is one nobody knows more about. */
export const checkpointSchema = z.preprocess(
  (value) => (typeof value === 'string' ? { messageId: value } : value),
  z.looseObject({
    messageId: z.string().min(1),
    /** ms since 1970; 0 where unknown. */
    createdAt: timeSchema.default(0),
    /** Made by the app: may expire. */
    auto: z.boolean().default(false),
    by: z.enum(['person', 'model', 'app']).default('person'),
  }),
);
export type Checkpoint = Omit<Known<z.infer<typeof checkpointSchema>>, 'messageId'> & {
  readonly messageId: MessageId;
};

/** `auto`: the window filled up; `length`: an answer ended for want of room; the others were asked for. */
const compactionReasonSchema = z.enum(['auto', 'manual', 'manual-with-prompt', 'length']);
export type CompactionReason = z.infer<typeof compactionReasonSchema>;

/** Not `z.record`, whose names a type of known keys forgets. */
const paramsSchema = z.custom<ProblemParams>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((one) => typeof one === 'string' || typeof one === 'number'),
);

/** A compaction as it is kept: what a strategy had planned, and what became of it. Unknown keys are kept. Each key is last-writer-wins. */
export const compactionSchema = z.looseObject({
  id: z.string(),
  /** The newest message that is not sent whole: it is in force on every branch that has this message. */
  at: z.string(),
  /** ms since 1970 */
  createdAt: z.number(),
  /** The strategy that made the plan; `wanted` where another had been asked for first and failed. */
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
  /** Price of the summary call; absent where nobody knows. */
  cost: z.number().optional(),
  /** Currency of the cost, as in ISO 4217; absent in older ones: US dollars. */
  currency: z.string().optional(),
  /** Why the wanted strategy was not used, or why the summary is not what was asked for. */
  problem: z
    .looseObject({
      code: z.string(),
      message: z.string(),
      /** Parameters of its sentence. */
      params: paramsSchema.optional().catch(undefined),
    })
    .optional(),
  /** Taken back: the messages are sent as they are. */
  undone: z.boolean().default(false),
});
export type Compaction = Omit<Known<z.infer<typeof compactionSchema>>, 'at' | 'plan'> & {
  readonly at: MessageId;
  readonly plan: Readonly<Record<string, unknown>>;
};
