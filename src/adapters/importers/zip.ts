// Opens a ZIP as a source. Trusts nothing in it: sizes are counted while unpacking, names are only labels, and a ZIP
// and those in it share one allowance. Runs on the calling thread with the browser's own inflate: a strict page may
// not start a worker from a blob: URL.
import {
  BlobReader,
  configure,
  type Entry,
  type FileEntry,
  Uint8ArrayReader,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-custom.js';
import { isAbort, RecollectError } from '../../domain/base/errors.ts';
import { ignore, orElse } from '../../domain/base/log.ts';
import type { ImportSource, SourceFile, Unpacked } from './importer.ts';
import { MAX_JSON_BYTES } from './lenient-json.ts';
import { firstBytesOf, joined } from './source-file.ts';

configure({ useWebWorkers: false, useCompressionStream: true });

/** Limits of a ZIP. A real export stays far below each. */
export const ZIP_LIMITS = {
  /** Levels of ZIPs within ZIPs: a person's or a browser's archive around the service's own. */
  nested: 3,
  entries: 200_000,
  /** Bytes of all files together, unpacked. Like `entries`, it includes those of ZIPs inside. */
  unpacked: 4 * 1024 * 1024 * 1024,
  /** Largest ratio of unpacked to packed size of one file; counts above `ratioFrom` unpacked bytes. */
  ratio: 250,
  ratioFrom: 16 * 1024 * 1024,
  /** Bytes of one file, read at once. */
  file: MAX_JSON_BYTES,
} as const;
type ZipLimits = { readonly [K in keyof typeof ZIP_LIMITS]: number };

/** True if a ZIP may be opened at its level of nesting. */
export const mayBeOpened = (file: SourceFile): boolean => (file.within?.zips ?? 0) < ZIP_LIMITS.nested;

/** True for files that begin as ZIPs do, the empty ZIP included. */
export async function isZip(file: SourceFile, signal: AbortSignal): Promise<boolean> {
  const head = await firstBytesOf(file, signal, 4);
  return (
    head.length === 4 &&
    head[0] === 0x50 &&
    head[1] === 0x4b &&
    (head[2] === 3 || head[2] === 5) &&
    head[3] === (head[2] === 3 ? 4 : 6)
  );
}

/**
 * Lists the files of a ZIP, each unpacked when it is read.
 * @throws `import-bomb` (before unpacking if the ZIP itself admits its size, else as soon as the count
 *   exceeds a limit), `import-encrypted`,
 * `import-broken`
 */
export async function openZip(
  file: SourceFile,
  signal: AbortSignal,
  limits: ZipLimits = ZIP_LIMITS,
): Promise<ImportSource> {
  signal.throwIfAborted();
  const blob = file.blob ?? (file.within && file.stream ? await blobOf(file.stream(signal)) : undefined);
  const reader = new ZipReader(blob ? new BlobReader(blob) : new Uint8ArrayReader(await file.bytes(signal)), {
    strictness: 'tolerant',
    checkCrc32: true,
  });
  const zips = (file.within?.zips ?? 0) + 1;
  const unpacked: Unpacked = file.within?.unpacked ?? { entries: 0, bytes: 0 };
  const entries: FileEntry[] = [];
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      signal.throwIfAborted();
      unpacked.entries += 1;
      if (unpacked.entries > limits.entries) throw bomb(`more than ${limits.entries} files`);
      if (isFile(entry)) entries.push(entry);
    }
  } catch (error) {
    throw translated(error, file.path);
  }

  const declared = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  if (unpacked.bytes + declared > limits.unpacked) throw bomb(`it unpacks to ${declared} bytes`);
  if (entries.some((entry) => entry.encrypted))
    throw new RecollectError('import-encrypted', `${file.path} is protected by a password`, {
      params: { file: file.path },
    });
  const packedSize = (entry: FileEntry) => Math.max(1, entry.compressedSize);
  for (const entry of entries)
    if (
      entry.uncompressedSize > limits.ratioFrom &&
      entry.uncompressedSize / packedSize(entry) > limits.ratio
    )
      throw bomb(
        `${entry.filename} unpacks to ${Math.round(entry.uncompressedSize / packedSize(entry))} times its size`,
      );

  /** Bytes counted for each file, so that reading it twice does not count twice. */
  const seen = new Map<FileEntry, number>();

  async function* unpack(entry: FileEntry, cancel: AbortSignal): AsyncGenerator<Uint8Array> {
    cancel.throwIfAborted();
    const stop = new AbortController();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writing = entry.getData(writable, { signal: AbortSignal.any([cancel, stop.signal]) });
    ignore(writing, 'unpacking; the reader below reports it, unless nobody reads any more');
    const output = readable.getReader();
    let length = 0;
    try {
      for (;;) {
        const { done, value } = await output.read();
        if (done) break;
        length += value.length;
        const before = seen.get(entry) ?? 0;
        if (length > before) {
          unpacked.bytes += length - before;
          seen.set(entry, length);
        }
        if (unpacked.bytes > limits.unpacked) throw bomb(`it unpacks to more than ${limits.unpacked} bytes`);
        if (length > limits.ratioFrom && length / packedSize(entry) > limits.ratio)
          throw bomb(`${entry.filename} unpacks to more than ${limits.ratio} times its size`);
        yield value;
      }
      await writing;
    } catch (error) {
      // The writing side knows the cause; the reading side may only know that the stream was closed.
      const cause =
        error instanceof RecollectError || cancel.aborted
          ? error
          : await writing.then(
              () => error,
              (reason) => reason,
            );
      throw cancel.aborted ? cancel.reason : translated(cause, entry.filename);
    } finally {
      stop.abort();
      await orElse(output.cancel(), undefined, 'the end of a file that could not be unpacked');
    }
  }

  const files = new Map<string, SourceFile>();
  const first = new Map<string, FileEntry>();
  const copies = new Map<string, number>();
  for (const entry of entries) {
    const named = normalised(entry.filename);
    if (named === undefined) continue;
    const twin = first.get(named);
    // Equal twins are one file; of two different ones with one name, the second gets a new name.
    if (twin && twin.signature === entry.signature && twin.uncompressedSize === entry.uncompressedSize)
      continue;
    if (!twin) first.set(named, entry);
    const path = twin ? unusedPath(named, files, copies) : named;
    files.set(path, {
      path,
      size: entry.uncompressedSize,
      modifiedAt: Number.isFinite(entry.lastModDate?.getTime()) ? entry.lastModDate.getTime() : 0,
      within: { zips, unpacked },
      stream: (cancel) => unpack(entry, cancel),
      bytes: async (cancel) => {
        const pieces: Uint8Array[] = [];
        let length = 0;
        for await (const piece of unpack(entry, cancel)) {
          length += piece.length;
          if (length > limits.file)
            throw new RecollectError('import-too-large', `${path} is larger than ${limits.file} bytes`, {
              params: { file: path, limit: limits.file },
            });
          pieces.push(piece);
        }
        return joined(pieces, length);
      },
    });
  }
  return { name: file.path.slice(file.path.lastIndexOf('/') + 1), files: [...files.values()] };
}

