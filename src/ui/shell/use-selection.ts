// Selects conversations in the list: Ctrl or Cmd and Shift with a click, a long press, Space and Shift with arrows.
import { type PointerEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import { useLatest } from '../hooks/latest.ts';
import type { SidebarRow } from './groups.ts';
import { NOTHING_SELECTED, type Pick, picked, type Selection, stillListed } from './selection.ts';

/** Duration of a long press, ms, and the movement it tolerates, px. */
const HOLD_MS = 500;
const TREMBLE = 10;

/** How to treat a click; null: as on any link. While something is selected, every tap selects. */
export function pickOf(
  event: { readonly ctrlKey: boolean; readonly metaKey: boolean; readonly shiftKey: boolean },
  selecting: boolean,
  touch: boolean,
): Pick | null {
  if (event.shiftKey) return 'range';
  if (event.ctrlKey || event.metaKey) return 'toggle';
  return selecting && touch ? 'toggle' : null;
}

/**
 * Holds the selected entries of a list; those that leave the list leave the selection. `open`: the open
 * conversation, where a first range starts.
 */
export function useSelection(rows: readonly SidebarRow[], open: ConversationId | null) {
  const [chosen, setChosen] = useState<Selection>(NOTHING_SELECTED);
  const listed = useMemo(() => rows.flatMap((row) => (row.type === 'entry' ? [row.entry.id] : [])), [rows]);
  const selection = useMemo(() => stillListed(chosen, listed), [chosen, listed]);
  const now = useLatest({ listed, open, selection });
  const pick = useCallback(
    (id: ConversationId, how: Pick) => {
      const { listed, open, selection } = now.current;
      setChosen(picked(selection, listed, id, how, open));
    },
    [now],
  );
  const clear = useCallback(() => setChosen(NOTHING_SELECTED), []);
  return { selection, pick, clear };
}

/** Suppresses the click that ends a long press, wherever it lands: the row may have moved under the finger. */
function takeNextClick(): void {
  const over = new AbortController();
  const { signal } = over;
  const take = (event: MouseEvent) => {
    // The keyboard causes clicks, too.
    if (event.detail === 0) return;
    over.abort();
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('click', take, { capture: true, signal });
  document.addEventListener('pointerdown', () => over.abort(), { capture: true, signal });
}

/**
 * Long press on a row: calls `onHold` once it has lasted. Suppresses the tap that
 * ends it and the browser's context menu.
 */
export function useHold(onHold: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const from = useRef({ x: 0, y: 0 });
  const held = useRef(false);
  const latest = useLatest(onHold);
  const end = useCallback(() => clearTimeout(timer.current), []);
  useEffect(() => end, [end]);
  return {
    /** True if a finger is on the row or was held there. */
    touches: (): boolean => held.current,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        held.current = false;
        if (event.pointerType !== 'touch') return;
        from.current = { x: event.clientX, y: event.clientY };
        end();
        timer.current = setTimeout(() => {
          held.current = true;
          takeNextClick();
          latest.current();
        }, HOLD_MS);
      },
      onPointerMove: (event: PointerEvent) => {
        const { x, y } = from.current;
        if (Math.hypot(event.clientX - x, event.clientY - y) > TREMBLE) end();
      },
      onPointerUp: end,
      onPointerCancel: end,
    },
  };
}
