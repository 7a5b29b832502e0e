// What an endpoint answers with, as the event stream that was asked for. Reads the stream leniently (byte order mark, any line end,
// comments, data over several lines, no blank line at the end, JSON lines, one JSON document), normalises each event, and joins what came at
// once: what the SDK does with an event costs the same for one token as for twenty.
import { parsePartialJson } from 'ai';
import { escapedControls, readJson } from '../../domain/base/json.ts';
import { ChunkReader, KEEP_ALIVE, type StreamFacts } from './chunk.ts';

/** What a line of an event stream begins with; the empty one is that of a comment. https://html.spec.whatwg.org/#parsing-an-event-stream */
const FIELDS = ['data', 'event', 'id', 'retry', ''];
const kindOf = (text: string): 'unknown' | 'events' | 'document' => {
  const begun = text.replace(/^\uFEFF/, '').trimStart();
  if (FIELDS.some((field) => begun.startsWith(`${field}:`))) return 'events';
  return FIELDS.some((field) => field.startsWith(begun)) ? 'unknown' : 'document';
};

/** Numbers that Python writes, and commas behind the last member; strings are kept as they are. */
const NO_JSON = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b|,(?=\s*[}\]])/g;
const mended = (text: string): string =>
  escapedControls(text).replace(NO_JSON, (found) =>
    found.startsWith('"') ? found : found === ',' ? '' : 'null',
  );

