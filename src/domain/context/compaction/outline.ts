// What every strategy works on: which messages share one fate, what each costs, what may not be folded. And the end of every plan:
// carry the person's constraints over, take away what is still too much, count what would really be sent.
import type { MessageId } from '../../base/ids.ts';
import type { Message, Part } from '../../chat/message.ts';
import { constraintsOf } from '../cues.ts';
import { MESSAGE_OVERHEAD, type TokenMeter } from '../meter.ts';
import { buildPrompt, systemTextOf } from '../prompt.ts';
import { cutToTokens } from '../tokens.ts';
import { conversationLanguage, HEADINGS } from './headings.ts';
import { boundaryOf, type CompactionPlan, type PlanRun, type PlanSummary, type WhyNot } from './plan.ts';
import type { CompactionBudget, CompactionView } from './strategy.ts';

/** Messages that cannot be parted: a call and its results, and what stands alone. */
export interface Group {
  /** Places on the path, ascending. */
  readonly members: readonly number[];
  /** As sent whole. */
  readonly tokens: number;
  /** Number of the turn it begins in; a turn begins with what the person says. */
  readonly turn: number;
  /** Set where it has to be sent whole: system, question, pinned, chosen. */
  readonly must: 'system' | 'question' | 'pinned' | 'chosen' | null;
  /** The person wants it folded. */
  readonly unwanted: boolean;
}

export interface Outline {
  readonly view: CompactionView;
  readonly budget: CompactionBudget;
  readonly meter: TokenMeter;
  readonly language: 'en' | 'zh';
  /** First place behind the system messages at the head. */
  readonly head: number;
  /** In the order of their first members. Notes and answers from memory are in none. */
  readonly groups: readonly Group[];
  /** Number of the group by place on the path; -1 for what is in none. */
  readonly groupAt: readonly number[];
  /** Places of messages with rules of the person. */
  readonly ruled: readonly number[];
  readonly turns: number;
  /** Tokens of one message sent whole, by place; 0 for what is never sent. */
  readonly tokens: readonly number[];
  /** System prompt, tools, recall: what is sent beside the messages. */
  readonly fixed: number;
  /** What the prompt would cost now. */
  readonly before: number;
  /** What the plan should come down to: the budget's target, or less where a person asks for it before it is needed. */
  readonly goal: number;
  /** What a person wrote in place of an earlier summary: it is carried on, and speaks of the messages up to its place. */
  readonly own: { readonly summary: PlanSummary; readonly upTo: number; readonly tokens: number } | null;
  readonly signal: { throwIfAborted(): void };
}

/** Reads a conversation; of one that was read before, only what is new and what is asked for now. */
export function outlineOf(
  view: CompactionView,
  budget: CompactionBudget,
  tools: { readonly meter: TokenMeter; readonly signal: { throwIfAborted(): void } },
): Outline {
  const { path, wish, pinned } = view;
  const { meter } = tools;
  const { head, tokens, groupAt, ruled, groups: plain, turns } = structureOf(path, meter);
  const question = path.findLastIndex(({ role, kind }) => role === 'user' && kind === 'message');
  // Few groups are anything but plain: the others are shared between outlines.
  const groups = [...plain];
  const mark = (at: number, must: Group['must'], unwanted = false) => {
    const index = groupAt[at] ?? -1;
    const group = groups[index];
    if (group && group.must !== 'system' && group.must !== 'question')
      groups[index] = { ...group, must: group.must ?? must, unwanted: unwanted && !group.must };
  };
  if (wish.fold?.size || wish.keep?.size || pinned?.size) {
    const each = (ids: ReadonlySet<MessageId> | undefined, act: (at: number) => void) => {
      if (ids?.size)
        for (let at = head; at < path.length; at++) if (ids.has((path[at] as Message).id)) act(at);
    };
    each(pinned, (at) => mark(at, 'pinned'));
    each(wish.keep, (at) => mark(at, 'chosen'));
    each(wish.fold, (at) => mark(at, null, true));
  }
  const asked = groups[groupAt[question] ?? -1];
  if (asked && asked.must !== 'system')
    groups[groupAt[question] as number] = { ...asked, must: 'question', unwanted: false };

  const fixed = meter.text(systemTextOf(path, view.system)) + MESSAGE_OVERHEAD;
  // Without a compaction in force the prompt is the sum of its messages; building it would take longer than all the rest.
  const before = view.previous
    ? sizeOf(view, meter, view.previous.plan) + budget.extra
    : groups.reduce((sum, group) => sum + group.tokens, fixed + budget.extra);
  // In a small window what is brought back for a question needs its room more than what nobody asked for.
  const room = Math.min(2_000, Math.max(budget.limit * 0.4, 250));
  const target = Math.max(0, Math.min(budget.target, Math.floor(budget.limit - room)));
  // Asked for by a person before it is needed, a compaction still has to make something smaller.
  const goal = wish.reason === 'auto' ? target : Math.min(target, Math.floor(before * 0.6));
  return {
    view,
    budget,
    meter,
    language: conversationLanguage(path),
    head,
    groups,
    groupAt,
    ruled,
    turns,
    tokens,
    fixed,
    before,
    goal,
    own: ownWords(view, meter, head),
    signal: tools.signal,
  };
}

