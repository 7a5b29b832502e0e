// How conversations are chosen in the list: Ctrl or Cmd and Shift with a click, a finger that is held down, Space and Shift with arrows.
import { type PointerEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { SidebarRow } from './groups.ts';
import { NOTHING_SELECTED, type Pick, picked, type Selection, stillListed } from './selection.ts';

/** A finger that stays this long means the line, not what it leads to, ms; and may tremble by so much, px. */
const HOLD_MS = 500;
const TREMBLE = 10;

/** How a click is meant; null: as on any link. While something is chosen, a finger chooses with every tap. */
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
 * Holds the selected entries of a list; those that leave the list leave the selection. `open`: the open conversation, from which a first range
 * starts.
 */
export function useSelection(rows: readonly SidebarRow[], open: ConversationId | null) {
  const [chosen, setChosen] = useState<Selection>(NOTHING_SELECTED);
  const listed = useMemo(() => rows.flatMap((row) => (row.type === 'entry' ? [row.entry.id] : [])), [rows]);
  const selection = useMemo(() => stillListed(chosen, listed), [chosen, listed]);
  const now = useRef({ listed, open, selection });
  now.current = { listed, open, selection };
  const pick = useCallback((id: ConversationId, how: Pick) => {
    const { listed, open, selection } = now.current;
    setChosen(picked(selection, listed, id, how, open));
  }, []);
  const clear = useCallback(() => setChosen(NOTHING_SELECTED), []);
  return { selection, pick, clear };
}

/** Takes away the click by which a held finger ends, wherever that lands: what was under the finger may have moved on. */
function takeNextClick(): void {
  const over = new AbortController();
  const { signal } = over;
  const take = (event: MouseEvent) => {
    // A key clicks, too.
    if (event.detail === 0) return;
    over.abort();
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('click', take, { capture: true, signal });
  document.addEventListener('pointerdown', () => over.abort(), { capture: true, signal });
}

/** A finger held down on a line: `onHold` once it has stayed. The tap that ends it, and the browser's own menu, are taken away. */
export function useHold(onHold: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const from = useRef({ x: 0, y: 0 });
  const held = useRef(false);
  const latest = useRef(onHold);
  latest.current = onHold;
  const end = useCallback(() => clearTimeout(timer.current), []);
  useEffect(() => end, [end]);
  return {
    /** True if a finger is on the line or was held there. */
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
