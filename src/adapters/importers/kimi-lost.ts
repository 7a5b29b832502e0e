// Messages of a kimi-cli session that only its wire holds: answers that were stopped or that a crash kept out of the
// context, calls and results, side questions, plans. Makes messages of them and places them among those of the context.
import { isFields } from '../../domain/base/json.ts';
import type { Finish, Part } from '../../domain/chat/message.ts';
import { wordsOfUnknown } from '../../domain/chat/unknown.ts';
import { fingerprint } from './fingerprint.ts';
import type { ImportedMessage } from './importer.ts';
import { type ContextNode, contentParts, syntheticKind, toolResult } from './kimi-context.ts';
import {
  aligned,
  byKey,
  commandIn,
  inputText,
  isSilent,
  keysOf,
  type Matchable,
  type Matching,
  textIn,
  type WireEvent,
} from './kimi-wire.ts';
import { parseJson } from './lenient-json.ts';
import type { SkipCounter } from './skipping.ts';

/** A message that only the wire still holds. */
export interface WireMessage extends Matchable {
  readonly id: string;
  readonly time: number | undefined;
  /**
   * `line`: within the conversation's path. `aside`: a branch, below `under` if that is known. `apart`: a root of its
   * own, because the messages above it are gone.
   */
  readonly how: 'line' | 'aside' | 'apart';
  /** Newest message of the context that existed before it. */
  readonly after: number | undefined;
  readonly under?: string | undefined;
  readonly finish?: Finish | undefined;
  /** True for an event of a kind that is not known here: its words are nobody's message. */
  readonly isNote?: boolean;
}

/** Events that carry words within a turn. */
const SAID: ReadonlySet<string> = new Set(['ContentPart', 'ToolCall', 'ToolResult', 'SteerInput']);

/**
 * Kinds of events that a wire is known to have, protocol 1.1 to 1.10 (kimi-cli, `wire/types.py`). The words of those
 * that are not read here stand in the context or in a result as well, or are the interface's own.
 */
const KNOWN: ReadonlySet<string> = new Set([
  ...SAID,
  ...[
    'TurnBegin',
    'TurnEnd',
    'StepBegin',
    'StepRetry',
    'StepInterrupted',
    'CompactionBegin',
    'CompactionEnd',
  ],
  ...['MCPLoadingBegin', 'MCPLoadingEnd', 'StatusUpdate', 'Notification', 'ToolCallPart', 'ToolCallRequest'],
  ...[
    'ApprovalRequest',
    'ApprovalRequestResolved',
    'ApprovalResponse',
    'QuestionRequest',
    'QuestionResponse',
  ],
  ...['HookTriggered', 'HookResolved', 'HookRequest', 'SubagentEvent', 'PlanDisplay', 'BtwBegin', 'BtwEnd'],
]);

/** Id of a message that begins with this event. A wire only grows, so the id stays the same. */
export const idOfEvent = (at: number): string => fingerprint('wire-event', String(at));

interface Left {
  readonly events: readonly WireEvent[];
  readonly matching: Matching;
  /** The matched messages of the context. */
  readonly nodes: readonly ContextNode[];
  /** True if the context holds only a later part of what the wire holds. */
  readonly cut: boolean;
  readonly skipped: SkipCounter;
}

/**
 * Lists all messages that only the wire has, in its order. Counts the interface's own
 * texts and repeated attempts as left out.
 */
