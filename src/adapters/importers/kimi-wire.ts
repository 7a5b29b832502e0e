// wire.jsonl of kimi-cli: what the interface showed, and the only place where times are written. Matches its events to the messages
// of the context, and turns the turns that no context holds any more into messages.
import type { Part, Role, Usage } from '../../domain/chat/message.ts';
import { contentParts, syntheticKind, toolResult } from './kimi-context.ts';
import { linesOf, parseJson } from './lenient-json.ts';
import type { SkipCounter } from './skipping.ts';
import { timeOf } from './times.ts';

/** One event with what can be matched in it. */
interface WireEvent {
  readonly type: string;
  readonly payload: Record<string, unknown>;
  /** ms; undefined where what is written cannot be a time. */
  readonly time: number | undefined;
  /** Key to match it by. */
  readonly key: string | undefined;
}

/** Events that hold something said. */
const SAID: ReadonlySet<string> = new Set(['ContentPart', 'ToolCall', 'ToolResult', 'SteerInput']);

/** Key of a finished compaction. */
const COMPACTION = 'compaction';
/** Keys of parts in which nothing stands. */
const SILENT: ReadonlySet<string> = new Set(['text ', 'think ']);

/** A message as far as matching needs it. */
export interface Matchable {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** A message that only the wire still has. */
export interface WireMessage extends Matchable {
  readonly time: number | undefined;
}

/** What the wire knows of a message. */
export interface Match {
  readonly time: number | undefined;
  readonly usage: Usage | undefined;
}

export interface Wire {
  /**
   * Time and usage of each message, in the order in which they came to be; each event is used once. `cut`: what came before was folded
   * away and is in no file, so that the wire has turns of which the messages know nothing, and may end elsewhere.
   */
  match(messages: readonly Matchable[], options: { cut: boolean }): Match[];
  /**
   * Call after the messages were matched: turns of which nothing was, and, of a history that was cut, what is left of the others. Counts
   * texts of the interface as left out.
   */
  unmatched(): WireMessage[];
  /** First words of the person, for a title. */
  readonly firstInput: string | undefined;
  /** A compaction was begun and nothing was written after it. */
  readonly endsInCompaction: boolean;
  /** Subagent id → the call that started it. */
  readonly callOfAgent: ReadonlyMap<string, string>;
  /** The same for a subagent, from the events that were passed on. */
  agent(id: string): Wire | undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the file; damaged lines are counted. */
export function readWire(text: string, skipped: SkipCounter): Wire {
  const events: WireEvent[] = [];
  for (const line of linesOf(text)) {
    if (line.trim() === '') continue;
    const raw = parseJson(line);
    if (isObject(raw) && raw.type === 'metadata') continue;
    const message = isObject(raw) ? raw.message : undefined;
    if (!isObject(raw) || !isObject(message) || typeof message.type !== 'string') {
      skipped.count('malformed-line', line);
      continue;
    }
    const time = timeOf(raw.timestamp);
    if (time === 'impossible') skipped.count('impossible-time', String(raw.timestamp));
    const payload = isObject(message.payload) ? message.payload : {};
    events.push(toEvent(message.type, payload, typeof time === 'number' ? time : undefined));
  }
  return wireOf(events, skipped);
}

const toEvent = (type: string, payload: Record<string, unknown>, time: number | undefined): WireEvent => ({
  type,
  payload,
  time,
  key: keyOfEvent(type, payload),
});

function keyOfEvent(type: string, payload: Record<string, unknown>): string | undefined {
  switch (type) {
    case 'TurnBegin':
    case 'SteerInput':
      return `user ${inputText(payload.user_input)}`;
    case 'ContentPart':
      if (payload.type === 'text' && typeof payload.text === 'string') return `text ${payload.text.trim()}`;
      if (payload.type === 'think' && typeof payload.think === 'string')
        return `think ${payload.think.trim()}`;
      return undefined;
    case 'ToolCall':
      return typeof payload.id === 'string' ? `call ${payload.id}` : undefined;
    case 'ToolResult':
      return typeof payload.tool_call_id === 'string' ? `result ${payload.tool_call_id}` : undefined;
    case 'CompactionEnd':
      return COMPACTION;
    default:
      return undefined;
  }
}

const inputText = (input: unknown): string => textIn(contentParts(input ?? null, () => {}) ?? []);

const textIn = (parts: readonly Part[]): string =>
  parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n')
    .trim();

function wireOf(events: readonly WireEvent[], skipped: SkipCounter): Wire {
  const waiting = new Map<string, number[]>();
  for (const [at, { key }] of events.entries()) {
    if (key === undefined) continue;
    const list = waiting.get(key);
    if (list) list.push(at);
    else waiting.set(key, [at]);
  }
  const used = new Set<number>();
  let wasCut = false;
  const usageAfter = (from: number): Usage | undefined => {
    for (let at = from + 1; at < events.length; at += 1) {
      const { type, payload } = events[at] as WireEvent;
      if (type === 'StatusUpdate' && isObject(payload.token_usage)) return toUsage(payload.token_usage);
      if (type === 'StepBegin' || type === 'TurnBegin' || type === 'TurnEnd') return undefined;
    }
    return undefined;
  };

  const agents = new Map<string, WireEvent[]>();
  const callOfAgent = new Map<string, string>();
  for (const { type, payload, time } of events) {
    if (type !== 'SubagentEvent' || !isObject(payload.event) || typeof payload.event.type !== 'string')
      continue;
    const id = typeof payload.agent_id === 'string' ? payload.agent_id : undefined;
    if (id === undefined) continue;
    if (typeof payload.parent_tool_call_id === 'string') callOfAgent.set(id, payload.parent_tool_call_id);
    const list = agents.get(id) ?? [];
    agents.set(id, list);
    list.push(
      toEvent(payload.event.type, isObject(payload.event.payload) ? payload.event.payload : {}, time),
    );
  }

  const lastOf = (...types: readonly string[]) => events.findLastIndex((event) => types.includes(event.type));
  const firstTurn = events.find((event) => event.type === 'TurnBegin');

  return {
    callOfAgent,
    firstInput: firstTurn ? inputText(firstTurn.payload.user_input) || undefined : undefined,
    endsInCompaction: lastOf('CompactionBegin') > lastOf('CompactionEnd', 'StepBegin', 'TurnBegin'),
    agent: (id) => {
      const list = agents.get(id);
      return list && wireOf(list, skipped);
    },

    match: (messages, { cut }) => {
      wasCut = cut;
      const keys = messages.map(keysOf);
      const places = cut ? aligned(keys, waiting) : inOrder(keys, waiting);
      return messages.map(({ role }, at) => {
        const found = places[at] ?? [];
        for (const event of found) used.add(event);
        const times = found.flatMap((event) => events[event]?.time ?? []);
        return {
          time: times.length > 0 ? Math.min(...times) : undefined,
          usage: role === 'assistant' && found.length > 0 ? usageAfter(Math.max(...found)) : undefined,
        };
      });
    },

    unmatched: () => {
      const messages: WireMessage[] = [];
      const starts = events.flatMap((event, at) => (event.type === 'TurnBegin' ? [at] : []));
      for (const [n, start] of starts.entries()) {
        const end = starts[n + 1] ?? events.length;
        const turn = events.slice(start, end);
        const words = turn.filter((event, at) => at > 0 && SAID.has(event.type) && event.key !== undefined);
        const none = turn.every((event, at) => !used.has(start + at) || event.type === 'CompactionEnd');
        const command = inputText((turn[0] as WireEvent).payload.user_input).startsWith('/');
        if (command) {
          const shown = turn.filter((event, at) => event.type === 'ContentPart' && !used.has(start + at));
          if (shown.length > 0)
            skipped.count('interface-text', String(shown[0]?.payload.text ?? ''), shown.length);
        } else if (none && words.length > 0) messages.push(...toMessages(turn));
        else if (wasCut) {
          const left = turn.filter((event, at) => !used.has(start + at) && !SILENT.has(event.key ?? ''));
          if (left.some((event) => event.key !== undefined)) messages.push(...toMessages(left));
        }
      }
      return messages;
    },
  };
}

/** Keys of the events that a message was made of. */
function keysOf({ role, parts }: Matchable): string[] {
  if (role === 'user')
    return [syntheticKind(textIn(parts)) === 'compaction' ? COMPACTION : `user ${textIn(parts)}`];
  return parts.flatMap((part) => {
    if (part.type === 'text' && role === 'assistant') return [`text ${part.text.trim()}`];
    if (part.type === 'reasoning') return [`think ${part.text.trim()}`];
    if (part.type === 'tool-call') return [`call ${part.callId}`];
    return part.type === 'tool-result' ? [`result ${part.callId}`] : [];
  });
}

/** Per message its events: of several with the same key the oldest that nobody has yet. */
function inOrder(
  messages: readonly (readonly string[])[],
  events: ReadonlyMap<string, readonly number[]>,
): number[][] {
  const taken = new Map<string, number>();
  return messages.map((keys) =>
    keys.flatMap((key) => {
      const next = taken.get(key) ?? 0;
      taken.set(key, next + 1);
      return events.get(key)?.[next] ?? [];
    }),
  );
}

/**
 * Per message its events, where the messages are a later part of the wire. What stands once in both and in the same order is certain;
 * what comes again and again ("continue") is the one nearest to the certain one behind it, at the end to the one before it, and the
 * newest where nothing is certain.
 */
function aligned(
  messages: readonly (readonly string[])[],
  events: ReadonlyMap<string, readonly number[]>,
): number[][] {
  const found: number[][] = messages.map(() => []);
  // A summary was written after what it carried over, and stands before it.
  const items = messages.flatMap((keys, message) =>
    keys.filter((key) => key !== COMPACTION).map((key) => ({ message, key })),
  );
  const summaries = messages.flatMap((keys, message) => (keys.includes(COMPACTION) ? [message] : []));
  for (const [at, message] of summaries.reverse().entries()) {
    const event = events.get(COMPACTION)?.at(-1 - at);
    if (event !== undefined) found[message]?.push(event);
  }

  const times = new Map<string, number>();
  for (const { key } of items) times.set(key, (times.get(key) ?? 0) + 1);
  const certain = longestRise(
    items.flatMap(({ key }, item) => {
      const [event, another] = events.get(key) ?? [];
      return event === undefined || another !== undefined || times.get(key) !== 1 ? [] : [{ item, event }];
    }),
  );

  const take = (item: number, event: number | undefined): event is number => {
    const { message } = items[item] as { message: number };
    if (event !== undefined) found[message]?.push(event);
    return event !== undefined;
  };
  const between = (from: { item: number; event: number }, to: { item: number; event: number }) => {
    let bound = to.event;
    for (let item = to.item - 1; item > from.item; item -= 1) {
      const event = events.get(items[item]?.key ?? '')?.findLast((at) => at < bound);
      if (event !== undefined && event > from.event && take(item, event)) bound = event;
    }
  };
  const end = { item: items.length, event: Number.POSITIVE_INFINITY };
  let before = { item: -1, event: -1 };
  for (const anchor of certain) {
    between(before, anchor);
    take(anchor.item, anchor.event);
    before = anchor;
  }
  if (certain.length === 0) between(before, end);
  else
    for (let item = before.item + 1; item < items.length; item += 1) {
      const event = events.get(items[item]?.key ?? '')?.find((at) => at > before.event);
      if (take(item, event)) before = { item, event };
    }
  return found;
}

/** The most of these pairs, in the order of their items, whose events are in order as well. O(n log n). */
function longestRise<T extends { readonly event: number }>(pairs: readonly T[]): T[] {
  /** Per length the pair that ends such a row lowest. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [at, { event }] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number]?.event ?? 0) < event) low = middle + 1;
      else high = middle;
    }
    previous.push(low > 0 ? ends[low - 1] : undefined);
    ends[low] = at;
  }
  const row: T[] = [];
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) row.push(pairs[at] as T);
  return row.reverse();
}

const number = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);

function toUsage(raw: Record<string, unknown>): Usage {
  const cached = number(raw.input_cache_read);
  return {
    inputTokens: number(raw.input_other) + cached + number(raw.input_cache_creation),
    outputTokens: number(raw.output),
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
  };
}

/** A turn as messages: what the person said, then per step an answer with its calls, then their results. */
function toMessages(turn: readonly WireEvent[]): WireMessage[] {
  const messages: WireMessage[] = [];
  let answer: { parts: Part[]; time: number | undefined } | undefined;
  const flush = () => {
    if (answer && answer.parts.length > 0) messages.push({ role: 'assistant', ...answer });
    answer = undefined;
  };
  for (const { type, payload, time } of turn) {
    if (type === 'TurnBegin' || type === 'SteerInput') {
      flush();
      const parts = contentParts(payload.user_input ?? null, () => {}) ?? [];
      if (parts.length > 0 && !syntheticKind(textIn(parts))) messages.push({ role: 'user', parts, time });
    } else if (type === 'StepBegin') flush();
    else if (type === 'ContentPart') {
      answer ??= { parts: [], time };
      answer.parts.push(...(contentParts([payload], () => {}) ?? []));
    } else if (type === 'ToolCall' && isObject(payload.function) && typeof payload.id === 'string') {
      answer ??= { parts: [], time };
      const { name, arguments: text } = payload.function;
      answer.parts.push({
        type: 'tool-call',
        callId: payload.id,
        name: typeof name === 'string' ? name : '',
        arguments: typeof text === 'string' ? text : '',
      });
    } else if (type === 'ToolResult' && typeof payload.tool_call_id === 'string') {
      flush();
      const value = isObject(payload.return_value) ? payload.return_value : {};
      const contents = contentParts(value.output ?? null, () => {}) ?? [];
      const words: readonly Part[] =
        textIn(contents) === '' && typeof value.message === 'string'
          ? [{ type: 'text', text: value.message }, ...contents]
          : contents;
      messages.push({
        role: 'tool',
        time,
        parts: [
          toolResult(payload.tool_call_id, words, value.is_error === true),
          ...contents.filter((part) => part.type !== 'text'),
        ],
      });
    }
  }
  flush();
  return messages;
}