const parsed = (text: string): { readonly value: unknown } | undefined => {
  let value = readJson(text);
  if (value === undefined && /^\s*[{[]/.test(text)) value = readJson(mended(text));
  return value === undefined ? undefined : { value };
};

/** What had come of a JSON text that was cut off; undefined where that cannot be told. */
async function parsedHalf(text: string): Promise<unknown> {
  // Half a character is no word.
  let end = text.length;
  while (text[end - 1] === '\uFFFD') end--;
  const { value } = await parsePartialJson(escapedControls(text.slice(0, end)));
  return value;
}

/** Objects that were written one behind the other without anything between them, each as its own text. */
function objectsIn(text: string): readonly string[] {
  if (!text.startsWith('{') || !/\}\s*\{/.test(text)) return [text];
  const pieces: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: sign, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (sign === '{') {
      if (depth === 0) from = index;
      depth += 1;
    } else if (sign === '}') {
      depth -= 1;
      if (depth === 0) pieces.push(text.slice(from, index + 1));
    }
  }
  if (depth > 0) pieces.push(text.slice(from));
  return pieces;
}

const DONE = /^"?\[DONE\]"?$/i;
/** Names of events by which some servers say the same. */
const NAMED_DONE = /^(done|end|complete|completed)$/i;

/**
 * Passes an answer on as canonical events, each as soon as it is whole, and notes in `facts` what else it told. Ends with `[DONE]`,
 * whatever comes after it. `tools`: names of those that may be called. A body that does not begin like an event stream is none, whatever its headers say: it is read to its end.
 */
export function asEventStream(
  facts: StreamFacts,
  tools: readonly string[] = [],
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const reader = new ChunkReader(facts, tools);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  type Controller = TransformStreamDefaultController<Uint8Array<ArrayBuffer>>;
  let kind: ReturnType<typeof kindOf> = 'unknown';
  /** Text of no known kind, and then the line that has not ended. */
  let text = '';
  /** How far `text` was searched for the end of a line. */
  let searched = 0;
  let data: string[] = [];
  let named = '';
  /** The last event, where it ended within its JSON. */
  let half = '';
  /** Events of the bytes at hand: they go on together. */
  let ready: unknown[] = [];

  const send = (controller: Controller) => {
    const events = joined(ready);
    ready = [];
    if (events.length > 0)
      controller.enqueue(
        encoder.encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
      );
  };
  const end = (controller: Controller) => {
    facts.done = true;
    send(controller);
    controller.enqueue(encoder.encode('data: [DONE]\n\n'));
    controller.terminate();
  };

  /** `isWhole`: a blank line ended the event; without one it may have been cut off. */
  const dispatch = (controller: Controller, isWhole: boolean) => {
    const lines = data;
    const name = named;
    data = [];
    named = '';
    if (lines.length === 0 || KEEP_ALIVE.test(name)) return;
    const whole = lines.join('\n').trim();
    if (whole === '') return;
    const one = DONE.test(whole) ? undefined : parsed(whole);
    // Where the data is no JSON, each of its lines may be: some servers leave the blank line between events out.
    const pieces = one
      ? [whole]
      : lines.flatMap((line) => (line.trim() === '' ? [] : objectsIn(line.trim())));
    for (const piece of pieces) {
      if (DONE.test(piece)) return end(controller);
      const found = one ?? parsed(piece);
      if (found) ready.push(...reader.read(found.value, { named: name }));
      else if (/^error$/i.test(name)) {
        if (!facts.finished) facts.error ??= { message: piece };
      } else if (!isWhole) half = piece;
      else if (!isChatter(piece)) facts.malformed = true;
    }
    if (NAMED_DONE.test(name) && !/"choices"/.test(whole)) end(controller);
  };

  const readLine = (line: string, controller: Controller) => {
    if (line === '') return dispatch(controller, true);
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    // A proxy that wraps a stream into a stream writes the name of the field twice.
    if (field === 'data') data.push(value.replace(/^(?:data: ?)+/, ''));
    else if (field === 'event') named = value.trim();
    else if (line.startsWith('{')) data.push(line);
    // A raw line end within a string of the data.
    else if (data.length > 0 && !FIELDS.includes(field) && !parsed(data.join('\n'))) data.push(line);
  };

  const readLines = (controller: Controller, isLast: boolean) => {
    for (;;) {
      const rest = searched === 0 ? text : text.slice(searched);
      const found = /\r\n|\n|\r/.exec(rest);
      const at = found ? searched + found.index : -1;
      // A carriage return at the very end may be half a line end.
      if (!found || (found[0] === '\r' && at === text.length - 1 && !isLast)) break;
      const line = text.slice(0, at);
      text = text.slice(at + found[0].length);
      searched = 0;
      readLine(line, controller);
      if (facts.done) return;
    }
    searched = Math.max(0, text.length - 1);
  };

  return new TransformStream({
    transform(bytes, controller) {
      if (facts.done) return;
      text += decoder.decode(bytes, { stream: true });
      if (kind === 'unknown') {
        kind = kindOf(text);
        if (kind === 'events') text = text.replace(/^\uFEFF/, '').trimStart();
      }
      if (kind !== 'events') return;
      readLines(controller, false);
      send(controller);
    },
    async flush(controller) {
      if (facts.done) return;
      text += decoder.decode();
      if (kind !== 'events') ready.push(...(await readDocument(text, reader, facts)));
      else {
        readLines(controller, true);
        if (text !== '' && !facts.done) readLine(text, controller);
        if (!facts.done) dispatch(controller, false);
        if (half !== '') ready.push(...reader.readHalf(await parsedHalf(half)));
        if (facts.done) return;
      }
      send(controller);
    },
  });
}

/** The events of a body that is no stream: one JSON document, or JSON lines, as Ollama's own API has them. */
async function readDocument(
  text: string,
  reader: ChunkReader,
  facts: StreamFacts,
): Promise<readonly unknown[]> {
  const body = text.replace(/^\uFEFF/, '').trim();
  if (body === '') return [];
  const found = parsed(body);
  if (found) {
    if (typeof found.value !== 'object' || found.value === null) facts.malformed = true;
    return reader.read(found.value, { isDocument: true });
  }
  const lines = body.split('\n').map((line) => parsed(line));
  if (lines.length < 2 || lines.every((line) => line === undefined)) {
    const half = body.startsWith('{') ? reader.readHalf(await parsedHalf(body)) : [];
    facts.malformed = half.length === 0;
    return half;
  }
  if (lines.slice(0, -1).includes(undefined)) facts.malformed = true;
  return lines.flatMap((line) => (line ? reader.read(line.value) : []));
}

/** Words that servers send to keep a connection open, as data. */
const isChatter = (text: string): boolean =>
  /^(ping|pong|ok|heartbeat|keep[-_ ]?alive|connected|open|ready|: ?.*|[\w ]*processing)\.?$/i.test(text);

type Fields = Readonly<Record<string, unknown>>;
/** The one field of the one choice, of an event that has nothing else. */
function onlyDelta(event: unknown): readonly [name: string, value: unknown] | undefined {
  const { choices, ...others } = event as { readonly choices?: readonly Fields[] };
  const [choice] = choices ?? [];
  if (!choice || Object.keys(others).length > 0 || Object.keys(choice).some((name) => name !== 'delta'))
    return undefined;
  const fields = Object.entries(choice.delta as Fields);
  return fields.length === 1 ? fields[0] : undefined;
}

interface CallDelta {
  readonly index: number;
  readonly id?: string;
  readonly function: { readonly arguments: string };
}

/** Both as one delta of the same name; undefined where they are no words, no thoughts and no arguments of one call. */
function joinedValue(name: string, one: unknown, other: unknown): unknown {
  if (typeof one === 'string' && typeof other === 'string') return one + other;
  if (name !== 'tool_calls') return undefined;
  const [[call], [more]] = [one as readonly CallDelta[], other as readonly CallDelta[]];
  if (!call || !more || call.index !== more.index || more.id !== undefined) return undefined;
  const text = call.function.arguments + more.function.arguments;
  return [{ ...call, function: { ...call.function, arguments: text } }];
}

const isUsage = (event: unknown): boolean => typeof event === 'object' && event !== null && 'usage' in event;

/** Canonical events (`chunk.ts`) that say the same as the given ones; of figures, each of which holds those before, the last. */
function joined(events: readonly unknown[]): readonly unknown[] {
  const out: unknown[] = [];
  let last: { readonly name: string; value: unknown } | undefined;
  for (const event of events) {
    if (isUsage(event)) continue;
    const [name, value] = onlyDelta(event) ?? [];
    const both = name !== undefined && name === last?.name ? joinedValue(name, last.value, value) : undefined;
    if (both !== undefined && last) {
      last = { name: last.name, value: both };
      out[out.length - 1] = { choices: [{ delta: { [last.name]: both } }] };
    } else {
      last = name === undefined ? undefined : { name, value };
      out.push(event);
    }
  }
  const usage = events.findLast(isUsage);
  return usage === undefined ? out : [...out, usage];
}