export function lostMessages(left: Left): WireMessage[] {
  const { events, matching, cut, skipped } = left;
  const { owners, used, abandoned } = matching;
  const earlier = earlierIds(left);
  const endingOf = endings(events);
  const newest = newestOf(events, owners);
  const given = new Set<string>();
  const asides = new Map<unknown, string | undefined>();
  const messages: (WireMessage & { readonly at: number })[] = [];

  const aside = (at: number, role: 'user' | 'assistant', words: unknown, under?: string) => {
    if (typeof words !== 'string' || words.trim() === '') return undefined;
    const id = idOfEvent(at);
    const parts = [{ type: 'text' as const, text: words }];
    messages.push({ id, role, parts, time: events[at]?.time, how: 'aside', after: newest[at], under, at });
    return id;
  };

  for (const [start, end] of turnsOf(events)) {
    const turn = range(start, end);
    const typeOf = (at: number) => events[at]?.type;
    const command = commandIn(inputText(events[start]?.payload.user_input)) !== undefined;
    const firstStep = turn.find((at) => typeOf(at) === 'StepBegin') ?? end;
    const firstUsed = turn.find((at) => owners.has(at) && typeOf(at) !== 'CompactionEnd');

    // LEFT OUT
    const isShown = (at: number) =>
      command && at < firstStep && typeOf(at) === 'ContentPart' && !used.has(at);
    const shown = turn.filter(isShown);
    if (shown.length > 0)
      skipped.count('interface-text', String(events[shown[0] as number]?.payload.text ?? ''), shown.length);
    for (const at of turn)
      if (abandoned.get(at) === at)
        skipped.count('broken-attempt', String(events[at]?.payload.text ?? events[at]?.payload.think ?? ''));

    // SAID IN THE TURN
    const said = turn.filter(
      (at) => !used.has(at) && !abandoned.has(at) && !isShown(at) && !isSilent(events[at] as WireEvent),
    );
    const words = said.some((at) => SAID.has(typeOf(at) ?? ''));
    // A command is no message; if the model acted on it, the command replaces the question.
    const drafts = toDrafts(
      said.filter((at) => !(command && at === start && (firstUsed !== undefined || !words))),
      events,
      earlier,
    );
    for (const { role, parts, time, events: own } of drafts) {
      const at = own[0] as number;
      const before = own.map((event) => earlier.get(event)).find((id) => id !== undefined && !given.has(id));
      const id = before ?? idOfEvent(at);
      given.add(id);
      const after = newest[at];
      // If the context is only a later part, a message's place is certain when the same turn goes on in it.
      const sure = cut
        ? firstUsed !== undefined && at > firstUsed
        : owners.size > 0 || left.nodes.length === 0;
      const ending = role === 'assistant' ? endingOf(Math.max(...own)) : undefined;
      const calls = parts.some((part) => part.type === 'tool-call');
      const finish = ending ?? (calls ? 'tool-calls' : undefined);
      messages.push({ id, role, parts, time, how: sure ? 'line' : 'apart', after, finish, at });
    }

    // ASIDE
    for (const at of turn) {
      const { type, payload } = events[at] as WireEvent;
      if (type === 'BtwBegin') asides.set(payload.id, aside(at, 'user', payload.question));
      if (type === 'BtwEnd') aside(at, 'assistant', payload.response, asides.get(payload.id));
      if (type === 'PlanDisplay' && !isSaid(payload.content, events)) aside(at, 'assistant', payload.content);
      if (!KNOWN.has(type) && wordsOfUnknown(payload) !== '') {
        const parts = [{ type: 'unknown' as const, original: payload }];
        const note = { id: idOfEvent(at), role: 'system' as const, isNote: true, parts };
        messages.push({ ...note, time: events[at]?.time, how: 'aside', after: newest[at], at });
        skipped.count('unknown-part', type);
      }
    }
  }
  return messages.sort((a, b) => a.at - b.at);
}

const range = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, n) => start + n);

/** First event and end of each turn; events before the first turn count as one. */
function turnsOf(events: readonly WireEvent[]): [number, number][] {
  const starts = events.flatMap((event, at) => (event.type === 'TurnBegin' ? [at] : []));
  if (starts[0] !== 0) starts.unshift(0);
  return starts.map((start, n) => [start, starts[n + 1] ?? events.length]);
}

/**
 * For each event, the newest message of the context that had said something before it; at the end the newest of all.
 */
function newestOf(events: readonly WireEvent[], owners: Matching['owners']): (number | undefined)[] {
  let newest: number | undefined;
  const before = events.map((_, at) => {
    const there = newest;
    const owner = owners.get(at);
    if (owner !== undefined) newest = Math.max(owner, newest ?? owner);
    return there;
  });
  return [...before, newest];
}

/** Returns how an answer with this last event ended; undefined if nothing shows that it broke off. */
function endings(events: readonly WireEvent[]): (last: number) => Finish | undefined {
  const isWhole = ({ type, payload }: WireEvent) => type === 'StatusUpdate' && isFields(payload.token_usage);
  // Wires of early versions do not show when an answer is complete.
  const tells = events.some(isWhole);
  return (last) => {
    for (let at = last + 1; at < events.length; at += 1) {
      const event = events[at] as WireEvent;
      if (isWhole(event) || event.type === 'StepBegin' || event.type === 'SteerInput') return undefined;
      if (event.type === 'StepInterrupted') return 'stopped';
      if (event.type === 'TurnEnd') return tells ? 'stopped' : undefined;
      if (event.type === 'TurnBegin') return tells ? 'cut' : undefined;
    }
    return undefined;
  };
}

