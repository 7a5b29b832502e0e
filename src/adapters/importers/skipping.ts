// Counts what an import left out: one report for each reason, with the first example.
import { decodeText, type Foreign } from '../../domain/text/encoding.ts';
import type { Skipped } from './importer.ts';
import { baseName } from './source-file.ts';

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
  add(path: string, read: number): void;
  isEmpty(): boolean;
  /** `whole`: conversations of the source. Without any the source is refused, which names its only file already. */
  report(skip: (skipped: Skipped) => void, whole: number): void;
}

/** Most damaged files that are named. */
const NAMED = 20;

/** Makes a list of damaged files, reported as one omission that names each with what was read of it. */
export function createDamagedFiles(): DamagedFiles {
  const files: string[] = [];
  return {
    add: (path, read) => {
      files.push(`${baseName(path)}: ${read}`);
    },
    isEmpty: () => files.length === 0,
    report: (skip, whole) => {
      if (whole === 0 && files.length === 1) return;
      const example = [...files.slice(0, NAMED), ...(files.length > NAMED ? ['…'] : [])].join(', ');
      if (files.length > 0) skip({ reason: 'damaged-file', count: files.length, example });
    },
  };
}

/** Cuts a text to `length` characters as people count them (graphemes), on one line. */
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

/** Decodes the words of a file; counts those that were not UTF-8. */
export function wordsOf(bytes: Uint8Array, skipped: SkipCounter): string {
  const { text, foreign } = decodeText(bytes);
  for (const one of foreign) countForeign(skipped)(one);
  return text;
}