interface Structure {
  readonly head: number;
  readonly tokens: readonly number[];
  readonly groupAt: readonly number[];
  readonly ruled: readonly number[];
  /** With no wish but that system messages are sent. */
  readonly groups: readonly Group[];
  readonly turns: number;
}

/** What is known of a branch: grows with it. */
interface Grown {
  readonly meter: TokenMeter;
  readonly path: Message[];
  head: number;
  readonly tokens: number[];
  /** Number of the turn by place. */
  readonly turnAt: number[];
  turns: number;
  /** Place of the first message of the same group, by way of others. */
  readonly chief: number[];
  /** Places of calls without a result, by id. */
  readonly open: Map<string, number[]>;
  readonly ruled: number[];
  /** Groups by the place of their first message, oldest first. */
  readonly members: Map<number, number[]>;
  made: Structure | null;
}

/** By the first message of a branch: the newest branch that was looked at. */
const grown = new WeakMap<Message, Grown>();

/** Who belongs together, what each costs, where turns begin. Only what is new since the last look at the branch is read. */
export function structureOf(path: readonly Message[], meter: TokenMeter): Structure {
  const [root] = path;
  if (!root) return { head: 0, tokens: [], groupAt: [], ruled: [], groups: [], turns: 0 };
  let known = grown.get(root);
  if (
    !known ||
    known.meter !== meter ||
    known.path.length > path.length ||
    !known.path.every((message, at) => message === path[at])
  ) {
    known = {
      meter,
      path: [],
      head: 0,
      tokens: [],
      turnAt: [],
      turns: 0,
      chief: [],
      open: new Map(),
      ruled: [],
      members: new Map(),
      made: null,
    };
    grown.set(root, known);
  }
  for (let at = known.path.length; at < path.length; at++) add(known, path[at] as Message);
  known.made ??= structured(known);
  return known.made;
}

/** As the prompt pairs them: a result answers the newest open call of its id before it. */
function add(known: Grown, message: Message): void {
  const { meter, path, tokens, turnAt, chief, open, members } = known;
  const at = path.length;
  path.push(message);
  known.made = null;
  chief.push(at);
  const atHead = known.head === at && message.role === 'system';
  if (atHead) known.head += 1;
  const isSaid = !atHead && message.kind === 'message';
  tokens.push(isSaid ? meter.parts(message.parts) + MESSAGE_OVERHEAD : 0);
  if (isSaid && message.role === 'user') known.turns += 1;
  turnAt.push(known.turns);
  if (!isSaid) return;
  members.set(at, [at]);
  if (constraintsOf(message).length > 0) known.ruled.push(at);
  for (const part of message.parts)
    if (part.type === 'tool-call' && message.role === 'assistant') {
      const calls = open.get(part.callId);
      if (calls) calls.push(at);
      else open.set(part.callId, [at]);
    } else if (part.type === 'tool-result') {
      const caller = open.get(part.callId)?.pop();
      if (caller === undefined) continue;
      const [a, b] = [chiefOf(chief, caller), chiefOf(chief, at)];
      if (a === b) continue;
      const [first, other] = a < b ? [a, b] : [b, a];
      chief[other] = first;
      const joined = [...(members.get(first) ?? []), ...(members.get(other) ?? [])].sort((x, y) => x - y);
      members.set(first, joined);
      members.delete(other);
    }
}

function chiefOf(chief: number[], at: number): number {
  let top = at;
  while (chief[top] !== top) top = chief[top] as number;
  chief[at] = top;
  return top;
}

