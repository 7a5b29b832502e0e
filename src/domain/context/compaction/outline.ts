// Input of every strategy: groups of messages that go together, their costs, and which of them must stay.
import type { MessageId } from '../../base/ids.ts';
import { fittingLines, textOfLines } from '../../chat/memory-file.ts';
import type { Message } from '../../chat/message.ts';
import { constraintsOf } from '../constraints.ts';
import { MESSAGE_OVERHEAD, type TokenMeter } from '../meter.ts';
import { buildPrompt, systemTextOf } from '../prompt.ts';
import { conversationLanguage, HEADINGS } from './headings.ts';
import { boundaryOf, type CompactionPlan, fileSummary, type PlanSummary } from './plan.ts';
import type { CompactionBudget, CompactionTools, CompactionView } from './strategy.ts';

/** Most of the free room that a person's session memory may take, as a share. */
const FILE_SHARE = 0.7;

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
  /** Size of the prompt now, tokens. */
  readonly before: number;
  /** Size that the plan aims at: the budget's target, or less if a person asks before it is needed. */
  readonly goal: number;
  /** The person's summary in place of an earlier one: carried on, it covers the messages up to its place. */
  readonly own: { readonly summary: PlanSummary; readonly upTo: number; readonly tokens: number } | null;
  readonly signal: { throwIfAborted(): void };
}

/** Reads a conversation; of one that was read before, only what is new and what is asked for now. */
export function outlineOf(
  view: CompactionView,
  budget: CompactionBudget,
  tools: { readonly meter: TokenMeter; readonly signal: { throwIfAborted(): void } },
): Outline {
  const { path, request, pinned } = view;
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
  if (request.compact?.size || request.keep?.size || pinned?.size) {
    const each = (ids: ReadonlySet<MessageId> | undefined, act: (at: number) => void) => {
      if (ids?.size)
        for (let at = head; at < path.length; at++) if (ids.has((path[at] as Message).id)) act(at);
    };
    each(pinned, (at) => mark(at, 'pinned'));
    each(request.keep, (at) => mark(at, 'chosen'));
    each(request.compact, (at) => mark(at, null, true));
  }
  const asked = groups[groupAt[question] ?? -1];
  if (asked && asked.must !== 'system')
    groups[groupAt[question] as number] = { ...asked, must: 'question', unwanted: false };

  const fixed = meter.text(systemTextOf(path, view.system)) + MESSAGE_OVERHEAD;
  // Without a compaction in force the prompt is the sum of its messages; building it would take longer than all the rest.
  const before = view.previous
    ? sizeOf(view, meter, view.previous.plan, view.previous.keepVerbatim) + budget.extra
    : groups.reduce((sum, group) => sum + group.tokens, fixed + budget.extra);
  // In a small window what is brought back for a question needs its room more than what nobody asked for.
  const returnable = Math.min(2_000, Math.max(budget.limit * 0.4, 250));
  const target = Math.max(0, Math.min(budget.target, Math.floor(budget.limit - returnable)));
  // Asked for by a person before it is needed, a compaction still has to make something smaller.
  const goal = request.reason === 'auto' ? target : Math.min(target, Math.floor(before * 0.6));
  const needed = groups.reduce((sum, { must, tokens }) => sum + (must === null ? 0 : tokens), 0);
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
    own: ownWords(view, meter, head, (goal - fixed - budget.extra - needed) * FILE_SHARE),
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

/** Structure of a branch, which grows with it. */
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

/** Groups, costs and turns of a branch. Reads only what is new since the last call. */
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

/** `available`: what the file may cost where lines of a model or the rules are in it, tokens. */
function ownWords(
  { previous, path, file }: CompactionView,
  meter: TokenMeter,
  head: number,
  available: number,
): Outline['own'] {
  const before = path[head]?.id;
  if (before === undefined) return null;
  if (file) {
    const text = textOfLines(fittingLines(file.lines, available, (line) => meter.text(line)));
    if (text === '') return null;
    const { memory: heading } = HEADINGS[conversationLanguage(path)];
    return {
      summary: { ...fileSummary(file, text), heading, before },
      upTo: path.findIndex(({ id }) => id === file.upTo),
      tokens: meter.text(`${heading}\n${text}`) + MESSAGE_OVERHEAD,
    };
  }
  const written = previous?.plan.summaries.find(({ edited }) => edited === true);
  if (!previous || !written) return null;
  const last = written.upTo ?? boundaryOf(previous.plan);
  return {
    summary: { ...written, before },
    upTo: path.findIndex(({ id }) => id === last),
    tokens: meter.text(`${written.heading}\n${written.text}`) + MESSAGE_OVERHEAD,
  };
}

/** The person's own words tell of the whole group. */
export const isSummarised = ({ own, groups }: Outline, group: number): boolean =>
  own !== null && (groups[group]?.members.at(-1) ?? 0) <= own.upTo;

/** Tokens of the prompt that a plan makes, tools left out. */
export function sizeOf(
  view: Pick<CompactionView, 'path' | 'system'>,
  meter: TokenMeter,
  plan: Pick<CompactionPlan, 'runs' | 'summaries'> | null,
  kept?: ReadonlySet<MessageId>,
): number {
  return buildPrompt({
    path: view.path,
    recall: null,
    system: view.system,
    window: Number.MAX_SAFE_INTEGER,
    reserve: 0,
    meter,
    applied: plan && { id: '', plan: plan as CompactionPlan, keepVerbatim: kept },
    sizeOnly: true,
  }).manifest.request.tokens.total;
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
export const freeTokens = ({ groups, goal, fixed, budget, own }: Outline): number =>
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
export const compactedGroups = (outline: Outline, keep: ReadonlySet<number>): number[] =>
  outline.groups.flatMap((_, index) => (keep.has(index) || isSummarised(outline, index) ? [] : [index]));

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

/**
 * The plan in force is this strategy's, speaks of the newest message, and nothing else is asked for than what it is already. An answer that
 * had no room, and a budget that it does not meet and was not made for, ask for something else.
 */
export function isSettled(
  strategy: string,
  { path, system, previous, request }: CompactionView,
  budget: CompactionBudget,
  meter: TokenMeter,
): boolean {
  if (previous?.plan.strategy !== strategy) return false;
  if (request.instruction || request.keep || request.compact || request.reason === 'length') return false;
  const { plan } = previous;
  // A plan without a model call does not depend on the prompt.
  if (plan.attempts > 0 && (plan.prompt ?? '') !== (request.prompt ?? '')) return false;
  const newest = path.findLast(({ kind }) => kind === 'message');
  const summarisedUpTo = plan.runs.at(-1)?.to;
  const at = path.findIndex(({ id }) => id === summarisedUpTo);
  if (newest === undefined || at < 0 || path.slice(at + 1).some(({ kind }) => kind === 'message'))
    return false;
  const size = sizeOf({ path, system }, meter, plan, previous.keepVerbatim) + budget.extra;
  // A plan that failed an equal or smaller target cannot do better for this one.
  return size <= budget.target || (!plan.fits && plan.target <= budget.target && size <= plan.tokensAfter);
}

/** A summary did not work out, and the person asks once more: that it stands is no reason not to try again. */
export const triesAgain = (
  { previous, request }: CompactionView,
  { summarise }: Pick<CompactionTools, 'summarise'>,
): boolean =>
  summarise !== null &&
  previous?.plan.fallback != null &&
  (request.reason === 'manual' || request.reason === 'manual-with-prompt');
