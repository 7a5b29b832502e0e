// Keeps the app within what an on-screen keyboard leaves visible. Chromium and Firefox shrink the page itself
// (`interactive-widget` in index.html); Safari lays the keyboard over it, and only `visualViewport` tells.
import { useEffect } from 'react';

/** Least height that counts as covered, px: the bar over a hardware keyboard has 44, rounding and scrollbars less. */
const COVERED = 40;
/** Scale above which the person has zoomed in: the area is small then, although nothing covers the page. */
const ZOOMED = 1.01;

/** The part of the page that a keyboard leaves visible, px from its top; null: it covers nothing. */
function visibleArea({ height, offsetTop, scale }: VisualViewport): { top: number; height: number } | null {
  const covered = document.documentElement.clientHeight - height;
  return scale > ZOOMED || covered < COVERED ? null : { top: offsetTop, height };
}

/**
 * Sets `--visible-top` and `--visible-height` on the page, px, while a keyboard covers a part of it; also
 * `--safe-bottom`, because the home bar lies beneath the keyboard. The styles have their values without one.
 */
export function useVisibleArea(): void {
  useEffect(() => {
    const viewport = globalThis.visualViewport;
    if (!viewport) return;
    const { style } = document.documentElement;
    const clear = () => {
      for (const name of ['--visible-top', '--visible-height', '--safe-bottom']) style.removeProperty(name);
    };
    const follow = () => {
      const area = visibleArea(viewport);
      if (!area) return clear();
      // Safari also scrolls the page itself to the field, although it has nothing to scroll to.
      if (scrollY !== 0) scrollTo(0, 0);
      style.setProperty('--visible-top', `${area.top}px`);
      style.setProperty('--visible-height', `${area.height}px`);
      style.setProperty('--safe-bottom', '0px');
    };
    follow();
    const events = ['resize', 'scroll'] as const;
    for (const event of events) viewport.addEventListener(event, follow);
    return () => {
      for (const event of events) viewport.removeEventListener(event, follow);
      clear();
    };
  }, []);
}
