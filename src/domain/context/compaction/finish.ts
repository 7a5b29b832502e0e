// Ends every plan: carries the person's constraints over, shortens a plan that is still too large,
// counts the tokens that would be sent.
import type { Message, Part } from '../../chat/message.ts';
import { constraintsOf } from '../constraints.ts';
import { MESSAGE_OVERHEAD, type TokenMeter } from '../meter.ts';
import { shortenOutput } from '../outputs.ts';
import { cutToTokens } from '../tokens.ts';
import { HEADINGS } from './headings.ts';
import { type Group, isSummarised, type Outline, sizeOf } from './outline.ts';
import type { CompactionPlan, PlanRun, PlanSummary, WhyNot } from './plan.ts';

/** A summary that may be able to shorten itself. */
export interface SummaryDraft {
  readonly summary: PlanSummary;
  /** Rewrites it in about so many tokens at most. Absent: it is cut at its end. */
  readonly shorter?: (tokens: number) => string;
}

export interface Decision {
  /** Groups that are sent whole, as far as they fit; required ones are added. */
  readonly keep: ReadonlySet<number>;
  /** Reason for keeping or compacting a group; defaults `tail` and `older`. */
  readonly why?: ((group: number) => string | undefined) | undefined;
  /** Summaries of the compacted messages. */
  readonly drafts: readonly SummaryDraft[];
  /** Id of the summary that covers a group; default: the first draft's. */
  readonly summaryOf?: ((group: number) => string | null) | undefined;
  readonly strategy: string;
  readonly attempts?: number | undefined;
  readonly fallback?: CompactionPlan['fallback'];
}

/** Makes the plan that compacts only what the person wants compacted. */
export const keepAll = (
  outline: Outline,
  facts: Pick<Decision, 'strategy' | 'attempts' | 'fallback'>,
): CompactionPlan => finish(outline, { ...facts, keep: new Set(outline.groups.keys()), drafts: [] });

/** Most rounds of compacting and measuring again. */
const ROUNDS = 8;
/** A longer tool output is shortened when space is needed, tokens. */
const LONG_RESULT = 160;
const SHORT_RESULT = 90;
/**
 * Least length of a shortened summary for a goal that is only wished for, tokens: of one that is
 * cut, and of one that rewrites itself.
 */
const LEAST = { cut: 250, rewritten: 64 } as const;

/**
 * Makes the plan; anything that must be sent is sent even if it does not fit, and the plan says
 * why. To reach the goal, in this order:
 * - tool output of kept messages is shortened, files are left out
 * - older kept messages are compacted
 * - summaries are shortened, and dropped only above the target itself, or if the prompt would grow
 * - tool output of the newest messages is shortened
 */
export const finish = (outline: Outline, decision: Decision): CompactionPlan =>
  new PlanFitting(outline, decision).plan();

/** A plan in progress: kept groups, cuts, and their cost. */
class PlanFitting {
  readonly #outline: Outline;
  readonly #decision: Decision;
  /** Groups that are kept, by their index. */
  readonly #keep: Set<number>;
  /** Position on the path → cuts of that message. */
  readonly #cuts = new Map<number, NonNullable<PlanRun['cuts']>>();
  #drafts: Decision['drafts'];
  #drawn: Pick<CompactionPlan, 'runs' | 'summaries'>;
  /** Tokens of the plan so far. */
  #size: number;

  constructor(outline: Outline, decision: Decision) {
    this.#outline = outline;
    this.#decision = decision;
    this.#keep = new Set(decision.keep);
    this.#drafts = [...decision.drafts];
    outline.groups.forEach(({ must, unwanted }, index) => {
      if (must !== null) this.#keep.add(index);
      else if (unwanted) this.#keep.delete(index);
    });
    this.#drawn = this.#draw();
    this.#size = this.#measure();
  }

