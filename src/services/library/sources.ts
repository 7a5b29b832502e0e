// Groups dropped files into sources: a folder, a ZIP, a set of files that only make
// sense together, or any other single file.

import { isGzip, openGzip } from '../../adapters/importers/gzip.ts';
import type { Importer, ImportSource, Skipped, SourceFile } from '../../adapters/importers/importer.ts';
import { kimiCodeAmong } from '../../adapters/importers/kimi-cli.ts';
import { decode, looksBinary, parseJson } from '../../adapters/importers/lenient-json.ts';
import {
  headOfListing,
  isCompanion,
  isListing,
  isServiceFile,
  namedListings,
} from '../../adapters/importers/listing.ts';
import { openCodeAmong } from '../../adapters/importers/opencode-storage.ts';
import { inJson, isAmongPeople, type LastForm } from '../../adapters/importers/other-forms.ts';
import { createSkipCounter } from '../../adapters/importers/skipping.ts';
import {
  baseName,
  firstBytesOf,
  headOf,
  isAsset,
  SNIFF_BYTES,
} from '../../adapters/importers/source-file.ts';
import { isZip, mayBeOpened, openZip } from '../../adapters/importers/zip.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import { isFields } from '../../domain/base/json.ts';

/** An importer with a lower score is not trusted. */
const SURE = 0.3;
/** The ending may have another behind it: `backup.json.bak`. */
const JSON_NAME = /\.jsonl?(?:\.\w{1,8})?$/i;
const ZIP_NAME = /\.zip$/i;
const MARKDOWN_NAME = /\.(?:md|markdown|mdown)$/i;
const KIMI_NAME = /^(?:context(?:_\d+)?\.jsonl|wire\.jsonl|state\.json|metadata\.json)$/;
/** Files that operating systems leave in folders. */
const SYSTEM_NAME = /^(?:\.DS_Store|\._.*|Thumbs\.db|desktop\.ini)$/i;
/**
 * True for files that a reader may open though no importer claimed them: a damaged part of a listing, or an attachment.
 */
const mayBeRead = (file: SourceFile): boolean =>
  JSON_NAME.test(file.path) || isListing(file) || isAsset(file);
/** Most ZIPs within a ZIP that are opened. */
const MOST_EXAMINED = 50;

/** Groups files that belong together; opens no ZIP yet. */
export function groupFiles(files: readonly SourceFile[]): ImportSource[] {
  const folders = new Map<string, SourceFile[]>();
  const loose: SourceFile[] = [];
  for (const file of files) {
    const slash = file.path.indexOf('/');
    if (slash <= 0) {
      loose.push(file);
      continue;
    }
    const folder = file.path.slice(0, slash);
    const list = folders.get(folder);
    if (list) list.push(file);
    else folders.set(folder, [file]);
  }
  const sources: ImportSource[] = [...folders].map(([name, list]) => ({ name, files: list }));

  // Picked one by one out of a session's folder, or all of an unpacked export: the parts of a
  // listing, its files, and those beside them.
  const session = loose.filter((file) => KIMI_NAME.test(baseName(file.path)));
  const isSession = session.length > 1 && session.some((file) => file.path.endsWith('.jsonl'));
  const listing = namedListings(loose);
  const hasListing = listing.length > 0;
  const together = new Set<SourceFile>([
    ...(isSession ? session : []),
    ...(hasListing
      ? loose.filter((file) => listing.includes(file) || isAsset(file) || isCompanion(file))
      : []),
  ]);
  if (isSession) sources.push({ name: 'context.jsonl', files: session });
  if (hasListing)
    sources.push({
      name: listing.length === 1 ? (listing[0] as SourceFile).path : `conversations (${listing.length})`,
      files: [...together].filter((file) => !session.includes(file) || !isSession),
    });
  const written = loose.filter((file) => !together.has(file) && MARKDOWN_NAME.test(file.path));
  if (written.length > 1) {
    sources.push({ name: `Markdown (${written.length})`, files: written });
    for (const file of written) together.add(file);
  }
  for (const file of loose)
    if (!together.has(file)) sources.push({ name: baseName(file.path), files: [file] });
  return sources;
}

