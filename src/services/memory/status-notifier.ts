// Passes a status on when it has changed: at once, or soon for figures that change all the time.

/** Least time between two statuses that differ only in figures, ms. */
const STATUS_MS = 200;

export class StatusNotifier<Status> {
  readonly #statusNow: () => Status;
  readonly #onStatus: (status: Status) => void;
  #last = '';
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  /** `statusNow`: a value that JSON can hold. */
  constructor(statusNow: () => Status, onStatus: (status: Status) => void) {
    this.#statusNow = statusNow;
    this.#onStatus = onStatus;
  }

  /** Passes the status of now on, unless it is the last one again. */
  notify(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const status = this.#statusNow();
    const text = JSON.stringify(status);
    if (text === this.#last) return;
    this.#last = text;
    this.#lastAt = performance.now();
    this.#onStatus(status);
  }

  /** Passes the status of now on, even if it is the last one again: readers ask for a state that it does not show. */
  announce(): void {
    this.#last = '';
    this.notify();
  }

  /** Passes it on within 200 ms, together with what changes until then. */
  notifySoon(): void {
    if (this.#timer || this.#isStopped) return;
    this.#timer = setTimeout(() => this.notify(), Math.max(0, this.#lastAt + STATUS_MS - performance.now()));
  }

  /** Passes nothing on any more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
