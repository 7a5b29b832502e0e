// wire.jsonl of kimi-cli: what the interface showed, and the only place with times. Finds the events that each message
// of the context was made of. `kimi-lost.ts` handles the rest.
import { isFields } from '../../domain/base/json.ts';
import type { Part, Role, Usage } from '../../domain/chat/message.ts';
import { contentParts, syntheticKind } from './kimi-context.ts';
import { recordsOf } from './lenient-json.ts';
import type { SkipCounter } from './skipping.ts';
import { timeOf } from './times.ts';

/** One event, with the key to match it by. */
export interface WireEvent {
  readonly type: string;
  readonly payload: Record<string, unknown>;
  /** ms since 1970; undefined if the value cannot be a time. */
  readonly time: number | undefined;
  /** Equal keys match; undefined: the event matches nothing. */
  readonly key: string | undefined;
}

/** Key of a finished compaction. */
const COMPACTION = 'compaction';
/** Events that begin or end a step: the pieces of one text never lie on both sides of one. */
const BOUNDARIES: ReadonlySet<string> = new Set([
  'TurnBegin',
  'TurnEnd',
  'StepBegin',
  'StepRetry',
  'StepInterrupted',
  'SteerInput',
  'CompactionEnd',
]);

/** The members of a message that matching needs. */
export interface Matchable {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** The wire's knowledge of one message. */
export interface WireMatch {
  readonly time: number | undefined;
  readonly usage: Usage | undefined;
  /** First of its events that is not empty. */
  readonly event: number | undefined;
}

export interface Matching {
  /** Matches in the order of the messages, one for each. */
  readonly known: readonly WireMatch[];
  /** Event → the message it belongs to, if the order of both decides it. */
  readonly owners: ReadonlyMap<number, number>;
  /** Events whose words occur in some message. */
  readonly used: ReadonlySet<number>;
  /** Events of broken attempts at a step that another attempt followed: event → first event of its attempt. */
  readonly abandoned: ReadonlyMap<number, number>;
}

export interface Wire {
  readonly events: readonly WireEvent[];
  /**
   * Finds the events of messages, given in order of creation; each event is used once. `cut`: older messages were
   * compacted away and are in no file, so the wire has turns that the messages do not know, and may end elsewhere.
   */
  match(messages: readonly Matchable[], options: { cut: boolean }): Matching;
  /** The person's first words, for a title. */
  readonly firstInput: string | undefined;
  /** True if a compaction began and the wire has nothing after it. */
  readonly endsInCompaction: boolean;
  /** Subagent id → the call that started it. */
  readonly callOfAgent: ReadonlyMap<string, string>;
  /** Subagents whose events were passed on. */
  readonly agents: readonly string[];
  /** Makes the wire of a subagent from the events that were passed on. */
  agent(id: string): Wire | undefined;
}

/** Reads the file; counts damaged lines. */
export function readWire(text: string, skipped: SkipCounter): Wire {
  const events: WireEvent[] = [];
  for (const { value: raw, line } of recordsOf(text)) {
    if (isFields(raw) && raw.type === 'metadata') continue;
    const message = isFields(raw) ? raw.message : undefined;
    if (!isFields(raw) || !isFields(message) || typeof message.type !== 'string') {
      skipped.count('malformed-line', line);
      continue;
    }
    const time = timeOf(raw.timestamp);
    if (time === 'impossible') skipped.count('impossible-time', String(raw.timestamp));
    const payload = isFields(message.payload) ? message.payload : { value: message.payload };
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
      return contentParts([payload], () => {}).map(keyOfPart)[0];
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

function keyOfPart(part: Part): string {
  if (part.type === 'text') return `text ${part.text.trim()}`;
  if (part.type === 'reasoning') return `think ${part.text.trim()}`;
  if (part.type === 'tool-call') return `call ${part.callId}`;
  if (part.type === 'tool-result') return `result ${part.callId}`;
  return `part ${JSON.stringify(part)}`;
}

/** Computes the keys of the events that a message was made of. */
export function keysOf({ role, parts }: Matchable): string[] {
  if (role === 'user')
    return [syntheticKind(textIn(parts)) === 'compaction' ? COMPACTION : `user ${textIn(parts)}`];
  return parts
    .filter((part) => role === 'assistant' || part.type === 'tool-result' || part.type === 'reasoning')
    .map(keyOfPart);
}

/** True if the event is an empty text or thought. */
export const isSilent = ({ key }: WireEvent): boolean => key === 'text ' || key === 'think ';

/** Returns what a person typed, as text. */
export const inputText = (input: unknown): string => textIn(contentParts(input, () => {}));

/** Joins the texts of these parts in the form that matching uses. */
export const textIn = (parts: readonly Part[]): string =>
  parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n')
    .trim();

/** Name of the command in a typed text, by kimi-cli's rule: a path is no command. */
export const commandIn = (input: string): string | undefined =>
  /^\/([\w-]+(?::[\w-]+)*)(?=\s|$)/.exec(input)?.[1];

function wireOf(events: readonly WireEvent[], skipped: SkipCounter): Wire {
  const usageAfter = (from: number): Usage | undefined => {
    for (let at = from + 1; at < events.length; at += 1) {
      const { type, payload } = events[at] as WireEvent;
      if (type === 'StatusUpdate' && isFields(payload.token_usage)) return toUsage(payload.token_usage);
      if (type === 'StepBegin' || type === 'TurnBegin' || type === 'TurnEnd') return undefined;
    }
    return undefined;
  };

  const agents = new Map<string, WireEvent[]>();
  const callOfAgent = new Map<string, string>();
  for (const { type, payload, time } of events) {
    if (type !== 'SubagentEvent' || !isFields(payload.event) || typeof payload.event.type !== 'string')
      continue;
    const call = [payload.parent_tool_call_id, payload.task_tool_call_id].find(
      (one) => typeof one === 'string',
    );
    // The first versions of the protocol named a subagent by its call alone.
    const id = typeof payload.agent_id === 'string' ? payload.agent_id : call;
    if (id === undefined) continue;
    if (call !== undefined) callOfAgent.set(id, call);
    const list = agents.get(id) ?? [];
    agents.set(id, list);
    list.push(
      toEvent(payload.event.type, isFields(payload.event.payload) ? payload.event.payload : {}, time),
    );
  }

  const lastOf = (...types: readonly string[]) => events.findLastIndex((event) => types.includes(event.type));
  const firstTurn = events.find((event) => event.type === 'TurnBegin');

  return {
    events,
    callOfAgent,
    agents: [...agents.keys()],
    firstInput: firstTurn ? inputText(firstTurn.payload.user_input) || undefined : undefined,
    endsInCompaction: lastOf('CompactionBegin') > lastOf('CompactionEnd', 'StepBegin', 'TurnBegin'),
    agent: (id) => {
      const list = agents.get(id);
      return list && wireOf(list, skipped);
    },

    match: (messages, { cut }) => {
      const abandoned = abandonedIn(events);
      const keys = messages.map(keysOf);
      const waiting = byKey(events, (at) => !abandoned.has(at));
      const places = aligned(keys, waiting, cut);
      const found = withPieces(places, { messages, events, abandoned, skipped });
      const others = fromOtherPlaces(keys, waiting, places, found);
      const known = messages.map(({ role }, at): WireMatch => {
        const own = (places[at] ?? []).toSorted((a, b) => a - b);
        const all = [...own, ...(others[at] ?? [])].toSorted((a, b) => a - b);
        const times = own.flatMap((event) => events[event]?.time ?? []);
        const last = own.at(-1);
        return {
          time: times.length > 0 ? Math.min(...times) : undefined,
          usage: role === 'assistant' && last !== undefined ? usageAfter(last) : undefined,
          event: all.find((event) => !isSilent(events[event] as WireEvent)),
        };
      });
      const owners = new Map(places.flatMap((place, message) => place.map((event) => [event, message])));
      return { known, owners, used: new Set([...places, ...others].flat()), abandoned };
    },
  };
}

/** Maps a key to the events that have it. */
export function byKey(
  events: readonly WireEvent[],
  only: (at: number) => boolean = () => true,
): Map<string, number[]> {
  const waiting = new Map<string, number[]>();
  for (const [at, { key }] of events.entries()) {
    if (key === undefined || !only(at)) continue;
    const list = waiting.get(key);
    if (list) list.push(at);
    else waiting.set(key, [at]);
  }
  return waiting;
}

/** Finds attempts that a `StepRetry` ended and that were followed by more words: event → first event of its attempt. */
function abandonedIn(events: readonly WireEvent[]): Map<number, number> {
  const abandoned = new Map<number, number>();
  let [earlier, attempt]: [number[][], number[]] = [[], []];
  for (const [at, { type }] of events.entries()) {
    if (type === 'StepRetry') {
      if (attempt.length > 0) earlier.push(attempt);
      attempt = [];
    } else if (BOUNDARIES.has(type)) [earlier, attempt] = [[], []];
    else if (type === 'ContentPart' || type === 'ToolCall' || type === 'ToolResult') {
      for (const one of earlier) for (const event of one) abandoned.set(event, one[0] as number);
      earlier = [];
      attempt.push(at);
    }
  }
  return abandoned;
}

/**
 * Finds, for each message, events with its keys out of order: they hold the same words, which must not be
 * imported twice.
 */
function fromOtherPlaces(
  messages: readonly (readonly string[])[],
  events: ReadonlyMap<string, readonly number[]>,
  places: readonly (readonly number[])[],
  found: ReadonlySet<string>,
): number[][] {
  const used = new Set(places.flat());
  return messages.map((keys, at) => {
    const own = new Set(places[at]);
    return keys.flatMap((key) => {
      if (found.has(`${at} ${key}`)) return [];
      const list = events.get(key) ?? [];
      const mine = list.find((event) => own.delete(event));
      const free = mine === undefined ? list.find((event) => !used.has(event)) : undefined;
      if (free !== undefined) used.add(free);
      return free ?? [];
    });
  });
}

/** A text of this length does not stand at the end of another by chance, characters. */
const TELLING = 24;

/**
 * Adds to `places` texts that no key finds: those that the wire wrote in pieces or behind a broken beginning, and typed
 * commands, around which the context has more words. Returns what it found, as number of the message and key.
 */
function withPieces(
  places: readonly number[][],
  within: {
    messages: readonly Matchable[];
    events: readonly WireEvent[];
    abandoned: ReadonlyMap<number, number>;
    skipped: SkipCounter;
  },
): Set<string> {
  const { messages, events, abandoned, skipped } = within;
  const keysFound = new Set<string>();
  const used = new Set(places.flat());
  // This wire belongs to another session.
  if (used.size === 0) return keysFound;
  const isFree = (at: number) => !used.has(at) && !abandoned.has(at);
  const uppers: number[] = [];
  for (let at = messages.length - 1, upper = events.length; at >= 0; at -= 1) {
    uppers[at] = upper;
    upper = Math.min(upper, ...(places[at] as number[]));
  }
  let lower = -1;
  for (const [at, { role, parts }] of messages.entries()) {
    const place = places[at] as number[];
    const upper = uppers[at] as number;
    const take = (found: readonly number[]) => {
      place.push(...found);
      for (const event of found) used.add(event);
    };
    if (role === 'user' && place.length === 0) {
      const spoken = textIn(parts);
      for (let event = upper - 1; event > lower && place.length === 0; event -= 1)
        if (isFree(event) && isMeantBy(events, event, spoken)) take([event]);
    }
    for (const part of role === 'assistant' ? parts : []) {
      if ((part.type !== 'text' && part.type !== 'reasoning') || part.text.trim() === '') continue;
      if (place.some((event) => textOf(events[event], part.type)?.trim() === part.text.trim())) continue;
      const found = inPieces(part, { events, lower, upper, isFree });
      if (!found) continue;
      take(found.pieces);
      keysFound.add(`${at} ${keyOfPart(part)}`);
      if (found.before !== '') skipped.count('broken-attempt', found.before);
    }
    // A summary stands before the messages that it carried over, but was written after them.
    lower = Math.max(lower, ...place.filter((event) => events[event]?.type !== 'CompactionEnd'));
  }
  return keysFound;
}

/** True if the typed words occur in what the model received, or are a command on which the model acted. */
function isMeantBy(events: readonly WireEvent[], at: number, spoken: string): boolean {
  const { type, payload } = events[at] as WireEvent;
  if (type !== 'TurnBegin') return false;
  const input = inputText(payload.user_input);
  const name = commandIn(input);
  if (name === undefined) return input !== '' && spoken.includes(input);
  if (!spoken.includes(input.slice(name.length + 1).trim())) return false;
  let next = at + 1;
  while (next < events.length && !BOUNDARIES.has(events[next]?.type ?? '')) next += 1;
  return events[next]?.type === 'StepBegin';
}

const textOf = (event: WireEvent | undefined, type: 'text' | 'reasoning'): string | undefined => {
  if (event?.type !== 'ContentPart') return undefined;
  const field = type === 'text' ? 'text' : 'think';
  const text = event.payload[field];
  return event.payload.type === field && typeof text === 'string' ? text : undefined;
};

/**
 * Finds, in the newest step that has them, the events whose texts together make this part;
 * `before`: text that precedes it there.
 */
function inPieces(
  part: Extract<Part, { type: 'text' | 'reasoning' }>,
  within: {
    events: readonly WireEvent[];
    lower: number;
    upper: number;
    isFree: (at: number) => boolean;
  },
): { pieces: number[]; before: string } | undefined {
  const { events, lower, upper, isFree } = within;
  const wanted = part.text.trim();
  let step: number[] = [];
  for (let at = upper - 1; at >= lower; at -= 1) {
    const event = events[at];
    if (at > lower && !BOUNDARIES.has(event?.type ?? '')) {
      if (isFree(at) && textOf(event, part.type) !== undefined) step.unshift(at);
      continue;
    }
    for (let end = step.length; end > 0; end -= 1) {
      let text = '';
      for (let from = end - 1; from >= 0; from -= 1) {
        text = (textOf(events[step[from] as number], part.type) ?? '') + text;
        if (text.trim() === wanted) return { pieces: step.slice(from, end), before: '' };
        if (wanted.length >= TELLING && text.trimEnd().endsWith(wanted))
          return { pieces: step.slice(from, end), before: text.trim().slice(0, -wanted.length) };
      }
    }
    step = [];
  }
  return undefined;
}

/**
 * Assigns events to messages. Keys that occur once in both, in the same order, are certain; a repeated one goes to the
 * event nearest to a certain neighbour; without any to the oldest, or the newest of a later part of the wire (`cut`).
 */
export function aligned(
  messages: readonly (readonly string[])[],
  events: ReadonlyMap<string, readonly number[]>,
  cut: boolean,
): number[][] {
  const found: number[][] = messages.map(() => []);
  // A summary stands before the messages that it carried over, but was written after them.
  const items = messages.flatMap((keys, message) =>
    keys.filter((key) => key !== COMPACTION).map((key) => ({ message, key })),
  );
  const summaries = messages.flatMap((keys, message) => (keys.includes(COMPACTION) ? [message] : []));
  const compactions = events.get(COMPACTION) ?? [];
  const missing = cut ? compactions.length - summaries.length : 0;
  for (const [at, message] of summaries.entries()) {
    const event = compactions[at + missing];
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
  if (certain.length === 0 && cut) between(before, end);
  else
    for (let item = before.item + 1; item < items.length; item += 1) {
      const event = events.get(items[item]?.key ?? '')?.find((at) => at > before.event);
      if (take(item, event)) before = { item, event };
    }
  return found;
}

/**
 * Finds the longest rising subsequence: the most pairs, in order of their items, whose events rise as well. O(n log n).
 */
function longestRise<T extends { readonly event: number }>(pairs: readonly T[]): T[] {
  /** For each length, the pair with the lowest event that ends such a subsequence. */
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
