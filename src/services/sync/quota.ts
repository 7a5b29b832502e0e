// Handles a room for which the relay has no space left: withdraws redundant rows, and decides when
// the document moves to its next epoch.
import { MAX_COMPACT_BYTES } from '../../domain/sync/compaction.ts';
import { covers, EMPTY_COVERAGE, union, withRange } from '../../domain/sync/coverage.ts';
import { newTransaction, replacesWithSnapshot } from './records.ts';
import { heldCoverage, type RoomContext } from './room-context.ts';

/** All devices notice a full room at once: the jitter lets one of them move it first. */
const MOVE_JITTER_MS = 2_000;
/** A full room is left if a new one would be smaller by this factor. */
const MIN_SHRINK_RATIO = 1.25;
/** A full room is measured again once it has grown by this factor. */
const MIN_GROWTH_RATIO = 1.1;
/** Rows up to this size do not matter in any room, bytes. */
const SMALL_BYTES = 1024;

export class RoomQuota {
  readonly #context: RoomContext;
  readonly #onCompactionWithdrawn: () => void;
  /** Size of the full room at the last measurement, bytes. */
  #weighedBytes = 0;
  #moveAt: number | null = null;

  constructor(context: RoomContext, onCompactionWithdrawn: () => void) {
    this.#context = context;
    this.#onCompactionWithdrawn = onCompactionWithdrawn;
  }

  /**
   * Withdraws redundant rows: compactions, and repairs that another device has made since. Removes their parts from the
   * room and uses up their numbers with a tiny row.
   */
  async withdraw(): Promise<void> {
    const { content, device, document, record, records, sealInto } = this.#context;
    const transaction = newTransaction();
    const replaces: string[] = [];
    let holds = EMPTY_COVERAGE;
    let squash = false;
    let withdrewCompaction = false;
    for (const [number, row] of records.outbox.get(document) ?? []) {
      if (row.changes > 0 || row.bytes <= SMALL_BYTES) continue;
      const numbers = withRange(holds, device, number, number + row.blobs.length - 1);
      const isCompaction = row.replaces.length > 0;
      if (!isCompaction && !covers(union(heldCoverage(this.#context), numbers), record().have)) continue;
      records.putOutboxRow(transaction, document, number, undefined);
      replaces.push(...row.keys);
      holds = numbers;
      withdrewCompaction ||= isCompaction;
      squash ||= replacesWithSnapshot(row);
    }
    if (replaces.length === 0) return;
    if (withdrewCompaction) this.#onCompactionWithdrawn();
    const next = await sealInto(transaction, {
      document,
      record: record(),
      body: content.merge([]),
      kind: 'delta',
      holds,
      replaces,
      changes: 0,
      content,
    });
    records.putRoom(transaction, document, { ...next, squash: next.squash || squash });
    await records.commit(transaction);
  }

  /**
   * True if the room is too full even to compact; the document moves to the next epoch. `isFull`: the relay said so.
   */
  async isOverQuota(isFull: boolean): Promise<boolean> {
    const { clock, content, deflate, record, wakeWithin } = this.#context;
    const bytes = this.#bytesWithOutbox(isFull);
    if (record().squash && (isFull || bytes > MAX_COMPACT_BYTES)) return true;
    if (!isFull) {
      this.#weighedBytes = 0;
      this.#moveAt = null;
      return false;
    }
    if (this.#moveAt === null) {
      if (bytes < this.#weighedBytes * MIN_GROWTH_RATIO) return false;
      this.#weighedBytes = bytes;
      const body = await content.snapshot();
      if (!body || (await deflate.deflate(body)).length * MIN_SHRINK_RATIO > bytes) return false;
      this.#moveAt = clock() + Math.random() * MOVE_JITTER_MS;
    }
    if (clock() >= this.#moveAt) return true;
    wakeWithin(this.#moveAt - clock() + 1);
    return false;
  }

  /** Size of the room, bytes; for a full one including what waits for it. */
  #bytesWithOutbox(isFull: boolean): number {
    const { document, records, room } = this.#context;
    const blobs = room.blobs();
    let bytes = 0;
    for (const blob of blobs.values()) bytes += blob.length;
    if (!isFull) return bytes;
    for (const row of records.outbox.get(document)?.values() ?? [])
      if (row.changes > 0)
        row.keys.forEach((name, at) => {
          if (!blobs.has(name)) bytes += row.blobs[at]?.length ?? 0;
        });
    return bytes;
  }
}
