// Reads JSON as other tools write it: lenient about bytes, strict about shape.
// - text that is not UTF-8 is read in the encoding that fits; lone surrogates become U+FFFD, so that
//   the result can always be encoded again
// - NUL bytes are dropped, several records on a line are separated, and one that a raw line break cut in two is joined
// - raw control characters inside strings, NaN and Infinity, and a comma behind the last member are accepted
// - values nested deeper than any tool writes are cut there, so that no later reader runs out of stack
// - a list of any length is read item by item; only one item is in memory at a time

import { RecollectError } from '../../domain/base/errors.ts';
import { lenientJson } from '../../domain/base/json.ts';
import { createYielder } from '../../domain/base/yielding.ts';
import { decodeText, utf16Of } from '../../domain/text/encoding.ts';
import { joined } from './source-file.ts';

/** Largest JSON document of another tool, uncompressed. */
export const MAX_JSON_BYTES = 512 * 1024 * 1024;
/** Largest single conversation of another tool in a list: strings of a browser end at about 512 million characters. */
export const MAX_ITEM_BYTES = 192 * 1024 * 1024;
const LIMITS: JsonLimits = { document: MAX_JSON_BYTES, item: MAX_ITEM_BYTES };
/** Beginning of an item beyond the limit that is kept, to name it by, bytes. */
const SHOWN_BYTES = 4096;
/** A larger item with a list in it is read part by part, bytes. */
const DIVIDED_FROM = 32 * 1024 * 1024;

/** Bytes. */
export interface JsonLimits {
  /** Most of a document that is one object, whose members are held together; a list or a log may have any length. */
  readonly document: number;
  /** Most of one item of a list, or one line of a log. */
  readonly item: number;
}

/** Most levels of lists and objects; real exports have some twenty. Anything deeper reads `…`. */
export const MAX_DEPTH = 500;

/** Decodes bytes in whatever encoding fits: see `domain/text/encoding.ts`. */
export const decode = (bytes: Uint8Array): string => decodeText(bytes).text;

/** First bytes of binary formats (as Latin-1) and their offset, from the formats' own specifications. */
const BINARY_BEGINNINGS: readonly (readonly [beginning: string, at: number])[] = [
  ...(
    '\x89PNG\r\n \xff\xd8\xff GIF8 %PDF- PK\x03\x04 PK\x05\x06 PK\x07\x08 \x1f\x8b \xfd7zXZ 7z\xbc\xaf \x28\xb5\x2f\xfd Rar!\x1a \x7fELF ' +
    '\xca\xfe\xba\xbe \xce\xfa\xed\xfe \xcf\xfa\xed\xfe \0asm OggS ID3\x02 ID3\x03 ID3\x04 fLaC \xd0\xcf\x11\xe0 PAR1 II*\0 MM\0* bplist0 wOFF wOF2'
  )
    .split(' ')
    .map((beginning) => [beginning, 0] as const),
  ['SQLite format 3\0', 0],
  ['1AY&SY', 4],
  ['ftyp', 4],
  ['WEBP', 8],
  ['WAVE', 8],
];

/**
 * True for bytes that are no text: by their beginning, or mostly control bytes. A power cut leaves
 * NULs in a log, so those do not count.
 */
export function looksBinary(head: Uint8Array): boolean {
  if (head.length === 0 || utf16Of(head)) return false;
  const begins = String.fromCharCode(...head.subarray(0, 1024));
  if (BINARY_BEGINNINGS.some(([beginning, at]) => begins.startsWith(beginning, at))) return true;
  if (begins.startsWith('MZ') && begins.includes('PE\0\0')) return true;
  let [strange, said] = [0, 0];
  for (const byte of head) {
    if (byte === 0) continue;
    said += 1;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12 && byte !== 27) strange += 1;
  }
  return strange > said / 20;
}

/** Splits a JSONL file; CRLF, LF and a lone CR all end a line. */
export const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/);

