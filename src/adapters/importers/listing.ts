// Reads exports that are one list of conversations in JSON files, alone or beside others: the
// part that ChatGPT and Claude.ai share.
import type { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { createYielder } from '../../domain/base/yielding.ts';
import type { Claim, ImportedConversation, Importer, SourceFile } from './importer.ts';
import { decode, wholeItemsOf } from './lenient-json.ts';
import {
  countForeign,
  createDamagedFiles,
  createSkipCounter,
  refuseTooLarge,
  reportForeign,
  type SkipCounter,
  titleIn,
} from './skipping.ts';
import { baseName, chunksOf, folderOf, headOf, isAsset, isDamaged, isWithin } from './source-file.ts';

const LISTING = /^conversations(?:[-_]\d+)?\.json$/i;
/** A listing without its ending, or with a second ending: browsers and mail programs rename files in this way. */
const RENAMED_LISTING = /^conversations(?:[-_]\d+)?(?:\.json\.\w{1,8})?$/i;

/** Files of an export that hold no conversations: accounts, settings, votes, links, a page to look at. */
const NO_CONVERSATIONS =
  /^(?:users?|user_settings|message_feedback|model_comparisons|shared_conversations|export_manifest)\.json$|^chat\.html$/i;
/** Files with a person's words but no conversation; the importer that knows them reports them. */
const NO_CONVERSATIONS_REPORTED = /^(?:memories|projects)\.json$/i;
/** One project a file, as newer exports of Claude have them. */
const PROJECT = /(?:^|\/)projects\/[^/]+\.json$/i;

/** True if the name is that of a listing, renamed ones included. */
export const isListing = ({ path }: SourceFile): boolean =>
  LISTING.test(baseName(path)) || RENAMED_LISTING.test(baseName(path));
/** True for a file of a folder `projects` that holds one project. */
export const isProjectFile = ({ path }: SourceFile): boolean => PROJECT.test(path);
/** Folder of the export that a file belongs to. */
export const placeOf = (file: SourceFile): string =>
  isProjectFile(file) ? folderOf(folderOf(file.path)) : folderOf(file.path);
/**
 * True if the name is that of a part of such an export without a conversation, and
 * the file holds more than an empty list.
 */
export const isServiceFile = ({ path, size }: SourceFile): boolean =>
  NO_CONVERSATIONS.test(baseName(path)) && size > EMPTY_LIST_BYTES;
/** Size of `[]` and a line end, bytes. */
const EMPTY_LIST_BYTES = 4;
/** True if the name is that of another part of such an export. */
export const isCompanion = (file: SourceFile): boolean =>
  NO_CONVERSATIONS.test(baseName(file.path)) ||
  NO_CONVERSATIONS_REPORTED.test(baseName(file.path)) ||
  isProjectFile(file);

/** Picks the files named as listings; renamed files only if there is no other, since they may be copies. */
export function namedListings(files: readonly SourceFile[]): SourceFile[] {
  const named = files.filter(({ path }) => LISTING.test(baseName(path)));
  return named.length > 0 ? named : files.filter(isListing);
}

/** Picks the files with conversations: a single file may have any name; among several only listings count. */
export function listings(files: readonly SourceFile[]): SourceFile[] {
  const named = namedListings(files);
  if (named.length > 0) return named.sort((a, b) => (a.path < b.path ? -1 : 1));
  return files.length === 1 ? [...files] : [];
}

/** First bytes of the first listing, as text; undefined if there is none, or it is no JSON. */
export async function headOfListing(
  files: readonly SourceFile[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const [file] = listings(files);
  if (!file) return undefined;
  const head = decode(await headOf(file, signal));
  return /^\s*[[{]/.test(head) ? head : undefined;
}

/**
 * Claims listings that `sniff` recognises and the files that belong to them by name: assets anywhere below, the rest of
 * an export in the same folder. `tells`: the importer reports files with words but no conversations.
 */
export async function claimListings(
  files: readonly SourceFile[],
  sniff: Importer['sniff'],
  signal: AbortSignal,
  { tells = false }: { tells?: boolean } = {},
): Promise<Claim> {
  const own: SourceFile[] = [];
  for (const file of namedListings(files))
    if ((await sniff({ name: file.path, files: [file] }, signal)) > 0) own.push(file);
  const folders = new Set(own.map(({ path }) => folderOf(path)));
  const beside = files.filter((file) => {
    if (own.includes(file)) return false;
    if (isAsset(file)) return isWithin(file.path, folders);
    const name = baseName(file.path);
    return (
      folders.has(placeOf(file)) &&
      (NO_CONVERSATIONS.test(name) ||
        (tells && (NO_CONVERSATIONS_REPORTED.test(name) || isProjectFile(file))))
    );
  });
  return { own, beside };
}

/**
 * Reads the listings item by item, a damaged one up to the damage; counts items that the schema does not accept as
 * malformed. Throws `import-broken` if nothing could be read.
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
  const damaged = createDamagedFiles();
  const yieldToEvents = createYielder();
  let items = 0;
  let understood = 0;
  let tooLarge = 0;
  for (const file of listings(files)) {
    let whole = 0;
    const foreign = createSkipCounter();
    for await (const item of wholeItemsOf(chunksOf(file, signal, countForeign(foreign)), {
      list: 'conversations',
      onDamage: () => damaged.add(file, whole),
    })) {
      signal.throwIfAborted();
      items += 1;
      if (item.isTooLarge) {
        tooLarge += 1;
        skipped.count('oversized-conversation', titleIn(item.text()));
        continue;
      }
      const parsed = schema.safeParse(item.value);
      // Behind the first entry that is none, a damaged file holds words that nobody said.
      if (item.value === undefined && (await isDamaged(file, signal))) break;
      if (!parsed.success) {
        skipped.count('malformed-line', item.text());
        continue;
      }
      understood += 1;
      const conversation = await convert(parsed.data, file, skipped);
      if (conversation) {
        whole += 1;
        yield conversation;
      }
      await yieldToEvents();
    }
    await reportForeign(foreign, file, skipped, signal);
    if (file.damage?.isFound) damaged.add(file, whole);
  }
  skipped.report(skip);
  damaged.report(skip, understood, files);
  refuseTooLarge(tooLarge, understood);
  if ((items > 0 || !damaged.isEmpty()) && understood === 0)
    throw new RecollectError('import-broken', 'No conversation in the export can be read');
}
