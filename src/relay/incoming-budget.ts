// Counts unprocessed input from its first byte. An unfinished message may never end, so when a share is used up,
// the client with the largest one is cut. A complete message only waits for the store, so when a share is used up,
// its clients are not read for a while.

/** An account or an address: each has a share of its own. */
export interface IncomingOwner {
  /** Bytes of unfinished messages. */
  unfinished: number;
  /** Bytes of complete messages that are not processed yet. */
  pending: number;
}

/** A connection, as the budget sees it. */
export interface IncomingClient {
  /** Its account and its address. */
  readonly owners: readonly IncomingOwner[];
  /** Bytes held for the message that is still arriving; 0: there is none. */
  readonly unfinished: number;
  /** Ends the connection, as its unfinished message takes too much. */
  cut(): void;
  /** Reads the client again if nothing else forbids it. Returns true if it is being read. */
  resume(): boolean;
}

/** Bounds the memory that input takes before it is processed. */
export class IncomingBudget {
  readonly #all: IncomingOwner = { unfinished: 0, pending: 0 };
  /** Clients with an unfinished message. */
  readonly #holding = new Set<IncomingClient>();
  /** Clients that are not read until there is space. */
  readonly #paused = new Set<IncomingClient>();
  readonly #share: number;
  readonly #total: number;

  /**
   * `share`: most bytes of one account, and of one address; `total`: of all. Unfinished and
   * pending messages have these limits each.
   */
  constructor({ share, total }: { readonly share: number; readonly total: number }) {
    this.#share = share;
    this.#total = total;
  }

  /** Bytes of all clients, unfinished and pending. */
  get bytes(): number {
    return this.#all.unfinished + this.#all.pending;
  }

  /**
   * Counts that the client's unfinished message grew by `change` bytes, or shrank. If a limit is then exceeded, cuts
   * the client with the largest message of that account or address, or of all.
   */
  addUnfinished(client: IncomingClient, change: number): void {
    if (change === 0) return;
    this.#all.unfinished += change;
    for (const owner of client.owners) owner.unfinished += change;
    if (client.unfinished > 0) this.#holding.add(client);
    else this.#holding.delete(client);
    if (change < 0) return;
    for (const owner of client.owners)
      if (owner.unfinished > this.#share) this.#largest((other) => other.owners.includes(owner))?.cut();
    if (this.#all.unfinished > this.#total) this.#largest(() => true)?.cut();
  }

  #largest(isCandidate: (client: IncomingClient) => boolean): IncomingClient | undefined {
    let found: IncomingClient | undefined;
    for (const client of this.#holding)
      if (isCandidate(client) && client.unfinished > (found?.unfinished ?? 0)) found = client;
    return found;
  }

  /**
   * Counts a complete message of `change` bytes that waits, or, with a negative `change`, that was
   * processed: others may then be read again.
   */
  addPending(client: IncomingClient, change: number): void {
    this.#all.pending += change;
    for (const owner of client.owners) owner.pending += change;
    if (change > 0) return;
    for (const other of this.#paused) if (!this.isFull(other) && other.resume()) this.#paused.delete(other);
  }

  /** True if so many complete messages wait that the client must not be read. */
  isFull(client: IncomingClient): boolean {
    return this.#all.pending > this.#total || client.owners.some((owner) => owner.pending > this.#share);
  }

  /** Notes a client that is not read; `resume` is called once there is space. */
  pause(client: IncomingClient): void {
    this.#paused.add(client);
  }

  /** Forgets a client that is gone. Its bytes must be counted out before. */
  forget(client: IncomingClient): void {
    this.#paused.delete(client);
    this.#holding.delete(client);
  }
}
