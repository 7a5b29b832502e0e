// Counts waiting output, so that clients that do not read cannot fill the memory. A frame for many is held, and counts, once. A client
// that asks for a room waits until there is space; connection.ts cuts slow clients if there is none.

/** An owner of a share. */
export interface BudgetOwner {
  /** Bytes that wait for its connections, or are reserved for answers. */
  outgoing: number;
}

export class OutgoingBudget {
  /** Count of connections that wait for each frame. */
  readonly #copies = new Map<Uint8Array, number>();
  readonly #queue = new Map<object, { owner: BudgetOwner; bytes: number; admit(isIn: boolean): void }>();
  readonly #share: number;
  readonly #all: number;
  #total = 0;
  #isAdmitting = false;

  /** `share`: most bytes waiting for one owner; `all`: for all together. */
  constructor({ share, all }: { readonly share: number; readonly all: number }) {
    this.#share = share;
    this.#all = all;
  }

  /** Bytes of all owners. */
  get bytes(): number {
    return this.#total;
  }

  /** Counts a frame that waits for one more connection. */
  hold(owner: BudgetOwner, frame: Uint8Array): void {
    const before = this.#copies.get(frame) ?? 0;
    this.#copies.set(frame, before + 1);
    if (before === 0) this.#add(owner, frame.length);
  }

  /** The frame has left, or the connection is gone: call it once for each `hold`. */
  release(owner: BudgetOwner, frame: Uint8Array): void {
    const left = (this.#copies.get(frame) ?? 0) - 1;
    if (left > 0) this.#copies.set(frame, left);
    else if (this.#copies.delete(frame)) this.#add(owner, -frame.length);
  }

  /** True if too much waits, for this owner or for all, even without `own` bytes of it. */
  isOver(owner: BudgetOwner, own: number): boolean {
    return owner.outgoing - own > this.#share || this.#total - own > this.#all;
  }

  /** Reserves `bytes` as soon as they fit. Resolves with a function that releases them, or with null when `who` is gone. */
  async reserve(who: object, owner: BudgetOwner, bytes: number): Promise<(() => void) | null> {
    // A stored room may exceed the present limit: it takes a whole share.
    const size = Math.min(bytes, this.#share);
    const isIn = await new Promise<boolean>((resolve) => {
      this.#queue.set(who, { owner, bytes: size, admit: resolve });
      this.#admit();
    });
    return isIn ? () => this.#add(owner, -size) : null;
  }

  /** Ends the wait of `who`. */
  cancel(who: object): void {
    this.#queue.get(who)?.admit(false);
    this.#queue.delete(who);
  }

  #add(owner: BudgetOwner, bytes: number): void {
    owner.outgoing += bytes;
    this.#total += bytes;
    if (bytes >= 0 || this.#queue.size === 0 || this.#isAdmitting) return;
    // Once for everything that leaves in this turn of the event loop.
    this.#isAdmitting = true;
    setImmediate(() => {
      this.#isAdmitting = false;
      this.#admit();
    });
  }

  /** First come, first served, but an owner without space in its own share delays no other owner. */
  #admit(): void {
    for (const [who, { owner, bytes, admit }] of this.#queue) {
      if (owner.outgoing + bytes > this.#share || this.#total + bytes > this.#all) continue;
      this.#queue.delete(who);
      this.#add(owner, bytes);
      admit(true);
    }
  }
}
