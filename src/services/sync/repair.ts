// Repairs a room: restores what the relay lost, compares the room with the document, and replaces all of
// it by one snapshot. Replaces only blobs that were opened, applied and committed, and removes them only
// once their replacement is confirmed.
import { covers, EMPTY_COVERAGE } from '../../domain/sync/coverage.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { newTransaction, type RoomRecord } from './records.ts';
import { heldCoverage, openApplied, type RoomContext, readBody } from './room-context.ts';

/** All devices notice a loss at once: the jitter lets one of them repair it first. */
const REPAIR_JITTER_MS = 2_000;

export class RoomRepair {
  readonly #context: RoomContext;
  readonly #isUnreadable: (name: string) => boolean;
  /** The last complete state: the same state is not checked again. */
  #intact: { blobs: ReadonlyMap<string, Uint8Array>; record: RoomRecord } | undefined;
  #repairAt: number | null = null;

  constructor(context: RoomContext, isUnreadable: (name: string) => boolean) {
    this.#context = context;
    this.#isUnreadable = isUnreadable;
  }

  /** True while a loss waits to be repaired. */
  get isRepairing(): boolean {
    return this.#repairAt !== null;
  }

  /** Forgets the state of a connection that ended. */
  disconnected(): void {
    this.#intact = undefined;
  }

  /** Restores what this device knows to have been on the relay and the relay lost or withholds. True if it did. */
  async repair(): Promise<boolean> {
    const { room, record: current, clock, onLoss, wakeWithin } = this.#context;
    const [blobs, record] = [room.blobs(), current()];
    if (blobs === this.#intact?.blobs && record === this.#intact.record) return false;
    if (covers(heldCoverage(this.#context), record.have)) {
      this.#intact = { blobs, record };
      // Another device was quicker. Only this device may have the rest of what the relay lost.
      if (this.#repairAt !== null) onLoss();
      this.#repairAt = null;
      return false;
    }
    // Others may have compacted it: wait until everything that arrived is read.
    if ([...blobs.keys()].some((name) => !record.marks[name] && !this.#isUnreadable(name))) return false;
    this.#repairAt ??= clock() + Math.random() * REPAIR_JITTER_MS;
    if (clock() < this.#repairAt) {
      wakeWithin(this.#repairAt - clock() + 1);
      return false;
    }
    this.#repairAt = null;
    if (!(await this.#queueSnapshot('healed', []))) return false;
    onLoss();
    return true;
  }

  /** Reads every body in the room, and queues what only this device has. */
  async compare(): Promise<void> {
    const { content, document, record: current, records, sealInto, onCoverageGrown } = this.#context;
    const bodies = await this.#applyAgain();
    const transaction = newTransaction();
    const record = current();
    // A blob covers only its own content, not what it leaves out because other blobs have it: those may be lost.
    const lacks = !covers(heldCoverage(this.#context), record.have);
    const there = bodies.length > 0 ? content.merge(bodies) : null;
    const body = lacks ? await content.snapshot() : await content.diff(there);
    // Others replace the room for messages that they forgot, which a rebuilt room never had.
    const forgotten = record.seq === 0 && there ? content.forgottenCount(there) : 0;
    const next = body
      ? await sealInto(transaction, {
          document,
          record,
          body,
          kind: lacks ? 'snapshot' : 'delta',
          holds: lacks ? record.have : EMPTY_COVERAGE,
          changes: 1,
          content,
        })
      : record;
    records.putRoom(transaction, document, {
      ...next,
      compare: false,
      whole: false,
      forgotten: Math.max(record.forgotten, forgotten),
    });
    if (body) transaction.after.push(onCoverageGrown);
    await records.commit(transaction);
  }

  /** Replaces everything that was applied by one snapshot without forgotten messages. True if it did. */
  async replaceAll(): Promise<boolean> {
    const { marks } = this.#context.record();
    const replaces = [...this.#context.room.blobs().keys()].filter((name) => marks[name]);
    // The snapshot must contain everything that they have.
    await this.#applyAgain();
    return await this.#queueSnapshot('folded', replaces);
  }

  async #queueSnapshot(what: 'healed' | 'folded', replaces: readonly string[]): Promise<boolean> {
    const { content, document, record: current, records, sealInto, onCoverageGrown } = this.#context;
    const body = await content.snapshot();
    if (!body) return false;
    const transaction = newTransaction();
    const record = current();
    const next = await sealInto(transaction, {
      document,
      record,
      body,
      kind: 'snapshot',
      holds: record.have,
      replaces,
      changes: 0,
      content,
    });
    const squash = replaces.length > 0 ? false : record.squash;
    records.putRoom(transaction, document, { ...next, whole: false, squash });
    transaction.after.push(onCoverageGrown);
    await records.commit(transaction);
    records.addToJournal({
      kind: 'note',
      what,
      document: document === INDEX_ROOM ? null : document,
      device: null,
      count: 1,
      bytes: body.length,
    });
    return true;
  }

  /** Applies every body in the room again, since the disk may have lost some. Returns the bodies. */
  async #applyAgain(): Promise<Uint8Array[]> {
    const { content, records } = this.#context;
    const bodies: Uint8Array[] = [];
    for (const parts of await openApplied(this.#context)) {
      const body = await readBody(this.#context, parts);
      if (body) bodies.push(body);
    }
    const transaction = newTransaction();
    // Don't bring back a document that was erased here meanwhile.
    if (bodies.length > 0 && (await content.snapshot()))
      await content.apply(transaction, [], [content.merge(bodies)]);
    await records.commit(transaction);
    return bodies;
  }
}
