// Keeps what a person clicked where it is on the screen, whatever opens, folds or takes its place because of the click.

/** Marks what switches between lines of time; each of them has one with the same value. */
export const SIBLINGS = 'data-siblings';

interface Place {
  readonly element: HTMLElement;
  /** Its upper edge, px below that of the box. */
  readonly top: number;
}

interface Held {
  readonly button: HTMLElement;
  /** Null while it is not drawn. */
  readonly place: () => Place | null;
  /** The message or card around it. */
  readonly around: HTMLElement | null;
  readonly height: number;
  readonly expanded: string | null;
  /** One clicks here again and again, to compare: it stays even where that leaves room above. */
  readonly siblings: boolean;
}

export interface HeldPlace {
  readonly holds: boolean;
  /** At a click inside the box, before anything becomes of it. The message or card around what is held now. */
  hold(target: Element): HTMLElement | null;
  /** Brings what is held back to where it was. False where nothing is held. */
  keep(): boolean;
  /** True if the click opened, collapsed or replaced anything. */
  changed(): boolean;
  /** The person went on to something else. */
  release(): void;
  /** Takes away the room below that is not needed any more. */
  fit(): void;
  /** Takes away the room above. */
  level(): void;
  /** Holds nothing, and takes all room away. */
  clear(): void;
  /** How far the end of what there is lies below the box, px; room is nothing. */
  left(): number;
}

/** `box` scrolls `content`; `room` is the last thing in it, and has no height of its own. */
export function createHeldPlace(box: HTMLElement, content: HTMLElement, room: HTMLElement): HeldPlace {
  let held: Held | null = null;
  let above = 0;
  let below = 0;
  const makeRoom = (over: number, under: number) => {
    if (over !== above) content.style.top = over === 0 ? '' : `${over}px`;
    if (under !== below) room.style.height = under === 0 ? '' : `${under}px`;
    above = over;
    below = under;
  };
  const height = () => content.offsetHeight - below;
  const topOf = (element: Element) => element.getBoundingClientRect().top - box.getBoundingClientRect().top;
  const isSeen = (top: number) => top >= 0 && top < box.clientHeight;

  /**
   * The button itself, unless it was pushed down by what it opened above it: then where its message begins, and the words one was reading with
   * it. There, too, once the button is gone, if that could be seen.
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

  /** The switch of whichever sibling is shown. */
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
      // Less than a pixel is rounding.
      if (Math.abs(wanted - box.scrollTop) >= 1 || Math.abs(over - above) >= 1) {
        const missing = wanted === 0 ? 0 : wanted + box.clientHeight - height();
        makeRoom(over, Math.max(0, Math.ceil(missing)));
        box.scrollTop = wanted;
      }
      return true;
    },
    changed: () => {
      if (!held) return false;
      const { siblings, button, expanded, around } = held;
      if (siblings || !button.isConnected || button.getAttribute('aria-expanded') !== expanded) return true;
      // An answer that is being written grows by itself.
      return around !== null && around.ariaBusy !== 'true' && around.offsetHeight !== held.height;
    },
    release: () => {
      held = null;
    },
    fit: () => {
      if (below > 0)
        makeRoom(above, Math.max(0, Math.min(below, box.scrollTop + box.clientHeight - height())));
    },
    level: () => makeRoom(0, below),
    clear: () => {
      held = null;
      makeRoom(0, 0);
    },
    left: () => above + height() - box.scrollTop - box.clientHeight,
  };
}