/** True if these words occur in a model's answer, in the arguments of a call or in a tool's result. */
function isSaid(words: unknown, events: readonly WireEvent[]): boolean {
  const wanted = typeof words === 'string' ? words.trim() : '';
  const holds = (value: unknown): boolean =>
    typeof value === 'string'
      ? value.includes(wanted)
      : typeof value === 'object' && value !== null && Object.values(value).some(holds);
  return events.some(({ type, payload }) => {
    if (type === 'ToolCall' && isFields(payload.function))
      return holds(parseJson(String(payload.function.arguments)));
    return (type === 'ToolResult' || type === 'ContentPart') && holds(payload);
  });
}

/** A message made of events, before it has a place. */
interface LostMessage extends Matchable {
  readonly time: number | undefined;
  readonly events: readonly number[];
}

/** Groups events into messages: the person's words, then for each step an answer with its calls, then their results. */
function toDrafts(
  left: readonly number[],
  events: readonly WireEvent[],
  earlier: ReadonlyMap<number, string> | undefined,
): LostMessage[] {
  const drafts: LostMessage[] = [];
  let answer: { parts: Part[]; time: number | undefined; events: number[] } | undefined;
  let results: LostMessage[] = [];
  const flush = () => {
    if (answer && answer.parts.length > 0) drafts.push({ role: 'assistant', ...answer });
    answer = undefined;
    drafts.push(...results);
    results = [];
  };
  const answering = (at: number) => {
    answer ??= { parts: [], time: events[at]?.time, events: [] };
    answer.events.push(at);
    return answer.parts;
  };
  for (const at of left) {
    const { type, payload, time } = events[at] as WireEvent;
    if (type === 'TurnBegin' || type === 'SteerInput') {
      flush();
      const parts = contentParts(payload.user_input, () => {});
      if (parts.length > 0 && !syntheticKind(textIn(parts)))
        drafts.push({ role: 'user', parts, time, events: [at] });
    } else if (type === 'StepBegin') flush();
    else if (type === 'ContentPart') {
      const parts = answering(at);
      for (const part of contentParts([payload], () => {})) {
        const last = parts.at(-1);
        // Early versions left a text in pieces if another event came in between.
        const isPiece = earlier && !earlier.has(at) && (part.type === 'text' || part.type === 'reasoning');
        if (isPiece && last?.type === part.type)
          parts[parts.length - 1] = { ...part, text: last.text + part.text };
        else parts.push(part);
      }
    } else if (type === 'ToolCall' && isFields(payload.function) && typeof payload.id === 'string') {
      const { name, arguments: text } = payload.function;
      answering(at).push({
        type: 'tool-call',
        callId: payload.id,
        name: typeof name === 'string' ? name : '',
        arguments: typeof text === 'string' ? text : '',
      });
    } else if (type === 'ToolResult' && typeof payload.tool_call_id === 'string') {
      // Early versions ended the answer at a result even if the answer continued.
      if (!earlier || earlier.has(at)) flush();
      const value = isFields(payload.return_value) ? payload.return_value : {};
      const contents = contentParts(value.output, () => {});
      const words: readonly Part[] =
        textIn(contents) === '' && typeof value.message === 'string'
          ? [{ type: 'text', text: value.message }, ...contents]
          : contents;
      results.push({
        role: 'tool',
        time,
        events: [at],
        parts: [
          toolResult(payload.tool_call_id, words, value.is_error === true),
          ...contents.filter((part) => part.type !== 'text'),
        ],
      });
      if (!earlier || earlier.has(at)) flush();
    }
  }
  flush();
  return drafts;
}

/**
 * Maps an event to the id that earlier versions gave its message. They took only turns without any match and, in a cut
 * history, the rest of the others; each id depended on all before it.
 */
