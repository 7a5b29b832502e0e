// Keeps a clicked element in place on the screen while the click opens, collapses or replaces content.

/** Attribute of the arrows that switch between branches; all arrows of one fork have the same value. */
export const SIBLINGS = 'data-siblings';

interface ElementPosition {
  readonly element: HTMLElement;
  /** Upper edge of the element, px below that of the box. */
  readonly top: number;
}

interface Held {
  readonly button: HTMLElement;
  /** Null while the element is not drawn. */
  readonly place: () => ElementPosition | null;
  /** Message or card around the element. */
  readonly around: HTMLElement | null;
  readonly height: number;
  readonly expanded: string | null;
  /**
   * For branch arrows: people click them repeatedly to compare, so they stay in place even if that leaves room above.
   */
  readonly siblings: boolean;
}

export interface HeldPlace {
  readonly holds: boolean;
  /** Call at a click inside the box, before it takes effect. Returns the message or card around the held element. */
  hold(target: Element): HTMLElement | null;
  /** Scrolls the held element back to its place. False if nothing is held. */
  keep(): boolean;
  /** True if the click opened, collapsed or replaced anything. */
  changed(): boolean;
  /** Call when the person goes on to something else. */
  release(): void;
  /** Removes room below that is no longer needed. */
  fit(): void;
  /** Removes the room above. */
  level(): void;
  /** Holds nothing, and removes all room. */
  clear(): void;
  /** Distance from the box's lower edge to the end of the content, px; added room does not count. */
  left(): number;
}

/** `box` scrolls `content`; `spacer` is its last element and has no height of its own. */
export function createHeldPlace(box: HTMLElement, content: HTMLElement, spacer: HTMLElement): HeldPlace {
  let held: Held | null = null;
  let above = 0;
  let below = 0;
  const makeSpace = (over: number, under: number) => {
    if (over !== above) content.style.top = over === 0 ? '' : `${over}px`;
    if (under !== below) spacer.style.height = under === 0 ? '' : `${under}px`;
    above = over;
    below = under;
  };
  const height = () => content.offsetHeight - below;
  const topOf = (element: Element) => element.getBoundingClientRect().top - box.getBoundingClientRect().top;
  const isSeen = (top: number) => top >= 0 && top < box.clientHeight;

  /**
   * Place of the button; if what it opened above pushed it down, the start of its message instead, so that the text
   * being read stays. The same if the button is gone and that start was visible.
   */
  function placeOf(button: HTMLElement, around: HTMLElement | null): Held['place'] {
    const top = topOf(button);
    if (around === null) return () => (button.isConnected ? { element: button, top } : null);
    const start = topOf(around);
    return () => {
      if (!button.isConnected)
        return around.isConnected && isSeen(start) ? { element: around, top: start } : null;
      const pushed = topOf(button) - topOf(around) > top - start + 1;
      return pushed ? { element: around, top: start } : { element: button, top };
    };
  }

  /** Place of the same fork's arrows in the sibling that is now shown. */
  function placeOfSwitch(shown: HTMLElement): Held['place'] {
    const top = topOf(shown);
    const same = `[${SIBLINGS}="${CSS.escape(shown.getAttribute(SIBLINGS) ?? '')}"]`;
    return () => {
      const element = content.querySelector<HTMLElement>(same);
      return element && { element, top };
    };
  }

  return {
    get holds() {
      return held !== null;
    },
    hold: (target) => {
      const button = target.closest<HTMLElement>('a, button, summary');
      if (!button || !content.contains(button)) return null;
      const nearest = button.closest<HTMLElement>('article, section');
      const around = nearest && content.contains(nearest) ? nearest : null;
      const shown = button.closest<HTMLElement>(`[${SIBLINGS}]`);
      held = {
        button,
        place: shown ? placeOfSwitch(shown) : placeOf(button, around),
        around,
        height: around?.offsetHeight ?? 0,
        expanded: button.getAttribute('aria-expanded'),
        siblings: shown !== null,
      };
      return around;
    },
    keep: () => {
      if (!held) return false;
      const place = held.place();
      if (!place) return true;
      const scroll = box.scrollTop + topOf(place.element) - above - place.top;
      const over = held.siblings ? Math.max(0, -scroll) : 0;
      const wanted = Math.max(0, scroll);
      // Differences below a pixel are rounding.
      if (Math.abs(wanted - box.scrollTop) >= 1 || Math.abs(over - above) >= 1) {
        const missing = wanted === 0 ? 0 : wanted + box.clientHeight - height();
        makeSpace(over, Math.max(0, Math.ceil(missing)));
        box.scrollTop = wanted;
      }
      return true;
    },
    changed: () => {
      if (!held) return false;
      const { siblings, button, expanded, around } = held;
      if (siblings || !button.isConnected || button.getAttribute('aria-expanded') !== expanded) return true;
      // An answer being written grows by itself.
      return around !== null && around.ariaBusy !== 'true' && around.offsetHeight !== held.height;
    },
    release: () => {
      held = null;
    },
    fit: () => {
      if (below > 0)
        makeSpace(above, Math.max(0, Math.min(below, box.scrollTop + box.clientHeight - height())));
    },
    level: () => makeSpace(0, below),
    clear: () => {
      held = null;
      makeSpace(0, 0);
    },
    left: () => above + height() - box.scrollTop - box.clientHeight,
  };
}