/** A dropped source, split into pieces with one report each. */
export interface RecognisedSource {
  /** Pieces, each with the importer that reads it. */
  readonly pieces: readonly { readonly source: ImportSource; readonly importer: Importer }[];
  /** ZIPs in a folder or another ZIP, not opened yet. */
  readonly zips: readonly ImportSource[];
  /** Files of a folder that no importer reads. */
  readonly unread: readonly SourceFile[];
  /** True for a ZIP that broke off: there were more files. */
  readonly isCut?: boolean;
}

/**
 * Opens a ZIP, turns files of other forms into JSON, and gives each importer its own files.
 * @throws `import-empty`, `import-binary`, `import-nested`, `import-broken`, `import-kimi-code`, `import-unknown`, and
 *   the errors of opening a ZIP
 */
export async function recognise(
  given: ImportSource,
  importers: readonly Importer[],
  signal: AbortSignal,
): Promise<RecognisedSource> {
  const source = await unpacked(given, signal);
  const [only] = source.files;
  const alone = source.files.length === 1 ? only : undefined;
  const empty = () =>
    new RecollectError('import-empty', `${source.name} is empty`, { params: { file: source.name } });
  if (!only || source.files.every((file) => file.size === 0)) throw empty();
  const zipped = alone !== undefined && (await isZip(alone, signal));
  const opening = zipped ? { ...(await openZip(alone, signal)), name: source.name } : source;
  const packed = await unpacked(opening, signal);
  const opened = { ...packed, files: await readable(packed.files, signal) };
  const isCut = opened.isCut === true;
  if (opened.files.every((file) => file.size === 0)) throw empty();
  if (opened.files.length > 1) {
    const divided = await divide(opened, importers, signal);
    if (divided.pieces.length + divided.zips.length > 0) return { ...divided, isCut };
  }
  const importer = await whoReads(opened, importers, signal);
  if (importer) return { pieces: [{ source: opened, importer }], zips: [], unread: [], isCut };
  const broken = () =>
    new RecollectError('import-broken', `${source.name} is damaged`, { params: { file: source.name } });
  const unknown = async () => {
    let isChat = false;
    for (const file of opened.files.filter(({ path }) => CHAT_NAME.test(path)).slice(0, MOST_EXAMINED))
      isChat ||= isAmongPeople(decode(await headOf(file, signal)));
    const reason = isChat
      ? 'messenger'
      : source.files.some(({ path }) => DOCUMENT.test(path))
        ? 'documents'
        : source.files.some(({ path }) => PAGE.test(path))
          ? 'page'
          : undefined;
    return new RecollectError('import-unknown', `${source.name} is not an export that is known`, {
      params: { file: source.name, ...(reason === undefined ? {} : { reason }) },
    });
  };
  if (alone?.damage?.isFound) throw broken();
  if (alone && DOCUMENT.test(alone.path)) throw await unknown();
  if (alone && !zipped && isBlank(await firstBytesOf(alone, signal, SNIFF_BYTES))) throw empty();
  const head = alone && !zipped ? await firstBytesOf(alone, signal, SNIFF_BYTES) : undefined;
  if (head && looksBinary(head))
    throw new RecollectError('import-binary', `${source.name} is not text`, {
      params: { file: source.name, ...closedForm(head) },
    });
  const inner = zipped ? await zipsAmong(opened.files, signal) : [];
  if (inner.some(mayBeOpened))
    return {
      pieces: [],
      zips: inner.filter(mayBeOpened).map((file) => alongside(opened, file)),
      unread: [],
      isCut,
    };
  if (inner.length > 0)
    throw new RecollectError('import-nested', `${source.name} holds ZIPs too deep`, {
      params: { file: source.name },
    });
  if (isCut || opened.files.some(({ damage }) => damage?.isFound)) throw broken();
  // An account without conversations exports an empty list, which does not show the exporting tool.
  if (/^\s*\[\s*\]\s*$/.test((await headOfListing(opened.files, signal)) ?? '')) throw empty();
  if (await kimiCodeAmong(opened.files, signal))
    throw new RecollectError('import-kimi-code', `${source.name} is a session of kimi-code`, {
      params: { file: source.name },
    });
  throw await unknown();
}

