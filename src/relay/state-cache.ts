// Caches the states of rooms for a few seconds after a request, up to a number of bytes.

/** One room's state with its time of use. */
interface Entry<State> {
  readonly state: Promise<State>;
  /** Size of the state; 0 while it is being loaded. */
  bytes: number;
  /** Last use, ms since 1970. */
  usedAt: number;
}

/** A cache from rooms to their states. The bytes of a state are those of `whole`, which is nearly all of it. */
export class StateCache<Room extends object, State extends { readonly whole: Uint8Array }> {
  /** Those that were put first come first. */
  readonly #entries = new Map<Room, Entry<State>>();
  readonly #maxBytes: number;
  readonly #keepMs: number;
  #bytes = 0;

  /** `maxBytes`: most bytes of all states; `keepMs`: time after its last use for which a state is kept, ms. */
  constructor({ maxBytes, keepMs }: { readonly maxBytes: number; readonly keepMs: number }) {
    this.#maxBytes = maxBytes;
    this.#keepMs = keepMs;
  }

  /**
   * Returns the room's state, or loads it; calls during the loading share it.
   * Rejects as `load`, and then keeps nothing.
   */
  get(room: Room, load: () => Promise<State>): Promise<State> {
    const known = this.#entries.get(room);
    if (known) {
      known.usedAt = Date.now();
      return known.state;
    }
    const state = load();
    this.#entries.set(room, { state, bytes: 0, usedAt: Date.now() });
    state.then(
      ({ whole }) => {
        if (this.#entries.get(room)?.state === state) this.put(room, state, whole.length);
      },
      () => {
        if (this.#entries.get(room)?.state === state) this.#entries.delete(room);
      },
    );
    return state;
  }

  /** Stores a room's state of `bytes`; drops the states that were put first if there are too many bytes. */
  put(room: Room, state: Promise<State>, bytes: number): void {
    this.drop(room);
    this.#entries.set(room, { state, bytes, usedAt: Date.now() });
    this.#bytes += bytes;
    for (const old of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.drop(old);
    }
  }

  /** Forgets the room's state, because its log has changed. */
  drop(room: Room): void {
    this.#bytes -= this.#entries.get(room)?.bytes ?? 0;
    this.#entries.delete(room);
  }

  /** Forgets states that were not used for `keepMs`. `now`: ms since 1970. */
  sweep(now: number): void {
    for (const [room, { bytes, usedAt }] of this.#entries)
      if (bytes > 0 && now - usedAt >= this.#keepMs) this.drop(room);
  }

  /** Forgets all states. */
  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}