/** Finds the first unused name of the form `folder/name-2.json`. `copies`: the last number given for each name. */
function unusedPath(path: string, used: ReadonlyMap<string, unknown>, copies: Map<string, number>): string {
  const dot = path.lastIndexOf('.') > path.lastIndexOf('/') + 1 ? path.lastIndexOf('.') : path.length;
  for (let n = (copies.get(path) ?? 1) + 1; ; n++) {
    copies.set(path, n);
    const other = `${path.slice(0, dot)}-${n}${path.slice(dot)}`;
    if (!used.has(other)) return other;
  }
}

/** Bytes that are held before the browser takes them. */
const HELD_BYTES = 4 * 1024 * 1024;

/**
 * Hands a ZIP within a ZIP to the browser piece by piece, which may keep it on the
 * disk. The ZIP around it bounds its bytes.
 */
async function blobOf(pieces: AsyncIterable<Uint8Array>): Promise<Blob> {
  const parts: Blob[] = [];
  let held: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const piece of pieces) {
    held.push(Uint8Array.from(piece));
    length += piece.length;
    if (length < HELD_BYTES) continue;
    parts.push(new Blob(held));
    [held, length] = [[], 0];
  }
  return new Blob([...parts, ...held]);
}

const isFile = (entry: Entry): entry is FileEntry => !entry.directory && !entry.symlink;

const bomb = (why: string) =>
  new RecollectError('import-bomb', `This ZIP is not an export: ${why}`, { params: { detail: why } });

/**
 * Normalises a path: forward slashes, no `.`, no `..`, no drive or root; undefined
 * for files that operating systems add.
 */
function normalised(name: string): string | undefined {
  const segments: string[] = [];
  for (const segment of name
    .replaceAll('\\', '/')
    .replace(/^[a-z]:/i, '')
    .split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') segments.pop();
    else segments.push(segment);
  }
  const last = segments.at(-1);
  if (last === undefined || segments[0] === '__MACOSX' || last === '.DS_Store') return undefined;
  return segments.join('/');
}

function translated(error: unknown, file: string): unknown {
  if (error instanceof RecollectError || isAbort(error)) return error;
  return new RecollectError('import-broken', `${file} cannot be unpacked`, {
    params: { file },
    cause: error,
  });
}
