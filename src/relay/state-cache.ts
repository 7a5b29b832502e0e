// Caches the states of rooms for a few seconds after a request, up to a number of bytes.

interface Entry<State> {
  readonly state: Promise<State>;
  /** 0 while it is being loaded. */
  bytes: number;
  usedAt: number;
}

/** `Room`: key; `State`: an answer that takes nearly all of its memory. */
export class StateCache<Room extends object, State extends { readonly whole: Uint8Array }> {
  /** Oldest first. */
  readonly #entries = new Map<Room, Entry<State>>();
  readonly #maxBytes: number;
  readonly #keepMs: number;
  #bytes = 0;

  constructor({ maxBytes, keepMs }: { readonly maxBytes: number; readonly keepMs: number }) {
    this.#maxBytes = maxBytes;
    this.#keepMs = keepMs;
  }

  /** Returns the room's state, or loads it. Requests during the loading share it. */
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

  /** `bytes`: size of the state. */
  put(room: Room, state: Promise<State>, bytes: number): void {
    this.drop(room);
    this.#entries.set(room, { state, bytes, usedAt: Date.now() });
    this.#bytes += bytes;
    for (const old of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.drop(old);
    }
  }

  /** Forgets the state, as the log has changed. */
  drop(room: Room): void {
    this.#bytes -= this.#entries.get(room)?.bytes ?? 0;
    this.#entries.delete(room);
  }

  sweep(now: number): void {
    for (const [room, { bytes, usedAt }] of this.#entries)
      if (bytes > 0 && now - usedAt >= this.#keepMs) this.drop(room);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}
