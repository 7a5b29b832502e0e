// Unpacks deflate (RFC 1951) and gzip (RFC 1952) up to the place of a damage. The browser's own inflate is faster, but
// gives back nothing of the stretch in which it fails; this one reads only what that has refused.

/** Yields unpacked data piece by piece; returns true if they were whole. */
type Unpacking = AsyncGenerator<Uint8Array, boolean>;

/** The data end too early, or no deflate reads so. */
class BadData extends Error {}

/** Distance that a copy may reach back, bytes. */
const WINDOW = 32 * 1024;
const OUTPUT = 8 * WINDOW;
/** Most bytes that a block's own codes take, and those of one symbol. */
const [MOST_CODES, MOST_SYMBOL] = [640, 16];
/** Longest copy, bytes. */
const LONGEST = 258;

const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
  6145, 8193, 12289, 16385, 24577,
];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Codes by their bits in the order in which they arrive: symbol × 16 + number of bits; 0 for none. */
interface Codes {
  readonly table: Uint16Array;
  readonly bits: number;
}

function codesOf(lengths: Uint8Array): Codes {
  const longest = Math.max(...lengths);
  const bits = Math.max(1, longest);
  const counts = new Uint16Array(17);
  for (const length of lengths) counts[length] = (counts[length] as number) + 1;
  counts[0] = 0;
  const next = new Uint16Array(17);
  for (let length = 1; length <= 15; length += 1)
    next[length + 1] = ((next[length] as number) + (counts[length] as number)) << 1;
  let free = 1;
  for (let length = 1; length <= 15; length += 1) free = free * 2 - (counts[length] as number);
  // Only a single code may leave some free (RFC 1951, 3.2.7).
  if (free < 0 || (free > 0 && longest > 1)) throw new BadData('codes that do not fit');
  const table = new Uint16Array(1 << bits);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const code = next[length] as number;
    next[length] = code + 1;
    let reversed = 0;
    for (let bit = 0; bit < length; bit += 1) reversed |= ((code >> bit) & 1) << (length - 1 - bit);
    for (let at = reversed; at < table.length; at += 1 << length) table[at] = symbol * 16 + length;
  }
  return { table, bits };
}

const FIXED: readonly [Codes, Codes] = [
  codesOf(Uint8Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8))),
  codesOf(new Uint8Array(32).fill(5)),
];

/** Reads bits, lowest first, of the bytes that are held. */
class Bits {
  #bytes = new Uint8Array(0);
  #at = 0;
  #held = 0;
  #count = 0;
  /** True once the file has no more bytes. */
  isAtEnd = false;

