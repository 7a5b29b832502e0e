// Reads Yjs updates (format v1, yjs/src/utils/updates.js) without unpacking them: notes the position of
// each struct, and counts the pieces that Yjs would make of it. Time and memory are linear in the bytes
// read, and reading stops at a limit of pieces.
//
//   update clients, { structs, client, clock, struct … } …, clients, { client, ranges, { clock, length } … } … numbers:
//   lib0's varUint struct kind and bits in one byte, origins or parent, content clock number of a struct's first
//   element; a struct covers `length` of them: UTF-16 units of a text, values of a list, or 1
import { isUtf8 } from 'node:buffer';

/** Kinds of structs, by the lower five bits of the first byte (yjs/src/structs: `Item.js`, `GC.js`, `Skip.js`). */
export const KIND = {
  gc: 0,
  deleted: 1,
  json: 2,
  binary: 3,
  text: 4,
  embed: 5,
  format: 6,
  type: 7,
  any: 8,
  subdocument: 9,
  skip: 10,
} as const;
/** Mask for the kind in a struct's first byte. */
export const KIND_BITS = 31;
/** Bits of a struct's first byte: the struct has a left origin, a right origin, a key in its parent. */
export const HAS_ORIGIN = 128;
export const HAS_RIGHT_ORIGIN = 64;
const HAS_KEY = 32;

/** Longest key of a root type, a map entry, a format or an object, bytes. */
const MAX_KEY_BYTES = 64 * 1024;
/** Deepest nesting of values. */
const MAX_DEPTH = 100;
/** Weight of a shared type and of a subdocument, in pieces: Yjs makes objects of about 1 and 10 kB of them. */
const TYPE_PIECES = 8;
const SUBDOCUMENT_PIECES = 80;
/** Numbers of shared types (yjs/src/structs/ContentType.js): the last one, and those that have a name. */
const LAST_TYPE = 6;
const XML_ELEMENT = 3;
const XML_HOOK = 5;

/** Thrown for bytes that are no update, or one that no Yjs client writes. */
class JunkError extends Error {
  override readonly name: string = 'JunkError';
}
/** Thrown for an update that would unpack to too many pieces. */
export class TooManyPiecesError extends JunkError {
  override readonly name = 'TooManyPiecesError';
}

/**
 * Reads lib0's encoding (lib0/decoding.js) from `bytes`; `at` is the offset of the next one. Methods
 * throw a JunkError if the bytes end early.
 */
export class ByteReader {
  readonly bytes: Uint8Array;
  at: number;
  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Reads one byte. */
  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw new JunkError('the update ends early');
    return value;
  }

  /** Reads a varUint: 7 bits a byte, low ones first. Throws a JunkError above 2^53 - 1. */
  uint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new JunkError('a number is too large');
      if (byte < 128) return value;
    }
  }

  /** Skips this many bytes. */
  skip(bytes: number): void {
    this.at += bytes;
    if (this.at > this.bytes.length) throw new JunkError('the update ends early');
  }

  /** Skips a length and as many bytes. Returns the length. */
  skipBytes(): number {
    const length = this.uint();
    this.skip(length);
    return length;
  }

  /**
   * Skips a value in the form of lib0/encoding.js, writeAny. Only for bytes that a table
   * has checked: its depth is not bounded.
   */
  skipAny(): void {
    let left = 1;
    while (left > 0) {
      left--;
      const type = this.byte();
      if (type === 125) this.#skipInt();
      else if (type === 124) this.skip(4);
      else if (type === 123 || type === 122) this.skip(8);
      else if (type === 119 || type === 116) this.skipBytes();
      else if (type === 117) left += this.uint();
      else if (type === 118) {
        for (let entries = this.uint(); entries > 0; entries--) {
          this.skipBytes();
          this.skipAny();
        }
      }
    }
  }

  #skipInt(): void {
    for (let byte = this.byte(), length = 1; byte >= 128; byte = this.byte(), length++)
      if (length > 8) throw new JunkError('a number is too large');
  }

  /** Skips a varInt. Throws a JunkError for more than 9 bytes. */
  skipSignedInt(): void {
    this.#skipInt();
  }
}

/** A table with one row for each struct, or each deleted range. Its columns grow as needed. */
class Columns {
  /** Count of rows; the columns are longer. */
  count = 0;
  client = new Float64Array(16);
  clock = new Float64Array(16);
  /** In steps of the clock. */
  length = new Float64Array(16);
  /** Index in `UpdateTable.updates` of its update. */
  source = new Uint32Array(16);
  /** Offsets in that update: start, start of the content, and end. */
  start = new Uint32Array(16);
  content = new Uint32Array(16);
  end = new Uint32Array(16);

