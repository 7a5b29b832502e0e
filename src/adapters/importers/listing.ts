// Exports that are one list of conversations in JSON files, beside others or alone: what ChatGPT and Claude.ai have in common.
import type { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { createBreather } from './breather.ts';
import type { Claim, ImportedConversation, Importer, SourceFile } from './importer.ts';
import { decode, itemsOf } from './lenient-json.ts';
import { createSkipCounter, type SkipCounter } from './skipping.ts';
import { baseName, chunksOf, folderOf, headOf, isWithin } from './source-file.ts';

const LISTING = /^conversations(?:[-_]\d+)?\.json$/i;

/** The files with conversations; a single JSON file may have any name, beside others only the listing counts. */
export function listings(files: readonly SourceFile[]): SourceFile[] {
  const named = files.filter((file) => LISTING.test(baseName(file.path)));
  if (named.length > 0) return named.sort((a, b) => (a.path < b.path ? -1 : 1));
  return files.length === 1 && /\.json$/i.test(files[0]?.path ?? '') ? [...files] : [];
}

/** The beginning of the first listing; undefined where there is none, or it is no JSON. */
export async function headOfListing(
  files: readonly SourceFile[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const [file] = listings(files);
  if (!file) return undefined;
  const head = decode(await headOf(file, signal));
  return /^\s*[[{]/.test(head) ? head : undefined;
}

/** The listings that `sniff` knows by themselves; beside them what lies in their folders. */
export async function claimListings(
  files: readonly SourceFile[],
  sniff: Importer['sniff'],
  signal: AbortSignal,
): Promise<Claim> {
  const own: SourceFile[] = [];
  for (const file of files.filter(({ path }) => LISTING.test(baseName(path))))
    if ((await sniff({ name: file.path, files: [file] }, signal)) > 0) own.push(file);
  const folders = new Set(own.map(({ path }) => folderOf(path)));
  const beside = files.filter((file) => !own.includes(file) && isWithin(file.path, folders));
  return { own, beside };
}

/**
 * Reads the listings item by item; what the schema does not accept is counted as malformed.
 * Throws `import-broken` where nothing at all could be read.
 */
export async function* readListings<T>(
  files: readonly SourceFile[],
  schema: z.ZodType<T>,
  { signal, skip }: Pick<Parameters<Importer['read']>[1], 'signal' | 'skip'>,
  convert: (
    item: T,
    file: SourceFile,
    skipped: SkipCounter,
  ) => Promise<ImportedConversation | undefined> | ImportedConversation | undefined,
): AsyncGenerator<ImportedConversation> {
  const skipped = createSkipCounter();
  const breathe = createBreather();
  let items = 0;
  let understood = 0;
  for (const file of listings(files)) {
    for await (const item of itemsOf(chunksOf(file, signal), { list: 'conversations' })) {
      signal.throwIfAborted();
      items += 1;
      const parsed = schema.safeParse(item.value);
      if (!parsed.success) {
        skipped.count('malformed-line', item.text());
        continue;
      }
      understood += 1;
      const conversation = await convert(parsed.data, file, skipped);
      if (conversation) yield conversation;
      await breathe();
    }
  }
  skipped.report(skip);
  if (items > 0 && understood === 0)
    throw new RecollectError('import-broken', 'No conversation in the export can be read');
}
