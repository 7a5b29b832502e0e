// Drags conversations from the list onto a project.
import { type DragEvent, useCallback, useState } from 'react';
import { asConversationId, type ConversationId } from '../../domain/base/ids.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { useLatest } from '../hooks/latest.ts';

const TYPE = 'application/x-recollect-conversations';

/** Makes these draggable; their titles go along as text, for other windows. */
function dragConversations(event: DragEvent, ids: readonly ConversationId[], words: string): void {
  event.dataTransfer.setData(TYPE, ids.join('\n'));
  event.dataTransfer.setData('text/plain', words);
  event.dataTransfer.effectAllowed = 'move';
}

/**
 * Returns a handler that starts dragging a row, together with all selected ones if it is one of
 * them. Stable while the list is mounted.
 */
export function useDrag(chosen: readonly LibraryEntry[]): (entry: LibraryEntry, event: DragEvent) => void {
  const latest = useLatest(chosen);
  return useCallback(
    (entry, event) => {
      const all = latest.current.some(({ id }) => id === entry.id) ? latest.current : [entry];
      dragConversations(
        event,
        all.map(({ id }) => id),
        all.map(({ title }) => title).join('\n'),
      );
    },
    [latest],
  );
}

/** Makes an element accept dragged conversations. `over`: some are above it now. */
export function useConversationDrop(onDrop: (ids: readonly ConversationId[]) => void) {
  const [over, setOver] = useState(false);
  const isTaken = (event: DragEvent) => event.dataTransfer.types.includes(TYPE);
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!isTaken(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!isTaken(event)) return;
        event.preventDefault();
        const ids = event.dataTransfer.getData(TYPE).split('\n').filter(Boolean);
        if (ids.length > 0) onDrop(ids.map(asConversationId));
      },
    },
  };
}
