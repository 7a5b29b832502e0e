// JSON as other tools leave it behind: lenient about bytes, strict about shape.
//   - invalid UTF-8 becomes U+FFFD, and so do lone surrogates: what is kept can always be encoded again
//   - raw control characters inside strings are accepted
//   - what is nested deeper than anything a tool writes is cut there, so that no reader behind runs out of stack
//   - a list of any length is read item by item; only one item is in memory at a time
import { RecollectError } from '../../domain/base/errors.ts';
import { createBreather } from './breather.ts';
import { joined, utf16Of } from './source-file.ts';

/** Largest JSON document of another tool, uncompressed. */
export const MAX_JSON_BYTES = 512 * 1024 * 1024;
/** Largest single conversation of another tool in a list: strings of a browser end at about 512 million characters. */
export const MAX_ITEM_BYTES = 192 * 1024 * 1024;
const LIMITS: JsonLimits = { document: MAX_JSON_BYTES, item: MAX_ITEM_BYTES };
/** From this size on an item with a list in it is read part by part. */
const DIVIDED_FROM = 32 * 1024 * 1024;

/** Bytes. */
export interface JsonLimits {
  readonly document: number;
  readonly item: number;
}

/** Levels of lists and objects that are kept; real exports have some twenty. What lies below reads `…`. */
export const MAX_DEPTH = 500;

/** UTF-8 to text, or what a byte order mark says that it is; the mark is removed. */
export const decode = (bytes: Uint8Array): string => new TextDecoder(utf16Of(bytes) ?? 'utf-8').decode(bytes);

/** True for what no person would call text: NUL bytes, or mostly control bytes, in the first bytes of a file. */
export function looksBinary(head: Uint8Array): boolean {
  let strange = 0;
  for (const byte of head) {
    if (byte === 0) return true;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 12 && byte !== 27) strange += 1;
  }
  return strange > head.length / 20;
}

/** Lines of a JSONL file; CRLF, LF and a lone CR all end one. */
export const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/);

/** The value, or undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    try {
      value = JSON.parse(escapeControls(text));
    } catch {
      return undefined;
    }
  }
  cutBelow(value, MAX_DEPTH);
  // Decoded text is well-formed; only an escape can bring a lone surrogate in.
  return LONE_SURROGATE_MAYBE.test(text) ? wellFormed(value) : value;
}

/** Level by level and in place: a walk that calls itself is what deep nesting breaks. */
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

/** Escapes control characters that stand inside strings. */
function escapeControls(text: string): string {
  let out = '';
  let from = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) inString = !inString;
    else if (code === 0x5c && inString) at += 1;
    else if (code < 0x20 && inString) {
      out += `${text.slice(from, at)}\\u${code.toString(16).padStart(4, '0')}`;
      from = at + 1;
    }
  }
  return out + text.slice(from);
}

const broken = (message: string) => new RecollectError('import-broken', message);

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
];
const isSpace = (byte: number | undefined) => byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** One item of a list; `value` is undefined where the item is not JSON. `bytes` is its size, `text` how it begins, to be shown. */
export interface JsonItem {
  readonly value: unknown;
  readonly bytes: number;
  readonly text: () => string;
  /** False of the document itself, where it is an object without the list. */
  readonly listed: boolean;
}