function structured({ path, head, tokens, turnAt, turns, ruled, members }: Grown): Structure {
  const groupAt = new Array<number>(path.length).fill(-1);
  const groups: Group[] = [];
  for (const [first, places] of members) {
    let cost = 0;
    let system = false;
    for (const at of places) {
      groupAt[at] = groups.length;
      cost += tokens[at] as number;
      if ((path[at] as Message).role === 'system') system = true;
    }
    groups.push({
      members: places,
      tokens: cost,
      turn: turnAt[first] as number,
      must: system ? 'system' : null,
      unwanted: false,
    });
  }
  return { head, tokens: [...tokens], groupAt, ruled: [...ruled], groups, turns };
}

function ownWords({ previous, path }: CompactionView, meter: TokenMeter, head: number): Outline['own'] {
  const written = previous?.plan.summaries.find(({ edited }) => edited === true);
  if (!previous || !written || head >= path.length) return null;
  const last = written.upTo ?? boundaryOf(previous.plan);
  return {
    summary: { ...written, before: (path[head] as Message).id },
    upTo: path.findIndex(({ id }) => id === last),
    tokens: meter.text(`${written.heading}\n${written.text}`) + MESSAGE_OVERHEAD,
  };
}

/** The person's own words tell of the whole group. */
const isTold = ({ own, groups }: Outline, group: number): boolean =>
  own !== null && (groups[group]?.members.at(-1) ?? 0) <= own.upTo;

/** Tokens of the prompt that a plan makes, tools left out. */
function sizeOf(
  view: CompactionView,
  meter: TokenMeter,
  plan: Pick<CompactionPlan, 'runs' | 'summaries'> | null,
): number {
  return buildPrompt({
    path: view.path,
    recall: null,
    system: view.system,
    window: Number.MAX_SAFE_INTEGER,
    reserve: 0,
    meter,
    applied: plan && { id: '', plan: plan as CompactionPlan },
    sizeOnly: true,
  }).ledger.request.tokens.total;
}

/** The newest groups that cost at most `tokens` and lie in the last `turns` turns; the last group always. As a set of group numbers. */
export function newestGroups({ groups, turns: last }: Outline, tokens: number, turns: number): Set<number> {
  const kept = new Set<number>();
  let left = tokens;
  for (let index = groups.length - 1; index >= 0; index--) {
    const group = groups[index] as Group;
    if (group.must !== null) {
      kept.add(index);
      continue;
    }
    const isLast = index === groups.length - 1;
    if (!isLast && (group.tokens > left || group.turn <= last - turns)) break;
    if (group.unwanted) continue;
    left -= group.tokens;
    kept.add(index);
  }
  return kept;
}

/** Tokens of the goal that are free beside what has to be sent: for what else stays whole, and for what stands for the rest. */
export const freeRoom = ({ groups, goal, fixed, budget, own }: Outline): number =>
  Math.max(
    0,
    goal -
      fixed -
      budget.extra -
      (own?.tokens ?? 0) -
      groups.reduce((sum, { must, tokens }) => sum + (must === null ? 0 : tokens), 0),
  );

/** Tokens of the groups of a set that could have been folded. */
export const chosenTokens = ({ groups }: Outline, keep: Iterable<number>): number => {
  let sum = 0;
  for (const index of keep) if (!groups[index]?.must) sum += groups[index]?.tokens ?? 0;
  return sum;
};

/** Numbers of the groups that are not kept and that something new has to stand for, oldest first. */
export const foldedBeside = (outline: Outline, keep: ReadonlySet<number>): number[] =>
  outline.groups.flatMap((_, index) => (keep.has(index) || isTold(outline, index) ? [] : [index]));

/** A summary that knows how to be shorter. */
export interface Draft {
  readonly summary: PlanSummary;
  /** The same in at most so many tokens, as near as it goes. Absent: it is cut at its end. */
  readonly shorter?: (tokens: number) => string;
}

export interface Decision {
  /** Numbers of the groups that are sent whole, as far as they fit; what must be is added. */
  readonly keep: ReadonlySet<number>;
  /** Why a kept or folded group is; defaults `tail` and `older`. */
  readonly why?: ((group: number) => string | undefined) | undefined;
  /** What stands for the folded ones. */
  readonly drafts: readonly Draft[];
  /** Which summary stands for a group; default: the first draft's. */
  readonly summaryOf?: ((group: number) => string | null) | undefined;
  readonly strategy: string;
  readonly attempts?: number | undefined;
  readonly fallback?: CompactionPlan['fallback'];
}

/** The plan that folds nothing but what the person wants folded. */
export const keepAll = (
  outline: Outline,
  facts: Pick<Decision, 'strategy' | 'attempts' | 'fallback'>,
): CompactionPlan => finish(outline, { ...facts, keep: new Set(outline.groups.keys()), drafts: [] });

