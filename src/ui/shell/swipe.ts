// Recognises a finger that swipes sideways, and leaves alone what is scrolled, zoomed, written in, or moved by itself.
import { useEffect, useEffectEvent } from 'react';

/** How far a finger goes sideways before it is a swipe, px. */
const FAR = 56;
/** Longest time for that, ms: a slower finger selects words or holds a row. */
const LONG = 700;
/** Times as far sideways as up or down. */
const FLAT = 2;

/** True if a sideways movement on `target` belongs to it or to an element around it. */
function movesItself(target: Element): boolean {
  if (target.closest('input, textarea, select, [contenteditable], [role="slider"], iframe')) return true;
  for (let box: Element | null = target; box && box !== document.body; box = box.parentElement) {
    const { overflowX, touchAction } = getComputedStyle(box);
    if (box.scrollWidth > box.clientWidth && (overflowX === 'auto' || overflowX === 'scroll')) return true;
    if (touchAction === 'none' || touchAction === 'pan-y') return true;
  }
  return false;
}

/**
 * Calls `onSwipe` once for each swipe of one finger to that side, as long as `on`.
 * `within` says whether a swipe may begin on an element.
 */
export function useSwipe(
  side: 'left' | 'right',
  on: boolean,
  within: (target: Element) => boolean,
  onSwipe: () => void,
): void {
  const isWithin = useEffectEvent(within);
  const swiped = useEffectEvent(onSwipe);
  useEffect(() => {
    if (!on) return;
    let from: { readonly x: number; readonly y: number; readonly at: number } | null = null;
    const begin = ({ touches, target, timeStamp }: TouchEvent) => {
      const [touch] = touches;
      from =
        touches.length === 1 && touch && target instanceof Element && isWithin(target) && !movesItself(target)
          ? { x: touch.clientX, y: touch.clientY, at: timeStamp }
          : null;
    };
    const move = ({ touches, timeStamp }: TouchEvent) => {
      const [touch] = touches;
      if (!from || !touch) return;
      const across = (touch.clientX - from.x) * (side === 'right' ? 1 : -1);
      const along = Math.abs(touch.clientY - from.y);
      if (touches.length > 1 || along > FAR || timeStamp - from.at > LONG) from = null;
      else if (across >= FAR && across >= FLAT * along) {
        from = null;
        if (getSelection()?.isCollapsed !== false) swiped();
      }
    };
    const end = () => {
      from = null;
    };
    const events = { touchstart: begin, touchmove: move, touchend: end, touchcancel: end };
    const all = Object.entries(events) as [keyof typeof events, (event: TouchEvent) => void][];
    for (const [name, listener] of all) addEventListener(name, listener, { passive: true, capture: true });
    return () => {
      for (const [name, listener] of all) removeEventListener(name, listener, { capture: true });
    };
  }, [side, on]);
}
