// Imports files dropped anywhere in the window that no other element takes, and keeps the browser
// from opening them in place of the page.
import { useEffect, useState } from 'react';
import type { SourceFile } from '../../adapters/importers/importer.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { dragsFiles, filesOfDrop, ownDrags } from '../library/drop.ts';

/**
 * Listens for files dragged over the window until `signal` ends it. Leaves a drop to an inner element that prevents the
 * default or stops the event. `onOver`: whether the import would take the files; called often, also without a change.
 */
export function listenForDrops(
  scope: EventTarget,
  {
    onOver,
    onFiles,
  }: { onOver: (over: boolean) => void; onFiles: (files: Promise<readonly SourceFile[]>) => void },
  signal: AbortSignal,
): void {
  const listen = (type: string, capture: boolean, listener: (event: DragEvent) => void) =>
    scope.addEventListener(type, (event) => listener(event as DragEvent), { capture, signal });
  // An event seen while capturing but not while bubbling was stopped by an inner element.
  let isStopped = false;
  const isFree = (event: DragEvent) => !isOwn() && !event.defaultPrevented && dragsFiles(event.dataTransfer);

  listen('dragover', true, () => {
    if (isStopped) onOver(false);
    isStopped = true;
  });
  listen('dragover', false, (event) => {
    isStopped = false;
    if (!isFree(event) || !event.dataTransfer) return onOver(false);
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
    onOver(true);
  });
  listen('dragleave', true, (event) => {
    if (event.relatedTarget === null) onOver(false);
  });
  listen('drop', true, () => {
    isStopped = false;
    onOver(false);
  });
  listen('drop', false, (event) => {
    if (!isFree(event) || !event.dataTransfer) return;
    event.preventDefault();
    onFiles(filesOfDrop(event.dataTransfer));
  });
  const isOwn = ownDrags(scope, signal);
}

export function DropAnywhere() {
  const { t } = useTranslation('shell');
  const session = useSession();
  const [over, setOver] = useState(false);
  useEffect(() => {
    const listening = new AbortController();
    listenForDrops(
      window,
      {
        onOver: setOver,
        onFiles: (files) => {
          session.dropped.set(files);
          session.floating.set('import');
        },
      },
      listening.signal,
    );
    return () => listening.abort();
  }, [session]);
  return (
    over && (
      <div className="pointer-events-none fixed inset-3 z-[60] flex items-center justify-center rounded-xl border-2 border-accent border-dashed bg-accent-soft/90 px-6 text-center font-medium text-accent text-base">
        {t('dropToImport')}
      </div>
    )
  );
}
