// Unpacks deflate (RFC 1951) and gzip (RFC 1952) up to the place of a damage. The browser's own inflate is faster, but
// gives back nothing of the stretch in which it fails; this one reads only what that has refused.
import { Z_NO_FLUSH, Z_OK, Z_STREAM_END, ZStream, zlibInflate, zlibInflateInit2 } from 'pako';
import { joined } from './source-file.ts';

/** Yields unpacked data piece by piece; returns true if they were whole. */
type Unpacking = AsyncGenerator<Uint8Array, boolean>;

/** Most bytes of an unpacked piece. */
const OUTPUT = 64 * 1024;
/** Wrapping of the data and size of the window, as zlib counts them when it begins. */
const [RAW, GZIP] = [-15, 31];

/** One packed stream: a ZIP's entry, or a member of a gzipped file. */
class Packed {
  readonly #stream = new ZStream();
  #status: number = Z_OK;

  constructor(windowBits: number) {
    zlibInflateInit2(this.#stream, windowBits);
  }

  get isWhole(): boolean {
    return this.#status === Z_STREAM_END;
  }

  /** Yields the data that these bytes add; returns those behind the stream's end, undefined after damage. */
  *add(bytes: Uint8Array): Generator<Uint8Array, Uint8Array | undefined> {
    const stream = this.#stream;
    [stream.input, stream.next_in, stream.avail_in] = [bytes, 0, bytes.length];
    do {
      [stream.output, stream.next_out, stream.avail_out] = [new Uint8Array(OUTPUT), 0, OUTPUT];
      this.#status = zlibInflate(stream, Z_NO_FLUSH);
      if (stream.next_out > 0) yield stream.output.subarray(0, stream.next_out);
    } while (this.#status === Z_OK && (stream.avail_in > 0 || stream.avail_out === 0));
    // With nothing left to read and to write it reports that it made no progress, which is no damage.
    return this.isWhole || stream.avail_in === 0 ? bytes.subarray(stream.next_in) : undefined;
  }
}

/** Unpacks raw deflate data, as a ZIP holds them, as far as they can be read. */
export async function* inflated(chunks: AsyncIterable<Uint8Array>): Unpacking {
  const packed = new Packed(RAW);
  for await (const chunk of chunks) {
    const rest = yield* packed.add(chunk);
    if (rest === undefined || packed.isWhole) break;
  }
  return packed.isWhole;
}

const isGzipAt = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Unpacks a gzipped file as far as it can be read; several of them one behind another are one. */
export async function* gunzipped(chunks: AsyncIterable<Uint8Array>): Unpacking {
  let members = 0;
  let packed: Packed | undefined;
  /** Too few bytes to show if another member begins. */
  let held = new Uint8Array(0);
  for await (const chunk of chunks) {
    let bytes: Uint8Array = held.length > 0 ? joined([held, chunk], held.length + chunk.length) : chunk;
    held = new Uint8Array(0);
    while (bytes.length > 0) {
      if (!packed && bytes.length < 2) {
        held = bytes.slice();
        break;
      }
      // Behind the last member some tools leave zeros.
      if (!packed && !isGzipAt(bytes)) return members > 0;
      packed ??= new Packed(GZIP);
      const rest: Uint8Array | undefined = yield* packed.add(bytes);
      if (rest === undefined) return false;
      bytes = rest;
      if (!packed.isWhole) break;
      packed = undefined;
      members += 1;
    }
  }
  return !packed && members > 0;
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Checksum of ZIP (RFC 1952, 8) of bytes behind those that have the checksum `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  for (const byte of bytes) crc = (CRC[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}
