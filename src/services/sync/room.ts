// One room, kept in sync: receives, sends, then repairs or compacts. It does not know what a body means; `RoomContent` does.
//
//   send      body ─► seal ─► ONE commit {outbox row, record} ─► insert ─► the relay gives it back ─► commit {row removed}
//   receive   blobs ─► open ─► ONE commit {log entries, record with marks}
//   compact   the outbox row of a segment names the blobs it replaces; they are taken out when the segment is confirmed, never before
//
// Killed anywhere, the next start finds either the commit or its cause, and does it (again); doing it twice changes nothing.
import type { SyncRoom } from '../../adapters/sync/sync-backend.ts';
import type { Problem } from '../../domain/base/errors.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { RoomCompactor } from './compact.ts';
import { RoomQuota } from './quota.ts';
import { RoomReceiver } from './receive.ts';
import { awaitsMove, freshRecord, isShared, type RoomRecord, type Transaction } from './records.ts';
import { RoomRepair } from './repair.ts';
import type { RoomContext } from './room-context.ts';
import { RoomSender } from './send.ts';

/**
 * The device that moved a document into its next epoch uploads it. Another one does where nothing has arrived after this long, ms; the
 * jitter keeps them from doing so at once.
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
  #dirty = true;
  #lastActiveAt: number;
  #settled = false;
  #read = false;
  #complete = false;
  #mustCompare = false;
  #wasSynced = false;
  #overQuota = false;
  /** Until when an empty room waits for the device that moved into it, by the clock. */
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

  /** When something last happened in it, by the clock. */
  get lastActiveAt(): number {
    return this.#lastActiveAt;
  }

  /** Counts blobs that cannot be opened, and entries that are no blobs. */
  get unreadableCount(): number {
    return this.#receiver.unreadableCount + this.room.junk;
  }

  /** Everything in the room was received. */
  get isRead(): boolean {
    return this.#read && this.room.state === 'synced';
  }

  /** None of it waits for its other parts. */
  get isComplete(): boolean {
    return this.#complete && this.room.state === 'synced';
  }

  /** Besides, everything of this device is confirmed, and the room was compared with what this device knows of it. */
  get isSettled(): boolean {
    return this.#settled && !this.#dirty;
  }

  /** The relay lacks something of it, which is not there again yet. */
  get isRepairing(): boolean {
    return this.#repair.isRepairing;
  }

  /** The relay had no space for something that is to be sent; smaller rows go on. */
  get quotaProblem(): Problem | null {
    return this.#sender.quotaProblem;
  }

  /** Everything that the full room has space for was sent. */
  get isDeferred(): boolean {
    return this.#sender.isDeferred;
  }

  /** The room is too full even to compact: the document is to move to the next epoch, where it takes less space. */
  get isOverQuota(): boolean {
    return this.#overQuota;
  }

  /** Ends the pause of a lost connection, and sends also what the relay had no space for. `force`: see `SyncRoom`. */
  retry(force?: boolean): void {
    if (this.#sender.retryOverQuota()) this.#dirty = true;
    this.room.retry(force);
  }

  /** Has the next round look at the room. */
  markDirty(): void {
    this.#dirty = true;
  }

  /** Has the next round compare the room's content with the document. */
  compare(): void {
    this.#mustCompare = true;
    this.#dirty = true;
  }

  /** One round: receives, sends, then repairs or compacts. True where it did something. */
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
      // Nothing was committed, so everything is still to be done.
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
      // Unopened blobs may be somebody's words: until they are read the room is neither left nor repaired.
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

  /** Compares, replaces, repairs or compacts the room, whichever is due first. True where it did. */
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

  /** Another device moved the document here and is still to upload it. A second copy of a large document might not fit. */
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
