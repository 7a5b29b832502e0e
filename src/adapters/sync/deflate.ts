// Deflates by the platform's own streams (RFC 1951, raw). Inflating stops at a limit, since bytes from
// outside may be a decompression bomb.
import { ignore, orElse } from '../../domain/base/log.ts';

export interface Deflate {
  deflate(bytes: Uint8Array): Promise<Uint8Array>;
  /** Inflates; null if the bytes are no deflated data or would become longer than `limit` bytes. */
  inflate(bytes: Uint8Array, limit: number): Promise<Uint8Array | null>;
}

async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
  limit: number,
): Promise<Uint8Array | null> {
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes as Uint8Array<ArrayBuffer>).then(() => writer.close());
  ignore(written, 'writing into a stream whose reading side reports the failure');
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = stream.readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await orElse(reader.cancel(), undefined, 'the end of a stream that is too long');
      return null;
    }
    parts.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const platformDeflate: Deflate = {
  deflate: async (bytes) =>
    (await through(bytes, new CompressionStream('deflate-raw'), Number.POSITIVE_INFINITY)) ??
    new Uint8Array(),
  inflate: (bytes, limit) =>
    orElse(through(bytes, new DecompressionStream('deflate-raw'), limit), null, 'bytes that do not unpack'),
};