  /** Adds a row. */
  add(client: number, clock: number, length: number, source = 0, start = 0, content = 0, end = 0): void {
    if (this.count === this.client.length) this.#grow();
    const row = this.count++;
    this.client[row] = client;
    this.clock[row] = clock;
    this.length[row] = length;
    this.source[row] = source;
    this.start[row] = start;
    this.content[row] = content;
    this.end[row] = end;
  }

  #grow(): void {
    const size = this.count * 2;
    const wide = (old: Float64Array) => {
      const grown = new Float64Array(size);
      grown.set(old);
      return grown;
    };
    const narrow = (old: Uint32Array) => {
      const grown = new Uint32Array(size);
      grown.set(old);
      return grown;
    };
    this.client = wide(this.client) as typeof this.client;
    this.clock = wide(this.clock) as typeof this.clock;
    this.length = wide(this.length) as typeof this.length;
    this.source = narrow(this.source) as typeof this.source;
    this.start = narrow(this.start) as typeof this.start;
    this.content = narrow(this.content) as typeof this.content;
    this.end = narrow(this.end) as typeof this.end;
  }

  /**
   * Returns the row numbers by client, high ids first as Yjs writes them, then by clock,
   * then in the order of their addition.
   */
  order(): Uint32Array {
    const { client, clock } = this;
    const rows = new Uint32Array(this.count);
    let isSorted = true;
    const compare = (a: number, b: number) =>
      (client[b] as number) - (client[a] as number) || (clock[a] as number) - (clock[b] as number) || a - b;
    for (let row = 0; row < rows.length; row++) {
      rows[row] = row;
      if (row > 0 && compare(row - 1, row) > 0) isSorted = false;
    }
    return isSorted ? rows : rows.sort(compare);
  }
}

/** The structs and deletions of one or more updates. */
export class UpdateTable {
  readonly updates: Uint8Array[] = [];
  readonly structs = new Columns();
  readonly deletions = new Columns();
  #pieces = 0;
  readonly #limit: number;

  /** `limit`: most pieces of all updates together, see `pieces`. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Count of the pieces that Yjs would make: structs, the values and keys in them, deleted ranges, clients. */
  get pieces(): number {
    return this.#pieces;
  }

  /**
   * Reads one more update. Throws a JunkError, or a TooManyPiecesError beyond the
   * limit; the table must not be used then.
   */
  add(update: Uint8Array): void {
    const source = this.updates.push(update) - 1;
    const reader = new ByteReader(update);
    for (let clients = reader.uint(); clients > 0; clients--) this.#readClient(reader, source);
    for (let clients = reader.uint(); clients > 0; clients--) {
      this.#count(1);
      const client = reader.uint();
      for (let ranges = reader.uint(); ranges > 0; ranges--) {
        this.#count(1);
        const clock = reader.uint();
        this.deletions.add(client, clock, checkClock(clock, reader.uint()));
      }
    }
    if (reader.at !== update.length) throw new JunkError('something follows the update');
  }

  /** Throws a TooManyPiecesError beyond the limit. */
  #count(pieces: number): void {
    this.#pieces += pieces;
    if (this.#pieces > this.#limit) throw new TooManyPiecesError('the update has too many pieces');
  }

  /** Reads all structs of one client. */
  #readClient(reader: ByteReader, source: number): void {
    this.#count(1);
    const structs = reader.uint();
    const client = reader.uint();
    let clock = reader.uint();
    for (let left = structs; left > 0; left--) {
      this.#count(1);
      const start = reader.at;
      const info = reader.byte();
      const kind = info & KIND_BITS;
      if (kind === KIND.skip && info !== KIND.skip) throw new JunkError('a gap with an origin');
      if (kind !== KIND.skip && kind !== KIND.gc) this.#readOrigins(reader, info);
      const content = reader.at;
      const length = checkClock(clock, this.#readContent(reader, kind));
      if (length === 0 && kind !== KIND.skip) throw new JunkError('a struct without length');
      this.structs.add(client, clock, length, source, start, content, reader.at);
      clock += length;
    }
  }

