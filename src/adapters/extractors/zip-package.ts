// The ZIP of an Office file or a book. Declared sizes are added up before anything is unpacked,
// and real sizes are counted meanwhile.
import {
  configure,
  type FileEntry,
  Uint8ArrayReader,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-custom.js';
import { EXTRACT_LIMITS, ExtractionRefused } from './extractor.ts';

configure({ useWebWorkers: false, useCompressionStream: true });

export interface ZipPackage {
  readonly paths: readonly string[];
  has(path: string): boolean;
  /** Throws `ExtractionRefused` if there is no such entry. */
  bytes(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the entry as text: UTF-8, or UTF-16 if it has that byte order mark. */
  text(path: string): Promise<string>;
}

/** Paths in a package have no leading slash and ignore case (ECMA-376, part 2). */
const keyOf = (path: string): string => path.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();

/** Throws `ExtractionRefused`: `damaged`, `encrypted`, `tooLarge`. */
export async function openPackage(
  bytes: Uint8Array<ArrayBuffer>,
  limits: { readonly [K in 'unpacked' | 'entry' | 'entries']: number } = EXTRACT_LIMITS,
): Promise<ZipPackage> {
  const entries = new Map<string, FileEntry>();
  let declared = 0;
  for await (const entry of new ZipReader(new Uint8ArrayReader(bytes), {
    strictness: 'tolerant',
  }).getEntriesGenerator()) {
    if (entry.directory || entry.symlink) continue;
    if (entry.encrypted) throw new ExtractionRefused('encrypted', `${entry.filename} is encrypted`);
    declared += entry.uncompressedSize;
    if (entries.size >= limits.entries || declared > limits.unpacked)
      throw new ExtractionRefused('tooLarge', `It unpacks to more than ${limits.unpacked} bytes`);
    entries.set(keyOf(entry.filename), entry);
  }
  let unpacked = 0;
  const read = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
    const entry = entries.get(keyOf(path));
    if (!entry) throw new ExtractionRefused('damaged', `There is no ${path} in it`);
    if (entry.uncompressedSize > limits.entry)
      throw new ExtractionRefused('tooLarge', `${path} unpacks to ${entry.uncompressedSize} bytes`);
    let length = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        length += piece.length;
        unpacked += piece.length;
        if (length > limits.entry || unpacked > limits.unpacked)
          throw new ExtractionRefused('tooLarge', `${path} unpacks to more than it says`);
        controller.enqueue(piece);
      },
    });
    const [, gathered] = await Promise.all([
      entry.getData(counted.writable, { checkSignature: true }),
      gather(counted.readable),
    ]);
    return gathered;
  };
  return {
    paths: [...entries.values()].map(({ filename }) => filename),
    has: (path) => entries.has(keyOf(path)),
    bytes: read,
    text: async (path) => {
      const found = await read(path);
      const utf16 =
        found[0] === 0xff && found[1] === 0xfe
          ? 'utf-16le'
          : found[0] === 0xfe && found[1] === 0xff
            ? 'utf-16be'
            : 'utf-8';
      return new TextDecoder(utf16).decode(found);
    },
  };
}

async function gather(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Resolves the path `target` relative to the file `from`, without its fragment. */
export function pathFrom(from: string, target: string): string {
  const plain = decoded(target.replace(/[#?].*$/s, ''));
  const segments = plain.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const segment of plain.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.join('/');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    // A percent sign that encodes nothing stays as it is.
    if (!(error instanceof URIError)) throw error;
    return path;
  }
}
