// Ends and moves documents: erased here and so everywhere, erased elsewhere and so here, kept in the trash after
// writing meanwhile, moved to the next epoch of their room. Deleting wins; content that lost stays on its own device.
import { toProblem } from '../../domain/base/errors.ts';
import { type DocumentId, isConversation, LIBRARY_DOCUMENT, newEntryId } from '../../domain/base/ids.ts';
import { epochKey, type Tombstone, tombstoneKey } from '../../domain/sync/account-state.ts';
import { versionOf, versionVector } from '../../domain/sync/coverage.ts';
import { readHlc } from '../../domain/sync/hlc.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { trashUpdateOf, type WholeDocument } from '../documents/shared.ts';
import { freshRecord, isShared, newTransaction, type RoomRecord, type Transaction } from './records.ts';
import type { RoomPool } from './room-pool.ts';
import type { SessionContext } from './session-context.ts';

interface Tombstones {
  /** A change in the log named these documents. */
  markChanged(documents: readonly string[]): void;
  /** The log was read up to a change of this document. */
  markRead(document: string): void;
  /** Documents named by changes and not handled yet. */
  readonly unread: ReadonlySet<string>;
  /** Finds documents that left the log: they were erased here, and are erased everywhere. */
  detectErased(): Promise<boolean>;
  /** Erases for good, here and everywhere. */
  eraseEverywhere(documents: readonly string[]): Promise<void>;
  /** Adds to the transaction that a document erased elsewhere, with new writing here, stays in the trash. */
  keepInTrash(transaction: Transaction, document: string): Promise<void>;
  /** True if parts of an erased document are kept on this device. */
  isInTrash(document: string): boolean;
  /**
   * Handles a write to a tombstoned document. If it is whole again, it lives on in a new room. A mere fragment, from a
   * tab that still had it open, is erased too if it was erased here, and goes to the trash if it was erased elsewhere.
   */
  handleTombstonedWrite(transaction: Transaction, document: string, here: WholeDocument): Promise<void>;
  /** Does what the account state asks for: erasures, moves, restorations. */
  applyAccountState(): Promise<boolean>;
  /**
   * Moves documents out of rooms with too much that cannot be opened, or without space to compact, into the next epoch.
   */
  moveDamagedRooms(): Promise<boolean>;
  /** Carries out erasures on the relay; `uploaded`: everything of this device is there. */
  eraseOnRelay(uploaded: () => boolean): Promise<void>;
}

/** Most unreadable entries in a room before it is rebuilt in the next epoch. */
const UNREADABLE_LIMIT = 64;
/** Delay before a relay that does not answer is asked again to erase, ms. */
const ERASE_RETRY_MS = 30_000;

/**
 * Makes the keeper of tombstones for a session with the relay. Its methods that take a
 * transaction only add to it; the caller commits.
 */
export function createTombstones(deps: SessionContext & { readonly rooms: RoomPool }): Tombstones {
  return new TombstoneKeeper(deps);
}

class TombstoneKeeper implements Tombstones {
  readonly #deps: SessionContext & { readonly rooms: RoomPool };
  readonly #localOnlyReason;
  readonly #device: string;
  /** Documents named by a change in the log and not handled since. */
  readonly unread = new Set<string>();
  readonly #trash = new Set<string>();
  /** The log was searched once. */
  #hasRun = false;

  constructor(deps: SessionContext & { readonly rooms: RoomPool }) {
    this.#deps = deps;
    const {
      contents: { localOnlyReason },
    } = deps;
    this.#localOnlyReason = localOnlyReason;
    const { device } = deps.account;
    this.#device = device;
  }

  readonly markChanged: Tombstones['markChanged'] = (documents) => {
    for (const document of documents) if (document !== LIBRARY_DOCUMENT) this.unread.add(document);
  };

