// Handlers for an element that accepts dropped files, and whether a drag is over it.
import { type DragEvent, useEffect, useRef, useState } from 'react';
import type { SourceFile } from '../../adapters/importers/importer.ts';
import { dragsFiles, filesOfDrop, ownDrags } from './drop.ts';

interface DropTarget {
  readonly over: boolean;
  readonly handlers: {
    onDragEnter(event: DragEvent): void;
    onDragOver(event: DragEvent): void;
    onDragLeave(event: DragEvent): void;
    onDrop(event: DragEvent): void;
  };
}

/** Reports whether files from outside are being dragged. */
export function useDragsFiles(): (event: DragEvent) => boolean {
  const isOwn = useRef((): boolean => false);
  useEffect(() => {
    const listening = new AbortController();
    isOwn.current = ownDrags(window, listening.signal);
    return () => listening.abort();
  }, []);
  return (event) => !isOwn.current() && dragsFiles(event.dataTransfer);
}

/** Makes an element accept dropped files. A file dragged out of the page itself does not count. */
export function useDropTarget(onFiles: (files: Promise<readonly SourceFile[]>) => void): DropTarget {
  const [over, setOver] = useState(false);
  const dragsFiles = useDragsFiles();
  return {
    over,
    handlers: {
      // Elements behind this one accept files for another purpose and must not offer that here.
      onDragEnter: (event) => {
        if (dragsFiles(event)) event.stopPropagation();
      },
      onDragOver: (event) => {
        if (!dragsFiles(event)) return;
        event.preventDefault();
        event.stopPropagation();
        event.dataTransfer.dropEffect = 'copy';
        setOver(true);
      },
      onDragLeave: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event) => {
        if (!dragsFiles(event)) return;
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        onFiles(filesOfDrop(event.dataTransfer));
      },
    },
  };
}
