// Updates that no honest client writes: few bytes that would unpack into much, or that would keep a reader busy.
import * as encoding from 'lib0/encoding';

type Part = number | string | Uint8Array;

/** Numbers as lib0 writes them, texts and bytes with their length before them. */
export function encode(...parts: readonly Part[]): Uint8Array {
  const encoder = encoding.createEncoder();
  for (const part of parts)
    if (typeof part === 'number') encoding.writeVarUint(encoder, part);
    else if (typeof part === 'string') encoding.writeVarString(encoder, part);
    else encoding.writeVarUint8Array(encoder, part);
  return encoding.toUint8Array(encoder);
}
export const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
/** What `write` makes of the numbers below `count`, one after the other. */
export const repeat = (count: number, write: (at: number) => Uint8Array): Uint8Array => {
  const encoder = encoding.createEncoder();
  for (let at = 0; at < count; at++) encoding.writeUint8Array(encoder, write(at));
  return encoding.toUint8Array(encoder);
};

/** One update of one client with one item in the root type `b`, whose content is `kind` and `content`. */
export const itemUpdate = (kind: number, content: Uint8Array, client = 7, clock = 0): Uint8Array =>
  join(encode(1, 1, client, clock, kind, 1, 'b'), content, encode(0));

const UNDEFINED = 127;
/** One item of `count` values, a byte each. */
export const manyValues = (count: number, client = 7): Uint8Array =>
  itemUpdate(8, join(encode(count), new Uint8Array(count).fill(UNDEFINED)), client);

/** An array in an array in an array … */
export const deepValues = (depth: number): Uint8Array =>
  itemUpdate(
    8,
    join(
      encode(1),
      new Uint8Array(depth * 2).map((_, at) => (at % 2 === 0 ? 117 : 1)),
      Uint8Array.of(UNDEFINED),
    ),
  );
/** Arrays that each claim four thousand million values. */
export const boastfulValues = (count: number): Uint8Array =>
  itemUpdate(
    8,
    join(
      encode(1),
      repeat(count, () => join(Uint8Array.of(117), encode(0xffff_ffff))),
    ),
  );
/** `[[],[],[],…]` as JSON, of `count` arrays. */
export const manyJsonValues = (count: number): Uint8Array =>
  itemUpdate(5, encode(`[${'[],'.repeat(count)}0]`));
/** JSON texts of one byte each. */
export const manyJsonTexts = (count: number): Uint8Array =>
  itemUpdate(
    2,
    join(
      encode(count),
      new Uint8Array(count * 2).map((_, at) => (at % 2 === 0 ? 1 : 0x30)),
    ),
  );
export const deepJson = (depth: number): Uint8Array =>
  itemUpdate(5, encode(`${'['.repeat(depth)}${']'.repeat(depth)}`));

/** `count` items of the kind `kind`, each with the same content, one after the other. */
export const manyItems = (count: number, kind: number, content: Uint8Array): Uint8Array => {
  const item = join(encode(kind, 1, 'b'), content);
  return join(
    encode(1, count, 7, 0),
    repeat(count, () => item),
    encode(0),
  );
};
/** Empty structs: a gap of no length, over and over. */
export const manyGaps = (count: number): Uint8Array =>
  join(
    encode(1, count, 7, 0),
    new Uint8Array(count * 2).map((_, at) => (at % 2 === 0 ? 10 : 1)),
    encode(0),
  );
/** As many clients with a struct each. */
export const manyClients = (count: number): Uint8Array =>
  join(
    encode(count),
    repeat(count, (at) => encode(1, count - at, 0, 0, 1)),
    encode(0),
  );
/** `count` deletions of one step each. */
export const manyDeletions = (count: number, client = 7): Uint8Array =>
  join(
    encode(0, 1, client, count),
    repeat(count, (at) => encode(at * 2, 1)),
  );
/** More structs claimed than could follow. */
export const claimedStructs = (count: number): Uint8Array => encode(1, count, 7, 0, 0, 1);
