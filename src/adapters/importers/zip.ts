// Opens a ZIP as a source. Trusts nothing in it: sizes are counted while unpacking, names are only labels, and a ZIP
// and those in it share one allowance. A damaged one is read as far as it goes. Runs on the calling thread with the
// browser's own inflate: a strict page may not start a worker from a blob: URL.
import {
  BlobReader,
  configure,
  type Entry,
  type FileEntry,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-custom.js';
import { isAbort, RecollectError } from '../../domain/base/errors.ts';
import { ignore, log, orElse } from '../../domain/base/log.ts';
import { decodeText } from '../../domain/text/encoding.ts';
import type { Damage, ImportSource, SourceFile, Unpacked } from './importer.ts';
import { crc32, inflated } from './inflate.ts';
import { MAX_JSON_BYTES } from './lenient-json.ts';
import { baseName, firstBytesOf, joined } from './source-file.ts';
import { type PackedEntry, scanned, timeOfEntry } from './zip-scan.ts';

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

/** A file in a ZIP, to be unpacked; `upToDamage` reads as much of a damaged one as can be read. */
interface Packed {
  readonly filename: string;
  readonly uncompressedSize: number;
  readonly packedSize: number;
  readonly signature: number | undefined;
  readonly modifiedAt: number;
  readonly isCut: boolean;
  /** Unpacks with the browser's inflate, and checks; undefined for a file that the list of the ZIP does not name. */
  readonly whole: ((writable: WritableStream, signal: AbortSignal) => Promise<unknown>) | undefined;
  upToDamage(signal: AbortSignal): AsyncGenerator<Uint8Array, boolean>;
}

/** Unpacks a file without the browser; returns true if it was whole: not cut off, and as its checksum says. */
async function* unpackedOf(
  blob: Blob,
  entry: Omit<PackedEntry, 'isCut'>,
): AsyncGenerator<Uint8Array, boolean> {
  const raw = piecesOf(blob.slice(entry.from, entry.to));
  if (entry.method !== 0 && entry.method !== 8) return false;
  const pieces = entry.method === 8 ? inflated(raw) : raw;
  let crc = 0;
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return value !== false && entry.crc === crc;
    crc = crc32(value, crc);
    yield value;
  }
}

async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array, undefined> {
  for (let at = 0; at < blob.size; at += HELD_BYTES)
    yield new Uint8Array(await blob.slice(at, at + HELD_BYTES).arrayBuffer());
}

/**
 * Names that no mark says to be UTF-8, which macOS writes without it: UTF-8 or, where it is sure, another encoding,
 * told from all of them together.
 */
function namesOf(entries: readonly FileEntry[]): ReadonlyMap<FileEntry, string> {
  const unmarked = entries.filter(
    ({ filenameUTF8, rawFilename }) => !filenameUTF8 && !rawFilename.includes(LINE_END),
  );
  const pieces = unmarked.flatMap(({ rawFilename }) => [rawFilename, Uint8Array.of(LINE_END)]);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const { text, foreign } = decodeText(joined(pieces, length));
  const names = text.split('\n');
  const isRead = foreign.every(({ isRead }) => isRead) && names.length === unmarked.length + 1;
  return new Map(isRead ? unmarked.map((entry, at) => [entry, names[at] as string]) : []);
}
const LINE_END = 0x0a;

/** A file that the list of the ZIP names. */
function listed(blob: Blob, entry: FileEntry, filename = entry.filename): Packed {
  return {
    filename,
    uncompressedSize: entry.uncompressedSize,
    packedSize: Math.max(1, entry.compressedSize),
    signature: entry.signature,
    modifiedAt: timeOfEntry(entry.lastModDate?.getTime() ?? 0),
    isCut: false,
    whole: (writable, signal) => entry.getData(writable, { signal }),
    async *upToDamage() {
      // Name and extra field of the local header may be longer than those of the list.
      const head = new DataView(await blob.slice(entry.offset, entry.offset + 30).arrayBuffer());
      if (head.byteLength < 30) return false;
      const from = entry.offset + 30 + head.getUint16(26, true) + head.getUint16(28, true);
      return yield* unpackedOf(blob, {
        ...{ filename: entry.filename, isEncrypted: false, method: entry.compressionMethod },
        ...{ uncompressedSize: entry.uncompressedSize, crc: entry.signature, modifiedAt: 0 },
        ...{ from, to: from + entry.compressedSize },
      });
    },
  };
}

/** A file that was found without the list of the ZIP. */
const found = (blob: Blob, entry: PackedEntry): Packed => ({
  filename: entry.filename,
  uncompressedSize: entry.uncompressedSize || (entry.isCut ? entry.to - entry.from : 0),
  packedSize: Math.max(1, entry.to - entry.from),
  signature: entry.crc,
  modifiedAt: entry.modifiedAt,
  isCut: entry.isCut,
  whole: undefined,
  upToDamage: () => unpackedOf(blob, entry),
});