/** A tool's output above this is shortened when room is needed. */
const LONG_RESULT = 160;
const SHORT_RESULT = 90;

/**
 * Makes the plan. Where the decision costs more than the goal, in this order: tool output of kept messages is shortened and files left
 * out, older kept messages are folded, summaries are shortened, tool output of the newest messages is shortened. What has to be sent
 * is sent even then, and the plan says that it does not fit and why.
 */
export function finish(outline: Outline, decision: Decision): CompactionPlan {
  const { view, groups, meter, goal, budget, head, own } = outline;
  const { path } = view;
  const keep = new Set(decision.keep);
  groups.forEach(({ must, unwanted }, index) => {
    if (must !== null) keep.add(index);
    else if (unwanted) keep.delete(index);
  });
  const last = groups.length - 1;
  const cuts = new Map<number, NonNullable<PlanRun['cuts']>>();
  let drafts = [...decision.drafts];
  const folds = () => groups.length > keep.size;
  const whyOf = (index: number): string =>
    groups[index]?.must ??
    (keep.has(index) === decision.keep.has(index) ? decision.why?.(index) : undefined) ??
    (keep.has(index) ? 'tail' : groups[index]?.unwanted ? 'chosen' : 'older');

  const draw = () => {
    // A summary without words would cost its heading and say nothing.
    const summaries = folds()
      ? drafts.map(({ summary }) => summary).filter(({ text }) => text.trim() !== '')
      : [];
    const told = own && folds() ? [own.summary, ...summaries] : summaries;
    const constraints = folds() ? constraintsSummary(outline, keep, told) : null;
    const all = constraints ? [constraints, ...told] : told;
    const known = new Set(all.map(({ id }) => id));
    const fallbackId = summaries[0]?.id ?? null;
    const runs = runsOf(outline, (at, group) => {
      if (keep.has(group))
        return cuts.has(at)
          ? { action: 'trim', why: 'tool-output', cuts: cuts.get(at) }
          : { action: 'keep', why: whyOf(group) };
      const named = isTold(outline, group)
        ? (own?.summary.id ?? null)
        : decision.summaryOf
          ? decision.summaryOf(group)
          : fallbackId;
      return {
        action: 'fold',
        why: whyOf(group),
        summary: named !== null && known.has(named) ? named : null,
      };
    });
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
  };
  let drawn = draw();
  let size = sizeOf(view, meter, drawn) + budget.extra;
  const again = () => {
    drawn = draw();
    size = sizeOf(view, meter, drawn) + budget.extra;
  };

  if (size > goal) {
    let over = size - goal;
    for (let index = 0; index < last && over > 0; index++)
      if (keep.has(index)) over -= trimGroup(outline, index, cuts, over);
    if (cuts.size > 0) again();
  }
  // Folding can itself cost a little (a note where something is missing, a constraint that has to be carried): look again each time.
  for (let rounds = 0; size > goal && rounds < 8; rounds++) {
    let over = size - goal;
    let changed = false;
    for (let index = 0; index < last && over > 0; index++) {
      const group = groups[index] as Group;
      if (!keep.has(index) || group.must !== null) continue;
      keep.delete(index);
      for (const at of group.members) cuts.delete(at);
      over -= group.tokens;
      changed = true;
    }
    if (!changed) break;
    again();
  }
  for (let rounds = 0; size > goal && rounds < 3 && drafts.length > 0; rounds++) {
    drafts = shorten(drafts, size - goal, meter);
    again();
  }
  if (size > goal && last >= 0) {
    let over = size - goal;
    for (let index = last; index >= 0 && over > 0; index--)
      if (keep.has(index)) over -= trimGroup(outline, index, cuts, over);
    again();
  }
  // Where even that is too much, the newest answer goes; the newest question stays whatever it costs.
  if (size > budget.target && last >= 0 && keep.has(last) && groups[last]?.must === null && folds()) {
    keep.delete(last);
    for (const at of (groups[last] as Group).members) cuts.delete(at);
    again();
  }

  const fits = size <= budget.target;
  return {
    strategy: decision.strategy,
    ...drawn,
    tokensBefore: outline.before,
    tokensAfter: size,
    target: budget.target,
    fits,
    whyNot: fits ? null : whyNot(outline, keep, drawn.summaries, head),
    attempts: decision.attempts ?? 0,
    fallback: decision.fallback ?? null,
  };

  /** Shortens tool output and leaves files out, in the messages of one group; gives what that saves. */
  function trimGroup(
    { tokens }: Outline,
    index: number,
    into: Map<number, NonNullable<PlanRun['cuts']>>,
    over: number,
  ): number {
    let saved = 0;
    if (groups[index]?.must !== null) return 0;
    for (const at of (groups[index] as Group).members) {
      const message = path[at] as Message;
      if (saved >= over) break;
      const own = into.has(at) ? [] : cutsOf(message, meter);
      if (own.length === 0 || (tokens[at] as number) === 0) continue;
      for (const { part, text } of own) {
        const whole = message.parts[part] as Part;
        saved += meter.parts([whole]) - (text === null ? 0 : meter.text(text));
      }
      into.set(at, own);
    }
    return saved;
  }
}

