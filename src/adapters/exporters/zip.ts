// Writes a ZIP piece by piece, on this thread, with the browser's own deflate.
import { configure, Uint8ArrayReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-custom.js';
import { orElse } from '../../domain/base/log.ts';

configure({ useWebWorkers: false, useCompressionStream: true });

/** Yields the ZIP's bytes as they come; requests each file after the previous one is written. */
export async function* zipOf(
  files: AsyncIterable<{ readonly path: string; readonly bytes: Uint8Array }>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writing = (async () => {
    const zip = new ZipWriter(writable, { signal });
    for await (const { path, bytes } of files) await zip.add(path, new Uint8ArrayReader(bytes));
    await zip.close();
  })();
  // The reader below must receive the error that ended the ZIP.
  const failed = writing.catch((error: unknown) =>
    orElse(writable.abort(error), undefined, 'closing a ZIP whose reader has stopped'),
  );
  const reader = readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    await writing;
  } finally {
    await orElse(reader.cancel(), undefined, 'the end of an archive that failed');
    await failed;
  }
}
