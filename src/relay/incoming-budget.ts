// Counts unprocessed input from its first byte. An unfinished message may never end, so beyond a share the largest one is cut; a complete one
// only waits for the store, so beyond a share nothing more is read until others are done.

/** An account or address with a share of its own. */
export interface IncomingOwner {
  /** Bytes of unfinished messages. */
  unfinished: number;
  /** Bytes of complete messages that are not processed yet. */
  pending: number;
}

/** One connection. */
export interface IncomingClient {
  readonly owners: readonly IncomingOwner[];
  readonly unfinished: number;
  /** Ends it, as it holds too much. */
  cut(): void;
  /** Continues reading, if nothing else forbids it. Returns true if it does. */
  readOn(): boolean;
}

export class IncomingBudget {
  readonly #all: IncomingOwner = { unfinished: 0, pending: 0 };
  readonly #holding = new Set<IncomingClient>();
  readonly #paused = new Set<IncomingClient>();
  readonly #share: number;
  readonly #total: number;

  /** `share`: bytes for one account, and for one address; `total`: for all. Of unfinished messages, and again of pending ones. */
  constructor({ share, total }: { readonly share: number; readonly total: number }) {
    this.#share = share;
    this.#total = total;
  }

  /** Bytes of all clients. */
  get bytes(): number {
    return this.#all.unfinished + this.#all.pending;
  }

  /** The client's unfinished message grew by `change` bytes. */
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

  #largest(isMeant: (client: IncomingClient) => boolean): IncomingClient | undefined {
    let found: IncomingClient | undefined;
    for (const client of this.#holding)
      if (isMeant(client) && client.unfinished > (found?.unfinished ?? 0)) found = client;
    return found;
  }

  /** A complete message of the client waits (`change` is positive), or was processed. */
  addPending(client: IncomingClient, change: number): void {
    this.#all.pending += change;
    for (const owner of client.owners) owner.pending += change;
    if (change > 0) return;
    for (const other of this.#paused) if (!this.isFull(other) && other.readOn()) this.#paused.delete(other);
  }

  /** True if so much waits that the client must not be read. */
  isFull(client: IncomingClient): boolean {
    return this.#all.pending > this.#total || client.owners.some((owner) => owner.pending > this.#share);
  }

  /** The client is not read until others are done. */
  pause(client: IncomingClient): void {
    this.#paused.add(client);
  }

  /** The client is gone, and holds nothing any more. */
  forget(client: IncomingClient): void {
    this.#paused.delete(client);
    this.#holding.delete(client);
  }
}
