// A compaction as it is kept: what a strategy had planned, and what became of it. It moves the window that a model sees, never the past:
// the messages stay where they are, and undoing it is one flag at any later time.
import { z } from 'zod';
import type { ProblemParams } from '../base/errors.ts';
import type { MessageId } from '../base/ids.ts';
import type { Conversation } from './conversation.ts';
import { type Known, type Message, usageSchema } from './message.ts';

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

/** A record in the document. Unknown keys are kept. Each key is last-writer-wins. */
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
  /** What stays, what is folded, and the summary: data of the strategy (`domain/context/compaction/plan.ts`). */
  plan: z.looseObject({}),
  /** The person's own wording of the summary, in place of the plan's; null or absent: the plan's. */
  summary: z.string().nullable().optional(),
  /** Figures of the prompt, estimated tokens. */
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  durationMs: z.number(),
  /** Who made it. */
  device: z.string().optional(),
  /** What the summary call used, where a model wrote it. */
  model: z.string().optional(),
  usage: usageSchema.optional(),
  /** Price of the summary call; absent where nobody knows. */
  cost: z.number().optional(),
  /** Of the cost, as in ISO 4217; absent in older ones: US dollars. */
  currency: z.string().optional(),
  /** Why the wanted strategy was not used, or why the summary is not what was asked for. */
  problem: z
    .looseObject({
      code: z.string(),
      message: z.string(),
      /** What its sentence is made with. */
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

/** The compaction a branch is seen through: the newest that applies to it and was not taken back. Linear in the branch. */
export function compactionOn(
  conversation: Pick<Conversation, 'compactions'>,
  path: readonly Message[],
): Compaction | null {
  if (conversation.compactions.size === 0) return null;
  const onPath = new Set<string>(path.map((message) => message.id));
  let newest: Compaction | null = null;
  for (const compaction of conversation.compactions.values()) {
    if (compaction.undone || !onPath.has(compaction.at)) continue;
    if (
      !newest ||
      compaction.createdAt > newest.createdAt ||
      (compaction.createdAt === newest.createdAt && compaction.id > newest.id)
    )
      newest = compaction;
  }
  return newest;
}
