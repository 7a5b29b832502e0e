// Keeps one room in sync: receives, sends, then repairs or compacts. It does not know
// what a body means; `RoomContent` does.
//
//   send      body ─► seal ─► ONE commit {outbox row, record} ─► insert ─► it comes back ─► commit {row removed}
//   receive   blobs ─► open ─► ONE commit {log entries, record with marks}
//   compact   the outbox row of a segment names the blobs it replaces; they are removed once the segment is confirmed
//
// After a kill anywhere, the next start finds either the commit or its cause, and
// repeats it; doing it twice changes nothing.
import type { SyncRoom } from '../../adapters/sync/sync-backend.ts';
import type { Problem } from '../../domain/base/errors.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { RoomCompactor } from './compact.ts';
import { RoomQuota } from './quota.ts';
import { RoomReceiver } from './receive.ts';
import { awaitsMove, freshRecord, isShared, type RoomRecord, type Transaction } from './records.ts';
import { RoomRepair } from './repair.ts';
import type { RoomContext } from './room-context.ts';
import { RoomSender } from './send.ts';

/**
 * The device that moved a document into its next epoch uploads it. If nothing has arrived after this time, another one
 * does, ms; the jitter keeps several from doing so at once.
 */
const MOVE_WAIT_MS = 60_000;
const MOVE_JITTER_MS = 20_000;

interface SyncedRoomDeps extends Omit<RoomContext, 'record'> {
  /** See `RoomReceiver`. */
  readonly onRolledBack: (transaction: Transaction) => void;
}

export class SyncedRoom {
  readonly document: string;
  readonly epoch: number;
  readonly room: SyncRoom;
  readonly #context: RoomContext;
  readonly #receiver: RoomReceiver;
  readonly #sender: RoomSender;
  readonly #repair: RoomRepair;
  readonly #compactor: RoomCompactor;
  readonly #quota: RoomQuota;
  readonly #changes = writable(0);
  #dirty = true;
  #lastActiveAt: number;
  #settled = false;
  #read = false;
  #complete = false;
  #mustCompare = false;
  #wasSynced = false;
  #overQuota = false;
  /** Clock time until which an empty room waits for the device that moved into it. */
  #uploadAt: number | null = null;

  constructor(deps: SyncedRoomDeps) {
    const { document, epoch, room, records, clock } = deps;
    const record = (): RoomRecord => records.rooms.get(document) ?? freshRecord(epoch);
    const context: RoomContext = { ...deps, record };
    this.document = document;
    this.epoch = epoch;
    this.room = room;
    this.#context = context;
    this.#receiver = new RoomReceiver(context, deps.onRolledBack);
    const isUnreadable = (name: string) => this.#receiver.isUnreadable(name);
    this.#sender = new RoomSender(context);
    this.#repair = new RoomRepair(context, isUnreadable);
    this.#compactor = new RoomCompactor(context, isUnreadable);
    this.#quota = new RoomQuota(context, () => this.#compactor.disable());
    this.#lastActiveAt = clock();
  }

  /** Clock time of the last event in it. */
  get lastActiveAt(): number {
    return this.#lastActiveAt;
  }

  /** Counts blobs that cannot be opened, and entries that are no blobs. */
  get unreadableCount(): number {
    return this.#receiver.unreadableCount + this.room.junk;
  }

  /** True if everything in the room was received. */
  get isRead(): boolean {
    return this.#read && this.room.state === 'synced';
  }

  /** True if no body waits for other parts. */
  get isComplete(): boolean {
    return this.#complete && this.room.state === 'synced';
  }

  /** True if, also, everything of this device is confirmed, and the room was compared with this device's knowledge. */
  get isSettled(): boolean {
    return this.#settled && !this.#dirty;
  }

  /** True while the relay lacks a part of it that is not restored yet. */
  get isRepairing(): boolean {
    return this.#repair.isRepairing;
  }

  /** Problem of a row for which the relay had no space; smaller rows go on. */
  get quotaProblem(): Problem | null {
    return this.#sender.quotaProblem;
  }

  /** True if everything was sent that the full room has space for. */
  get isDeferred(): boolean {
    return this.#sender.isDeferred;
  }

  /** True if the room is too full even to compact; the document moves to the next epoch, where it takes less space. */
  get isOverQuota(): boolean {
    return this.#overQuota;
  }

