// Turns an endpoint's answer into the requested event stream. Reads it leniently (`server-events.ts`, JSON
// lines, one JSON document), normalises each event, and joins events that arrive together: an event costs the
// SDK the same for one token as for twenty.

import { parsePartialJson } from 'ai';
import { type Fields, lenientJson, pythonJson, repairedJson } from '../../domain/base/json.ts';
import { wordsOfApp } from './app-events.ts';
import { ChunkReader, KEEP_ALIVE } from './chunk.ts';
import {
  BodyReader,
  eventWithin,
  isChatter,
  objectsIn,
  piecesOfData,
  type ServerEvent,
} from './server-events.ts';
import type { TypeInput } from './spoken-calls.ts';
import type { StreamFacts } from './stream-facts.ts';

const parsed = (text: string): { readonly value: unknown } | undefined => {
  const strict = lenientJson(text);
  const value = strict === undefined ? pythonJson(text) : strict;
  return value === undefined ? undefined : { value };
};

/** Value of a JSON text that was cut off, as far as it came; undefined if it cannot be recovered. */
async function parsedHalf(text: string): Promise<unknown> {
  // Half a character is no word.
  let end = text.length;
  while (text[end - 1] === '\uFFFD') end--;
  const { value } = await parsePartialJson(repairedJson(text.slice(0, end)));
  return value;
}

const DONE = /^"?(?:\[DONE\]|DONE)"?$/i;
/** Names of events by which some servers end a stream. */
const NAMED_DONE = /^(done|end|complete|completed)$/i;

/**
 * Passes an answer on as canonical events, each once whole, up to its `[DONE]`, and notes other facts in `facts`.
 * `tools`: names that may be called; `contentType`: the endpoint's; `typeOf`: types of inputs.
 */
export function asEventStream(
  facts: StreamFacts,
  tools: readonly string[] = [],
  contentType = '',
  typeOf?: TypeInput,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const reader = new ChunkReader(facts, tools, typeOf);
  const body = new BodyReader(contentType);
  const encoder = new TextEncoder();
  type Controller = TransformStreamDefaultController<Uint8Array<ArrayBuffer>>;
  /** The last event, if it ended within its JSON. */
  let half = '';
  /** Data of events that are no JSON, and whether any event was: servers of one's own send the bare words. */
  let bare: string[] = [];
  let hasJson = false;
  /** Events of the present bytes, passed on together. */
  let ready: unknown[] = [];

  const send = (controller: Controller) => {
    const events = joined(ready);
    ready = [];
    if (events.length > 0)
      controller.enqueue(
        encoder.encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
      );
  };
  const readBare = () => {
    const words = bare.join('');
    if (hasJson || bare.length < 2 || !/\p{L}/u.test(words) || FAILED.test(words)) return;
    facts.malformed = false;
    half = '';
    bare = [];
    ready.push(...reader.read(wholeAnswer(words), { isDocument: true }));
  };
  const end = (controller: Controller) => {
    facts.done = true;
    readBare();
    ready.push(...reader.end());
    send(controller);
    controller.enqueue(encoder.encode('data: [DONE]\n\n'));
    controller.terminate();
  };

  const dispatch = ({ name, lines, isWhole }: ServerEvent, controller: Controller) => {
    if (KEEP_ALIVE.test(name)) return;
    const plain = wordsOfApp(name, lines.join('\n'));
    if (plain !== undefined)
      return void ready.push(...reader.read({ choices: [{ delta: { content: plain } }] }));
    let isBare = name === '' || name === 'message';
    for (const piece of piecesOfData(lines)) {
      if (DONE.test(piece)) return end(controller);
      const whole = parsed(piece);
      const within = whole ? undefined : eventWithin(piece);
      const found = whole ?? (within === undefined ? undefined : parsed(within));
      if (!whole && found) facts.malformed = true;
      hasJson ||= found !== undefined && !/^(?:number|boolean)$/.test(typeof found.value);
      if (isChatter(piece)) isBare = false;
      if (found) ready.push(...reader.read(found.value, { named: name }));
      else if (/^error$/i.test(name)) {
        if (!facts.finished) facts.error ??= { message: piece };
      } else if (!isWhole) half = piece;
      else if (!isChatter(piece)) facts.malformed = true;
    }
    if (isBare && !hasJson) bare.push(lines.join('\n'));
    if (NAMED_DONE.test(name) && !lines.some((line) => line.includes('"choices"'))) end(controller);
  };

  const dispatchAll = (events: Iterable<ServerEvent>, controller: Controller) => {
    for (const event of events) {
      dispatch(event, controller);
      if (facts.done) return;
    }
  };

  return new TransformStream({
    transform(bytes, controller) {
      if (facts.done) return;
      dispatchAll(body.read(bytes), controller);
      if (!facts.done) send(controller);
    },
    async flush(controller) {
      if (facts.done) return;
      dispatchAll(body.end(), controller);
      if (facts.done) return;
      readBare();
      const { document } = body;
      if (document !== undefined) {
        const words = wordsOfPlain(document, contentType);
        if (words === undefined) ready.push(...(await readDocument(document, reader, facts)));
        else if (FAILED.test(words)) facts.error ??= { message: words };
        else ready.push(...reader.read(wholeAnswer(words), { isDocument: true }));
      } else if (half !== '') ready.push(...reader.readHalf(await parsedHalf(half)));
      ready.push(...reader.end());
      send(controller);
    },
  });
}

