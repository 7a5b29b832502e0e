// The body of an answer, taken apart into server-sent events as leniently as endpoints write them: a byte order mark,
// any line end, comments, data over several lines or twice named, no blank line at the end. Each character is read
// once. https://html.spec.whatwg.org/#parsing-an-event-stream
import { lenientJson } from '../../domain/base/json.ts';
import { beginsWithParts, eventOfPart } from './app-events.ts';
import { BodyText } from './body-text.ts';

export interface ServerEvent {
  readonly name: string;
  readonly lines: readonly string[];
  /** A blank line ended it; otherwise it may be cut off. */
  readonly isWhole: boolean;
}

/** Beginnings of lines in an event stream; the empty one begins a comment. */
const FIELDS = ['data', 'event', 'id', 'retry', ''];
/**
 * Sent first by some servers, to keep the connection open; the record separator begins each text of a JSON sequence.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separator is one
const LEAD = /^[\s\0\u001e\ufeff]+/;
const kindOf = (text: string): 'unknown' | 'events' | 'document' => {
  const begun = text.replace(LEAD, '').slice(0, 10).toLowerCase();
  if (beginsWithParts(begun)) return 'events';
  if (/^[0-9a-k]:?$/.test(begun)) return 'unknown';
  if (FIELDS.some((field) => begun.startsWith(`${field}:`)) || begun.startsWith('error: {')) return 'events';
  return FIELDS.some((field) => field.startsWith(begun)) ? 'unknown' : 'document';
};

/** An event behind words that are none. */
const LATE_EVENT = /^(?:event:[^\r\n]*(?:\r\n|\n|\r))?data: ?[{["]/im;

/** Follows an object or a list of JSON over its pieces to its end. */
class JsonExtent {
  #depth = 0;
  #isString = false;
  #isBegun = false;

  /** `text` ends behind no backslash. */
  add(text: string): void {
    for (const [sign] of text.matchAll(/\\.|["{}[\]]/gs)) {
      if (sign === '"') this.#isString = !this.#isString;
      else if (this.#isString || sign.length > 1) continue;
      else if (sign === '{' || sign === '[') {
        this.#depth += 1;
        this.#isBegun = true;
      } else this.#depth -= 1;
    }
  }

  get isWhole(): boolean {
    return this.#isBegun && this.#depth <= 0 && !this.#isString;
  }
}

/** Reads one body from its first byte to its last. */
export class BodyReader {
  readonly #text: BodyText;
  #kind: ReturnType<typeof kindOf> = 'unknown';
  /** The unfinished line, or all of a body that is no event stream, in pieces. */
  #open: string[] = [];
  /** A carriage return ended the last line, so a line feed may follow as its other half. */
  #isHalfEnded = false;
  #data: string[] = [];
  /** How far the data go as JSON, and how many of their lines were read for it. */
  #extent = new JsonExtent();
  #seen = 0;
  #name = '';
  /** Fields are indented, or written in capitals. */
  #isLoose = false;
  /** Its first data stand right behind the colon: a space there is a part of the data. */
  #isTight: boolean | undefined;
  /** Its lines are those of AI SDK 4. */
  #hasParts = false;

  /** `contentType`: as the endpoint names it. */
  constructor(contentType = '') {
    this.#text = new BodyText(contentType);
  }

  /** Yields the events that end in these bytes. */
  *read(bytes: Uint8Array<ArrayBuffer>): Generator<ServerEvent> {
    let text = this.#text.read(bytes);
    if (this.#kind === 'unknown') {
      text = this.#open.join('') + text;
      this.#open = [];
      this.#kind = kindOf(text);
      if (this.#kind === 'events') text = this.#begin(text);
    }
    if (this.#kind === 'events') yield* this.#readLines(text);
    else this.#open.push(text);
  }

  /** Yields the event that nothing ended. */
  *end(): Generator<ServerEvent> {
    const rest = this.#text.end();
    if (this.#kind === 'events') yield* this.#readLines(rest);
    else {
      this.#open.push(rest);
      const body = this.#open.join('');
      // Words before the events make it no document.
      const at = lenientJson(body) === undefined ? body.search(LATE_EVENT) : -1;
      if (at < 0) return;
      this.#open = [];
      this.#kind = 'events';
      yield* this.#readLines(this.#begin(body.slice(at)));
    }
    const last = this.#open.join('');
    if (last !== '') yield* this.#readLine(last);
    yield* this.#dispatch(false);
  }

  /** At the end: the body, if it was no event stream. Its beginning decides, whatever the headers say. */
  get document(): string | undefined {
    return this.#kind === 'events' ? undefined : this.#open.join('').replace(LEAD, '').trim();
  }

  /** The text from its first field on. */
  #begin(text: string): string {
    const lead = LEAD.exec(text)?.[0] ?? '';
    const begun = text.slice(lead.length);
    this.#isLoose = /[ \t]$/.test(lead) || /^[a-z]*[A-Z]/.test(begun);
    this.#hasParts = beginsWithParts(begun);
    return begun;
  }

  *#readLines(text: string): Generator<ServerEvent> {
    let from = this.#isHalfEnded && text.startsWith('\n') ? 1 : 0;
    if (text !== '') this.#isHalfEnded = text.endsWith('\r');
    for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) {
      if (index < from) continue;
      const line = this.#open.join('') + text.slice(from, index);
      this.#open = [];
      from = index + end.length;
      yield* this.#readLine(line);
    }
    if (from < text.length) this.#open.push(text.slice(from));
  }

  *#readLine(line: string): Generator<ServerEvent> {
    if (line === '') return yield* this.#dispatch(true);
    const part = this.#hasParts ? eventOfPart(line) : undefined;
    if (part !== undefined) {
      if (part !== '') yield { name: '', lines: [part], isWhole: true };
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    // Gateways that join streams leave the byte order mark of each.
    const written = (colon < 0 ? line : line.slice(0, colon)).replace(/^\ufeff/, '');
    const field = this.#isLoose ? written.trim().toLowerCase() : written;
    if (field === '') return;
    const given = colon < 0 ? '' : line.slice(colon + 1);
    if (field === 'data' && given !== '') this.#isTight ??= !given.startsWith(' ');
    const value = field === 'data' && this.#isTight ? given : given.replace(/^ /, '');
    // A proxy that wraps a stream into a stream writes the name of the field twice.
    if (field === 'data') this.#data.push(value.replace(/^(?:data: ?)+/, ''));
    else if (field === 'event') this.#name = value.trim();
    // An error that a server writes without a field, alone or in a list.
    else if (/^\[?\{/.test(line)) this.#data.push(line);
    // llama.cpp's form of an event of an error.
    else if (field === 'error' && value.startsWith('{')) {
      this.#name = field;
      this.#data.push(value);
    }
    // A raw line end within a string of the data.
    else if (this.#data.length > 0 && !FIELDS.includes(field) && this.#isOpen()) this.#data.push(line);
  }

  /** True if the data goes on: they are no JSON, or a part of it. Reads each line once. */
  #isOpen(): boolean {
    for (const line of this.#data.slice(this.#seen)) this.#extent.add(`${line}\n`);
    this.#seen = this.#data.length;
    return !this.#extent.isWhole;
  }

  *#dispatch(isWhole: boolean): Generator<ServerEvent> {
    const [name, lines] = [this.#name, this.#data];
    this.#name = '';
    this.#data = [];
    this.#seen = 0;
    this.#extent = new JsonExtent();
    // LangServe ends a stream by an event without data.
    if (lines.length > 0 || name !== '') yield { name, lines, isWhole };
  }
}

/** Between two objects on one line: nothing, or the name of the field once more. */
const BETWEEN = /\}\s*(?:data:\s*)?\{/;

/** The whole object with which a text begins. */
export const firstObjectIn = (text: string): string | undefined =>
  text.startsWith('{') ? piecesIn(text).find((piece) => piece.endsWith('}')) : undefined;

/** Splits objects that follow one another directly, each as its own text. */
export const objectsIn = (text: string): readonly string[] =>
  text.startsWith('{') && BETWEEN.test(text) ? piecesIn(text) : [text];

function piecesIn(text: string): readonly string[] {
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

/**
 * Splits an event's data: one text, or, if it is no JSON, each line, for servers
 * that omit the blank line between events.
 */
export const piecesOfData = (lines: readonly string[]): readonly string[] => {
  const whole = lines.join('\n').trim();
  if (whole === '') return [];
  if (lines.length === 1 && !BETWEEN.test(whole)) return [whole];
  return lenientJson(whole) === undefined
    ? lines.flatMap((line) => (line.trim() === '' ? [] : objectsIn(line.trim())))
    : [whole];
};

/** The event that a server wrote into the middle of one that it never finished; undefined if there is none. */
export function eventWithin(broken: string): string | undefined {
  const at = Math.max(broken.lastIndexOf('data: {'), broken.lastIndexOf('data:{'));
  return at < 0 ? undefined : broken.slice(broken.indexOf('{', at));
}

/** True for words that servers send as data to keep a connection open. */
export const isChatter = (text: string): boolean =>
  /^(ping|pong|ok|heartbeat|keep[-_ ]?alive|connected|open|ready|\[?eof\]?|: ?.*|[\w ]*processing)\.?$/i.test(
    text,
  );