  readonly keepInTrash: Tombstones['keepInTrash'] = async (
    transaction: Transaction,
    document: string,
  ): Promise<void> => {
    const gone = this.#deps.accountState.tombstoneOf(document);
    if (!gone) return;
    const record = this.#deps.records.rooms.get(document) ?? freshRecord(gone.epoch);
    this.#markErased(transaction, document, record, gone.epoch);
    await this.#setDeleted(transaction, document, this.#deps.now());
    transaction.after.push(() => {
      this.#trash.add(document);
      this.#deps.records.addToJournal({
        kind: 'conflict',
        what: 'deleted',
        document,
        device: null,
        count: 1,
        bytes: 0,
      });
    });
  };

  readonly handleTombstonedWrite: Tombstones['handleTombstonedWrite'] = async (
    transaction: Transaction,
    document: string,
    here: WholeDocument,
  ): Promise<void> => {
    const record = this.#deps.records.rooms.get(document);
    if (!record || here.conversation?.meta.deletedAt != null) return;
    if (here.standsAlone || this.#trash.has(document)) {
      const epoch = this.#deps.accountState.currentEpoch(document);
      const localOnly = await this.#localOnlyReason(document, here, record.localOnly);
      const living = this.#deps.accountState.existsIn(document, epoch);
      this.#deps.records.putRoom(transaction, document, {
        ...freshRecord(epoch),
        localOnly,
        forgotten: here.forgotten,
        whole: localOnly === null && !living,
        compare: localOnly === null && living,
      });
      transaction.after.push(() => this.#trash.delete(document));
      return;
    }
    const time = this.#deps.records.state.get(tombstoneKey(document))?.time;
    const erasedHere = time === undefined || readHlc(time)?.node === this.#device;
    if (!erasedHere && (here.conversation?.messages.size ?? 0) > 0)
      return await this.keepInTrash(transaction, document);
    if (isConversation(document)) this.#deps.records.putListEntryStale(transaction, document, true);
    await this.#deps.log.erase(document as DocumentId);
  };

  markRead(document: string): void {
    this.unread.delete(document);
  }

  async detectErased(): Promise<boolean> {
    const first = !this.#hasRun;
    this.#hasRun = true;
    if (this.unread.size === 0) return false;
    const suspects = [...this.unread];
    this.unread.clear();
    try {
      const there = new Set<string>(await this.#deps.log.documents());
      let did = false;
      for (const document of suspects) {
        if (!there.has(document)) did = (await this.#detectErasedDocument(document)) || did;
        else if (first && (this.#deps.records.rooms.get(document)?.gone ?? null) !== null)
          this.#trash.add(document);
      }
      return did;
    } catch (error) {
      for (const document of suspects) this.unread.add(document);
      this.#hasRun = !first;
      throw error;
    }
  }

  async eraseEverywhere(documents: readonly string[]): Promise<void> {
    for (const document of documents) {
      const record = this.#deps.records.rooms.get(document);
      await this.#deps.log.erase(document as DocumentId);
      this.#deps.signal.throwIfAborted();
      if (record && record.gone === null) await this.#publishTombstone(document, record);
      else {
        const transaction = newTransaction();
        if (isConversation(document)) this.#deps.records.putListEntryStale(transaction, document, true);
        if (!record && this.#deps.accountState.isAnnounced(document))
          await this.#deps.accountState.publish(transaction, [
            [
              tombstoneKey(document),
              { epoch: this.#deps.accountState.currentEpoch(document), have: {}, at: this.#deps.now() },
            ],
          ]);
        await this.#deps.records.commit(transaction);
      }
    }
  }

  isInTrash(document: string): boolean {
    return this.#trash.has(document);
  }

  async applyAccountState(): Promise<boolean> {
    let did = false;
    for (const document of [...this.#deps.accountState.dirty]) {
      this.#deps.accountState.dirty.delete(document);
      try {
        did = (await this.#applyDocumentState(document)) || did;
        // At once: this document is not handled again if the next one fails.
        this.#deps.accountState.updateFetchList(document);
      } catch (error) {
        // Marks the document again: the next round repeats what failed here.
        this.#deps.accountState.dirty.add(document);
        throw error;
      }
    }
    return did;
  }

  async moveDamagedRooms(): Promise<boolean> {
    let did = false;
    for (const link of this.#deps.rooms.all()) {
      const { document, isOverQuota } = link;
      if ((link.unreadableCount <= UNREADABLE_LIMIT && !isOverQuota) || !link.isRead) continue;
      const record = this.#deps.records.rooms.get(document) ?? freshRecord(link.epoch);
      if (record.epoch !== link.epoch || this.#deps.accountState.epochOf(document) > link.epoch) continue;
      const transaction = newTransaction();
      if (document !== INDEX_ROOM) {
        this.#dropOutboxRows(transaction, document);
        this.#deps.records.putRoom(transaction, document, {
          ...freshRecord(record.epoch + 1),
          localOnly: record.localOnly,
          forgotten: record.forgotten,
          whole: record.localOnly === null,
        });
        // A full account may have no space for both: then the others have the old one.
        await this.#eraseRoom(transaction, document, record.epoch, isOverQuota);
      }
      await this.#deps.accountState.publish(transaction, [
        [epochKey(document), { epoch: record.epoch + 1, brought: isOverQuota }],
      ]);
      await this.#deps.records.commit(transaction);
      this.#deps.records.addToJournal({
        kind: 'note',
        what: isOverQuota ? 'moved' : 'rebuilt',
        document: document === INDEX_ROOM ? null : document,
        device: null,
        count: isOverQuota ? 1 : link.unreadableCount,
        bytes: 0,
      });
      if (document !== INDEX_ROOM) this.#deps.rooms.close(document);
      did = true;
    }
    return did;
  }

  async eraseOnRelay(uploaded: () => boolean): Promise<void> {
    for (const [name, erasure] of [...this.#deps.records.erasures]) {
      if (
        erasure.afterUpload &&
        !(erasure.document === null ? uploaded() : this.#isUploaded(erasure.document))
      )
        continue;
      try {
        await this.#deps.backend.erase(
          { endpoint: erasure.endpoint, token: erasure.token ?? this.#deps.relay.token },
          erasure.room,
          this.#deps.signal,
        );
        if (erasure.afterUpload && erasure.room === null)
          this.#deps.records.addToJournal({
            kind: 'note',
            what: 'erased',
            document: null,
            device: null,
            count: 1,
            bytes: 0,
          });
      } catch (error) {
        this.#deps.signal.throwIfAborted();
        const problem = toProblem(error);
        if (problem.retry) {
          this.#deps.wakeWithin(ERASE_RETRY_MS);
          continue;
        }
        this.#deps.records.addToJournal({
          kind: 'error',
          what: problem.code,
          document: null,
          device: null,
          count: 1,
          bytes: 0,
        });
      }
      const transaction = newTransaction();
      this.#deps.records.putErasure(transaction, name, undefined);
      await this.#deps.records.commit(transaction);
    }
  }

  /** Deletes the outbox rows of a document's room. */
  #dropOutboxRows(transaction: Transaction, document: string): void {
    for (const number of this.#deps.records.outbox.get(document)?.keys() ?? [])
      this.#deps.records.putOutboxRow(transaction, document, number, undefined);
  }

  async #eraseRoom(
    transaction: Transaction,
    document: string,
    epoch: number,
    afterUpload: boolean = false,
  ): Promise<void> {
    const { roomId } = await this.#deps.keysOf(document, epoch);
    this.#deps.records.putErasure(transaction, roomId, {
      endpoint: this.#deps.relay.endpoint,
      token: null,
      room: roomId,
      afterUpload,
      document: afterUpload ? document : null,
    });
  }

  /** True if the document's present room has all of it, and the others can know where that is. */
  #isUploaded(document: string): boolean {
    if (this.#deps.records.outbox.has(document) || this.#deps.records.outbox.has(INDEX_ROOM)) return false;
    if (this.#deps.rooms.all().some((link) => link.document === document && link.isRepairing)) return false;
    const record = this.#deps.records.rooms.get(document);
    if (!record || !isShared(record)) return true;
    return !record.whole && !record.compare && !record.squash;
  }

  #markErased(transaction: Transaction, document: string, record: RoomRecord, epoch: number): void {
    this.#dropOutboxRows(transaction, document);
    this.#deps.records.putRoom(transaction, document, {
      ...record,
      gone: epoch,
      whole: false,
      compare: false,
      squash: false,
    });
    if (isConversation(document)) this.#deps.records.putListEntryStale(transaction, document, true);
    transaction.after.push(() => this.#trash.delete(document));
  }

  async #publishTombstone(document: string, record: RoomRecord): Promise<void> {
    const known = this.#deps.accountState.tombstoneOf(document);
    const transaction = newTransaction();
    this.#markErased(transaction, document, record, record.epoch);
    if (!known || known.epoch < record.epoch) {
      await this.#eraseRoom(transaction, document, record.epoch);
      const gone: Tombstone = { epoch: record.epoch, have: versionVector(record.have), at: this.#deps.now() };
      await this.#deps.accountState.publish(transaction, [[tombstoneKey(document), gone]]);
      this.#deps.records.addToJournal({
        kind: 'note',
        what: 'forgotten',
        document,
        device: null,
        count: 1,
        bytes: 0,
      });
    }
    this.#deps.signal.throwIfAborted();
    await this.#deps.records.commit(transaction);
    this.#deps.rooms.close(document);
  }

  /** Moves it into the trash of this device, or out of it. */
  async #setDeleted(transaction: Transaction, document: string, time: number | null): Promise<void> {
    const bytes = await trashUpdateOf(this.#deps.log, document as DocumentId, time);
    if (bytes)
      transaction.entries.push({
        id: newEntryId(),
        document: document as DocumentId,
        origin: 'remote',
        bytes,
      });
  }

  async #detectErasedDocument(document: string): Promise<boolean> {
    const record = this.#deps.records.rooms.get(document);
    if (document === LIBRARY_DOCUMENT || !record || record.gone !== null) return false;
    if (record.localOnly !== null && record.seq === 0) {
      // The document was never announced. The tombstone stays, so that a late write of a tab does not start it again.
      const transaction = newTransaction();
      this.#markErased(transaction, document, record, record.epoch);
      await this.#deps.records.commit(transaction);
      return false;
    }
    // The device never had anything of the document, so it has nothing to erase: it is still to be fetched.
    if (record.seq === 0 && Object.keys(record.have).length === 0) return false;
    await this.#publishTombstone(document, record);
    return true;
  }

  async #moveIndex(record: RoomRecord | undefined): Promise<boolean> {
    const epoch = this.#deps.accountState.epochOf(INDEX_ROOM);
    if (epoch <= (record?.epoch ?? this.#deps.account.indexEpoch)) return false;
    // The announcement of the move itself must have reached the old room.
    if (this.#deps.records.outbox.has(INDEX_ROOM)) {
      this.#deps.accountState.dirty.add(INDEX_ROOM);
      return false;
    }
    const transaction = newTransaction();
    this.#deps.records.putRoom(transaction, INDEX_ROOM, { ...freshRecord(epoch), compare: true });
    await this.#deps.records.commit(transaction);
    this.#deps.rooms.closeIndex();
    return true;
  }

  async #applyTombstone(document: string, record: RoomRecord, gone: Tombstone): Promise<void> {
    this.#deps.rooms.close(document);
    if (record.gone !== null) return;
    const unseen =
      versionOf(record.have, this.#device) > (gone.have[this.#device] ?? 0) ||
      record.whole ||
      (this.#deps.records.outbox.get(document)?.size ?? 0) > 0;
    if (unseen && (await this.#deps.log.read(document as DocumentId)).length > 0) {
      const transaction = newTransaction();
      await this.keepInTrash(transaction, document);
      await this.#deps.records.commit(transaction);
      return;
    }
    await this.#deps.log.erase(document as DocumentId);
    this.#deps.signal.throwIfAborted();
    await this.#publishTombstone(document, record);
  }

  async #applyDocumentState(document: string): Promise<boolean> {
    const record = this.#deps.records.rooms.get(document);
    if (document === INDEX_ROOM) return await this.#moveIndex(record);
    if (!record) return this.#deps.accountState.isAnnounced(document);
    const gone = this.#deps.accountState.tombstoneOf(document);
    const epoch = this.#deps.accountState.currentEpoch(document);
    // If a device moved it before it heard of the erasure, everybody continues with it.
    const livesOn = epoch > record.epoch && this.#deps.accountState.existsIn(document, epoch);
    if (gone && gone.epoch >= record.epoch && record.gone !== gone.epoch && !livesOn) {
      await this.#applyTombstone(document, record, gone);
      return true;
    }
    if (epoch <= record.epoch || (record.gone !== null && !this.#deps.accountState.existsIn(document, epoch)))
      return false;
    // Another device moved or restored it: this one compares its version with the new room's, and
    // a version in the trash lives again.
    const inTrash = record.gone !== null && (await this.#deps.log.read(document as DocumentId)).length > 0;
    const transaction = newTransaction();
    this.#dropOutboxRows(transaction, document);
    if (inTrash) {
      await this.#setDeleted(transaction, document, null);
      transaction.after.push(() => this.#trash.delete(document));
    }
    this.#deps.records.putRoom(transaction, document, {
      ...freshRecord(epoch),
      localOnly: record.localOnly,
      forgotten: record.forgotten,
      compare: record.gone === null || inTrash,
      awaits: this.#deps.accountState.isUploadedByMover(document, epoch),
    });
    await this.#deps.records.commit(transaction);
    this.#deps.rooms.close(document);
    this.#deps.accountState.queueAnnouncement(document);
    return true;
  }
}
