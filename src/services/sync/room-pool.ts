// Decides which rooms are open: always the index; of the others those with something to send or fetch,
// those on a screen, and a few that were just used. Checks from time to time; on request, or after a
// loss on the relay, it checks every room.

import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { DocumentId } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import type { CompactionPolicy } from '../../domain/sync/compaction.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { findIndex } from './account.ts';
import { freshRecord, isShared, newTransaction, type Transaction } from './records.ts';
import { SyncedRoom } from './room.ts';
import type { SessionContext } from './session-context.ts';

export interface RoomPool {
  readonly index: SyncedRoom | undefined;
  /** The index first. */
  all(): SyncedRoom[];
  /** Every open room but the index. */
  documents(): SyncedRoom[];
  has(link: SyncedRoom): boolean;
  markDirty(document: string): void;
  close(document: string): void;
  closeIndex(): void;
  closeAll(): void;
  /** Opens wanted rooms and closes the others. */
  openWanted(): Promise<void>;
  /** True if a wanted room is not open yet: another round is due. */
  readonly hasUnopened: boolean;
  /**
   * Requests a check at the beginning of the next round, since rooms must not vanish in the
   * middle of one. `force`: of every room.
   */
  requestCheck(force: boolean): void;
  /** Runs a check that was requested or is due. */
  runCheck(): Promise<void>;
  /** True if a check is under way that has not covered all rooms (or this document) yet. */
  isChecking(document?: string): boolean;
  /** A room under check was read, as far as the relay allows it. */
  markChecked(document: string): void;
  /** Ends the pauses of rooms that are not connected. */
  retry(): void;
}

/** Most rooms open at once while there is much to do; most that stay open afterwards. */
const MAX_OPEN_ROOMS = 24;
const MAX_WARM_ROOMS = 8;
const WARM_MS = 120_000;

type PooledRoomsDependencies = SessionContext & {
  readonly deflate: Deflate;
  readonly compaction?: CompactionPolicy | undefined;
  readonly checkEveryMs: () => number;
  readonly onScreen: () => Iterable<string>;
};

/** Makes the pool: at most 24 rooms are open at once, and 8 stay open for two minutes after their last use. */
export function createRoomPool(deps: PooledRoomsDependencies): RoomPool {
  return new PooledRooms(deps);
}

class PooledRooms implements RoomPool {
  readonly #deps: PooledRoomsDependencies;
  readonly #links = new Map<string, SyncedRoom>();
  #index: SyncedRoom | undefined;
  /** Rooms to be opened and compared whatever the index says. */
  readonly #toCheck = new Set<string>();
  /**
   * The index was read once: own blobs that arrive later are from another copy of this
   * device, which announces its own changes.
   */
  #indexWasRead = false;
  /** The relay has lost something. */
  #lossSeen = false;
  /** A check was requested (true: of everything). */
  #requested: boolean | null = null;
  #nextCheckAt: number;
  #isProbing = false;
  #moveTo: number | null = null;

  constructor(deps: PooledRoomsDependencies) {
    this.#deps = deps;
    this.#nextCheckAt = deps.clock() + deps.checkEveryMs();
    this.#probeIndex();
  }

  readonly markDirty: RoomPool['markDirty'] = (document) => this.#links.get(document)?.markDirty();

  readonly requestCheck: RoomPool['requestCheck'] = (force) => {
    this.#requested = force || this.#requested === true;
  };

