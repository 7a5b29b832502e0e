// Reads a single gzipped file, such as `conversations.json.gz`, through the browser's own inflate; one that is damaged,
// or several one behind another, through `inflate.ts`.
import { isAbort, RecollectError } from '../../domain/base/errors.ts';
import { log, orElse } from '../../domain/base/log.ts';
import type { Damage, SourceFile } from './importer.ts';
import { gunzipped } from './inflate.ts';
import { baseName, firstBytesOf, joined, rawChunksOf } from './source-file.ts';
import { ZIP_LIMITS } from './zip.ts';

/** True for files that begin as gzip does (RFC 1952, 2.3.1). */
export async function isGzip(file: SourceFile, signal: AbortSignal): Promise<boolean> {
  const head = await firstBytesOf(file, signal, 3);
  return head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;
}

/** Opens the file within. Reading it throws `import-bomb` beyond the limits of a ZIP; a damaged one ends early. */
export async function openGzip(file: SourceFile, signal: AbortSignal): Promise<SourceFile> {
  const path = file.path.replace(/\.gz(?:ip)?$/i, '');
  const damage: Damage = { isFound: false, name: baseName(file.path) };
  const count = (length: number) => {
    if (length > ZIP_LIMITS.unpacked || length > Math.max(ZIP_LIMITS.ratioFrom, file.size * ZIP_LIMITS.ratio))
      throw new RecollectError('import-bomb', `${file.path} unpacks to far more than an export would`, {
        params: { detail: `more than ${length} bytes` },
      });
  };
  async function* stream(cancel: AbortSignal): AsyncGenerator<Uint8Array> {
    let given = 0;
    if (!damage.isFound) {
      const reader = packedBytes(file, cancel).pipeThrough(new DecompressionStream('gzip')).getReader();
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return;
          given += value.length;
          count(given);
          yield value;
        }
      } catch (cause) {
        if (cause instanceof RecollectError || isAbort(cause)) throw cause;
        log.warn(`${file.path} is damaged, and read up to there`, cause);
      } finally {
        await orElse(reader.cancel(), undefined, 'the end of a file that could not be unpacked');
      }
    }
    let length = 0;
    const rest = gunzipped(rawChunksOf(file, cancel));
    for (;;) {
      const { done, value } = await rest.next();
      if (done) {
        damage.isFound ||= !value;
        return;
      }
      length += value.length;
      count(length);
      const fresh = value.subarray(Math.max(0, given - (length - value.length)));
      if (fresh.length > 0) yield fresh;
    }
  }
  return {
    path,
    size: await unpackedSize(file, signal),
    modifiedAt: file.modifiedAt,
    damage,
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
