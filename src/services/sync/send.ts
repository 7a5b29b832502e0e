// Sends the outbox rows of a room to the relay, and removes each row once the relay has given all of its blobs back.
import type { Problem } from '../../domain/base/errors.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { newTransaction, type OutboxRow } from './records.ts';
import type { RoomContext } from './room-context.ts';

/** Most bytes on their way to the relay: on a slow connection few enough for an answer every few seconds. */
const MAX_IN_FLIGHT_BYTES = 512 * 1024;

export class RoomSender {
  readonly #context: RoomContext;
  /** The relay had no space for a row of this size: rows as large wait for a retry. */
  #full: { readonly problem: Problem; readonly bytes: number } | null = null;
  /** Size of the largest row on its way, bytes. */
  #largestInFlight = 0;

  constructor(context: RoomContext) {
    this.#context = context;
  }

  /** Problem of a row for which the relay had no space; smaller rows go on. */
  get quotaProblem(): Problem | null {
    return this.#full?.problem ?? null;
  }

  /** True if everything was sent that the full room has space for. */
  get isDeferred(): boolean {
    const limit = this.#full?.bytes;
    return limit !== undefined && [...this.rows().values()].every((row) => row.bytes >= limit);
  }

  rows(): ReadonlyMap<number, OutboxRow> {
    return this.#context.records.outbox.get(this.#context.document) ?? new Map();
  }

  /** Sends deferred rows again. True if there were any. */
  retryOverQuota(): boolean {
    if (!this.#full) return false;
    this.#full = null;
    this.#largestInFlight = 0;
    return true;
  }

  /**
   * The relay closed the connection for want of space. Connects again: smaller rows may
   * fit, and others' changes still arrive.
   */
  refusedOverQuota(problem: Problem): void {
    const bytes = this.#largestInFlight;
    if (bytes === 0 || (this.#full && bytes >= this.#full.bytes)) return;
    this.#full = { problem, bytes };
    this.#largestInFlight = 0;
    this.#context.room.retry();
  }

  /** Removes confirmed rows and sends the next ones. True if a row was removed. */
  async send(signal: AbortSignal): Promise<boolean> {
    const { room } = this.#context;
    const { confirmed, blobs, retracted } = this.#selectRows();
    if (confirmed.length > 0) await this.#removeConfirmed(confirmed, signal);
    if (this.rows().size === 0) this.#full = null;
    if (blobs.length + retracted.length > 0) room.insert(blobs, retracted);
    return confirmed.length > 0;
  }

  #selectRows(): {
    confirmed: (readonly [number, OutboxRow])[];
    blobs: Uint8Array[];
    /** Blobs to remove from the room: parts of a row that does not fit would keep out one that does. */
    retracted: string[];
  } {
    const { room, epoch } = this.#context;
    const there = room.blobs();
    const confirmed: (readonly [number, OutboxRow])[] = [];
    const blobs: Uint8Array[] = [];
    const retracted: string[] = [];
    let inFlight = 0;
    this.#largestInFlight = 0;
    const rows = [...this.rows()];
    // In a full room the smallest row goes first, and alone: a relay accepts all of a message or nothing.
    if (this.#full) rows.sort(([, a], [, b]) => a.bytes - b.bytes);
    for (const [number, row] of rows) {
      if (row.epoch !== epoch || row.keys.every((name) => room.isConfirmed(name))) {
        confirmed.push([number, row]);
        continue;
      }
      if (this.#full && row.bytes >= this.#full.bytes) {
        retracted.push(...row.keys.filter((name) => there.has(name)));
        continue;
      }
      if (this.#full && inFlight > 0) continue;
      this.#largestInFlight = Math.max(this.#largestInFlight, row.bytes);
      row.keys.forEach((name, at) => {
        const blob = row.blobs[at];
        if (!blob || room.isConfirmed(name)) return;
        if (!there.has(name)) {
          if (inFlight > 0 && inFlight + blob.length > MAX_IN_FLIGHT_BYTES) return;
          blobs.push(blob);
        }
        inFlight += blob.length;
      });
    }
    return { confirmed, blobs, retracted };
  }

  async #removeConfirmed(
    confirmed: readonly (readonly [number, OutboxRow])[],
    signal: AbortSignal,
  ): Promise<void> {
    const { room, epoch, records, document } = this.#context;
    const there = room.blobs();
    const replaced = confirmed
      .flatMap(([, row]) => (row.epoch === epoch ? row.replaces : []))
      .filter((name) => there.has(name));
    if (replaced.length > 0) room.remove(replaced);
    const transaction = newTransaction();
    for (const [number] of confirmed) records.putOutboxRow(transaction, document, number, undefined);
    await records.commit(transaction);
    signal.throwIfAborted();
    const changes = confirmed.reduce((sum, [, row]) => sum + row.changes, 0);
    if (changes > 0 && document !== INDEX_ROOM)
      records.addToJournal({
        kind: 'upload',
        what: 'changes',
        document,
        device: null,
        count: changes,
        bytes: confirmed.reduce((sum, [, row]) => sum + row.bytes, 0),
      });
  }
}