function earlierIds({ events, nodes, cut }: Left): Map<number, string> {
  const keyOf = (at: number) => (events[at]?.key?.startsWith('part ') ? undefined : events[at]?.key);
  const waiting = byKey(events, (at) => keyOf(at) !== undefined);
  const keys = nodes.map(({ record }) => keysOf(record));
  const taken = new Map<string, number>();
  const matched = cut
    ? aligned(keys, waiting, cut)
    : keys.map((own) =>
        own.flatMap((key) => {
          const next = taken.get(key) ?? 0;
          taken.set(key, next + 1);
          return waiting.get(key)?.[next] ?? [];
        }),
      );
  const used = new Set(matched.flat());
  const ids = new Map<number, string>();
  let above = '';
  for (const [start, end] of turnsOf(events)) {
    const turn = range(start, end);
    const begin = events[start];
    if (begin?.type !== 'TurnBegin' || inputText(begin.payload.user_input).startsWith('/')) continue;
    const none = turn.every((at) => !used.has(at) || events[at]?.type === 'CompactionEnd');
    const words = turn.some((at) => SAID.has(events[at]?.type ?? '') && keyOf(at) !== undefined);
    const left = turn.filter((at) => !used.has(at) && !isSilent(events[at] as WireEvent));
    const whole = none && words;
    if (!whole && !(cut && left.some((at) => keyOf(at) !== undefined))) continue;
    for (const { role, parts, events: own } of toDrafts(whole ? turn : left, events, undefined)) {
      above = fingerprint('wire', above, JSON.stringify([role, parts]));
      for (const at of own) ids.set(at, above);
    }
  }
  return ids;
}

/**
 * Places the wire's messages among those of the context. Ids of the context stay; only parents change. `order`: ids of
 * those not `apart`, as created, without copies of a compaction; `head`: the leaf of the context, then of all.
 */
export function placed(
  lost: readonly WireMessage[],
  nodes: readonly ContextNode[],
  head: string | null,
): { order: string[]; parents: ReadonlyMap<string, string | null>; head: string | null } {
  const original = nodes.flatMap((node, at) => (node.copyOf === undefined ? [at] : []));
  /** Each message's successor; a rewrite of the context begins another path. */
  const followers = new Map<string | null, string>();
  for (const { id, parentId, record } of nodes)
    if (record.synthetic !== 'd-mail' && record.synthetic !== 'compaction' && !followers.has(parentId))
      followers.set(parentId, id);
  const parents = new Map<string, string | null>(nodes.map(({ id, parentId }) => [id, parentId]));
  /** Maps a node's position to the ids of wire messages behind it. */
  const behind = new Map<number, string[]>();
  const tails = new Map<number, string>();
  let apart: string | null = null;
  let leaf = head;
  let slot = -1;
  for (const { id, how, after, role, under } of lost) {
    if (how === 'apart') {
      parents.set(id, apart);
      apart = id;
      continue;
    }
    slot = Math.max(slot, after === undefined ? -1 : (original[after] as number));
    // The wire does not show what a rewrite wrote, but the rewrite came before the model's next words.
    const isRewritten = (node: ContextNode | undefined) =>
      node?.copyOf !== undefined || (node?.record.synthetic === 'd-mail' && role !== 'tool');
    while (slot >= 0 && isRewritten(nodes[slot + 1])) slot += 1;
    behind.set(slot, [...(behind.get(slot) ?? []), id]);
    const node = nodes[slot]?.id ?? null;
    const above = tails.get(slot) ?? node;
    parents.set(id, under ?? above);
    if (how === 'aside') continue;
    tails.set(slot, id);
    const follower = followers.get(node);
    if (follower !== undefined) parents.set(follower, id);
    else if (leaf === above) leaf = id;
  }
  const order = [
    ...(behind.get(-1) ?? []),
    ...nodes.flatMap(({ id, copyOf }, at) => [
      ...(copyOf === undefined ? [id] : []),
      ...(behind.get(at) ?? []),
    ]),
  ];
  return { order, parents, head: leaf };
}

/** Sorts parents before their children, else keeps the order. */
export function parentsFirst(messages: readonly ImportedMessage[]): ImportedMessage[] {
  const all = new Map(messages.map((message) => [message.id, message]));
  const sorted = new Set<ImportedMessage>();
  for (const message of messages) {
    const above: ImportedMessage[] = [];
    for (
      let at: ImportedMessage | undefined = message;
      at && !sorted.has(at);
      at = all.get(at.parentId ?? '')
    )
      above.push(at);
    for (const one of above.reverse()) sorted.add(one);
  }
  return [...sorted];
}
