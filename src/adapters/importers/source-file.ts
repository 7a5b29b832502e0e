// Files that an importer reads: the browser's own, their first bytes, their bytes in pieces.
import { isAbort, RecollectError } from '../../domain/base/errors.ts';
import { orElse } from '../../domain/base/log.ts';
import { asUtf8, type Foreign } from '../../domain/text/encoding.ts';
import type { SourceFile } from './importer.ts';

/** Enough bytes to distinguish formats. */
export const SNIFF_BYTES = 64 * 1024;

/** Wraps a file that was dropped or picked. `path` defaults to its place in the picked folder, or to its name. */
export function fileOf(file: File, path: string = file.webkitRelativePath || file.name): SourceFile {
  const readable = async <T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    try {
      return await read();
    } catch (cause) {
      if (isAbort(cause)) throw cause;
      // The file was moved, changed or forbidden since it was picked.
      throw new RecollectError('import-broken', `${path} cannot be read`, { params: { file: path }, cause });
    }
  };
  return {
    path,
    size: file.size,
    modifiedAt: file.lastModified,
    blob: file,
    bytes: (signal) => readable(signal, async () => new Uint8Array(await file.arrayBuffer())),
    async *stream(signal) {
      const reader = file.stream().getReader();
      try {
        for (;;) {
          const { done, value } = await readable(signal, () => reader.read());
          if (done) return;
          yield value;
        }
      } finally {
        await orElse(reader.cancel(), undefined, 'the end of a file that could not be read');
      }
    },
  };
}

/** Wraps bytes in memory as a file. */
export const fileFromBytes = (path: string, bytes: Uint8Array, modifiedAt = 0): SourceFile => ({
  path,
  size: bytes.length,
  modifiedAt,
  bytes: async (signal) => {
    signal.throwIfAborted();
    return bytes;
  },
});

/** Yields the file's text in pieces, as UTF-8 from any encoding; `onForeign` receives what was not UTF-8. */
export const chunksOf = (
  file: SourceFile,
  signal: AbortSignal,
  onForeign: (foreign: Foreign) => void = () => {},
): AsyncIterable<Uint8Array> => asUtf8(rawChunksOf(file, signal), onForeign);

/** Yields the file's bytes in pieces; in one piece if it offers no stream. */
export async function* rawChunksOf(file: SourceFile, signal: AbortSignal): AsyncIterable<Uint8Array> {
  if (!file.stream) {
    yield await file.bytes(signal);
    return;
  }
  for await (const chunk of file.stream(signal)) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/** Reads the beginning of a file, at most `limit` bytes, as UTF-8; avoids reading the rest if possible. */
export const headOf = (
  file: SourceFile,
  signal: AbortSignal,
  limit: number = SNIFF_BYTES,
): Promise<Uint8Array> => beginningOf(chunksOf(file, signal), limit);

/** Reads the first bytes of a file unchanged, at most `limit`. */
export const firstBytesOf = (file: SourceFile, signal: AbortSignal, limit: number): Promise<Uint8Array> =>
  beginningOf(rawChunksOf(file, signal), limit);

async function beginningOf(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const piece = chunk.subarray(0, limit - length);
    pieces.push(piece);
    length += piece.length;
    if (length >= limit) break;
  }
  return joined(pieces, length);
}

/** Joins pieces into one array of `length` bytes. */
export function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = pieces;
  if (pieces.length === 1 && first) return first;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** True for a packed file that is damaged or cut off; reads it to its end to find out. */
export async function isDamaged(file: SourceFile, signal: AbortSignal): Promise<boolean> {
  if (!file.damage || file.damage.isFound) return file.damage?.isFound === true;
  for await (const _ of rawChunksOf(file, signal)) signal.throwIfAborted();
  return file.damage.isFound;
}

/** Pictures and files of messages, as an export names them. */
const ASSET = /^file[-_][A-Za-z0-9]/;
/** True if the name is that of an export's asset. */
export const isAsset = ({ path }: Pick<SourceFile, 'path'>): boolean => ASSET.test(baseName(path));

/** Last segment of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Everything before the last segment, without the slash; '' at the top. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** True if the file lies in one of the folders, or below; '' is the top. */
export function isWithin(path: string, folders: ReadonlySet<string>): boolean {
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    if (folders.has(folder)) return true;
    if (folder === '') return false;
  }
}
