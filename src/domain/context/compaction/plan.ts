// Plan of a compaction, as data: messages sent whole, trimmed, or replaced by a summary. `domain/chat/compaction.ts` has the
// record it is kept in, and decides which record is in force.
import { z } from 'zod';
import type { MessageId } from '../../base/ids.ts';
import { bareLine, type MemoryFile, textOfLines } from '../../chat/memory-file.ts';
import type { Known, Message, Part } from '../../chat/message.ts';
import type { Compaction } from '../../chat/records.ts';
import { isChanged } from '../redaction.ts';

/**
 * Neighbouring messages of the path with one disposition, oldest first; `tokens`: their size as a whole. The stored word
 * `fold` means compact.
 * - keep: sent whole (`why`: tail, question, pinned, chosen, system, dense, relevant)
 * - fold: not sent; `summary` names the summary in their place, null: none (`why`: older, chosen, plain)
 * - trim: one message, sent with some parts shortened by `cuts` (`why`: tool-output)
 */
const planRunSchema = z.looseObject({
  action: z.enum(['keep', 'fold', 'trim']),
  from: z.string(),
  to: z.string(),
  count: z.number(),
  tokens: z.number(),
  why: z.string(),
  summary: z.string().nullable().optional(),
  /** Index of a part, and the text that is sent instead of its own; null: the part stays out. */
  cuts: z.array(z.looseObject({ part: z.number(), text: z.string().nullable() })).optional(),
});
export type PlanRun = Known<z.infer<typeof planRunSchema>>;

/** A text that stands for compacted messages: sent as a message of the person, `heading` in front of it. A person may edit `text`. */
const planSummarySchema = z.looseObject({
  /** Unique in its plan. */
  id: z.string(),
  kind: z.enum(['memory', 'summary', 'topic', 'constraints']),
  heading: z.string(),
  text: z.string(),
  /** It stands in front of this message of the path; at the head where the message is gone. */
  before: z.string(),
  /** Messages it stands for. */
  covers: z.number(),
  /** A person wrote `text`: every later plan carries it on as it is, in front of what it says of newer messages. */
  edited: z.boolean().optional(),
  /** The newest message an edited text speaks of. */
  upTo: z.string().optional(),
  /** When the session memory that it is was saved, ms since 1970. */
  saved: z.number().optional(),
});
export type PlanSummary = Known<z.infer<typeof planSummarySchema>>;

/** Why a plan costs more than its target, the largest of what may not go: the code of a sentence, and its tokens. */
const whyNotSchema = z.looseObject({
  code: z.enum(['system', 'question', 'constraints', 'pinned', 'newest', 'summary']),
  tokens: z.number(),
});
export type WhyNot = Known<z.infer<typeof whyNotSchema>>;

export const compactionPlanSchema = z.looseObject({
  strategy: z.string(),
  runs: z.array(planRunSchema),
  summaries: z.array(planSummarySchema),
  /** The whole prompt, before and after: system prompt, tools and recall as given included. */
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  target: z.number(),
  fits: z.boolean(),
  whyNot: whyNotSchema.nullable(),
  /** How often a model was asked for a summary. */
  attempts: z.number().default(0),
  /** The person's own summary prompt, where a model was asked with one. */
  prompt: z.string().optional(),
  /** Set where the summary failed or was too long and the plan does without it. */
  fallback: z
    .looseObject({
      code: z.enum(['failed', 'empty', 'too-long', 'no-model']),
      message: z.string(),
      /** The strategy whose way was taken instead. */
      strategy: z.string().optional(),
    })
    .nullable()
    .default(null),
});
export type CompactionPlan = Known<z.infer<typeof compactionPlanSchema>>;

const plans = new WeakMap<Compaction, CompactionPlan | null>();

/** The plan of a compaction, read once; null where this version cannot read it. */
export function planOf(compaction: Compaction): CompactionPlan | null {
  const known = plans.get(compaction);
  if (known !== undefined) return known;
  const plan = compactionPlanSchema.safeParse(compaction.plan).data ?? null;
  plans.set(compaction, plan);
  return plan;
}

/**
 * The newest message a plan does not send whole; null for a plan that changes nothing. This is what a compaction's `at` should be: what is
 * newer is sent whole anyway, so editing or regenerating there keeps the compaction in force.
 */
export const boundaryOf = (plan: CompactionPlan): MessageId | null =>
  (plan.runs.findLast(({ action }) => action !== 'keep')?.to as MessageId | undefined) ?? null;

/** Compaction in force, with its plan, as the prompt is made from it. */
export interface AppliedPlan {
  readonly id: string;
  readonly plan: CompactionPlan;
  /** Marked by the person: sent whole, whatever the plan says. */
  readonly keepVerbatim?: ReadonlySet<MessageId> | undefined;
}

/** The words of a plan's summaries as a person reads them, in order; without the constraints, which are the person's own already. */
export const summaryTextOf = (plan: Pick<CompactionPlan, 'summaries'>): string =>
  plan.summaries
    .filter(({ kind }) => kind !== 'constraints')
    .map(({ text }) => text)
    .join('\n\n');

/** Id of the summary that a person wrote; there is one at most in a plan. */
const OWN_WORDS = 'own';

/**
 * The plan with the person's wording in place of its summaries: one summary, where the first stood. What only repeats the person's
 * constraints stays. An empty wording takes the summaries away.
 */
