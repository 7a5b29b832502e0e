// What was dropped, as sources: a folder is one, a ZIP is one, files that only make sense together are one, any other file is one.
import type { Importer, Source, SourceFile } from '../../adapters/importers/importer.ts';
import { looksBinary } from '../../adapters/importers/lenient-json.ts';
import { baseName, headOf } from '../../adapters/importers/source-file.ts';
import { isZip, openZip } from '../../adapters/importers/zip.ts';
import { RecollectError } from '../../domain/base/errors.ts';

/** Below it nobody is sure enough. */
const SURE = 0.3;
const EXPORT_NAME = /\.(?:zip|jsonl?)$/i;
const KIMI_NAME = /^(?:context(?:_\d+)?\.jsonl|wire\.jsonl|state\.json|metadata\.json)$/;
/** Files of a listing, as its export names them. */
const ASSET_NAME = /^file[-_][A-Za-z0-9]/;
const LISTING_NAME = /^conversations(?:[-_]\d+)?\.json$/i;

/** Groups files by what belongs together; ZIPs are not opened yet. */
export function groupFiles(files: readonly SourceFile[]): Source[] {
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
  const sources: Source[] = [...folders].map(([name, list]) => ({ name, files: list }));

  // Picked one by one out of a session's folder, or the parts of a split listing with its files.
  const session = loose.filter((file) => KIMI_NAME.test(baseName(file.path)));
  const isSession = session.length > 1 && session.some((file) => file.path.endsWith('.jsonl'));
  const listing = loose.filter((file) => LISTING_NAME.test(baseName(file.path)));
  const isListing = listing.length > 0;
  const together = new Set<SourceFile>([
    ...(isSession ? session : []),
    ...(isListing
      ? loose.filter((file) => listing.includes(file) || ASSET_NAME.test(baseName(file.path)))
      : []),
  ]);
  if (isSession) sources.push({ name: 'context.jsonl', files: session });
  if (isListing)
    sources.push({
      name: listing.length === 1 ? (listing[0] as SourceFile).path : `conversations (${listing.length})`,
      files: [...together].filter((file) => !session.includes(file) || !isSession),
    });
  for (const file of loose)
    if (!together.has(file)) sources.push({ name: baseName(file.path), files: [file] });
  return sources;
}

/**
 * Opens what is a ZIP and finds who reads it. A folder that nobody knows is taken as the exports that lie in it.
 * Throws `import-empty`, `import-binary`, `import-unknown`, and what opening a ZIP throws.
 */
export async function recognise(
  source: Source,
  importers: readonly Importer[],
  signal: AbortSignal,
): Promise<{ source: Source; importer: Importer } | { inside: readonly Source[] }> {
  const [only] = source.files;
  const alone = source.files.length === 1 ? only : undefined;
  if (!only || source.files.every((file) => file.size === 0))
    throw new RecollectError('import-empty', `${source.name} is empty`, { params: { file: source.name } });
  const zipped = alone !== undefined && (await isZip(alone, signal));
  const opened = zipped ? await openZip(alone, signal) : source;
  let best: Importer | undefined;
  let score = SURE;
  for (const importer of importers) {
    signal.throwIfAborted();
    const sure = await importer.sniff(opened, signal);
    if (sure > score) [best, score] = [importer, sure];
  }
  if (best) return { source: opened, importer: best };
  if (!alone) {
    const inside = source.files.filter((file) => EXPORT_NAME.test(file.path));
    if (inside.length > 0) return { inside: inside.map((file) => ({ name: file.path, files: [file] })) };
  }
  if (alone && !zipped && looksBinary(await headOf(alone, signal)))
    throw new RecollectError('import-binary', `${source.name} is not text`, {
      params: { file: source.name },
    });
  throw new RecollectError('import-unknown', `${source.name} is not an export that is known`, {
    params: { file: source.name },
  });
}