/**
 * Replaces files whose conversations stand in another form than JSON; a page beside its listing stays a page. The file
 * with the title of a kimi-code session is read with its log.
 */
async function readable(given: readonly SourceFile[], signal: AbortSignal): Promise<readonly SourceFile[]> {
  const { sessions, used } = openCodeAmong(given);
  const files = [...given.filter((file) => !used.has(file)), ...sessions];
  const hasListing = files.some(isListing);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const readableFiles = new Map<SourceFile, SourceFile>();
  const titles = new Set<SourceFile>();
  const last: LastForm = {};
  const isAlone = files.length === 1;
  for (const file of files) {
    signal.throwIfAborted();
    // The same task once more, as it went to the model.
    const shown = TASK.exec(file.path)?.[1];
    if (shown !== undefined && byPath.has(`${shown}ui_messages.json`)) titles.add(file);
    const isBeside = hasListing && isCompanion(file);
    const session = SESSION_LOG.exec(file.path)?.[1];
    const state = session === undefined ? undefined : byPath.get(`${session}state.json`);
    const title = state && titleOf(parseJson(decode(await headOf(state, signal))));
    const form = isBeside ? undefined : await inJson(file, last, signal, { isAlone, title });
    readableFiles.set(file, form ?? file);
    if (form && state) titles.add(state);
  }
  return files.filter((file) => !titles.has(file)).map((file) => readableFiles.get(file) ?? file);
}
const titleOf = (state: unknown): string | undefined =>
  isFields(state) && typeof state.title === 'string' && state.title.trim() !== '' ? state.title : undefined;
/** Requests of a task of Cline, beside what was shown of it. */
const TASK = /^((?:.*\/)?)api_conversation_history\.json$/;
/** Place of the log of one agent in the folder of a kimi-code session. */
const SESSION_LOG = /^((?:.*\/)?)agents\/[^/]+\/wire\.jsonl$/;

/** Replaces gzipped files by their content: a single one whatever its name, others by theirs. */
async function unpacked<T extends ImportSource>(source: T, signal: AbortSignal): Promise<T> {
  const files: SourceFile[] = [];
  for (const file of source.files) {
    const mayBe = source.files.length === 1 || GZIP_NAME.test(file.path);
    files.push(mayBe && (await isGzip(file, signal)) ? await openGzip(file, signal) : file);
  }
  return { ...source, files };
}
const GZIP_NAME = /\.gz(?:ip)?$/i;

/** Names of chats that messengers write out. */
const CHAT_NAME = /\.(?:txt|json)$/i;
/** Names of documents to attach, which people try to import. */
const DOCUMENT = /\.(?:md|markdown|txt|rtf|pdf|docx?|xlsx|pptx|odt|epub|csv)$/i;

/** Names of pages that a browser saved. */
const PAGE = /\.(?:x?html?|mhtml?|mht|webarchive)$/i;
/** Beginnings of files that hold conversations of other tools, in forms that are not read. */
const CLOSED: readonly (readonly [beginning: string, reason: string])[] = [
  ['SQLite format 3', 'database'],
  ['bplist00', 'webarchive'],
  ['\x28\xb5\x2f\xfd', 'zstd'],
];
/** Reason by which a sentence names the form of a file that is not text. */
function closedForm(bytes: Uint8Array): { reason?: string } {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  const [, reason] = CLOSED.find(([beginning]) => head.startsWith(beginning)) ?? [];
  return reason === undefined ? {} : { reason };
}

/** Nothing but spaces, line ends, a byte order mark, and what a power cut leaves. */
const isBlank = (bytes: Uint8Array): boolean =>
  new TextDecoder().decode(bytes).replaceAll('\0', '').trim() === '';

/** Finds ZIPs by name and content; a single file by its content alone. */
async function zipsAmong(files: readonly SourceFile[], signal: AbortSignal): Promise<SourceFile[]> {
  const named = files.length === 1 ? files : files.filter(({ path }) => ZIP_NAME.test(path));
  const zips: SourceFile[] = [];
  for (const file of named.slice(0, MOST_EXAMINED)) if (await isZip(file, signal)) zips.push(file);
  return zips;
}