export function withSummaryText(plan: CompactionPlan, text: string): CompactionPlan {
  const first = plan.summaries.find(({ kind }) => kind !== 'constraints');
  const rest = plan.summaries.filter(({ kind }) => kind === 'constraints');
  if (!first) return plan;
  const covers = plan.runs.reduce((sum, run) => sum + (run.action === 'fold' ? run.count : 0), 0);
  const upTo = boundaryOf(plan);
  const own: PlanSummary = {
    ...first,
    id: OWN_WORDS,
    text,
    covers,
    edited: true,
    ...(upTo === null ? {} : { upTo }),
  };
  const written = text.trim() !== '';
  return {
    ...plan,
    runs: plan.runs.map((run) =>
      run.action === 'fold' && run.summary ? { ...run, summary: written ? own.id : null } : run,
    ),
    summaries: [...(written ? [own] : []), ...rest],
  };
}

/** Id of the summary that is the session memory as a person left it. */
const FILE = 'file';

/** Without heading and place. `text`: what of the file has room. */
export const fileSummary = (file: MemoryFile, text: string): PlanSummary => ({
  id: FILE,
  kind: 'memory',
  heading: '',
  text,
  before: '',
  covers: 0,
  edited: true,
  saved: file.at,
  ...(file.upTo === null ? {} : { upTo: file.upTo }),
});

/**
 * The plan with the session memory as the person left it: in place of its summaries where it speaks of all that is compacted, else in front
 * of them. The same plan where it was made with this version.
 */
export function withMemoryFile(
  plan: CompactionPlan,
  file: MemoryFile,
  path: readonly Message[],
): CompactionPlan {
  if (plan.summaries.some(({ id, saved }) => id === FILE && saved === file.at)) return plan;
  const out = new Set(file.out);
  const shown = plan.summaries.flatMap((summary) => {
    if (summary.kind !== 'constraints' || out.size === 0) return [summary];
    const text = linesWithout(summary.text, out);
    return text === '' ? [] : [{ ...summary, text }];
  });
  const text = textOfLines(file.lines);
  const cleaned = shown.length === plan.summaries.length ? plan : { ...plan, summaries: shown };
  if (text === '') return cleaned;
  const placeOf = (id: string | null) => path.findIndex((message) => message.id === id);
  if (placeOf(file.upTo) >= placeOf(boundaryOf(plan))) {
    const said = new Set(text.split('\n').map(bareLine));
    const made = withSummaryText({ ...cleaned, summaries: shown }, text);
    return {
      ...made,
      summaries: made.summaries.flatMap((summary) => {
        if (summary.kind !== 'constraints') return [{ ...summary, saved: file.at }];
        const rest = linesWithout(summary.text, said);
        return rest === '' ? [] : [{ ...summary, text: rest }];
      }),
    };
  }
  const [first] = shown;
  const front = { ...fileSummary(file, text), heading: first?.heading ?? '', before: first?.before ?? '' };
  return { ...plan, summaries: [front, ...shown.filter(({ edited }) => !edited)] };
}

const linesWithout = (text: string, out: ReadonlySet<string>): string =>
  text
    .split('\n')
    .filter((line) => !out.has(bareLine(line)))
    .join('\n');

/** Disposition of one message of a path. */
export type Disposition =
  | { readonly action: 'keep'; readonly why: string }
  | { readonly action: 'fold'; readonly why: string; readonly summary: string | null }
  | { readonly action: 'trim'; readonly why: string; readonly parts: readonly Part[] };

const PINNED: Disposition = { action: 'keep', why: 'pinned' };
const KEEP_WHOLE: Disposition = { action: 'keep', why: 'newer' };

/**
 * Disposition of every message of the path, by its place. Messages that no run names are kept: messages newer than the plan, and the
 * neighbourhood of a run whose first or last message is gone; and `kept`, which the person marked.
 */
export function dispositionsOf(
  plan: Pick<CompactionPlan, 'runs'>,
  path: readonly Message[],
  keepVerbatim?: ReadonlySet<MessageId>,
): Disposition[] {
  // Runs stand in the order of the path, so that each is looked for behind the one before; only of what is missing there all is searched.
  let next = 0;
  let places: Map<string, number> | undefined;
  const placeOf = (id: string): number | undefined => {
    for (let index = next; index < path.length; index++)
      if (path[index]?.id === id) {
        next = index;
        return index;
      }
    places ??= new Map(path.map((message, index) => [message.id, index]));
    return places.get(id);
  };
  const dispositions: Disposition[] = new Array<Disposition>(path.length).fill(KEEP_WHOLE);
  for (const run of plan.runs) {
    const [from, to] = [placeOf(run.from), placeOf(run.to)];
    if (from === undefined || to === undefined) continue;
    const whole: Disposition =
      run.action === 'fold'
        ? { action: 'fold', why: run.why, summary: run.summary ?? null }
        : { action: 'keep', why: run.why };
    for (let index = from; index <= to; index++) {
      const message = path[index] as Message;
      dispositions[index] = keepVerbatim?.has(message.id)
        ? PINNED
        : run.action === 'trim'
          ? { action: 'trim', why: run.why, parts: cutParts(message.parts, run.cuts ?? []) }
          : whole;
    }
  }
  return dispositions;
}

/** Shortens the current text to the length of the stored cut: deleted words must not come back with an earlier wording. */
const shortened = (says: string, cut: string): string =>
  says.length <= cut.length ? says : `${says.slice(0, cut.length)}…`;

/** Parts with their cuts carried out. A cut that fits no part, or one without words, changes nothing. */
export function cutParts(parts: readonly Part[], cuts: NonNullable<PlanRun['cuts']>): readonly Part[] {
  const texts = new Map(cuts.map(({ part, text }) => [part, text]));
  return parts.flatMap((part, index) => {
    const text = texts.get(index);
    if (text === undefined) return [part];
    if (part.type === 'tool-result' || part.type === 'text' || part.type === 'reasoning')
      return text === null ? [] : [{ ...part, text: isChanged(part) ? shortened(part.text, text) : text }];
    if (part.type === 'file') return text === null ? [] : [{ type: 'text' as const, text }];
    return [part];
  });
}