/** Lists what is in a ZIP, by its list or, where that is missing, from one file to the next. */
async function packedIn(
  file: SourceFile,
  blob: Blob,
  signal: AbortSignal,
  unpacked: Unpacked,
  limits: ZipLimits,
): Promise<{ readonly entries: readonly Packed[]; readonly isWhole: boolean }> {
  const locked = () =>
    new RecollectError('import-encrypted', `${file.path} is protected by a password`, {
      params: { file: file.path },
    });
  const count = () => {
    unpacked.entries += 1;
    if (unpacked.entries > limits.entries) throw bomb(`more than ${limits.entries} files`);
  };
  const before = unpacked.entries;
  try {
    const entries: FileEntry[] = [];
    const reader = new ZipReader(new BlobReader(blob), { strictness: 'tolerant', checkCrc32: true });
    for await (const entry of reader.getEntriesGenerator()) {
      signal.throwIfAborted();
      count();
      if (isFile(entry)) entries.push(entry);
    }
    if (entries.some((entry) => entry.encrypted)) throw locked();
    const names = namesOf(entries);
    return { entries: entries.map((entry) => listed(blob, entry, names.get(entry))), isWhole: true };
  } catch (error) {
    if (error instanceof RecollectError || isAbort(error)) throw error;
    unpacked.entries = before;
    const { entries, isWhole } = await scanned(blob, signal, limits.entries);
    for (const _ of entries) count();
    if (entries.some(({ isEncrypted }) => isEncrypted)) throw locked();
    const files = entries.filter(({ filename }) => !/[\\/]$/.test(filename));
    if (files.length === 0) throw translated(error, file.path);
    return { entries: files.map((entry) => found(blob, entry)), isWhole };
  }
}

/**
 * Lists the files of a ZIP, each unpacked when it is read; a damaged one up to the damage.
 * @throws `import-bomb` (before unpacking if the ZIP itself admits its size, else as soon as the count
 *   exceeds a limit), `import-encrypted`, `import-broken` (nothing of it can be read)
 */
export async function openZip(
  file: SourceFile,
  signal: AbortSignal,
  limits: ZipLimits = ZIP_LIMITS,
): Promise<ImportSource> {
  signal.throwIfAborted();
  const blob =
    file.blob ??
    (file.within && file.stream
      ? await blobOf(file.stream(signal))
      : new Blob([Uint8Array.from(await file.bytes(signal))]));
  const zips = (file.within?.zips ?? 0) + 1;
  const unpacked: Unpacked = file.within?.unpacked ?? { entries: 0, bytes: 0 };
  const { entries, isWhole } = await packedIn(file, blob, signal, unpacked, limits);

  const declared = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0);
  if (unpacked.bytes + declared > limits.unpacked) throw bomb(`it unpacks to ${declared} bytes`);
  for (const entry of entries)
    if (entry.uncompressedSize > limits.ratioFrom && entry.uncompressedSize / entry.packedSize > limits.ratio)
      throw bomb(
        `${entry.filename} unpacks to ${Math.round(entry.uncompressedSize / entry.packedSize)} times its size`,
      );

  /** Bytes counted for each file, so that reading it twice does not count twice. */
  const seen = new Map<Packed, number>();

  function count(entry: Packed, length: number): void {
    const before = seen.get(entry) ?? 0;
    if (length > before) {
      unpacked.bytes += length - before;
      seen.set(entry, length);
    }
    if (unpacked.bytes > limits.unpacked) throw bomb(`it unpacks to more than ${limits.unpacked} bytes`);
    if (length > limits.ratioFrom && length / entry.packedSize > limits.ratio)
      throw bomb(`${entry.filename} unpacks to more than ${limits.ratio} times its size`);
  }

  async function* unpack(entry: Packed, damage: Damage, cancel: AbortSignal): AsyncGenerator<Uint8Array> {
    cancel.throwIfAborted();
    let given = 0;
    if (entry.whole && !damage.isFound) {
      try {
        for await (const piece of unpackWhole(entry.filename, entry.whole, cancel)) {
          given += piece.length;
          count(entry, given);
          yield piece;
        }
        return;
      } catch (error) {
        if (error instanceof RecollectError || isAbort(error)) throw error;
        log.warn(`${entry.filename} is damaged, and read up to there`, error);
      }
    }
    let length = 0;
    const rest = entry.upToDamage(cancel);
    for (;;) {
      cancel.throwIfAborted();
      const { done, value } = await rest.next();
      if (done) {
        damage.isFound ||= entry.whole !== undefined || entry.isCut || !value;
        return;
      }
      length += value.length;
      count(entry, length);
      const fresh = value.subarray(Math.max(0, given - (length - value.length)));
      if (fresh.length > 0) yield fresh;
    }
  }

  const files = new Map<string, SourceFile>();
  const first = new Map<string, Packed>();
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
    const damage: Damage = { isFound: false, name: `${baseName(file.path)}/${baseName(path)}` };
    files.set(path, {
      path,
      size: entry.uncompressedSize,
      modifiedAt: entry.modifiedAt || file.modifiedAt,
      within: { zips, unpacked },
      damage,
      stream: (cancel) => unpack(entry, damage, cancel),
      bytes: async (cancel) => {
        const pieces: Uint8Array[] = [];
        let length = 0;
        for await (const piece of unpack(entry, damage, cancel)) {
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
  return {
    name: file.path.slice(file.path.lastIndexOf('/') + 1),
    files: [...files.values()],
    ...(isWhole ? {} : { isCut: true }),
  };
}

/** Unpacks by the browser's inflate. Throws the library's own error for damaged data. */
async function* unpackWhole(
  name: string,
  whole: NonNullable<Packed['whole']>,
  cancel: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stop = new AbortController();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writing = whole(writable, AbortSignal.any([cancel, stop.signal]));
  ignore(writing, 'unpacking; the reader below reports it, unless nobody reads any more');
  const output = readable.getReader();
  try {
    for (;;) {
      const { done, value } = await output.read();
      if (done) break;
      yield value;
    }
    await writing;
  } catch (error) {
    // The writing side knows the cause; the reading side may only know that the stream was closed.
    throw cancel.aborted
      ? cancel.reason
      : await writing.then(
          () => error,
          (reason) => reason,
        );
  } finally {
    stop.abort();
    await orElse(output.cancel(), undefined, `the end of ${name}, which could not be unpacked`);
  }
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