  readonly retry: RoomPool['retry'] = () => {
    for (const link of [this.#index, ...this.#links.values()]) link?.retry(true);
  };

  get index() {
    return this.#index;
  }

  all(): SyncedRoom[] {
    return [...(this.#index ? [this.#index] : []), ...this.#links.values()];
  }

  documents(): SyncedRoom[] {
    return [...this.#links.values()];
  }

  has(link: SyncedRoom): boolean {
    return this.#links.get(link.document) === link;
  }

  close(document: string): void {
    this.#links.get(document)?.room.close();
    this.#links.delete(document);
  }

  closeIndex(): void {
    this.#index?.room.close();
    this.#index = undefined;
  }

  closeAll(): void {
    this.#index?.room.close();
    for (const document of [...this.#links.keys()]) this.close(document);
  }

  async openWanted(): Promise<void> {
    if (!this.#index) this.#index = await this.#open(INDEX_ROOM);
    if (this.#index.room.state === 'refused') {
      for (const document of [...this.#links.keys()]) this.close(document);
      return;
    }
    for (const document of [...this.#toCheck]) {
      const record = this.#deps.records.rooms.get(document);
      // The document has no room to check (any more).
      if (!record || !isShared(record)) this.#toCheck.delete(document);
    }
    const wanted = new Set(this.#wantedRooms());
    for (const document of [...this.#links.keys()]) if (!wanted.has(document)) this.close(document);
    if (!this.#index.isRead) return;
    this.#indexWasRead = true;
    for (const document of wanted) {
      const link = this.#links.get(document);
      const record = this.#deps.records.rooms.get(document);
      if (link && link.epoch !== (record?.epoch ?? this.#deps.accountState.currentEpoch(document)))
        this.close(document);
      if (this.#links.has(document)) continue;
      // The document was here before it was ever fetched, so this version goes to the others, too.
      if (!record && (await this.#deps.log.read(document as DocumentId)).length > 0) {
        const transaction = newTransaction();
        this.#deps.records.putRoom(transaction, document, {
          ...freshRecord(this.#deps.accountState.currentEpoch(document)),
          compare: true,
        });
        await this.#deps.records.commit(transaction);
      }
      this.#links.set(document, await this.#open(document));
    }
  }

  get hasUnopened() {
    return (
      (this.#index?.isRead ?? false) && this.#wantedRooms().some((document) => !this.#links.has(document))
    );
  }

  async runCheck(): Promise<void> {
    if (this.#requested !== null || this.#lossSeen || this.#deps.clock() >= this.#nextCheckAt)
      this.#check(this.#lossSeen || this.#requested === true, this.#requested !== null);
    [this.#lossSeen, this.#requested] = [false, null];
    this.#deps.wakeWithin(Math.max(1, this.#nextCheckAt - this.#deps.clock()));
    if (this.#moveTo === null) return;
    const transaction = newTransaction();
    this.#deps.accountState.putIndexEpoch(transaction, this.#moveTo);
    await this.#deps.records.commit(transaction);
    this.#moveTo = null;
  }

  isChecking(document?: string): boolean {
    return (
      this.#requested === true ||
      this.#lossSeen ||
      (document === undefined
        ? this.#requested !== null || this.#toCheck.size > 0
        : this.#toCheck.has(document))
    );
  }

  markChecked(document: string): void {
    this.#toCheck.delete(document);
  }

  /**
   * Compares every document after this store was restored: an announcement before that could replace newer ones of this
   * very device. Two copies of a device that run in turns read all rooms at each start.
   */
  #compareAll(transaction: Transaction): void {
    for (const [document, record] of this.#deps.records.rooms)
      if (document !== INDEX_ROOM && isShared(record))
        this.#deps.records.putRoom(transaction, document, { ...record, compare: true });
  }

  async #open(document: string): Promise<SyncedRoom> {
    const epoch =
      this.#deps.records.rooms.get(document)?.epoch ??
      (document === INDEX_ROOM
        ? this.#deps.account.indexEpoch
        : this.#deps.accountState.currentEpoch(document));
    const keys = await this.#deps.keysOf(document, epoch);
    this.#deps.signal.throwIfAborted();
    let link: SyncedRoom | undefined;
    const room = this.#deps.backend.open(this.#deps.relay, keys.roomId, () => {
      link?.noteChange();
      this.#deps.wake();
    });
    link = new SyncedRoom({
      document,
      epoch,
      keys,
      room,
      content: document === INDEX_ROOM ? this.#deps.accountState.content : this.#deps.contents.of(document),
      records: this.#deps.records,
      device: this.#deps.account.device,
      deflate: this.#deps.deflate,
      sealInto: this.#deps.sealInto,
      compaction: this.#deps.compaction,
      clock: this.#deps.clock,
      // An index with a loss: the relay runs on an older copy of its disk, and rooms may have lost something too.
      onLoss: () => {
        if (document === INDEX_ROOM) this.#lossSeen = true;
      },
      onCoverageGrown: () => this.#deps.accountState.queueAnnouncement(document),
      onRolledBack: (transaction) => {
        if (document === INDEX_ROOM && !this.#indexWasRead) this.#compareAll(transaction);
      },
      wakeWithin: this.#deps.wakeWithin,
    });
    if (this.#toCheck.has(document)) link.compare();
    return link;
  }

  #wantedRooms(): string[] {
    const wanted = new Map<string, number>();
    const want = (document: string, weight: number) => {
      if (document === INDEX_ROOM) return;
      const record = this.#deps.records.rooms.get(document);
      if (record && record.gone !== null) return;
      wanted.set(document, Math.max(weight, wanted.get(document) ?? 0));
    };
    for (const document of this.#deps.records.outbox.keys())
      want(document, this.#deps.accountState.isDeferred(document) ? 1 : 3);
    for (const document of this.#toCheck) want(document, 1);
    for (const [document, record] of this.#deps.records.rooms) {
      if (record.localOnly === null && (record.compare || record.squash)) want(document, 2);
    }
    for (const document of this.#deps.onScreen())
      if (this.#deps.records.rooms.get(document)?.localOnly === null) want(document, 4);
    for (const document of this.#deps.accountState.toFetch()) want(document, 2);
    let warm = 0;
    for (const link of [...this.#links.values()].sort((a, b) => b.lastActiveAt - a.lastActiveAt))
      if (this.#deps.clock() - link.lastActiveAt < WARM_MS && warm < MAX_WARM_ROOMS) {
        want(link.document, 1);
        warm += 1;
      }
    return [...wanted]
      .sort(([a, x], [b, y]) => y - x || (a < b ? 1 : -1))
      .slice(0, MAX_OPEN_ROOMS)
      .map(([document]) => document);
  }

  /**
   * The others may have left the index for a later epoch, and the announcement of that may have been deleted since: so
   * from time to time this looks there, as far as a new device would look.
   */
  #probeIndex(): void {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const from = (this.#deps.records.rooms.get(INDEX_ROOM)?.epoch ?? this.#deps.account.indexEpoch) + 1;
    const probed = findIndex(
      { backend: this.#deps.backend, keysOf: this.#deps.keysOf, deflate: this.#deps.deflate },
      this.#deps.relay,
      this.#deps.signal,
      from,
    )
      .then((found) => {
        if (found) this.#moveTo = found.epoch;
      })
      .finally(() => {
        this.#isProbing = false;
        this.#deps.wake();
      });
    ignore(probed, 'looking for a newer index room; the next look tries again');
  }

  #check(force: boolean, anew: boolean): void {
    this.#nextCheckAt = this.#deps.clock() + this.#deps.checkEveryMs();
    this.#deps.accountState.retryLacking();
    for (const link of [this.#index, ...this.#links.values()]) link?.retry(anew);
    for (const [document, record] of this.#deps.records.rooms) {
      if (document === INDEX_ROOM || !isShared(record)) continue;
      if (!force && !this.#deps.accountState.othersLack(document)) continue;
      this.#toCheck.add(document);
      // Through a new connection: the present one may show own blobs that the relay does not give to others.
      this.close(document);
    }
    if (force) {
      this.#index?.room.close();
      this.#index = undefined;
    }
    this.#index?.markDirty();
    this.#probeIndex();
  }
}