/** Types under which servers of one's own send the bare words of an answer. */
const BARE = /^\s*text\//i;
/** Sentences of gateways in place of an answer. */
const FAILED =
  /^\W{0,4}(?:(?:\d{3}|internal|server|http|request|an|the) ){0,3}(?:error\b|exception\b|timed? ?out|traceback|upstream (?:connect|request)|no healthy upstream|bad gateway|not found|unauthori[sz]ed|forbidden|too many requests|service (?:temporarily )?unavailable|gateway time-?out|rate limit)[^\n]{0,300}$/i;

const wholeAnswer = (content: string) => ({ choices: [{ message: { content }, finish_reason: 'stop' }] });

/** The words of a body that is an answer itself: plain text by its type, or one string in JSON; else undefined. */
function wordsOfPlain(body: string, contentType: string): string | undefined {
  if (body.trim() === '') return undefined;
  const value = lenientJson(body);
  if (typeof value === 'string') return value;
  const isOther = typeof value === 'object' && value !== null;
  return isOther || !BARE.test(contentType) || /^(?:\{|\[ ?[{"\]])/.test(body) ? undefined : body;
}

/** Reads the events of a body that is no stream: one JSON document, or JSON lines, as in Ollama's own API. */
async function readDocument(
  body: string,
  reader: ChunkReader,
  facts: StreamFacts,
): Promise<readonly unknown[]> {
  if (body === '') return [];
  const found = parsed(body);
  if (found) {
    if (typeof found.value !== 'object' || found.value === null) facts.malformed = true;
    return reader.read(found.value, { isDocument: true });
  }
  const lines = body
    .split('\n')
    .flatMap((line) => objectsIn(line.replaceAll('\u001e', '').trim()))
    .map((line) => parsed(line));
  if (lines.length < 2 || lines.every((line) => line === undefined)) {
    const half = body.startsWith('{') ? reader.readHalf(await parsedHalf(body)) : [];
    facts.malformed = half.length === 0;
    return half;
  }
  if (lines.slice(0, -1).includes(undefined)) facts.malformed = true;
  return lines.flatMap((line) => (line ? reader.read(line.value) : []));
}

/** The one field of the one choice, in an event with nothing else. */
function onlyDelta(event: unknown): readonly [name: string, value: unknown] | undefined {
  const { choices, ...others } = event as { readonly choices?: readonly Fields[] };
  const [choice] = choices ?? [];
  if (!choice || Object.keys(others).length > 0 || Object.keys(choice).some((name) => name !== 'delta'))
    return undefined;
  const fields = Object.entries(choice.delta as Fields);
  return fields.length === 1 ? fields[0] : undefined;
}

const isUsage = (event: unknown): boolean => typeof event === 'object' && event !== null && 'usage' in event;

/** Joins canonical events (`chunk.ts`) into fewer with the same content; of figures, which are cumulative, the last. */
function joined(events: readonly unknown[]): readonly unknown[] {
  const out: unknown[] = [];
  let last: { readonly name: string; readonly value: string } | undefined;
  for (const event of events) {
    if (isUsage(event)) continue;
    const [name, value] = onlyDelta(event) ?? [];
    if (name !== undefined && name === last?.name && typeof value === 'string') {
      last = { name, value: last.value + value };
      out[out.length - 1] = { choices: [{ delta: { [name]: last.value } }] };
    } else {
      last = name === undefined || typeof value !== 'string' ? undefined : { name, value };
      out.push(event);
    }
  }
  const usage = events.findLast(isUsage);
  return usage === undefined ? out : [...out, usage];
}