/** Wraps an importer so that it also reports files that were left out. */
const telling = (importer: Importer, left: Skipped): Importer => ({
  ...importer,
  async *read(source, options) {
    options.skip(left);
    yield* importer.read(source, options);
  },
});

/** Wraps an importer so that it names the files of its export that hold no conversations. */
function tellingOf(importer: Importer, files: readonly SourceFile[]): Importer {
  if (files.length === 0) return importer;
  const example = [...new Set(files.map(({ path }) => baseName(path)))].sort().join('\n');
  return telling(importer, { reason: 'service-file', count: files.length, example });
}

async function whoReads(
  source: ImportSource,
  importers: readonly Importer[],
  signal: AbortSignal,
): Promise<Importer | undefined> {
  let best: Importer | undefined;
  let score = SURE;
  for (const importer of importers) {
    signal.throwIfAborted();
    const sure = await importer.sniff(source, signal);
    if (sure > score) [best, score] = [importer, sure];
  }
  return best;
}

/** Makes a source of one file; for a file in a ZIP, its name includes the ZIP's. */
const alongside = (source: ImportSource, file: SourceFile): ImportSource => ({
  name: file.within ? `${source.name}/${file.path}` : file.path,
  files: [file],
});

/** Gives each importer its own files; an unclaimed file with an export's name is tried by itself. */
async function divide(
  source: ImportSource,
  importers: readonly Importer[],
  signal: AbortSignal,
): Promise<RecognisedSource> {
  const files = source.files.filter((file) => file.size > 0);
  const owner = new Map<SourceFile, Importer>();
  const beside = new Map<Importer, ReadonlySet<SourceFile>>();
  // Importers that go by names come first: files they claim need not be opened.
  for (const importer of [...importers].reverse()) {
    signal.throwIfAborted();
    const left = files.filter((file) => !owner.has(file));
    const claim = await importer.claim(left, signal);
    if (claim.own.length === 0) continue;
    const claimed = { name: source.name, files: [...claim.own, ...claim.beside] };
    if ((await importer.sniff(claimed, signal)) <= SURE) continue;
    for (const file of claim.own) owner.set(file, importer);
    beside.set(importer, new Set(claim.beside));
  }
  const accompanies = (file: SourceFile) => [...beside.values()].some((set) => set.has(file));

  const zips: ImportSource[] = [];
  const singles: RecognisedSource['pieces'][number][] = [];
  const rest = new Set<SourceFile>();
  const unread: SourceFile[] = [];
  const closed = createSkipCounter();
  for (const file of files) {
    signal.throwIfAborted();
    if (owner.has(file)) continue;
    const single = { name: file.path, files: [file] };
    const attached = accompanies(file) && (isAsset(file) || isCompanion(file));
    if ((ZIP_NAME.test(file.path) || JSON_NAME.test(file.path)) && !attached) {
      if (ZIP_NAME.test(file.path) && (await isZip(file, signal))) {
        if (mayBeOpened(file)) zips.push(alongside(source, file));
        else closed.count('inner-zip', file.path);
        continue;
      }
      const importer = await whoReads(single, importers, signal);
      if (importer) {
        singles.push({ source: single, importer });
        continue;
      }
    }
    rest.add(file);
    if (!accompanies(file) && !SYSTEM_NAME.test(baseName(file.path))) unread.push(file);
  }

  const readers = importers.filter((importer) => beside.has(importer));
  const pieces = readers.map((importer) => ({
    importer: tellingOf(importer, [...(beside.get(importer) ?? [])].filter(isServiceFile)),
    source: {
      name: source.name,
      // Attachments may lie anywhere, and an empty file may show by its name what it belongs to.
      files: source.files.filter(
        (file) => owner.get(file) === importer || (rest.has(file) && mayBeRead(file)) || file.size === 0,
      ),
    },
  }));
  const [first, ...others] = [...pieces, ...singles];
  if (!first) return { pieces: [], zips, unread };
  let wrapped = first.importer;
  closed.report((left) => {
    wrapped = telling(wrapped, left);
  });
  return { pieces: [{ ...first, importer: wrapped }, ...others], zips, unread };
}