/** The beginning of a log from its first line that looks like a record: the lines above it are cut off or damaged. */
export function fromFirstRecord(head: string, path: string): string {
  if (/^[[{]/.test(head) || !/\.(?:jsonl|ndjson)(?:\.\w{1,8})?$/i.test(path)) return head;
  const at = head.search(/[\r\n][ \t]{0,20}\{"/);
  return at < 0 ? head : head.slice(at).trimStart();
}

/** A record of a log; `value` is undefined if its line is not JSON. */
interface JsonRecord {
  readonly value: unknown;
  /** The line, or the beginning of one that is too large. */
  readonly line: string;
  /** True for a line beyond the limit, which was not read. */
  readonly isTooLarge?: boolean;
}

/** State of the reader after a stretch of JSON. */
interface Standing {
  depth: number;
  inString: boolean;
  /** Offsets at which values of the top level end. */
  ends: number[];
}

/** Continues through a stretch of JSON, reading each character once. */
function continueReading(text: string, from: Standing): Standing {
  let { depth, inString } = from;
  const ends: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) ends.push(at + 1);
      if (depth < 0) break;
    }
  }
  return { depth, inString, ends };
}

const isRecord = (line: string): boolean => /^\s*\{/.test(line) && parseJson(line) !== undefined;

/** Parses values that follow one another on one line; undefined if anything else is on it. */
function valuesOn(line: string, ends: readonly number[]): unknown[] | undefined {
  const values: unknown[] = [];
  let from = 0;
  for (const end of ends) {
    values.push(parseJson(line.slice(from, end).replace(/^[\s,]+/, '')));
    from = end;
  }
  return line.slice(from).trim() === '' && values.length > 0 && !values.includes(undefined)
    ? values
    : undefined;
}

/**
 * Splits a log into records, usually one a line. Several on one line are separated; a raw line break within a text is
 * mended if the record ends before a line that is a complete record.
 */
export function recordsOf(text: string): JsonRecord[] {
  const lines = linesOf(text);
  const records: JsonRecord[] = [];
  // Bounds the work on a file of nothing but broken lines: no stretch is read again and again.
  let budget = 4 * text.length;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.trim() === '') continue;
    const value = parseJson(line);
    if (value !== undefined) {
      records.push({ value, line });
      continue;
    }
    let standing = continueReading(line, { depth: 0, inString: false, ends: [] });
    const several = valuesOn(line, standing.ends);
    if (several) {
      for (const one of several) records.push({ value: one, line: JSON.stringify(one) });
      continue;
    }
    let end = at;
    while (standing.inString && standing.depth > 0 && end + 1 < lines.length && budget > 0) {
      const next = lines[end + 1] as string;
      budget -= next.length + 1;
      if (isRecord(next)) break;
      end += 1;
      standing = continueReading(next, standing);
    }
    const whole = end > at && standing.depth === 0 ? lines.slice(at, end + 1).join('\n') : line;
    const repaired = whole === line ? undefined : parseJson(whole);
    records.push({ value: repaired, line: repaired === undefined ? line : whole });
    if (repaired !== undefined) at = end;
  }
  return records;
}

/** Bytes of a log that are split at once. */
const BLOCK_BYTES = 16 * 1024 * 1024;
const LINE_END = 0x0a;

/**
 * Splits a log of any length into records, block by block: a record that a raw line break cut in two is joined within
 * a block only. A line beyond the limit is named, not read. `block`: bytes.
 */
export async function* recordsIn(
  chunks: AsyncIterable<Uint8Array>,
  { block = BLOCK_BYTES, limits = LIMITS }: { block?: number; limits?: JsonLimits } = {},
): AsyncGenerator<JsonRecord> {
  const whole = new HeldBytes(Number.POSITIVE_INFINITY);
  /** The line that has not ended yet. */
  const last = new HeldBytes(limits.item);
  function* records(): Generator<JsonRecord> {
    yield* recordsOf(decode(whole.take()));
  }
  function* endLine(): Generator<JsonRecord> {
    if (!last.isTooLarge) return whole.keepAll(last.takePieces());
    yield* records();
    yield { value: undefined, line: last.takeBeginning(), isTooLarge: true };
  }
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += block) {
      const piece = chunk.subarray(from, from + block);
      const [first, end] = [piece.indexOf(LINE_END) + 1, piece.lastIndexOf(LINE_END) + 1];
      last.keep(piece.subarray(0, first));
      if (end > 0) yield* endLine();
      whole.keep(piece.subarray(first, end));
      last.keep(piece.subarray(end));
      if (whole.length >= block) yield* records();
    }
  }
  yield* endLine();
  yield* records();
}

