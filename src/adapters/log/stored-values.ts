// Values of the key-value store as bytes, so that they can be sealed: what structured cloning keeps of plain data,
// dates, maps, sets, numbers of every kind and binary data. Anything else is refused, as a database refuses functions.
//
//   length of the JSON (4) · JSON, in which `{ $: … }` stands for what JSON has no word for ·
//   each binary part: length (4) · bytes
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';

const BINARY = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
} as const;
const BUFFER = 'ArrayBuffer';

const refused = (detail: string, cause?: unknown) =>
  new RecollectError('storage-failed', `Storage failed: ${detail}`, { params: { detail }, cause });

/** Reads the whole value before it returns. Throws `storage-failed` for a value that cannot be stored. */
export function encodeValue(value: unknown): Uint8Array {
  const parts: Uint8Array[] = [];
  let json: Uint8Array;
  try {
    json = new TextEncoder().encode(JSON.stringify(plainOf(value, parts)));
  } catch (error) {
    // A circular value overflows the stack.
    throw error instanceof RecollectError ? error : refused('a value that cannot be kept', error);
  }
  const all = [json, ...parts];
  const bytes = new Uint8Array(all.reduce((sum, part) => sum + 4 + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of all) {
    view.setUint32(at, part.length);
    bytes.set(part, at + 4);
    at += 4 + part.length;
  }
  return bytes;
}

function plainOf(value: unknown, parts: Uint8Array[]): unknown {
  const inner = (one: unknown) => plainOf(one, parts);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (value === undefined) return { $: 'undefined' };
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : { $: 'number', is: Object.is(value, -0) ? '-0' : String(value) };
  if (typeof value === 'bigint') return { $: 'bigint', is: String(value) };
  if (typeof value !== 'object') throw refused(`a ${typeof value} cannot be kept`);
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof Date) return { $: 'date', is: inner(value.getTime()) };
  if (value instanceof Map) return { $: 'map', is: [...value].map(([key, one]) => [inner(key), inner(one)]) };
  if (value instanceof Set) return { $: 'set', is: [...value].map(inner) };
  const binary = binaryOf(value);
  if (binary) return { $: 'binary', type: binary.type, at: parts.push(binary.bytes) };
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw refused(`${value.constructor?.name ?? 'this'} cannot be kept`);
  const entries = Object.entries(value).map(([key, one]) => [key, inner(one)] as const);
  // The name `__proto__` would be lost on the way back.
  const isOdd = entries.some(([key]) => key === '$' || key === '__proto__');
  return isOdd ? { $: 'object', is: entries } : Object.fromEntries(entries);
}

function binaryOf(value: object): { type: string; bytes: Uint8Array } | null {
  if (value instanceof ArrayBuffer) return { type: BUFFER, bytes: new Uint8Array(value.slice(0)) };
  if (!ArrayBuffer.isView(value)) return null;
  const type = value[Symbol.toStringTag as never] as string;
  if (!Object.hasOwn(BINARY, type)) throw refused(`${type} cannot be kept`);
  return { type, bytes: new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice() };
}

const tagged = z.discriminatedUnion('$', [
  z.object({ $: z.literal('undefined') }),
  z.object({ $: z.literal('number'), is: z.string() }),
  z.object({ $: z.literal('bigint'), is: z.string() }),
  z.object({ $: z.literal('date'), is: z.unknown() }),
  z.object({ $: z.literal('map'), is: z.array(z.tuple([z.unknown(), z.unknown()])) }),
  z.object({ $: z.literal('set'), is: z.array(z.unknown()) }),
  z.object({ $: z.literal('binary'), type: z.string(), at: z.number().int().positive() }),
  z.object({ $: z.literal('object'), is: z.array(z.tuple([z.string(), z.unknown()])) }),
]);

/** Decodes a value. Throws for bytes that `encodeValue` did not make. */
export function decodeValue(bytes: Uint8Array): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = view.getUint32(at);
    parts.push(bytes.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return valueFrom(JSON.parse(new TextDecoder().decode(parts[0])), parts);
}

function valueFrom(plain: unknown, parts: readonly Uint8Array<ArrayBuffer>[]): unknown {
  const inner = (one: unknown) => valueFrom(one, parts);
  if (typeof plain !== 'object' || plain === null) return plain;
  if (Array.isArray(plain)) return plain.map(inner);
  if (!Object.hasOwn(plain, '$'))
    return Object.fromEntries(Object.entries(plain).map(([key, one]) => [key, inner(one)]));
  const found = tagged.parse(plain);
  switch (found.$) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(found.is);
    case 'bigint':
      return BigInt(found.is);
    case 'date':
      return new Date(inner(found.is) as number);
    case 'map':
      return new Map(found.is.map(([key, one]) => [inner(key), inner(one)]));
    case 'set':
      return new Set(found.is.map(inner));
    case 'object':
      return Object.fromEntries(found.is.map(([key, one]) => [key, inner(one)]));
    case 'binary': {
      const part = parts[found.at] ?? new Uint8Array();
      if (found.type === BUFFER) return part.buffer;
      return new BINARY[found.type as keyof typeof BINARY](part.buffer);
    }
  }
}
