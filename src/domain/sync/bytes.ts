// Reads and writes small binary records: numbers of variable length (LEB128), byte strings with their length.
import { base64urlnopad } from '@scure/base';

/** Encodes bytes for addresses and keys: base64url without padding. */
export const toText = (bytes: Uint8Array): string => base64urlnopad.encode(bytes);
/** Decodes base64url without padding. Throws if the text is invalid. */
export const fromText = (text: string): Uint8Array => base64urlnopad.decode(text);

interface ByteWriter {
  byte(value: number): void;
  /** Writes a whole number from 0 to 2^53-1. */
  number(value: number): void;
  raw(bytes: Uint8Array): void;
  /** Writes the length, then the bytes. */
  bytes(bytes: Uint8Array): void;
  readonly length: number;
  /** Returns everything written, then zeros up to `size`. */
  finish(size?: number): Uint8Array;
}

/** Builds a writer of such a record. Numbers take one byte for each seven bits, lowest first (LEB128). */
export function createByteWriter(): ByteWriter {
  const parts: Uint8Array[] = [];
  let length = 0;
  const raw = (bytes: Uint8Array) => {
    parts.push(bytes);
    length += bytes.length;
  };
  const number = (value: number) => {
    const digits: number[] = [];
    let rest = value;
    while (rest > 127) {
      digits.push((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    digits.push(rest);
    raw(Uint8Array.from(digits));
  };
  return {
    byte: (value) => raw(Uint8Array.of(value)),
    number,
    raw,
    bytes: (bytes) => {
      number(bytes.length);
      raw(bytes);
    },
    get length() {
      return length;
    },
    finish: (size = length) => {
      const all = new Uint8Array(Math.max(size, length));
      let at = 0;
      for (const part of parts) {
        all.set(part, at);
        at += part.length;
      }
      return all;
    },
  };
}

interface ByteReader {
  byte(): number;
  number(): number;
  raw(length: number): Uint8Array;
  bytes(): Uint8Array;
}

/** Builds a reader of such a record. It throws a RangeError at the end of the bytes and for numbers above 2^53-1. */
export function createByteReader(source: Uint8Array): ByteReader {
  let at = 0;
  const raw = (length: number) => {
    if (length > source.length - at) throw new RangeError('Cut short');
    at += length;
    return source.slice(at - length, at);
  };
  const byte = () => {
    const value = source[at];
    if (value === undefined) throw new RangeError('Cut short');
    at += 1;
    return value;
  };
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const digit = byte();
      value += (digit & 127) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('Too large a number');
      if (digit < 128) return value;
    }
  };
  return { byte, number, raw, bytes: () => raw(number()) };
}
