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

/** A message as far as matching needs it. */
export interface Matchable {
  readonly role: Role;
  readonly parts: readonly Part[];
}

/** A message that only the wire still has. */
export interface WireMessage extends Matchable {
  readonly time: number | undefined;
}

export interface Wire {
  /** Time and usage of the message; each event is used once, so ask in the order in which the messages came to be. */
  match(message: Matchable): { time: number | undefined; usage: Usage | undefined };
  /** Call after all messages were matched: turns of which nothing was. Counts texts of the interface as left out. */
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

/** Reads the file; damaged lines are counted. `now` as in `timeOf`. */
export function readWire(text: string, skipped: SkipCounter, now: number | undefined): Wire {
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
    const time = timeOf(raw.timestamp, now);
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
      return 'compaction';
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
  for (const list of waiting.values()) list.reverse();
  const used = new Set<number>();
  /** The next unused event of this key; the oldest one first, as messages are asked for in order. */
  const take = (key: string): number | undefined => {
    const at = waiting.get(key)?.pop();
    if (at !== undefined) used.add(at);
    return at;
  };
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

    match: ({ role, parts }) => {
      const found: number[] = [];
      const tryKey = (key: string) => {
        const at = take(key);
        if (at !== undefined) found.push(at);
      };
      if (role === 'user')
        tryKey(syntheticKind(textIn(parts)) === 'compaction' ? 'compaction' : `user ${textIn(parts)}`);
      else
        for (const part of parts) {
          if (part.type === 'text' && role === 'assistant') tryKey(`text ${part.text.trim()}`);
          else if (part.type === 'reasoning') tryKey(`think ${part.text.trim()}`);
          else if (part.type === 'tool-call') tryKey(`call ${part.callId}`);
          else if (part.type === 'tool-result') tryKey(`result ${part.callId}`);
        }
      const times = found.flatMap((at) => events[at]?.time ?? []);
      return {
        time: times.length > 0 ? Math.min(...times) : undefined,
        usage: role === 'assistant' && found.length > 0 ? usageAfter(Math.max(...found)) : undefined,
      };
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
      }
      return messages;
    },
  };
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
