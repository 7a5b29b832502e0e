// Keeps the reader's place in a list of messages: at the end while it grows,
// otherwise with the clicked element in place.
import type { ReadingPlace } from '../hooks/session.tsx';
import { createHeldPlace, type HeldPlace, SIBLINGS } from './held-place.ts';
import type { ListRow } from './rows.ts';

/** Closer to the end than this counts as being there, px. */
const AT_END = 24;
/** Farther from the end than this, a button leads back there, px. */
const AWAY = 160;
/** Frames in which rows that a click changed are measured. */
const SETTLES = 20;
/** Events that show the person has gone on to something other than the click. */
const GOES_ON = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;

interface ScrollKeeperEvents {
  /** Start of a row, px from the top; undefined while unknown. */
  offsetOf(row: number): number | undefined;
  /** Called when the end goes out of sight or comes back. */
  onAway(isAway: boolean): void;
  /** Called with the fork whose branches the person is stepping through. */
  onSwitched(siblings: string | null): void;
}

export class ScrollKeeper {
  readonly #place: ReadingPlace | undefined;
  readonly #events: ScrollKeeperEvents;
  #rows: readonly ListRow[] = [];
  #isAnswering = false;
  #box: HTMLElement | null = null;
  #below: HTMLElement | null = null;
  #held: HeldPlace | null = null;
  #isSticking: boolean;
  #lastOffset = 0;
  /** True while the list rests above the end, see `#restOf`. */
  #isResting = false;
  /** Last row whose end the person scrolled to from that resting place: they want to stay at the end. */
  #seenEnd: string | null = null;
  /**
   * Nothing moves while a finger or button is down: it must be released on the same element, and a
   * selection in progress must not shift.
   */
  #isPressed = false;
  #frame = 0;
  /** The clicked element, observed so that growth is corrected in the same frame. */
  #watched: HTMLElement | null = null;
  /** Keeps the end in sight while content below the rows grows; the list itself reports its rows, see `rowsResized`. */
  readonly #watch = new ResizeObserver(() => this.#keepEnd());

  /** `place`: the reader's last place in this list; undefined: at the end. */
  constructor(place: ReadingPlace | undefined, events: ScrollKeeperEvents) {
    this.#place = place;
    this.#events = events;
    this.#isSticking = place ? place.atEnd : true;
  }

