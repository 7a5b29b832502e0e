// Counts waiting output, so that clients that do not read cannot fill the memory. A frame for many
// clients is held once, and counts once. A client that asks for a room waits until its answer fits;
// connection.ts closes clients that are too slow.

/** An account, as the budget sees it: it has a share of its own. */
export interface BudgetOwner {
  /** Bytes that wait for its connections, or are reserved for answers. */
  outgoing: number;
}

/** Bounds the memory that output takes until clients have read it. */
export class OutgoingBudget {
  /** Count of connections that wait for each frame. */
  readonly #copies = new Map<Uint8Array, number>();
  /** Clients that wait for space, in the order of their requests. `admit(false)`: the client is gone. */
  readonly #queue = new Map<object, { owner: BudgetOwner; bytes: number; admit(isIn: boolean): void }>();
  readonly #share: number;
  readonly #all: number;
  #total = 0;
  #isAdmitting = false;

  /** `share`: most bytes that may wait for one owner; `all`: for all together. */
  constructor({ share, all }: { readonly share: number; readonly all: number }) {
    this.#share = share;
    this.#all = all;
  }

  /** Bytes of all owners, waiting and reserved. */
  get bytes(): number {
    return this.#total;
  }

  /** Counts a frame that waits for one more connection. */
  hold(owner: BudgetOwner, frame: Uint8Array): void {
    const before = this.#copies.get(frame) ?? 0;
    this.#copies.set(frame, before + 1);
    if (before === 0) this.#add(owner, frame.length);
  }

  /** Counts a frame that has left, or whose connection is gone. Call it once for each `hold`. */
  release(owner: BudgetOwner, frame: Uint8Array): void {
    const left = (this.#copies.get(frame) ?? 0) - 1;
    if (left > 0) this.#copies.set(frame, left);
    else if (this.#copies.delete(frame)) this.#add(owner, -frame.length);
  }

  /** True if too much waits, for this owner or for all, `own` bytes of it left out. */
  isOver(owner: BudgetOwner, own: number): boolean {
    return owner.outgoing - own > this.#share || this.#total - own > this.#all;
  }

  /**
   * Reserves `bytes` for client `who` as soon as they fit. Resolves with the function that
   * releases them, or with null after `cancel`.
   */
  async reserve(who: object, owner: BudgetOwner, bytes: number): Promise<(() => void) | null> {
    // A room that was stored under a higher limit may exceed a share, and would wait for ever.
    const size = Math.min(bytes, this.#share);
    const isIn = await new Promise<boolean>((resolve) => {
      this.#queue.set(who, { owner, bytes: size, admit: resolve });
      this.#admit();
    });
    return isIn ? () => this.#add(owner, -size) : null;
  }

  /** Ends the wait of client `who`, who is gone: its reservation resolves with null. */
  cancel(who: object): void {
    this.#queue.get(who)?.admit(false);
    this.#queue.delete(who);
  }

  #add(owner: BudgetOwner, bytes: number): void {
    owner.outgoing += bytes;
    this.#total += bytes;
    if (bytes >= 0 || this.#queue.size === 0 || this.#isAdmitting) return;
    // Much may leave in one turn of the event loop, and one pass over the queue serves all of it.
    this.#isAdmitting = true;
    setImmediate(() => {
      this.#isAdmitting = false;
      this.#admit();
    });
  }

  /**
   * Admits waiting clients in the order of their requests. An owner without space in
   * its own share delays no other owner.
   */
  #admit(): void {
    for (const [who, { owner, bytes, admit }] of this.#queue) {
      if (owner.outgoing + bytes > this.#share || this.#total + bytes > this.#all) continue;
      this.#queue.delete(who);
      this.#add(owner, bytes);
      admit(true);
    }
  }
}