/** Parses a value; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  const value = lenientJson(text);
  if (value === undefined) return undefined;
  cutBelow(value, MAX_DEPTH);
  // Decoded text is well-formed; only an escape can bring in a lone surrogate.
  return LONE_SURROGATE_MAYBE.test(text) ? wellFormed(value) : value;
}

/** Cuts level by level and in place: recursion would overflow on deep nesting. */
function cutBelow(value: unknown, levels: number): void {
  let level = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    const next: Container[] = [];
    for (const container of level)
      for (const key of Array.isArray(container) ? container.keys() : Object.keys(container)) {
        const child = (container as Record<string | number, unknown>)[key];
        if (!isContainer(child)) continue;
        if (depth < levels) next.push(child);
        else (container as Record<string | number, unknown>)[key] = '…';
      }
    level = next;
  }
}

type Container = unknown[] | Record<string, unknown>;
const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

const LONE_SURROGATE_MAYBE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(LONE_SURROGATE, '\uFFFD');
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key.replace(LONE_SURROGATE, '\uFFFD'),
        wellFormed(member),
      ]),
    );
  return value;
}

/** A document that is cut off or is no JSON, unlike a file that cannot be opened. */
class DamagedJson extends RecollectError {
  constructor(message: string) {
    super('import-broken', message);
  }
}
const broken = (message: string) => new DamagedJson(message);

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
];
/** Bytes of a byte order mark. */
const isOfMark = (byte: number): boolean => byte === 0xef || byte === 0xbb || byte === 0xbf;
const isSpace = (byte: number | undefined) => byte === 32 || byte === 10 || byte === 13 || byte === 9;

/**
 * One item of a list; `value` is undefined if the item is not JSON. `bytes` is its
 * size, `text` its beginning, to be shown.
 */
export interface JsonItem {
  readonly value: unknown;
  readonly bytes: number;
  readonly text: () => string;
  /** False for the document itself, if it is an object without the list. */
  readonly listed: boolean;
  /** True for an item beyond the limit, which was not read: `text` is its beginning. */
  readonly isTooLarge?: boolean;
}

/**
 * Yields the items of a JSON list that arrives in pieces, of lists or objects in sequence (a file of lines); an object
 * without such a list is the one item.
 * @param list key of the list, if the document is an object; the other members go to `onMember` as they are read
 * @param inner key of a list in each item: a large item is read part by part, each of at most `limit` bytes
 * @throws `import-broken` if the document is cut off or its brackets do not match, at the latest at its end;
 *   `import-too-large` for members beyond the limits
 */
