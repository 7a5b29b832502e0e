// What the walls let stand for now: lists that only shrink.
// `npx tsx test/house/exceptions.ts` takes out what is mended.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  filesInCircles,
  longFunctions,
  readTree,
  type SourceFile,
  silentCatches,
  unusedExports,
} from './source.ts';

const FOLDER = import.meta.dirname;
const BIOME = resolve(FOLDER, '../../biome.json');

/**
 * Each list of exceptions, and what the tree has of its kind now. One entry a line; a number
 * at its end is how many are let stand.
 */
export const KINDS: Record<
  string,
  (source: readonly SourceFile[], users: readonly SourceFile[]) => string[]
> = {
  'long-functions.txt': (source) => counted(source, longFunctions),
  'silent-catches.txt': (source) => counted(source, silentCatches),
  'unused-exports.txt': unusedExports,
  'value-circles.txt': (source) => filesInCircles(source, false),
  'type-circles.txt': (source) => filesInCircles(source, true),
};

const counted = (source: readonly SourceFile[], count: (file: SourceFile) => number): string[] =>
  source.map((file) => `${file.path} ${count(file)}`).filter((line) => !line.endsWith(' 0'));

export const listed = (name: string): string[] =>
  readFileSync(resolve(FOLDER, name), 'utf8').split('\n').filter(Boolean);

/** An entry as its name and number; what has no number stands once. */
const parts = (entry: string): [string, number] => {
  const match = /^(.*) (\d+)$/.exec(entry);
  return match ? [match[1] as string, Number(match[2])] : [entry, 1];
};

/** Entries of `those` that the list does not cover: not named in it, or with a larger number. */
export function beyond(those: readonly string[], list: readonly string[]): string[] {
  const allowed = new Map(list.map(parts));
  return those.filter((entry) => {
    const [name, count] = parts(entry);
    return count > (allowed.get(name) ?? 0);
  });
}

/** Files that Biome lets have functions over the limit; it counts lines of code alone, this file's list counts all. */
export const filesExcusedFromLint = (): string[] => {
  const { overrides } = JSON.parse(readFileSync(BIOME, 'utf8')) as { overrides: { includes: string[] }[] };
  return overrides.map(({ includes }) => includes).find(([first]) => first?.startsWith('src/')) ?? [];
};

/** Keeps of each list what the tree still has. Nothing is added. */
function prune(): void {
  const { source, users } = readTree();
  for (const [name, find] of Object.entries(KINDS)) {
    const list = listed(name);
    const kept = find(source, users).filter((entry) => beyond([entry], list).length === 0);
    writeFileSync(
      resolve(FOLDER, name),
      kept
        .sort()
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  const long = new Set(listed('long-functions.txt').map((entry) => parts(entry)[0]));
  const gone = filesExcusedFromLint().filter((file) => !long.has(file));
  const kept = gone.reduce(
    (text, file) => text.replace(new RegExp(`\\n *"${file}",?(?=\\n)`), ''),
    readFileSync(BIOME, 'utf8'),
  );
  writeFileSync(BIOME, kept.replace(/,(\n *\])/g, '$1'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prune();