/** Long tool output as its beginning and end; files as their names. */
function cutsOf(message: Message, meter: TokenMeter): NonNullable<PlanRun['cuts']> {
  return message.parts.flatMap((part, index) => {
    if (part.type === 'tool-result' && meter.text(part.text) > LONG_RESULT)
      return [{ part: index, text: headAndTail(part.text, meter) }];
    if (part.type === 'file') return [{ part: index, text: `[${part.name ?? part.mediaType}]` }];
    return [];
  });
}

function headAndTail(text: string, meter: TokenMeter): string {
  const all = meter.text(text);
  const characters = Math.max(40, Math.floor((text.length * SHORT_RESULT) / all));
  const cut = (at: number) => {
    const code = text.charCodeAt(at);
    return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
  };
  const first = text.slice(0, cut(Math.floor(characters * 0.6)));
  const end = text.slice(cut(text.length - Math.floor(characters * 0.4)));
  return `${first.trimEnd()}\n[… ${all - SHORT_RESULT} …]\n${end.trimStart()}`;
}

/** Summaries that together cost `over` tokens less, the longest shortened most. */
function shorten(drafts: readonly Draft[], over: number, meter: TokenMeter): Draft[] {
  const costs = drafts.map(({ summary }) => meter.text(summary.text));
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  return drafts.flatMap((draft, index) => {
    const cost = costs[index] as number;
    const room = Math.floor(cost - (over * 1.05 + 2) * (cost / Math.max(1, all)));
    if (room >= cost) return [draft];
    const text =
      room < 8
        ? ''
        : draft.shorter
          ? draft.shorter(room)
          : cutToTokens(draft.summary.text, room / meter.ratio);
    return text.trim() === '' ? [] : [{ ...draft, summary: { ...draft.summary, text } }];
  });
}

/** The sentences with which the person set rules in folded messages, as far as no summary has them word for word. */
function constraintsSummary(
  { view, groupAt, ruled, language, head }: Outline,
  keep: ReadonlySet<number>,
  summaries: readonly PlanSummary[],
): PlanSummary | null {
  const text = summaries.map((summary) => summary.text).join('\n');
  const lines = new Set(text.split('\n').map((line) => line.replace(/^- /, '')));
  const missing = new Set<string>();
  let covers = 0;
  for (const at of ruled) {
    if (keep.has(groupAt[at] as number)) continue;
    let found = false;
    for (const sentence of constraintsOf(view.path[at] as Message))
      if (!missing.has(sentence) && !lines.has(sentence) && !text.includes(sentence)) {
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

/** Neighbours with one fate as one run. Notes between take the fate of what is before them. */
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
  _head: number,
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

/** The id of the message a summary of these groups stands in front of. */
export const firstOf = ({ view, groups }: Outline, group: number): MessageId =>
  (view.path[(groups[group] as Group).members[0] as number] as Message).id;

/** Messages of groups, in order. */
export function messagesOf({ view, groups }: Outline, chosen: Iterable<number>): Message[] {
  const places: number[] = [];
  let ordered = true;
  for (const index of chosen)
    for (const at of groups[index]?.members ?? []) {
      if (at < (places.at(-1) ?? 0)) ordered = false;
      places.push(at);
    }
  if (!ordered) places.sort((a, b) => a - b);
  return places.map((at) => view.path[at] as Message);
}

/** The plan in force is this strategy's, speaks of the newest message, and nothing else is asked for. */
export function isSettled(strategy: string, { previous, path, wish }: CompactionView): boolean {
  if (previous?.plan.strategy !== strategy) return false;
  if (wish.instruction || wish.prompt || wish.keep || wish.fold) return false;
  const newest = path.findLast(({ kind }) => kind === 'message');
  const told = previous.plan.runs.at(-1)?.to;
  const at = path.findIndex(({ id }) => id === told);
  return newest !== undefined && at >= 0 && path.slice(at + 1).every(({ kind }) => kind !== 'message');
}
