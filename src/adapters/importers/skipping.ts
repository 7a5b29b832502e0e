// Counts what an import left out: one report for each reason, with the first example.
import { RecollectError } from '../../domain/base/errors.ts';
import { decodeText, type Foreign } from '../../domain/text/encoding.ts';
import type { Skipped, SourceFile } from './importer.ts';
import { MAX_ITEM_BYTES, parseJson } from './lenient-json.ts';
import { baseName, isAsset, isDamaged } from './source-file.ts';

export interface SkipCounter {
  /** `example` is shortened and shown to the person who imports. */
  count(reason: Skipped['reason'], example?: string, times?: number): void;
  report(skip: (skipped: Skipped) => void): void;
}

const EXAMPLE_LENGTH = 80;

/** Makes a counter of skipped things by reason; it keeps the first example of each, shortened. */
export function createSkipCounter(): SkipCounter {
  const counts = new Map<Skipped['reason'], { count: number; example: string | undefined }>();
  return {
    count: (reason, example, times = 1) => {
      const known = counts.get(reason);
      if (known) known.count += times;
      else counts.set(reason, { count: times, example: example && shortened(example, EXAMPLE_LENGTH) });
    },
    report: (skip) => {
      for (const [reason, { count, example }] of counts)
        skip({ reason, count, ...(example === undefined ? {} : { example }) });
    },
  };
}

/** Files of a source that are damaged or cut off. */
interface DamagedFiles {
  /** `read`: conversations taken in from it. */
  add(file: Pick<SourceFile, 'path' | 'damage'>, read: number): void;
  isEmpty(): boolean;
  /**
   * `whole`: conversations of the source. Without any the source is refused, which names its only file already.
   * `files`: all of the source; those that turned out to be damaged while they were unpacked are named, too.
   */
  report(skip: (skipped: Skipped) => void, whole: number, files: readonly SourceFile[]): void;
}

/** Most damaged files that are named. */
const NAMED = 20;

/** Makes a list of damaged files, reported as one omission that names each with what was read of it. */
export function createDamagedFiles(): DamagedFiles {
  const files: string[] = [];
  const paths = new Set<string>();
  const add: DamagedFiles['add'] = ({ path, damage }, read) => {
    if (paths.has(path)) return;
    paths.add(path);
    files.push(`${damage?.name ?? baseName(path)}: ${read}`);
  };
  return {
    add,
    isEmpty: () => files.length === 0,
    report: (skip, whole, all) => {
      for (const file of all) if (file.damage?.isFound) add(file, isAsset(file) ? 0 : whole);
      if (whole === 0 && files.length === 1) return;
      const example = [...files.slice(0, NAMED), ...(files.length > NAMED ? ['…'] : [])].join(', ');
      if (files.length > 0) skip({ reason: 'damaged-file', count: files.length, example });
    },
  };
}

/** Throws `import-too-large` for a source that holds nothing but conversations beyond the limit. */
export function refuseTooLarge(tooLarge: number, understood: number): void {
  if (tooLarge > 0 && understood === 0)
    throw new RecollectError('import-too-large', 'Each conversation is larger than can be read', {
      params: { limit: MAX_ITEM_BYTES },
    });
}

const NAME = /"(?:title|name|chatTitle|chat_title)"\s*:\s*("(?:[^"\\]|\\.){1,400}")/;

/** The title that stands in the beginning of a conversation in JSON, else the beginning itself. */
export function titleIn(beginning: string): string {
  const title = parseJson(NAME.exec(beginning.slice(0, 4096))?.[1] ?? '');
  return typeof title === 'string' && title.trim() !== '' ? title : beginning;
}

/** Cuts a text to `length` characters (code points), on one line. */
export function shortened(text: string, length: number): string {
  const line = text
    .slice(0, length * 8)
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}

/** Counts the parts of a file that were not UTF-8, with the encoding that fits. */
export const countForeign =
  (skipped: SkipCounter) =>
  ({ encoding, isRead, count, example }: Foreign): void =>
    skipped.count(isRead ? 'other-encoding' : 'undecoded', `${encoding}: ${example}`, count);

/** Passes on what a file counted as not UTF-8, unless the file is damaged: then it is the damage that does not read. */
export async function reportForeign(
  foreign: SkipCounter,
  file: SourceFile,
  skipped: SkipCounter,
  signal: AbortSignal,
): Promise<void> {
  const found: Skipped[] = [];
  foreign.report((one) => found.push(one));
  if (found.length === 0 || (await isDamaged(file, signal))) return;
  for (const { reason, example, count } of found) skipped.count(reason, example, count);
}

/** Reads and decodes the words of a file; counts those that were not UTF-8. */
export async function wordsIn(file: SourceFile, skipped: SkipCounter, signal: AbortSignal): Promise<string> {
  const { text, foreign } = decodeText(await file.bytes(signal));
  if (!file.damage?.isFound) for (const one of foreign) countForeign(skipped)(one);
  return text;
}
