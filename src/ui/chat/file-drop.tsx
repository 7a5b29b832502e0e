// Dropping files onto a conversation.
import { type DragEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Files may be dropped anywhere on the conversation. */
export function useFileDrop(onFiles: (files: readonly File[]) => void) {
  const [over, setOver] = useState(false);
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(false);
        onFiles([...event.dataTransfer.files]);
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
