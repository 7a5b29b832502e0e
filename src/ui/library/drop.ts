// Turns dropped or picked files into source files: read lazily, with paths relative to their folder.
import type { SourceFile } from '../../adapters/importers/importer.ts';
import { fileOf } from '../../adapters/importers/source-file.ts';

/** Most files taken from one drop: a whole home folder is a mistake, not an export. */
export const MOST_FILES = 20_000;

/** Files that operating systems leave behind; never part of an export. */
const NOISE = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini|\._[^/]*)$|(?:^|\/)__MACOSX\//;

/** The drop holds more than `MOST_FILES` files. */
export class TooManyFiles extends Error {
  override readonly name = 'TooManyFiles';
}

/** Files picked one by one or as a folder, without what systems and tools leave beside them. */
export const filesOfInput = (files: readonly File[]): SourceFile[] =>
  files.map((file) => fileOf(file)).filter((file) => !NOISE.test(file.path));

const handedOut = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** Reads a directory, which returns its entries in batches until an empty one. */
async function entriesOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (portion.length === 0) return all;
    all.push(...portion);
  }
}

/**
 * Files from a drop, with everything in its folders. Must be called inside the event: the browser empties the transfer
 * right after it. Rejects with `TooManyFiles`.
 */
export function filesOfDrop(transfer: DataTransfer): Promise<readonly SourceFile[]> {
  const tops = [...transfer.items]
    .filter((item) => item.kind === 'file')
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  return (async () => {
    const out: SourceFile[] = [];
    const add = (file: File, path: string) => {
      if (NOISE.test(path)) return;
      if (out.length >= MOST_FILES) throw new TooManyFiles();
      out.push(fileOf(file, path));
    };
    const walk = async (entry: FileSystemEntry): Promise<void> => {
      if (entry.isFile) add(await handedOut(entry as FileSystemFileEntry), entry.fullPath.replace(/^\//, ''));
      else for (const child of await entriesOf(entry as FileSystemDirectoryEntry)) await walk(child);
    };
    for (const top of tops) {
      if (top instanceof File) add(top, top.name);
      else if (top) await walk(top);
    }
    return out;
  })();
}

/** True if files are being dragged over the page. */
export const dragsFiles = (transfer: DataTransfer | null): boolean =>
  transfer?.types.includes('Files') ?? false;

/**
 * Reports whether an element of the page itself is being dragged, since its pictures count as files, too. Listens on
 * `scope` until `signal` ends it. Listeners added earlier still see a drop's own type.
 */
export function ownDrags(scope: EventTarget, signal: AbortSignal): () => boolean {
  let isOwn = false;
  const become = (own: boolean) => () => {
    isOwn = own;
  };
  scope.addEventListener('dragstart', become(true), { capture: true, signal });
  // Browsers report no end if the dragged element is gone, but pointers do not move during a drag.
  for (const over of ['dragend', 'pointermove'])
    scope.addEventListener(over, become(false), { capture: true, signal });
  scope.addEventListener('drop', become(false), { capture: false, signal });
  return () => isOwn;
}