  plan(): CompactionPlan {
    const { groups, goal, budget, before } = this.#outline;
    if (this.#size > goal) this.#trimOlder();
    this.#compactOlder();
    this.#shortenTo(goal, LEAST);
    const last = groups.length - 1;
    if (this.#size > goal && last >= 0) this.#trimNewest();
    const brief = this.#drafts;
    this.#shortenTo(Math.max(goal, Math.min(budget.target, before)), null);
    // If even that is too much, the newest answer is dropped; the newest question stays whatever it costs.
    const mayGo = last >= 0 && this.#keep.has(last) && groups[last]?.must === null;
    if (this.#size > budget.target && mayGo && this.#compacts()) {
      this.#compact(last);
      this.#redraw();
      this.#bringBack(brief);
    }

    const fits = this.#size <= budget.target;
    return {
      strategy: this.#decision.strategy,
      ...this.#drawn,
      tokensBefore: before,
      tokensAfter: this.#size,
      target: budget.target,
      fits,
      whyNot: fits ? null : whyNot(this.#outline, this.#keep, this.#drawn.summaries),
      attempts: this.#decision.attempts ?? 0,
      fallback: this.#decision.fallback ?? null,
    };
  }

  #compacts(): boolean {
    return this.#outline.groups.length > this.#keep.size;
  }

  #whyOf(index: number): string {
    const group = this.#outline.groups[index];
    const { keep, why } = this.#decision;
    return (
      group?.must ??
      (this.#keep.has(index) === keep.has(index) ? why?.(index) : undefined) ??
      (this.#keep.has(index) ? 'tail' : group?.unwanted ? 'chosen' : 'older')
    );
  }

  #draw(): Pick<CompactionPlan, 'runs' | 'summaries'> {
    const { own } = this.#outline;
    // A summary without words would cost its heading and say nothing.
    const summaries = this.#compacts()
      ? this.#drafts.map(({ summary }) => summary).filter(({ text }) => text.trim() !== '')
      : [];
    const summariesSoFar = own && this.#compacts() ? [own.summary, ...summaries] : summaries;
    const constraints = this.#compacts()
      ? constraintsSummary(this.#outline, this.#keep, summariesSoFar)
      : null;
    const all = constraints ? [constraints, ...summariesSoFar] : summariesSoFar;
    const runs = this.#runs(new Set(all.map(({ id }) => id)), summaries[0]?.id ?? null);
    const covered = new Map<string, number>();
    for (const run of runs)
      if (run.summary) covered.set(run.summary, (covered.get(run.summary) ?? 0) + run.count);
    return {
      runs,
      summaries: all.map((summary) => ({
        ...summary,
        covers: covered.get(summary.id) ?? summary.covers,
      })),
    };
  }

  /** `known`: existing summaries; `fallback`: the one that covers everything else. */
  #runs(known: ReadonlySet<string>, fallback: string | null): ReturnType<typeof runsOf> {
    const { own } = this.#outline;
    return runsOf(this.#outline, (at, group) => {
      if (this.#keep.has(group))
        return this.#cuts.has(at)
          ? { action: 'trim', why: 'tool-output', cuts: this.#cuts.get(at) }
          : { action: 'keep', why: this.#whyOf(group) };
      const named = isSummarised(this.#outline, group)
        ? (own?.summary.id ?? null)
        : this.#decision.summaryOf
          ? this.#decision.summaryOf(group)
          : fallback;
      return {
        action: 'fold',
        why: this.#whyOf(group),
        summary: named !== null && known.has(named) ? named : null,
      };
    });
  }

  #measure(): number {
    const { view, meter, budget } = this.#outline;
    return sizeOf(view, meter, this.#drawn) + budget.extra;
  }

  #redraw(): void {
    this.#drawn = this.#draw();
    this.#size = this.#measure();
  }

  /** Shortens tool output of kept messages, oldest first, except in the newest group. */
  #trimOlder(): void {
    const { groups, goal } = this.#outline;
    let over = this.#size - goal;
    for (let index = 0; index < groups.length - 1 && over > 0; index++)
      if (this.#keep.has(index)) over -= this.#trimGroup(index, over);
    if (this.#cuts.size > 0) this.#redraw();
  }

  #trimNewest(): void {
    const { groups, goal } = this.#outline;
    let over = this.#size - goal;
    for (let index = groups.length - 1; index >= 0 && over > 0; index--)
      if (this.#keep.has(index)) over -= this.#trimGroup(index, over);
    this.#redraw();
  }

  /**
   * Compacts older groups. That can cost a little (a note about the gap, a carried constraint), so the size is measured
   * again each time.
   */
  #compactOlder(): void {
    const { groups, goal } = this.#outline;
    for (let rounds = 0; this.#size > goal && rounds < ROUNDS; rounds++) {
      // The last round compacts everything at once, if going group by group did not help.
      let over = rounds < ROUNDS - 1 ? this.#size - goal : Number.POSITIVE_INFINITY;
      let changed = false;
      for (let index = 0; index < groups.length - 1 && over > 0; index++) {
        const group = groups[index] as Group;
        if (!this.#keep.has(index) || group.must !== null) continue;
        this.#compact(index);
        over -= group.tokens;
        changed = true;
      }
      if (!changed) break;
      this.#redraw();
    }
  }

  /** Shortens summaries until the plan costs `most`. `least`: least length of each; null: one without space goes. */
  #shortenTo(most: number, least: typeof LEAST | null): void {
    for (let rounds = 0; this.#size > most && rounds < 3 && this.#drafts.length > 0; rounds++) {
      this.#drafts = shorten(this.#drafts, this.#size - most, this.#outline.meter, least);
      this.#redraw();
    }
  }

  /** Restores dropped summaries that have space now. */
  #bringBack(drafts: Decision['drafts']): void {
    const without = this.#drafts;
    if (drafts.length === without.length) return;
    this.#drafts = drafts;
    this.#redraw();
    if (this.#size <= this.#outline.budget.target) return;
    this.#drafts = without;
    this.#redraw();
  }

  #compact(index: number): void {
    this.#keep.delete(index);
    for (const at of (this.#outline.groups[index] as Group).members) this.#cuts.delete(at);
  }

  /** Shortens tool output and leaves files out, in the messages of one group; returns the saved tokens. */
  #trimGroup(index: number, over: number): number {
    const { groups, tokens, meter, view } = this.#outline;
    let saved = 0;
    if (groups[index]?.must !== null) return 0;
    for (const at of (groups[index] as Group).members) {
      const message = view.path[at] as Message;
      if (saved >= over) break;
      const own = this.#cuts.has(at) ? [] : cutsOf(message, meter);
      if (own.length === 0 || (tokens[at] as number) === 0) continue;
      for (const { part, text } of own) {
        const whole = message.parts[part] as Part;
        saved += meter.parts([whole]) - (text === null ? 0 : meter.text(text));
      }
      this.#cuts.set(at, own);
    }
    return saved;
  }
}

/** Cuts long tool output to its most telling lines, and files to their names. */
function cutsOf(message: Message, meter: TokenMeter): NonNullable<PlanRun['cuts']> {
  return message.parts.flatMap((part, index) => {
    if (part.type === 'tool-result' && meter.text(part.text) > LONG_RESULT)
      return [{ part: index, text: shortenOutput(part.text, SHORT_RESULT, meter) }];
    if (part.type === 'file') return [{ part: index, text: `[${part.name ?? part.mediaType}]` }];
    return [];
  });
}

/** Shortens summaries by `over` tokens in all, the longest most; none below `least`. */
function shorten(
  drafts: readonly SummaryDraft[],
  over: number,
  meter: TokenMeter,
  least: typeof LEAST | null,
): SummaryDraft[] {
  const costs = drafts.map(({ summary }) => meter.text(summary.text));
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  return drafts.flatMap((draft, index) => {
    const cost = costs[index] as number;
    const floor = least ? least[draft.shorter ? 'rewritten' : 'cut'] : 0;
    const available = Math.max(floor, Math.floor(cost - (over * 1.05 + 2) * (cost / Math.max(1, all))));
    if (available >= cost) return [draft];
    const text =
      available < 8
        ? ''
        : draft.shorter
          ? draft.shorter(available)
          : cutToTokens(draft.summary.text, available / meter.ratio);
    return text.trim() === '' ? [] : [{ ...draft, summary: { ...draft.summary, text } }];
  });
}

/** Lists the person's rules in compacted messages that no summary has word for word. */
function constraintsSummary(
  { view, groupAt, ruled, language, head }: Outline,
  keep: ReadonlySet<number>,
  summaries: readonly PlanSummary[],
): PlanSummary | null {
  const text = summaries.map((summary) => summary.text).join('\n');
  const lines = new Set(text.split('\n').map((line) => line.replace(/^- /, '')));
  const missing = new Set<string>();
  let covers = 0;
  const { held, file } = view;
  const out = new Set(file?.out);
  const byWords = new Set(ruled);
  const places = held?.size
    ? view.path.flatMap(({ id }, at) => (at >= head && (byWords.has(at) || held.has(id)) ? [at] : []))
    : ruled;
  for (const at of places) {
    if (keep.has(groupAt[at] as number)) continue;
    let found = false;
    const message = view.path[at] as Message;
    for (const sentence of [...constraintsOf(message), ...(held?.get(message.id) ?? [])])
      if (!missing.has(sentence) && !out.has(sentence) && !lines.has(sentence) && !text.includes(sentence)) {
        missing.add(sentence);
        found = true;
      }
    if (found) covers += 1;
  }
  if (missing.size === 0) return null;
  return {
    id: 'constraints',
    kind: 'constraints',
    heading: HEADINGS[language].constraints,
    text: [...missing].map((sentence) => `- ${sentence}`).join('\n'),
    before: (view.path[head] as Message).id,
    covers,
  };
}

type Verdict = Pick<PlanRun, 'action' | 'why' | 'summary' | 'cuts'>;

/** Joins neighbours with one disposition into runs. Notes between them take that of the message before. */
function runsOf(
  { view, groupAt, tokens, head }: Outline,
  verdict: (at: number, group: number) => Verdict,
): PlanRun[] {
  const runs: PlanRun[] = [];
  for (let at = head; at < view.path.length; at++) {
    const { id } = view.path[at] as Message;
    const group = groupAt[at] ?? -1;
    const last = runs.at(-1);
    if (group < 0) {
      if (last && last.action !== 'trim') {
        last.to = id;
        last.count += 1;
      }
      continue;
    }
    const { action, why, summary, cuts } = verdict(at, group);
    if (
      last &&
      action !== 'trim' &&
      last.action === action &&
      last.why === why &&
      (last.summary ?? null) === (summary ?? null)
    ) {
      last.to = id;
      last.count += 1;
      last.tokens += tokens[at] as number;
      continue;
    }
    runs.push({
      action,
      from: id,
      to: id,
      count: 1,
      tokens: tokens[at] as number,
      why,
      ...(action === 'fold' ? { summary: summary ?? null } : {}),
      ...(cuts ? { cuts } : {}),
    });
  }
  return runs;
}

function whyNot(
  { groups, fixed, budget, meter }: Outline,
  keep: ReadonlySet<number>,
  summaries: readonly PlanSummary[],
): WhyNot {
  const sums = {
    system: fixed + budget.extra,
    question: 0,
    pinned: 0,
    newest: 0,
    constraints: 0,
    summary: 0,
  };
  for (const index of keep) {
    const { must, tokens } = groups[index] as Group;
    if (must === 'question') sums.question += tokens;
    else if (must === 'system') sums.system += tokens;
    else if (must === null) sums.newest += tokens;
    else sums.pinned += tokens;
  }
  for (const { kind, text, heading } of summaries) {
    const cost = meter.text(text) + meter.text(heading) + MESSAGE_OVERHEAD;
    if (kind === 'constraints') sums.constraints += cost;
    else sums.summary += cost;
  }
  const [code, tokens] = Object.entries(sums).sort((a, b) => b[1] - a[1])[0] as [WhyNot['code'], number];
  return { code, tokens };
}
