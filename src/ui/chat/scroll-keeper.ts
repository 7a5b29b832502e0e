// Keeps a list of messages where its reader wants it: at the end while that grows, else with what was clicked in its place.
import type { ReadingPlace } from '../hooks/session.tsx';
import { createHeldPlace, type HeldPlace, SIBLINGS } from './held-place.ts';
import type { Row } from './rows.ts';

/** Nearer to the end than this counts as being there, px. */
const AT_END = 24;
/** Further from the end than this there is a button that leads there, px. */
const AWAY = 160;
/** Frames in which rows that a click changed are measured. */
const SETTLES = 20;
/** With any of these a person goes on to something else than what was clicked. */
const GOES_ON = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const;

interface ScrollKeeperEvents {
  /** Begin of a row, px from the top; undefined while unknown. */
  offsetOf(row: number): number | undefined;
  /** The end is out of sight, or came back. */
  onAway(isAway: boolean): void;
  /** The branches that one is going through with a click: where they part. */
  onSwitched(siblings: string | null): void;
}

export class ScrollKeeper {
  readonly #place: ReadingPlace | undefined;
  readonly #events: ScrollKeeperEvents;
  #rows: readonly Row[] = [];
  #isAnswering = false;
  #box: HTMLElement | null = null;
  #below: HTMLElement | null = null;
  #held: HeldPlace | null = null;
  #isSticking: boolean;
  #lastOffset = 0;
  /** It stands above the end, see `#restOf`. */
  #isResting = false;
  /** The last row whose end somebody went to from there: who did that wants to be there. */
  #seenEnd: string | null = null;
  /** Nothing is moved away from under a finger: what was pressed is let go at the same place, and words being selected stand still. */
  #isPressed = false;
  #frame = 0;
  /** Element that was clicked in: reported in the same frame in which it grew. */
  #watched: HTMLElement | null = null;
  /** Keeps the end in sight while content below the rows grows; the list itself reports its rows, see `rowsResized`. */
  readonly #watch = new ResizeObserver(() => this.#keepEnd());

  /** `place`: where the reader was when the list was left; undefined: at its end. */
  constructor(place: ReadingPlace | undefined, events: ScrollKeeperEvents) {
    this.#place = place;
    this.#events = events;
    this.#isSticking = place ? place.atEnd : true;
  }

  /** Takes the rows that are drawn now. Call before they are seen. */
  drawn(rows: readonly Row[], isAnswering: boolean): void {
    const ended = this.#isAnswering && !isAnswering;
    this.#rows = rows;
    this.#isAnswering = isAnswering;
    // The list hears where it stands after the scrolls that it did not hear of.
    if (ended) queueMicrotask(() => this.#box?.dispatchEvent(new Event('scroll')));
  }

  /** Brings `box` to its first place. `below`: what stands under all rows. */
  open(box: HTMLElement, below: HTMLElement | null): void {
    this.#box = box;
    this.#below = below;
    box.scrollTop = this.#place && !this.#place.atEnd ? this.#place.offset : box.scrollHeight;
    this.#lastOffset = box.scrollTop;
  }

  /** Place of the reader, to come back to. */
  close(): Pick<ReadingPlace, 'offset' | 'atEnd' | 'rows'> {
    if (this.#held?.holds) this.#isSticking = this.#held.left() <= AT_END;
    return { offset: this.#box?.scrollTop ?? 0, atEnd: this.#isSticking, rows: this.#rows.length };
  }

  /** Follows what grows in the box and what a person does there, until the returned function is called. `room`: see `createHeldPlace`. */
  observe(room: HTMLElement): () => void {
    const box = this.#box;
    const content = box?.firstElementChild;
    if (!box || !(content instanceof HTMLElement)) return () => undefined;
    const held = createHeldPlace(box, content, room);
    this.#held = held;
    this.#watch.observe(box);
    if (this.#below) this.#watch.observe(this.#below);
    const listening = new AbortController();
    const { signal } = listening;
    // Following an answer draws the list anew with each scroll, three times over, although it shows the same rows: it hears of those that
    // a person makes.
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
    // Before the click does what it does: that may lead elsewhere in here.
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

  /** The rows have other heights (an answer grows, a picture or a font has arrived), and the list knows them: told before it is painted. */
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

  /** From now on the list stands where it is brought to. */
  leaveEnd(): void {
    this.#held?.clear();
    this.#isSticking = false;
  }

  /** Another branch is drawn: what was clicked for it is brought to its place before that is seen. */
  keepClicked(): void {
    this.#held?.keep();
  }

  /** An answer begins: a click that changed nothing holds the list no longer. */
  answerBegins(): void {
    const held = this.#held;
    if (!held?.holds || held.changed()) return;
    held.release();
    this.noteScroll();
  }

  /** Reads from where the box stands whether the reader keeps to the end. */
  noteScroll(): void {
    const box = this.#box;
    if (!box) return;
    this.#held?.fit();
    const left = this.#held?.left() ?? box.scrollHeight - box.scrollTop - box.clientHeight;
    // Content that grows moves nobody; only a person moves up.
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
   * Position of the list when it keeps to the end, px from the top: the end, except for an answer from memory. That is there at once, best
   * first, so its question and its beginning stay in sight.
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
   * Keeps a clicked element in place while it opens, collapses or switches; a click that changed nothing changes nothing here.
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

  /** Rows are measured in the frames after a click: what moved is brought back before it is seen elsewhere. */
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