export async function* itemsOf(
  chunks: AsyncIterable<Uint8Array>,
  {
    list,
    onMember = () => {},
    inner,
    limits = LIMITS,
  }: {
    list: string;
    onMember?: (name: string, value: unknown) => void;
    inner?: { readonly list: string; readonly limit: number };
    limits?: JsonLimits;
  },
): AsyncGenerator<JsonItem> {
  let mode: 'start' | 'list' | 'object' | 'inner' | 'end' = 'start';
  let depth = 0;
  let inString = false;
  let escaped = false;
  let total = 0;
  let listSeen = false;
  const held = new HeldBytes(limits.item);
  let members: [string, unknown][] = [];
  let wasObject = false;
  /** Offset at which the document begins, bytes. */
  let start = 0;
  const yieldToEvents = createYielder();
  /** Bytes of the members that are held. */
  let kept = 0;
  const member = () => {
    kept += held.length;
    for (const [name, value] of membersIn(wholeMember(held, kept, limits))) {
      members.push([name, value]);
      onMember(name, value);
    }
  };

  for await (const chunk of chunks) {
    total += chunk.length;
    let from = 0;
    /** Next quote and next backslash: the reader jumps over the inside of a string. */
    let [quote, backslash] = [-1, -1];
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        else {
          if (quote < at) quote = foundAt(chunk, QUOTE, at);
          if (backslash < at) backslash = foundAt(chunk, BACKSLASH, at);
          at = Math.min(quote, backslash) - 1;
        }
        continue;
      }
      if (mode === 'start' || mode === 'end') {
        // A byte order mark may come first, and again where files were joined.
        if (isSpace(byte) || isOfMark(byte)) continue;
        if (mode === 'end' && byte !== (wasObject ? OPEN_OBJECT : OPEN_LIST))
          throw broken('There is something behind the end of the document');
        if (byte !== OPEN_LIST && byte !== OPEN_OBJECT) throw broken('The document is not JSON');
        wasObject = byte === OPEN_OBJECT;
        mode = byte === OPEN_LIST ? 'list' : 'object';
        depth = 1;
        from = at + 1;
        start = total - chunk.length + at;
        continue;
      }
      const base = mode === 'inner' ? 2 : 1;
      if (byte === QUOTE) inString = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth += 1;
        if (mode !== 'object' || depth !== 2 || byte !== OPEN_LIST) continue;
        held.keep(chunk.subarray(from, at));
        from = at;
        if (held.isTooLarge) continue;
        const name = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*$/.exec(decode(held.bytes()))?.[1];
        if (name === undefined || parseJson(name) !== list) continue;
        held.take();
        from = at + 1;
        mode = 'inner';
        listSeen = true;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        depth -= 1;
        if (depth >= base) continue;
        if ((byte === CLOSE_LIST) === (mode === 'object')) throw broken('The brackets do not meet');
        held.keep(chunk.subarray(from, at));
        from = at + 1;
        if (mode === 'object') {
          member();
          mode = 'end';
          if (!listSeen && members.length > 0) {
            const value = Object.fromEntries(members);
            const bytes = total - chunk.length + at + 1 - start;
            yield { value, bytes, text: () => JSON.stringify(value), listed: false };
          }
          members = [];
          kept = 0;
          listSeen = false;
        } else {
          const last = await itemIn(held, inner);
          mode = mode === 'inner' ? 'object' : 'end';
          if (last) yield last;
        }
      } else if (byte === COMMA && depth === base) {
        held.keep(chunk.subarray(from, at));
        from = at + 1;
        if (mode === 'object') member();
        else {
          const next = await itemIn(held, inner);
          if (next) yield next;
          await yieldToEvents();
        }
      }
    }
    // Copied if the sender may reuse the memory; streams hand over fresh chunks.
    if (mode !== 'start' && mode !== 'end') held.keep(chunk.subarray(from));
    await yieldToEvents();
  }
  if (mode !== 'end') throw broken('The file ends in the middle of the document');
}

/**
 * Yields what `itemsOf` yields up to the place where the document is cut off or damaged, and calls `onDamage` there.
 * @throws `import-too-large`, and the problems of reading the file
 */
export async function* wholeItemsOf(
  chunks: AsyncIterable<Uint8Array>,
  { onDamage, ...options }: Parameters<typeof itemsOf>[1] & { onDamage: () => void },
): AsyncGenerator<JsonItem> {
  try {
    yield* itemsOf(chunks, options);
  } catch (error) {
    if (!(error instanceof DamagedJson)) throw error;
    onDamage();
  }
}

const tooLarge = (limit: number) =>
  new RecollectError('import-too-large', 'One conversation is larger than can be read', {
    params: { limit },
  });

/** Copies the first bytes of many, so that the others can be let go of. */
function beginningOf(pieces: readonly Uint8Array[]): Uint8Array[] {
  const beginning: Uint8Array[] = [];
  let left = SHOWN_BYTES;
  for (const piece of pieces) {
    if (left > 0) beginning.push(piece.slice(0, left));
    left -= piece.length;
  }
  return beginning;
}