  /** Bytes that are left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  add(bytes: Uint8Array): void {
    const all = new Uint8Array(this.left + bytes.length);
    all.set(this.#bytes.subarray(this.#at));
    all.set(bytes, this.left);
    this.#bytes = all;
    this.#at = 0;
  }

  #fill(count: number): void {
    while (this.#count < count && this.#at < this.#bytes.length) {
      this.#held |= (this.#bytes[this.#at] as number) << this.#count;
      this.#at += 1;
      this.#count += 8;
    }
  }

  #drop(count: number): void {
    if (count > this.#count) throw new BadData('cut off');
    this.#held >>>= count;
    this.#count -= count;
  }

  take(count: number): number {
    this.#fill(count);
    const value = this.#held & ((1 << count) - 1);
    this.#drop(count);
    return value;
  }

  symbol({ table, bits }: Codes): number {
    this.#fill(bits);
    const found = table[this.#held & ((1 << bits) - 1)] as number;
    if (found === 0) throw new BadData('no such code');
    this.#drop(found & 15);
    return found >> 4;
  }

  /** Goes on at the next whole byte. */
  align(): void {
    this.#drop(this.#count & 7);
    this.#at -= this.#count >> 3;
    [this.#held, this.#count] = [0, 0];
  }

  /** At most `count` bytes. */
  takeBytes(count: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += bytes.length;
    return bytes;
  }
}

function ownCodes(bits: Bits): readonly [Codes, Codes] {
  const [literals, distances, count] = [bits.take(5) + 257, bits.take(5) + 1, bits.take(4) + 4];
  if (literals > 286 || distances > 30) throw new BadData('too many codes');
  const ordered = new Uint8Array(19);
  for (const place of ORDER.slice(0, count)) ordered[place] = bits.take(3);
  const codes = codesOf(ordered);
  const lengths = new Uint8Array(literals + distances);
  for (let at = 0; at < lengths.length; ) {
    const symbol = bits.symbol(codes);
    if (symbol < 16) {
      lengths[at] = symbol;
      at += 1;
      continue;
    }
    if (symbol === 16 && at === 0) throw new BadData('nothing to repeat');
    const length = symbol === 16 ? (lengths[at - 1] as number) : 0;
    const times = symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    if (at + times > lengths.length) throw new BadData('too many codes');
    lengths.fill(length, at, at + times);
    at += times;
  }
  if (lengths[256] === 0) throw new BadData('a block without an end');
  return [codesOf(lengths.slice(0, literals)), codesOf(lengths.slice(literals))];
}

/** Asks for input by yielding nothing, and is handed it, or nothing at the end of the file. */
type Steps = Generator<Uint8Array | undefined, boolean, Uint8Array | undefined>;

/** Asks for input until so many bytes are held, or the file ends. */
function* hold(bits: Bits, bytes: number): Generator<undefined, void, Uint8Array | undefined> {
  while (!bits.isAtEnd && bits.left < bytes) {
    const more = yield undefined;
    if (more) bits.add(more);
    else bits.isAtEnd = true;
  }
}

/** Unpacks one deflate stream; true if it was whole. `bits` stands behind it then. */
function* deflateSteps(bits: Bits): Steps {
  const out = new Uint8Array(OUTPUT);
  let [to, given, total] = [0, 0, 0];
  /** Hands over what was written when there is no room for so many bytes. */
  const full = (room: number): Uint8Array | undefined => {
    if (to + room <= OUTPUT) return undefined;
    const piece = out.slice(given, to);
    out.copyWithin(0, to - WINDOW, to);
    to = WINDOW;
    given = WINDOW;
    return piece;
  };
  try {
    for (let isLast = false; !isLast; ) {
      yield* hold(bits, MOST_CODES);
      isLast = bits.take(1) === 1;
      const kind = bits.take(2);
      if (kind === 3) throw new BadData('no such block');
      if (kind === 0) {
        bits.align();
        const [length, check] = [bits.take(16), bits.take(16)];
        if ((length ^ check) !== 0xffff) throw new BadData('a length that is none');
        bits.align();
        for (let left = length; left > 0; ) {
          yield* hold(bits, 1);
          const bytes = bits.takeBytes(Math.min(left, WINDOW));
          if (bytes.length === 0) throw new BadData('cut off');
          const piece = full(bytes.length);
          if (piece) yield piece;
          out.set(bytes, to);
          to += bytes.length;
          total += bytes.length;
          left -= bytes.length;
        }
        continue;
      }
      const [literals, distances] = kind === 1 ? FIXED : ownCodes(bits);
      for (;;) {
        if (!bits.isAtEnd && bits.left < MOST_SYMBOL) yield* hold(bits, WINDOW);
        const symbol = bits.symbol(literals);
        if (symbol === 256) break;
        if (to + LONGEST > OUTPUT) yield full(LONGEST);
        if (symbol < 256) {
          out[to] = symbol;
          to += 1;
          total += 1;
          continue;
        }
        if (symbol > 285) throw new BadData('no such length');
        const length = (LENGTHS[symbol - 257] as number) + bits.take(LENGTH_BITS[symbol - 257] as number);
        const far = bits.symbol(distances);
        if (far > 29) throw new BadData('no such distance');
        const distance = (DISTANCES[far] as number) + bits.take(far < 4 ? 0 : (far >> 1) - 1);
        if (distance > total) throw new BadData('a copy of nothing');
        for (const end = to + length; to < end; to += 1) out[to] = out[to - distance] as number;
        total += length;
      }
    }
    yield out.slice(given, to);
    bits.align();
    return true;
  } catch (error) {
    if (!(error instanceof BadData)) throw error;
    yield out.slice(given, to);
    return false;
  }
}

/** Unpacks the members of a gzipped file, one behind another; true if all were whole. */
function* gzipSteps(bits: Bits): Steps {
  for (let members = 0; ; members += 1) {
    yield* hold(bits, WINDOW);
    const head = bits.takeBytes(10);
    // Behind the last member some tools leave zeros.
    if (members > 0 && (head[0] !== 0x1f || head[1] !== 0x8b)) return true;
    if (head.length < 10 || head[0] !== 0x1f || head[1] !== 0x8b) return false;
    const flags = head[3] as number;
    const pastText = () => {
      for (let byte = bits.takeBytes(1)[0]; byte !== undefined && byte !== 0; ) [byte] = bits.takeBytes(1);
    };
    if (flags & 4) {
      const [low = 0, high = 0] = bits.takeBytes(2);
      bits.takeBytes(low + high * 256);
    }
    if (flags & 8) pastText();
    if (flags & 16) pastText();
    if (flags & 2) bits.takeBytes(2);
    let crc = 0;
    const body = deflateSteps(bits);
    let step = body.next();
    while (!step.done) {
      if (step.value) crc = crc32(step.value, crc);
      step = body.next(yield step.value);
    }
    yield* hold(bits, 8);
    const end = bits.takeBytes(4);
    bits.takeBytes(4);
    if (!step.value || end.length < 4 || new DataView(end.slice().buffer).getUint32(0, true) !== crc)
      return false;
  }
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Checksum of gzip and ZIP (RFC 1952, 8) of bytes behind those that have the checksum `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (const byte of bytes) crc = (CRC[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

async function* driven(steps: (bits: Bits) => Steps, chunks: AsyncIterable<Uint8Array>): Unpacking {
  const input = chunks[Symbol.asyncIterator]();
  const unpacking = steps(new Bits());
  try {
    for (let step = unpacking.next(); ; ) {
      if (step.done) return step.value;
      if (step.value) {
        if (step.value.length > 0) yield step.value;
        step = unpacking.next();
        continue;
      }
      const { done, value } = await input.next();
      step = unpacking.next(done ? undefined : (value as Uint8Array));
    }
  } finally {
    await input.return?.();
  }
}

/** Unpacks raw deflate data, as a ZIP holds them, as far as they can be read. */
export const inflated = (chunks: AsyncIterable<Uint8Array>): Unpacking => driven(deflateSteps, chunks);
/** Unpacks a gzipped file as far as it can be read; several of them one behind another are one. */
export const gunzipped = (chunks: AsyncIterable<Uint8Array>): Unpacking => driven(gzipSteps, chunks);
