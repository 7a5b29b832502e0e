// Plan of a compaction, as data: messages sent whole, trimmed, or replaced by a summary. `domain/chat/records.ts` has
// the record it is kept in, and `domain/chat/compaction.ts` decides which record is in force.
import { z } from 'zod';
import type { MessageId } from '../../base/ids.ts';
import { type MemoryFile, textOfLines, withoutBullet } from '../../chat/memory-file.ts';
import type { Known, Message, Part } from '../../chat/message.ts';
import type { Compaction } from '../../chat/records.ts';
import { isChanged } from '../redaction.ts';

/**
 * Neighbouring messages of the path with one disposition, oldest first; `tokens`: their size as a whole.
 * The stored word `fold` means compact.
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
  /** Index of a part, and the text that replaces it; null: the part is left out. */
  cuts: z.array(z.looseObject({ part: z.number(), text: z.string().nullable() })).optional(),
});
export type PlanRun = Known<z.infer<typeof planRunSchema>>;

/** A text for compacted messages: sent as a message of the person after its `heading`. A person may edit `text`. */
const planSummarySchema = z.looseObject({
  /** Unique in its plan. */
  id: z.string(),
  kind: z.enum(['memory', 'summary', 'topic', 'constraints']),
  heading: z.string(),
  text: z.string(),
  /** Id of the message that it precedes; if that is gone it comes first. */
  before: z.string(),
  /** Count of messages it covers. */
  covers: z.number(),
  /** A person wrote `text`: every later plan keeps it, before its own text on newer messages. */
  edited: z.boolean().optional(),
  /** Newest message that an edited text covers. */
  upTo: z.string().optional(),
  /** Time at which this session memory was saved, ms since 1970. */
  saved: z.number().optional(),
});
export type PlanSummary = Known<z.infer<typeof planSummarySchema>>;

/** Reason for which a plan misses its target, the largest required item: code of a sentence, and its tokens. */
const whyNotSchema = z.looseObject({
  code: z.enum(['system', 'question', 'constraints', 'pinned', 'newest', 'summary']),
  tokens: z.number(),
});
export type WhyNot = Known<z.infer<typeof whyNotSchema>>;

export const compactionPlanSchema = z.looseObject({
  strategy: z.string(),
  runs: z.array(planRunSchema),
  summaries: z.array(planSummarySchema),
  /** Tokens of the whole prompt, before and after, with system prompt, tools and given recall. */
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  target: z.number(),
  fits: z.boolean(),
  whyNot: whyNotSchema.nullable(),
  /** Count of calls for a summary. */
  attempts: z.number().default(0),
  /** The person's own summary prompt, if a model was asked with one. */
  prompt: z.string().optional(),
  /** Set if the summary failed or was too long and the plan has none. */
  fallback: z
    .looseObject({
      code: z.enum(['failed', 'empty', 'too-long', 'no-model']),
      message: z.string(),
      /** Strategy that was used instead. */
      strategy: z.string().optional(),
    })
    .nullable()
    .default(null),
});
export type CompactionPlan = Known<z.infer<typeof compactionPlanSchema>>;

const plans = new WeakMap<Compaction, CompactionPlan | null>();

/** Parses the plan of a compaction, once; null if this version cannot read it. */
export function planOf(compaction: Compaction): CompactionPlan | null {
  const known = plans.get(compaction);
  if (known !== undefined) return known;
  const plan = compactionPlanSchema.safeParse(compaction.plan).data ?? null;
  plans.set(compaction, plan);
  return plan;
}

/**
 * Newest message that a plan does not send whole; null for a plan without changes. A compaction's `at` should be this:
 * newer messages are sent whole anyway, so editing or regenerating there keeps the compaction in force.
 */
export const boundaryOf = (plan: CompactionPlan): MessageId | null =>
  (plan.runs.findLast(({ action }) => action !== 'keep')?.to as MessageId | undefined) ?? null;

/** Compaction in force, with its plan, in the form for the prompt. */
export interface AppliedPlan {
  readonly id: string;
  readonly plan: CompactionPlan;
  /** Messages that the person marked: sent whole, whatever the plan says. */
  readonly keepVerbatim?: ReadonlySet<MessageId> | undefined;
}

/** Joins the words of a plan's summaries for a person, without the constraints, which are the person's own already. */
export const summaryTextOf = (plan: Pick<CompactionPlan, 'summaries'>): string =>
  plan.summaries
    .filter(({ kind }) => kind !== 'constraints')
    .map(({ text }) => text)
    .join('\n\n');

/** Id of the summary that a person wrote; a plan has at most one. */
const OWN_WORDS = 'own';

/**
 * Replaces the plan's summaries by the person's wording: one summary, in the place of the first. Mere repetitions of
 * the person's constraints stay. An empty wording removes the summaries.
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

/** Id of the summary that is the person's session memory. */
const FILE = 'file';

/** Makes a summary of a file, without heading and place. `text`: the part of the file that fits. */
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
 * Adds the person's session memory to the plan: in place of its summaries if it covers all compacted messages, else
 * before them. The same plan if it was made with this version.
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
    const said = new Set(text.split('\n').map(withoutBullet));
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
    .filter((line) => !out.has(withoutBullet(line)))
    .join('\n');

/** Disposition of one message of a path. */
export type Disposition =
  | { readonly action: 'keep'; readonly why: string }
  | { readonly action: 'fold'; readonly why: string; readonly summary: string | null }
  | { readonly action: 'trim'; readonly why: string; readonly parts: readonly Part[] };

const PINNED: Disposition = { action: 'keep', why: 'pinned' };
const KEEP_WHOLE: Disposition = { action: 'keep', why: 'newer' };

/**
 * Disposition of every message of the path, by position. Messages in no run are kept: those newer than the plan, and
 * the surroundings of a run whose first or last message is gone; and those of `keepVerbatim`, which the person marked.
 */
export function dispositionsOf(
  plan: Pick<CompactionPlan, 'runs'>,
  path: readonly Message[],
  keepVerbatim?: ReadonlySet<MessageId>,
): Disposition[] {
  // Runs follow the order of the path, so each is searched after the one before; the whole path only for missing ones.
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

/** Shortens the current text to the length of the stored cut: deleted words must not return with an earlier wording. */
const shortened = (says: string, cut: string): string =>
  says.length <= cut.length ? says : `${says.slice(0, cut.length)}…`;

/** Applies cuts to parts. A cut that fits no part, or one without words, changes nothing. */
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
