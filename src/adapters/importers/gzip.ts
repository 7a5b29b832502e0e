// Reads a single gzipped file, such as `conversations.json.gz`, through the browser's own inflate.
import { isAbort, RecollectError } from '../../domain/base/errors.ts';
import { orElse } from '../../domain/base/log.ts';
import type { SourceFile } from './importer.ts';
import { firstBytesOf, joined, rawChunksOf } from './source-file.ts';
import { ZIP_LIMITS } from './zip.ts';

/** True for files that begin as gzip does (RFC 1952, 2.3.1). */
export async function isGzip(file: SourceFile, signal: AbortSignal): Promise<boolean> {
  const head = await firstBytesOf(file, signal, 3);
  return head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;
}

/**
 * Opens the file within. Reading it throws `import-bomb` beyond the limits of one file in a
 * ZIP, `import-broken` if it is damaged.
 */
export async function openGzip(file: SourceFile, signal: AbortSignal): Promise<SourceFile> {
  const path = file.path.replace(/\.gz(?:ip)?$/i, '');
  async function* stream(cancel: AbortSignal): AsyncGenerator<Uint8Array> {
    const reader = packedBytes(file, cancel).pipeThrough(new DecompressionStream('gzip')).getReader();
    let length = 0;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        length += value.length;
        if (length > ZIP_LIMITS.file || length > Math.max(ZIP_LIMITS.ratioFrom, file.size * ZIP_LIMITS.ratio))
          throw new RecollectError('import-bomb', `${file.path} unpacks to far more than an export would`, {
            params: { detail: `more than ${length} bytes` },
          });
        yield value;
      }
    } catch (cause) {
      if (cause instanceof RecollectError || isAbort(cause)) throw cause;
      throw new RecollectError('import-broken', `${file.path} cannot be unpacked`, {
        params: { file: file.path },
        cause,
      });
    } finally {
      await orElse(reader.cancel(), undefined, 'the end of a file that could not be unpacked');
    }
  }
  return {
    path,
    size: await unpackedSize(file, signal),
    modifiedAt: file.modifiedAt,
    stream,
    bytes: async (cancel) => {
      const pieces: Uint8Array[] = [];
      let length = 0;
      for await (const piece of stream(cancel)) {
        pieces.push(piece);
        length += piece.length;
      }
      return joined(pieces, length);
    },
  };
}

/** Unpacked size in bytes, from the last four bytes of the file, modulo 2^32 (RFC 1952, 2.3.1). */
async function unpackedSize(file: SourceFile, signal: AbortSignal): Promise<number> {
  const end = file.blob
    ? new Uint8Array(await file.blob.slice(-4).arrayBuffer())
    : (await file.bytes(signal)).subarray(-4);
  return end.reduceRight((size, byte) => size * 256 + byte, 0);
}

function packedBytes(file: SourceFile, signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = rawChunksOf(file, signal)[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    async cancel() {
      await pieces.return?.();
    },
  });
}
