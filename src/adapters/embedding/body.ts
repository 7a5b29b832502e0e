// Reads a large file into memory without a second copy.
import { attempt } from '../../domain/base/log.ts';

/**
 * First size (bytes) of a buffer for a body without an announced length; also how much is read to see
 * if the body is longer than announced.
 */
const SPARE = 65_536;

/**
 * Reads a body into one buffer, in place if the browser can: an ordinary read needs three times the
 * memory. Rejects with the body's own error.
 * @param expected announced size in bytes; the body may be longer or shorter
 * @param onBytes called with the count of bytes that have arrived since
 */
export async function collect(
  body: ReadableStream<Uint8Array>,
  expected: number,
  onBytes: (count: number) => void,
): Promise<ArrayBuffer> {
  let buffer = new ArrayBuffer(Math.max(expected, SPARE));
  let filled = 0;
  const take = (piece: Uint8Array) => {
    if (filled + piece.byteLength > buffer.byteLength) {
      const larger = new Uint8Array(2 * buffer.byteLength + piece.byteLength);
      larger.set(new Uint8Array(buffer, 0, filled));
      buffer = larger.buffer;
    }
    new Uint8Array(buffer).set(piece, filled);
    filled += piece.byteLength;
    onBytes(piece.byteLength);
  };
  const end = () => (filled === buffer.byteLength ? buffer : buffer.slice(0, filled));

  const inPlace = inPlaceReader(body);
  if (!inPlace) {
    const reader = body.getReader();
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
      if (value) take(value);
    return end();
  }
  for (;;) {
    const free = buffer.byteLength - filled;
    const { done, value } = await inPlace.read(
      free > 0 ? new Uint8Array(buffer, filled) : new Uint8Array(SPARE),
    );
    if (free === 0) {
      if (done || !value) return end();
      take(value);
      continue;
    }
    if (!value) throw new TypeError('the file was cut off while it was read');
    buffer = value.buffer;
    filled += value.byteLength;
    onBytes(value.byteLength);
    if (done) return end();
  }
}

/** Null if this browser cannot read a body into a given buffer. */
function inPlaceReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  return attempt(() => body.getReader({ mode: 'byob' }), null, 'reading a body into a buffer of our own');
}