/**
 * Items of a JSON list that arrives in pieces: of the list at the top, or of the list under `list` in the object at the top, whose
 * other members go to `onMember` as they pass. An object without such a list is yielded as the one item.
 * `inner`: a list in each item; of a large item it is read part by part as well, so that only a part, of at most `limit` bytes, has to fit
 * into one text.
 * A document that is cut off or whose brackets do not meet throws `import-broken` at the latest at its end.
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
  let pieces: Uint8Array[] = [];
  let length = 0;
  let listSeen = false;
  const members: [string, unknown][] = [];
  const breathe = createBreather();

  const keep = (piece: Uint8Array) => {
    if (piece.length === 0) return;
    length += piece.length;
    if (length > limits.item)
      throw new RecollectError('import-too-large', 'One conversation is larger than can be read', {
        params: { limit: limits.item },
      });
    pieces.push(piece);
  };
  const take = (): Uint8Array => {
    const bytes = joined(pieces, length);
    pieces = [];
    length = 0;
    return bytes;
  };
  const item = async (): Promise<JsonItem | undefined> => {
    if (inner && length > DIVIDED_FROM) {
      const [parts, bytes] = [pieces, length];
      [pieces, length] = [[], 0];
      const value = await dividedValue(parts, inner);
      return {
        value,
        bytes,
        text: () => decode(joined(parts.slice(0, 1), parts[0]?.length ?? 0)),
        listed: true,
      };
    }
    const bytes = take();
    if (bytes.every(isSpace)) return undefined;
    const text = decode(bytes);
    return { value: parseJson(text), bytes: bytes.length, text: () => text, listed: true };
  };
  const member = (bytes: Uint8Array) => {
    if (bytes.every(isSpace)) return;
    const parsed = parseJson(`{${decode(bytes)}}`);
    if (typeof parsed !== 'object' || parsed === null) throw broken('The document is not JSON');
    for (const [name, value] of Object.entries(parsed)) {
      members.push([name, value]);
      onMember(name, value);
    }
  };

  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > limits.document)
      throw new RecollectError('import-too-large', `The file is larger than ${limits.document} bytes`, {
        params: { limit: limits.document },
      });
    let from = 0;
    /** Where the next of either stands: what lies between inside a string is passed over at once. */
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
        // A byte order mark may stand before it.
        if (isSpace(byte) || (mode === 'start' && total - chunk.length + at < 3 && byte >= 0xbb)) continue;
        if (mode === 'end') throw broken('There is something behind the end of the document');
        if (byte !== OPEN_LIST && byte !== OPEN_OBJECT) throw broken('The document is not JSON');
        mode = byte === OPEN_LIST ? 'list' : 'object';
        depth = 1;
        from = at + 1;
        continue;
      }
      const base = mode === 'inner' ? 2 : 1;
      if (byte === QUOTE) inString = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        depth += 1;
        if (mode !== 'object' || depth !== 2 || byte !== OPEN_LIST) continue;
        keep(chunk.subarray(from, at));
        from = at;
        const name = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*$/.exec(decode(joined(pieces, length)))?.[1];
        if (name === undefined || parseJson(name) !== list) continue;
        take();
        from = at + 1;
        mode = 'inner';
        listSeen = true;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        depth -= 1;
        if (depth >= base) continue;
        if ((byte === CLOSE_LIST) === (mode === 'object')) throw broken('The brackets do not meet');
        keep(chunk.subarray(from, at));
        from = at + 1;
        if (mode === 'object') {
          member(take());
          mode = 'end';
        } else {
          const last = await item();
          mode = mode === 'inner' ? 'object' : 'end';
          if (last) yield last;
        }
      } else if (byte === COMMA && depth === base) {
        keep(chunk.subarray(from, at));
        from = at + 1;
        if (mode === 'object') member(take());
        else {
          const next = await item();
          if (next) yield next;
          await breathe();
        }
      }
    }
    // A piece is kept as a copy where its sender may use the memory again: streams hand over fresh ones.
    if (mode !== 'start' && mode !== 'end') keep(chunk.subarray(from));
    await breathe();
  }
  if (mode !== 'end') throw broken('The file ends in the middle of the document');
  if (!listSeen && members.length > 0) {
    const value = Object.fromEntries(members);
    yield { value, bytes: total, text: () => JSON.stringify(value), listed: false };
  }
}

/** Where the byte stands next, from `from` on; behind the end where it does not. */
function foundAt(chunk: Uint8Array, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? chunk.length : at;
}

/** An item too large for one text, from the pieces it came in; undefined where it is no JSON. A part that is none is undefined in its list. */
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