/** Collects the bytes of an item or a member as they arrive; beyond the limit it keeps the beginning alone. */
class HeldBytes {
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  #length = 0;

  /** `limit`: bytes of one item. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  get isTooLarge(): boolean {
    return this.#length > this.#limit;
  }

  keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const wasTooLarge = this.isTooLarge;
    this.#length += piece.length;
    if (!wasTooLarge) this.#pieces.push(piece);
    if (!wasTooLarge && this.isTooLarge) this.#pieces = beginningOf(this.#pieces);
  }

  keepAll(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) this.keep(piece);
  }

  /** Takes the beginning of an item that is too large, as text. */
  takeBeginning(): string {
    const pieces = this.takePieces();
    return decode(
      joined(
        pieces,
        pieces.reduce((sum, { length }) => sum + length, 0),
      ),
    );
  }

  bytes(): Uint8Array {
    return joined(this.#pieces, this.#length);
  }

  take(): Uint8Array {
    const bytes = this.bytes();
    this.takePieces();
    return bytes;
  }

  takePieces(): Uint8Array[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#length = 0;
    return pieces;
  }
}

/** Takes the collected item; undefined if only white space was collected. */
async function itemIn(
  held: HeldBytes,
  inner: { readonly list: string; readonly limit: number } | undefined,
): Promise<JsonItem | undefined> {
  if (held.isTooLarge) {
    const bytes = held.length;
    const text = held.takeBeginning();
    return { value: undefined, bytes, text: () => text, listed: true, isTooLarge: true };
  }
  if (inner && held.length > DIVIDED_FROM) {
    const bytes = held.length;
    const parts = held.takePieces();
    const value = await dividedValue(parts, inner);
    return {
      value,
      bytes,
      text: () => decode(joined(parts.slice(0, 1), parts[0]?.length ?? 0)),
      listed: true,
    };
  }
  const bytes = held.take();
  if (bytes.every(isSpace)) return undefined;
  const text = decode(bytes);
  return { value: parseJson(text), bytes: bytes.length, text: () => text, listed: true };
}

/** Takes a member. Throws `import-too-large` beyond the limits. `kept`: bytes of all members, with this one. */
function wholeMember(held: HeldBytes, kept: number, { item, document }: JsonLimits): Uint8Array {
  if (held.isTooLarge || kept > document) throw tooLarge(held.isTooLarge ? item : document);
  return held.take();
}

/** Parses members of the form `"name": value`; none in white space alone. Throws `import-broken` for anything else. */
function membersIn(bytes: Uint8Array): [string, unknown][] {
  if (bytes.every(isSpace)) return [];
  const parsed = parseJson(`{${decode(bytes)}}`);
  if (typeof parsed !== 'object' || parsed === null) throw broken('The document is not JSON');
  return Object.entries(parsed);
}

/** Offset of the next such byte, from `from` on; the chunk's length if there is none. */
function foundAt(chunk: Uint8Array, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? chunk.length : at;
}

/**
 * Parses an item too large for one text from its pieces; undefined if it is not JSON. A part that
 * is not JSON is undefined in its list.
 */
async function dividedValue(
  pieces: readonly Uint8Array[],
  { list, limit }: { readonly list: string; readonly limit: number },
): Promise<unknown> {
  async function* chunks() {
    yield* pieces;
  }
  const members: [string, unknown][] = [];
  const parts: unknown[] = [];
  try {
    for await (const { value, listed } of itemsOf(chunks(), {
      list,
      onMember: (...member) => members.push(member),
      limits: { document: Number.POSITIVE_INFINITY, item: limit },
    })) {
      if (!listed) return value;
      parts.push(value);
    }
  } catch (error) {
    if (error instanceof RecollectError && error.problem.code === 'import-broken') return undefined;
    throw error;
  }
  return Object.fromEntries([...members, [list, parts]]);
}
