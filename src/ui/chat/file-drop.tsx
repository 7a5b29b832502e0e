// Takes files given to a conversation: for the message, or perhaps for the import
// if they may be exported conversations.
import { type DragEvent, useState } from 'react';
import type { SourceFile } from '../../adapters/importers/importer.ts';
import { fileOf } from '../../adapters/importers/source-file.ts';
import { ignore } from '../../domain/base/log.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { filesOfDrop } from '../library/drop.ts';
import { useDragsFiles } from '../library/use-drop-target.ts';

export interface GivenFiles {
  readonly files: readonly File[];
  /** The files that may be exported conversations, by name, in the form the import takes; null for none. */
  readonly exports: {
    readonly names: readonly string[];
    readonly files: Promise<readonly SourceFile[]>;
  } | null;
}

const EXPORT = /\.(?:zip|jsonl)$|^(?:conversations|recollect).*\.json$/i;

/** Classifies files that were picked or pasted. */
export function filesGiven(files: readonly File[]): GivenFiles {
  const exports = files.filter(({ name }) => EXPORT.test(name));
  const names = exports.map(({ name }) => name);
  return {
    files,
    exports: names.length > 0 ? { names, files: Promise.resolve(exports.map((file) => fileOf(file))) } : null,
  };
}

/**
 * Classifies dropped files; a folder is an export, not a file for the message. Must be called inside the event: the
 * browser empties the transfer right after it.
 */
export function droppedFiles(transfer: DataTransfer): GivenFiles {
  const tops = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ folder: item.webkitGetAsEntry()?.isDirectory === true, file: item.getAsFile() }));
  const names = tops.flatMap(({ folder, file }) =>
    file && (folder || EXPORT.test(file.name)) ? [file.name] : [],
  );
  const files = tops.flatMap(({ folder, file }) => (file && !folder ? [file] : []));
  if (names.length === 0) return { files, exports: null };
  const all = filesOfDrop(transfer).then((found) =>
    found.filter(({ path }) => names.includes(path.split('/')[0] as string)),
  );
  ignore(all, 'reading dropped files; an import reports its own errors');
  return { files, exports: { names, files: all } };
}

/** Accepts files dropped anywhere on the conversation. */
export function useFileDrop(onFiles: (given: GivenFiles) => void) {
  const [over, setOver] = useState(false);
  const dragsFiles = useDragsFiles();
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!dragsFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        if (!dragsFiles(event)) return;
        event.preventDefault();
        setOver(false);
        onFiles(droppedFiles(event.dataTransfer));
      },
    },
  };
}

export function DropOverlay() {
  const { t } = useTranslation('chat');
  return (
    <div className="pointer-events-none absolute inset-3 z-30 flex items-center justify-center rounded-xl border-2 border-accent border-dashed bg-accent-soft/90 font-medium text-accent text-base">
      {t('dropHere')}
    </div>
  );
}