  /** Skips a struct's neighbours, or, if it has none, its parent. */
  #readOrigins(reader: ByteReader, info: number): void {
    for (const bit of [HAS_ORIGIN, HAS_RIGHT_ORIGIN])
      if ((info & bit) !== 0) {
        reader.uint();
        reader.uint();
      }
    if ((info & (HAS_ORIGIN | HAS_RIGHT_ORIGIN)) !== 0) return;
    if (reader.uint() === 1) this.#readKey(reader);
    else {
      reader.uint();
      reader.uint();
    }
    if ((info & HAS_KEY) !== 0) this.#readKey(reader);
  }

  /** Skips a struct's content. Returns the length of the struct, in steps of the clock. */
  #readContent(reader: ByteReader, kind: number): number {
    switch (kind) {
      case KIND.gc:
      case KIND.skip:
      case KIND.deleted:
        return reader.uint();
      case KIND.json: {
        const values = reader.uint();
        for (let left = values; left > 0; left--) {
          this.#count(1);
          this.#readJson(reader, true);
        }
        return values;
      }
      case KIND.binary:
        reader.skipBytes();
        return 1;
      case KIND.text:
        return unitsOf(this.#readText(reader));
      case KIND.embed:
        this.#readJson(reader);
        return 1;
      case KIND.format:
        this.#readKey(reader);
        this.#readJson(reader);
        return 1;
      case KIND.type: {
        this.#count(TYPE_PIECES);
        const type = reader.uint();
        if (type > LAST_TYPE) throw new JunkError('a type that Yjs does not know');
        if (type === XML_ELEMENT || type === XML_HOOK) this.#readKey(reader);
        return 1;
      }
      case KIND.any: {
        const values = reader.uint();
        for (let left = values; left > 0; left--) this.#readAny(reader);
        return values;
      }
      case KIND.subdocument:
        this.#count(SUBDOCUMENT_PIECES);
        this.#readKey(reader);
        if (reader.bytes[reader.at] !== 118) throw new JunkError('a subdocument without options');
        this.#readAny(reader);
        return 1;
      default:
        throw new JunkError('content that Yjs does not know');
    }
  }

  #readText(reader: ByteReader): Uint8Array {
    const length = reader.uint();
    const start = reader.at;
    reader.skip(length);
    const text = reader.bytes.subarray(start, reader.at);
    if (!isUtf8(text)) throw new JunkError('text that is not UTF-8');
    return text;
  }

  #readKey(reader: ByteReader): void {
    if (this.#readText(reader).length > MAX_KEY_BYTES) throw new JunkError('a key is too long');
  }

  /**
   * Counts the pieces of JSON before the parser makes them. `mayBeUndefined`: Yjs writes the
   * word `undefined` where JSON has none.
   */
  #readJson(reader: ByteReader, mayBeUndefined = false): void {
    const text = this.#readText(reader);
    let depth = 0;
    let inString = false;
    for (let at = 0; at < text.length; at++) {
      const byte = text[at];
      if (inString) {
        if (byte === 0x5c) at++;
        else if (byte === 0x22) inString = false;
      } else if (byte === 0x22) inString = true;
      else if (byte === 0x2c || byte === 0x3a) this.#count(1);
      else if (byte === 0x5b || byte === 0x7b) {
        this.#count(1);
        if (++depth > MAX_DEPTH) throw new JunkError('values are nested too deep');
      } else if (byte === 0x5d || byte === 0x7d) depth--;
    }
    const json = Buffer.from(text.buffer, text.byteOffset, text.length).toString();
    if (mayBeUndefined && json === 'undefined') return;
    try {
      JSON.parse(json);
    } catch (cause) {
      throw new JunkError('JSON that cannot be read', { cause });
    }
  }

  #readAny(reader: ByteReader): void {
    /** Values left to read on each level, and true if the level is an object, with a key before each value. */
    const left = [1];
    const hasKeys = [false];
    for (let level = 0; level >= 0; ) {
      if (left[level] === 0) {
        level--;
        continue;
      }
      (left[level] as number)--;
      this.#count(1);
      if (hasKeys[level]) {
        this.#count(1);
        this.#readKey(reader);
      }
      const type = reader.byte();
      if (type === 125) reader.skipSignedInt();
      else if (type === 124) reader.skip(4);
      else if (type === 123 || type === 122) reader.skip(8);
      else if (type === 119) this.#readText(reader);
      else if (type === 116) reader.skipBytes();
      else if (type === 117 || type === 118) {
        if (++level > MAX_DEPTH) throw new JunkError('values are nested too deep');
        left[level] = reader.uint();
        hasKeys[level] = type === 118;
      } else if (type < 120 || type > 127) throw new JunkError('a value that Yjs does not know');
    }
  }
}

/** Returns `length`. Throws a JunkError if the clock behind it is above 2^53 - 1. */
function checkClock(clock: number, length: number): number {
  if (clock + length > Number.MAX_SAFE_INTEGER) throw new JunkError('a clock is too large');
  return length;
}

/** Counts the UTF-16 code units of UTF-8 text, as Yjs measures text. */
function unitsOf(text: Uint8Array): number {
  let units = 0;
  for (const byte of text) units += unitsOfByte(byte);
  return units;
}

/**
 * Returns the UTF-16 code units that begin at a byte of UTF-8: 2 at a character that is a
 * surrogate pair, 0 within a character, else 1.
 */
export const unitsOfByte = (byte: number): number => ((byte & 0xc0) === 0x80 ? 0 : byte >= 0xf0 ? 2 : 1);
