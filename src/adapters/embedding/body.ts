// A large file on its way into memory, once.
import { attempt } from '../../domain/base/log.ts';

/** The first size of a buffer that nobody said more of, and what is read to see whether there is more than was said. */
const SPARE = 65_536;

/**
 * Reads a body into one buffer, `expected` bytes long unless it turns out otherwise, in place where the browser can: a body that is read as usual
 * lies about three times, in pieces, put together and as the buffer. Tells of the bytes as they come. Rejects as the body does.
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
    const room = buffer.byteLength - filled;
    const { done, value } = await inPlace.read(
      room > 0 ? new Uint8Array(buffer, filled) : new Uint8Array(SPARE),
    );
    if (room === 0) {
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

/** Null where this browser's bodies cannot be read into a buffer of one's own. */
function inPlaceReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  return attempt(() => body.getReader({ mode: 'byob' }), null, 'reading a body into a buffer of our own');
}