  /** Ends the pause of a lost connection, and also sends deferred rows. `force`: see `SyncRoom`. */
  retry(force?: boolean): void {
    if (this.#sender.retryOverQuota()) this.#dirty = true;
    this.room.retry(force);
  }

  /** Grows with each change that the room reports. */
  get changes(): Readable<number> {
    return this.#changes;
  }

  /** The room reported a change: the next round handles it. */
  noteChange(): void {
    this.markDirty();
    this.#changes.update((count) => count + 1);
  }

  /** Makes the next round handle the room. */
  markDirty(): void {
    this.#dirty = true;
  }

  /** Makes the next round compare the room's content with the document. */
  compare(): void {
    this.#mustCompare = true;
    this.#dirty = true;
  }

  /** One round: receives, sends, then repairs or compacts. True if it did something. */
  async sync(signal: AbortSignal): Promise<boolean> {
    if (this.room.state !== 'synced') {
      this.#disconnected();
      return false;
    }
    this.#wasSynced = true;
    const wasDirty = this.#dirty;
    this.#dirty = false;
    try {
      return await this.#round(wasDirty, signal);
    } catch (error) {
      // The round committed nothing, so the next one does all of it.
      this.#dirty = true;
      this.#receiver.restart();
      throw error;
    }
  }

  #disconnected(): void {
    const { state, problem } = this.room;
    if (state === 'refused' && problem?.code === 'sync-quota') this.#sender.refusedOverQuota(problem);
    this.#receiver.disconnected(this.#wasSynced);
    this.#repair.disconnected();
    this.#compactor.disconnected();
    this.#wasSynced = false;
    this.#forgetReading();
  }

  #forgetReading(): void {
    this.#settled = false;
    this.#read = false;
    this.#complete = false;
  }

  async #round(wasDirty: boolean, signal: AbortSignal): Promise<boolean> {
    const { record, clock } = this.#context;
    const blobCount = this.room.blobs().size;
    const received = await this.#receiver.receive(signal);
    if (!received) {
      // Unopened blobs may hold a person's words: until they are read the room is neither left nor repaired.
      this.#dirty = true;
      this.#forgetReading();
      return true;
    }
    const { did, complete } = received;
    this.#read = true;
    this.#complete = complete;
    const isFull = this.#sender.quotaProblem !== null;
    if (isFull) await this.#quota.withdraw();
    const mustMove =
      complete &&
      isShared(record()) &&
      this.document !== INDEX_ROOM &&
      (await this.#quota.isOverQuota(isFull));
    // Send what still fits into the old room first: devices that follow late read it there.
    this.#overQuota = mustMove && (isFull || this.#sender.rows().size === 0);
    if (this.#overQuota) return did;
    const sent = await this.#sender.send(signal);
    if (did || sent || wasDirty) this.#lastActiveAt = clock();
    signal.throwIfAborted();
    const isBusy = this.room.state !== 'synced' || !complete || this.#sender.rows().size > 0 || mustMove;
    if (isBusy || this.#isAwaitingMover()) {
      this.#settled = false;
      return did || sent;
    }
    const maintained = await this.#maintain();
    this.#settled = !this.isRepairing && !maintained;
    return did || sent || maintained || this.room.blobs().size !== blobCount;
  }

  /** Compares, replaces, repairs or compacts the room, whichever is due first. True if it did. */
  async #maintain(): Promise<boolean> {
    const record = this.#context.record();
    if (!isShared(record)) return false;
    if (record.compare || this.#mustCompare) {
      await this.#repair.compare();
      this.#mustCompare = false;
      return true;
    }
    if (record.squash) return await this.#repair.replaceAll();
    return (await this.#repair.repair()) || (await this.#compactor.compact());
  }

  /**
   * Another device moved the document here and has not uploaded it yet. A second
   * copy of a large document might not fit.
   */
  #isAwaitingMover(): boolean {
    const { record, clock, wakeWithin } = this.#context;
    if (!isShared(record()) || this.document === INDEX_ROOM) return false;
    if (!awaitsMove(record()) || this.room.blobs().size > 0) {
      this.#uploadAt = null;
      return false;
    }
    this.#uploadAt ??= clock() + MOVE_WAIT_MS + Math.random() * MOVE_JITTER_MS;
    if (clock() >= this.#uploadAt) return false;
    wakeWithin(this.#uploadAt - clock() + 1);
    return true;
  }
}
