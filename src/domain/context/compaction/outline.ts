// Input of every strategy: groups of messages that belong together, their costs, and which of them must stay.
import type { MessageId } from '../../base/ids.ts';
import { fittingLines, textOfLines } from '../../chat/memory-file.ts';
import type { Message } from '../../chat/message.ts';
import { constraintsOf } from '../constraints.ts';
import { MESSAGE_OVERHEAD, type TokenMeter } from '../meter.ts';
import { buildPrompt, systemTextOf } from '../prompt.ts';
import { conversationLanguage, HEADINGS } from './headings.ts';
import { boundaryOf, type CompactionPlan, fileSummary, type PlanSummary } from './plan.ts';
import type { CompactionBudget, CompactionTools, CompactionView } from './strategy.ts';

/** Largest share of the free space for a person's session memory. */
const FILE_SHARE = 0.7;

/** Inseparable messages: a call and its results, or a single message. */
export interface Group {
  /** Positions on the path, ascending. */
  readonly members: readonly number[];
  /** Tokens if it is sent whole. */
  readonly tokens: number;
  /** Number of the turn it begins in; a turn begins with a person's message. */
  readonly turn: number;
  /** Reason for which it must be sent whole: system, question, pinned, chosen; null for none. */
  readonly must: 'system' | 'question' | 'pinned' | 'chosen' | null;
  /** True if the person wants it compacted. */
  readonly unwanted: boolean;
}

export interface Outline {
  readonly view: CompactionView;
  readonly budget: CompactionBudget;
  readonly meter: TokenMeter;
  readonly language: 'en' | 'zh';
  /** First position after the system messages at the beginning. */
  readonly head: number;
  /** In the order of their first members. Notes and answers from memory are in none. */
  readonly groups: readonly Group[];
  /** Number of the group by position on the path; -1 for messages in none. */
  readonly groupAt: readonly number[];
  /** Positions of messages with rules of the person. */
  readonly ruled: readonly number[];
  readonly turns: number;
  /** Tokens of each message sent whole, by position; 0 for those never sent. */
  readonly tokens: readonly number[];
  /** Tokens sent beside the messages: system prompt, tools, recall. */
  readonly fixed: number;
  /** Size of the prompt now, tokens. */
  readonly before: number;
  /** Size that the plan aims at: the budget's target, or less if a person asks before it is needed. */
  readonly goal: number;
  /** The person's summary in place of an earlier one: carried on, it covers the messages up to its place. */
  readonly own: { readonly summary: PlanSummary; readonly upTo: number; readonly tokens: number } | null;
  readonly signal: { throwIfAborted(): void };
}

/** Reads a conversation; of one that was read before, only new messages and wishes. */
export function outlineOf(
  view: CompactionView,
  budget: CompactionBudget,
  tools: { readonly meter: TokenMeter; readonly signal: { throwIfAborted(): void } },
): Outline {
  const { path, request, pinned } = view;
  const { meter } = tools;
  const { head, tokens, groupAt, ruled, groups: plain, turns } = structureOf(path, meter);
  const question = path.findLastIndex(({ role, kind }) => role === 'user' && kind === 'message');
  // Few groups are special: the others are shared between outlines.
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
  // Without a compaction in force the prompt is the sum of its messages; building it
  // would take longer than all the rest.
  const before = view.previous
    ? sizeOf(view, meter, view.previous.plan, view.previous.keepVerbatim) + budget.extra
    : groups.reduce((sum, group) => sum + group.tokens, fixed + budget.extra);
  // In a small window messages brought back for a question need the space more than others.
  const returnable = Math.min(2_000, Math.max(budget.limit * 0.4, 250));
  const target = Math.max(0, Math.min(budget.target, Math.floor(budget.limit - returnable)));
  // A compaction that a person asks for early must still make something smaller.
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
  /** Number of the turn by position. */
  readonly turnAt: number[];
  turns: number;
  /** Position of the first message of the same group, perhaps by way of others. */
  readonly chief: number[];
  /** Positions of calls without a result, by id. */
  readonly open: Map<string, number[]>;
  readonly ruled: number[];
  /** Groups by the position of their first message, oldest first. */
  readonly members: Map<number, number[]>;
  made: Structure | null;
}

/** By first message of a branch: the newest branch that was read. */
const grown = new WeakMap<Message, Grown>();

/** Returns groups, costs and turns of a branch. Reads only new messages since the last call. */
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

/** Pairs as the prompt does: a result answers the newest open call of its id before it. */
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

/** `available`: most tokens for lines of a model or the rules in the file. */
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

/** True if the person's own words cover the whole group. */
export const isSummarised = ({ own, groups }: Outline, group: number): boolean =>
  own !== null && (groups[group]?.members.at(-1) ?? 0) <= own.upTo;

/** Tokens of the prompt that a plan makes, without tools. */
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

/**
 * Returns the newest groups that cost at most `tokens` and are in the last `turns` turns; always the
 * last group. As a set of group numbers.
 */
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

/** Tokens of the goal that are free beside required messages: for other whole messages, and for summaries. */
export const freeTokens = ({ groups, goal, fixed, budget, own }: Outline): number =>
  Math.max(
    0,
    goal -
      fixed -
      budget.extra -
      (own?.tokens ?? 0) -
      groups.reduce((sum, { must, tokens }) => sum + (must === null ? 0 : tokens), 0),
  );

/** Tokens of the groups of a set that could have been compacted. */
export const chosenTokens = ({ groups }: Outline, keep: Iterable<number>): number => {
  let sum = 0;
  for (const index of keep) if (!groups[index]?.must) sum += groups[index]?.tokens ?? 0;
  return sum;
};

/** Groups that are neither kept nor covered by the person's words, oldest first. */
export const compactedGroups = (outline: Outline, keep: ReadonlySet<number>): number[] =>
  outline.groups.flatMap((_, index) => (keep.has(index) || isSummarised(outline, index) ? [] : [index]));

/** Id of the message before which a summary of these groups stands. */
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
 * True if the plan in force is this strategy's, covers the newest message, and nothing else is asked for. An answer
 * without space, and a budget that it misses and was not made for, ask for something else.
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

/** True if a summary failed and the person asks again: then the existing plan is no reason not to try. */
export const retriesSummary = (
  { previous, request }: CompactionView,
  { summarise }: Pick<CompactionTools, 'summarise'>,
): boolean =>
  summarise !== null &&
  previous?.plan.fallback != null &&
  (request.reason === 'manual' || request.reason === 'manual-with-prompt');