  /** Takes the rows drawn now. Call before they are painted. */
  drawn(rows: readonly ListRow[], isAnswering: boolean): void {
    const ended = this.#isAnswering && !isAnswering;
    this.#rows = rows;
    this.#isAnswering = isAnswering;
    // The list did not notice these scrolls, so it gets its position here.
    if (ended) queueMicrotask(() => this.#box?.dispatchEvent(new Event('scroll')));
  }

  /** Scrolls `box` to its first place. `below`: content below all rows. */
  open(box: HTMLElement, below: HTMLElement | null): void {
    this.#box = box;
    this.#below = below;
    box.scrollTop = this.#place && !this.#place.atEnd ? this.#place.offset : box.scrollHeight;
    this.#lastOffset = box.scrollTop;
  }

  /** The reader's place, to restore later. */
  close(): Pick<ReadingPlace, 'offset' | 'atEnd' | 'rows'> {
    if (this.#held?.holds) this.#isSticking = this.#held.left() <= AT_END;
    return { offset: this.#box?.scrollTop ?? 0, atEnd: this.#isSticking, rows: this.#rows.length };
  }

  /**
   * Follows growth in the box and the person's actions there until the returned function is
   * called. `spacer`: see `createHeldPlace`.
   */
  observe(spacer: HTMLElement): () => void {
    const box = this.#box;
    const content = box?.firstElementChild;
    if (!box || !(content instanceof HTMLElement)) return () => undefined;
    const held = createHeldPlace(box, content, spacer);
    this.#held = held;
    this.#watch.observe(box);
    if (this.#below) this.#watch.observe(this.#below);
    const listening = new AbortController();
    const { signal } = listening;
    // Following an answer would make the list render three times at each scroll although it shows the same rows,
    // so it sees only a person's scrolls.
    box.parentElement?.addEventListener(
      'scroll',
      (event) => {
        if (
          event.target === box &&
          this.#isAnswering &&
          this.#isSticking &&
          box.scrollTop === this.#lastOffset
        )
          event.stopPropagation();
      },
      { capture: true, signal },
    );
    // Runs before the click takes effect, which may scroll elsewhere in the list.
    box.addEventListener('click', (event) => this.#click(event, held), { capture: true, signal });
    for (const goesOn of GOES_ON)
      addEventListener(goesOn, (event) => this.#goOn(event, held), { capture: true, passive: true, signal });
    box.addEventListener(
      'pointerdown',
      (event) => {
        this.#isPressed = event.button === 0;
      },
      { signal },
    );
    for (const end of ['pointerup', 'pointercancel'] as const)
      addEventListener(end, () => this.#letGo(), { signal });
    return () => {
      this.#watch.disconnect();
      cancelAnimationFrame(this.#frame);
      this.#held = null;
      listening.abort();
    };
  }

  /**
   * Call when rows have new heights (an answer grows, a picture or font arrived) that the
   * list knows, before they are painted.
   */
  rowsResized(): void {
    this.#keepEnd();
  }

  toEnd(): void {
    this.#held?.clear();
    this.#isSticking = true;
    this.#isResting = false;
    this.#seenEnd = this.#rows.at(-1)?.key ?? null;
    if (this.#box) this.#box.scrollTop = this.#box.scrollHeight;
  }

  /** The list no longer follows the end, but stays where it is scrolled to. */
  leaveEnd(): void {
    this.#held?.clear();
    this.#isSticking = false;
  }

  /** Another branch is drawn: moves the clicked arrows back into place before it is painted. */
  keepClicked(): void {
    this.#held?.keep();
  }

  /** An answer begins: a click that changed nothing no longer holds the list. */
  answerBegins(): void {
    const held = this.#held;
    if (!held?.holds || held.changed()) return;
    held.release();
    this.noteScroll();
  }

  /** Reads from the scroll position whether the reader stays at the end. */
  noteScroll(): void {
    const box = this.#box;
    if (!box) return;
    this.#held?.fit();
    const left = this.#held?.left() ?? box.scrollHeight - box.scrollTop - box.clientHeight;
    // Growing content never counts as leaving the end; only a person scrolls up.
    if (!this.#held?.holds) {
      if (left <= AT_END) {
        this.#isSticking = true;
        if (this.#isResting) this.#seenEnd = this.#rows.at(-1)?.key ?? null;
      } else if (
        box.scrollTop < this.#lastOffset - 1 ||
        (this.#isResting && box.scrollTop > this.#lastOffset + 1)
      )
        this.#isSticking = false;
    }
    this.#lastOffset = box.scrollTop;
    this.#events.onAway((!this.#isSticking || this.#isResting) && left > AWAY);
  }

  /**
   * Scroll position of a list that follows its end, px from the top. An answer from memory arrives whole, best first,
   * so its question and beginning stay in sight instead.
   */
  #restOf(box: HTMLElement): number {
    const end = box.scrollHeight - box.clientHeight;
    const last = this.#rows.at(-1);
    if (this.#isAnswering || last?.type !== 'message' || last.message.kind !== 'recall') return end;
    if (this.#below?.offsetHeight || this.#seenEnd === last.key) return end;
    const question = this.#rows.findLastIndex((row) => row.type === 'message' && row.message.role === 'user');
    const offset = question < 0 ? undefined : this.#events.offsetOf(question);
    return Math.min(end, offset ?? end);
  }

  #keepEnd(): void {
    const box = this.#box;
    const held = this.#held;
    if (!box || !held) return;
    if (!held.keep()) {
      held.fit();
      if (this.#isSticking && !this.#isPressed) {
        const rest = this.#restOf(box);
        this.#isResting = rest < box.scrollHeight - box.clientHeight;
        box.scrollTop = rest;
        this.#lastOffset = box.scrollTop;
      }
    }
    this.noteScroll();
  }

  /**
   * Keeps a clicked element in place while it opens, collapses or switches; a click that
   * changed nothing has no effect here.
   */
  #click(event: MouseEvent, held: HeldPlace): void {
    if (!(event.target instanceof Element)) return;
    const followed = this.#isSticking;
    const around = held.hold(event.target);
    if (!held.holds) return;
    this.#isSticking = false;
    this.#events.onSwitched(event.target.closest(`[${SIBLINGS}]`)?.getAttribute(SIBLINGS) ?? null);
    if (this.#watched) this.#watch.unobserve(this.#watched);
    if (around) this.#watch.observe(around);
    this.#watched = around;
    this.#settle(held, followed);
  }

  /** Rows are measured in the frames after a click: moves them back before the shift is visible. */
  #settle(held: HeldPlace, followed: boolean): void {
    let frames = 0;
    const settle = () => {
      if (!held.holds) return;
      this.#keepEnd();
      frames += 1;
      if (frames === 2 && this.#isAnswering && !held.changed()) {
        held.release();
        this.#isSticking = followed;
        this.#keepEnd();
      } else if (frames < SETTLES) this.#frame = requestAnimationFrame(settle);
    };
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(settle);
  }

  #goOn(event: Event, held: HeldPlace): void {
    if (event.type === 'wheel' || event.type === 'touchmove') held.level();
    if (!held.holds) return;
    held.release();
    this.noteScroll();
  }

  #letGo(): void {
    if (!this.#isPressed) return;
    this.#isPressed = false;
    this.#frame = requestAnimationFrame(() => this.#keepEnd());
  }
}
