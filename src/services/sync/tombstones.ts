// How documents end and move: erased here and so everywhere, erased elsewhere and so here, kept in the trash where something was written
// meanwhile, carried over to the next epoch of their room. Deleting wins; what lost is kept where it was written.
import { toProblem } from '../../domain/base/errors.ts';
import { type DocumentId, isConversation, LIBRARY_DOCUMENT, newEntryId } from '../../domain/base/ids.ts';
import { epochKey, type Tombstone, tombstoneKey } from '../../domain/sync/account-state.ts';
import { versionOf, versionVector } from '../../domain/sync/coverage.ts';
import { readHlc } from '../../domain/sync/hlc.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { deletedAt, type WholeDocument } from '../documents/shared.ts';
import { freshRecord, isShared, newTransaction, type RoomRecord, type Transaction } from './records.ts';
import type { RoomPool } from './room-pool.ts';
import type { SessionContext } from './session-context.ts';

interface Tombstones {
  /** A change in the log named these documents. */
  markChanged(documents: readonly string[]): void;
  /** The log was read where it speaks of this document. */
  markRead(document: string): void;
  /** Changes that were named and not looked at yet. */
  readonly unread: ReadonlySet<string>;
  /** What is not in the log any more was erased here, and is erased everywhere. */
  detectErased(): Promise<boolean>;
  /** Erases for good, here and everywhere. */
  eraseEverywhere(documents: readonly string[]): Promise<void>;
  /** Puts into the step what makes of a document one that was erased elsewhere while something was written here. */
  keepInTrash(transaction: Transaction, document: string): Promise<void>;
  /** Of a document that is gone: something of it is kept on this device. */
  isInTrash(document: string): boolean;
  /**
   * Something came into the log of a document that is gone. Whole again, it lives on in a new room. A mere fragment, appended by a tab
   * that still had it open, is erased as well where it was erased here, and lies in the trash where somebody else erased it.
   */
  handleTombstonedWrite(transaction: Transaction, document: string, here: WholeDocument): Promise<void>;
  /** Does what the facts ask for: erased, moved, taken back. */
  applyAccountState(): Promise<boolean>;
  /** A room in which too much cannot be opened, or that has no space to be made smaller in, is left and made again in the next epoch. */
  moveDamagedRooms(): Promise<boolean>;
  /** Erases on the relay what is to be erased there; `uploaded`: all that this device has is there. */
  eraseOnRelay(uploaded: () => boolean): Promise<void>;
}

/** Unreadable things in a room after which it is made again in the next epoch. */
const UNREADABLE_LIMIT = 64;
/** A relay that does not answer is asked again to erase after this long, ms. */
const ERASE_RETRY_MS = 30_000;

export function createTombstones({
  account,
  log,
  backend,
  relay,
  records,
  accountState,
  rooms,
  contents: { reasonToWithhold },
  keysOf,
  now,
  signal,
  wakeWithin,
}: SessionContext & { readonly rooms: RoomPool }): Tombstones {
  const { device } = account;
  /** Documents that a change in the log named and that were not looked at since. */
  const unread = new Set<string>();
  const trash = new Set<string>();
  /** The log was looked through once. */
  let hasRun = false;

  /** Forgets what the outbox holds of a document's room. */
  const dropOutboxRows = (transaction: Transaction, document: string) => {
    for (const number of records.outbox.get(document)?.keys() ?? [])
      records.putOutboxRow(transaction, document, number, undefined);
  };
  const eraseRoom = async (
    transaction: Transaction,
    document: string,
    epoch: number,
    afterUpload = false,
  ): Promise<void> => {
    const { roomId } = await keysOf(document, epoch);
    records.putErasure(transaction, roomId, {
      endpoint: relay.endpoint,
      token: null,
      room: roomId,
      afterUpload,
      document: afterUpload ? document : null,
    });
  };
  /** All of the document lies in the room where it is now, and the others can know where that is. */
  const isUploaded = (document: string): boolean => {
    if (records.outbox.has(document) || records.outbox.has(INDEX_ROOM)) return false;
    if (rooms.all().some((link) => link.document === document && link.isRepairing)) return false;
    const record = records.rooms.get(document);
    if (!record || !isShared(record)) return true;
    return !record.whole && !record.compare && !record.squash;
  };
  const markErased = (transaction: Transaction, document: string, record: RoomRecord, epoch: number) => {
    dropOutboxRows(transaction, document);
    records.putRoom(transaction, document, {
      ...record,
      gone: epoch,
      whole: false,
      compare: false,
      squash: false,
    });
    if (isConversation(document)) records.putListEntryStale(transaction, document, true);
    transaction.after.push(() => trash.delete(document));
  };

  async function publishTombstone(document: string, record: RoomRecord): Promise<void> {
    const known = accountState.tombstoneOf(document);
    const transaction = newTransaction();
    markErased(transaction, document, record, record.epoch);
    if (!known || known.epoch < record.epoch) {
      await eraseRoom(transaction, document, record.epoch);
      const gone: Tombstone = { epoch: record.epoch, have: versionVector(record.have), at: now() };
      await accountState.publish(transaction, [[tombstoneKey(document), gone]]);
      records.addToJournal({ kind: 'note', what: 'forgotten', document, device: null, count: 1, bytes: 0 });
    }
    signal.throwIfAborted();
    await records.commit(transaction);
    rooms.close(document);
  }

  /** Puts it into the trash of this device, or takes it out. */
  async function setDeleted(transaction: Transaction, document: string, time: number | null): Promise<void> {
    const bytes = await deletedAt(log, document as DocumentId, time);
    if (bytes)
      transaction.entries.push({
        id: newEntryId(),
        document: document as DocumentId,
        origin: 'remote',
        bytes,
      });
  }

  async function keepInTrash(transaction: Transaction, document: string): Promise<void> {
    const gone = accountState.tombstoneOf(document);
    if (!gone) return;
    const record = records.rooms.get(document) ?? freshRecord(gone.epoch);
    markErased(transaction, document, record, gone.epoch);
    await setDeleted(transaction, document, now());
    transaction.after.push(() => {
      trash.add(document);
      records.addToJournal({ kind: 'conflict', what: 'deleted', document, device: null, count: 1, bytes: 0 });
    });
  }

  async function handleTombstonedWrite(
    transaction: Transaction,
    document: string,
    here: WholeDocument,
  ): Promise<void> {
    const record = records.rooms.get(document);
    if (!record || here.conversation?.meta.deletedAt != null) return;
    if (here.standsAlone || trash.has(document)) {
      const epoch = accountState.currentEpoch(document);
      const withheld = await reasonToWithhold(document, here, record.withheld);
      const living = accountState.existsIn(document, epoch);
      records.putRoom(transaction, document, {
        ...freshRecord(epoch),
        withheld,
        forgotten: here.forgotten,
        whole: withheld === null && !living,
        compare: withheld === null && living,
      });
      transaction.after.push(() => trash.delete(document));
      return;
    }
    const time = records.state.get(tombstoneKey(document))?.time;
    const erasedHere = time === undefined || readHlc(time)?.node === device;
    if (!erasedHere && (here.conversation?.messages.size ?? 0) > 0)
      return await keepInTrash(transaction, document);
    if (isConversation(document)) records.putListEntryStale(transaction, document, true);
    await log.erase(document as DocumentId);
  }

  async function detectErasedDocument(document: string): Promise<boolean> {
    const record = records.rooms.get(document);
    if (document === LIBRARY_DOCUMENT || !record || record.gone !== null) return false;
    if (record.withheld !== null && record.seq === 0) {
      // Nobody else was ever told of it. Remembered, so that what a tab still appends does not begin it anew.
      const transaction = newTransaction();
      markErased(transaction, document, record, record.epoch);
      await records.commit(transaction);
      return false;
    }
    // Nothing of it was ever here: it is still to be fetched.
    if (record.seq === 0 && Object.keys(record.have).length === 0) return false;
    await publishTombstone(document, record);
    return true;
  }

  async function moveIndex(record: RoomRecord | undefined): Promise<boolean> {
    const epoch = accountState.epochOf(INDEX_ROOM);
    if (epoch <= (record?.epoch ?? account.indexEpoch)) return false;
    // The word of the move itself must have reached the old room.
    if (records.outbox.has(INDEX_ROOM)) {
      accountState.dirty.add(INDEX_ROOM);
      return false;
    }
    const transaction = newTransaction();
    records.putRoom(transaction, INDEX_ROOM, { ...freshRecord(epoch), compare: true });
    await records.commit(transaction);
    rooms.closeIndex();
    return true;
  }

  async function applyTombstone(document: string, record: RoomRecord, gone: Tombstone): Promise<void> {
    rooms.close(document);
    if (record.gone !== null) return;
    const unseen =
      versionOf(record.have, device) > (gone.have[device] ?? 0) ||
      record.whole ||
      (records.outbox.get(document)?.size ?? 0) > 0;
    if (unseen && (await log.read(document as DocumentId)).length > 0) {
      const transaction = newTransaction();
      await keepInTrash(transaction, document);
      await records.commit(transaction);
      return;
    }
    await log.erase(document as DocumentId);
    signal.throwIfAborted();
    await publishTombstone(document, record);
  }

  async function applyDocumentState(document: string): Promise<boolean> {
    const record = records.rooms.get(document);
    if (document === INDEX_ROOM) return await moveIndex(record);
    if (!record) return accountState.isAnnounced(document);
    const gone = accountState.tombstoneOf(document);
    const epoch = accountState.currentEpoch(document);
    // Who moved it before hearing that it was erased goes on with it: then so does everybody.
    const livesOn = epoch > record.epoch && accountState.existsIn(document, epoch);
    if (gone && gone.epoch >= record.epoch && record.gone !== gone.epoch && !livesOn) {
      await applyTombstone(document, record, gone);
      return true;
    }
    if (epoch <= record.epoch || (record.gone !== null && !accountState.existsIn(document, epoch)))
      return false;
    // It moved, or somebody restored it: what is here is compared with what the new room has, and what lies in the trash here lives again.
    const inTrash = record.gone !== null && (await log.read(document as DocumentId)).length > 0;
    const transaction = newTransaction();
    dropOutboxRows(transaction, document);
    if (inTrash) {
      await setDeleted(transaction, document, null);
      transaction.after.push(() => trash.delete(document));
    }
    records.putRoom(transaction, document, {
      ...freshRecord(epoch),
      withheld: record.withheld,
      forgotten: record.forgotten,
      compare: record.gone === null || inTrash,
      awaits: accountState.isUploadedByMover(document, epoch),
    });
    await records.commit(transaction);
    rooms.close(document);
    accountState.queueAnnouncement(document);
    return true;
  }

  return {
    markChanged: (documents) => {
      for (const document of documents) if (document !== LIBRARY_DOCUMENT) unread.add(document);
    },
    markRead: (document) => {
      unread.delete(document);
    },
    unread: unread,
    detectErased: async () => {
      const first = !hasRun;
      hasRun = true;
      if (unread.size === 0) return false;
      const suspects = [...unread];
      unread.clear();
      try {
        const there = new Set<string>(await log.documents());
        let did = false;
        for (const document of suspects) {
          if (!there.has(document)) did = (await detectErasedDocument(document)) || did;
          else if (first && (records.rooms.get(document)?.gone ?? null) !== null) trash.add(document);
        }
        return did;
      } catch (error) {
        for (const document of suspects) unread.add(document);
        hasRun = !first;
        throw error;
      }
    },

    eraseEverywhere: async (documents) => {
      for (const document of documents) {
        const record = records.rooms.get(document);
        await log.erase(document as DocumentId);
        signal.throwIfAborted();
        if (record && record.gone === null) await publishTombstone(document, record);
        else {
          const transaction = newTransaction();
          if (isConversation(document)) records.putListEntryStale(transaction, document, true);
          if (!record && accountState.isAnnounced(document))
            await accountState.publish(transaction, [
              [tombstoneKey(document), { epoch: accountState.currentEpoch(document), have: {}, at: now() }],
            ]);
          await records.commit(transaction);
        }
      }
    },
    keepInTrash,
    isInTrash: (document) => trash.has(document),
    handleTombstonedWrite,

    applyAccountState: async () => {
      let did = false;
      for (const document of [...accountState.dirty]) {
        accountState.dirty.delete(document);
        try {
          did = (await applyDocumentState(document)) || did;
          // At once: where the next one cannot be followed, this one is not come back to.
          accountState.updateFetchList(document);
        } catch (error) {
          // Not done, so still to be done.
          accountState.dirty.add(document);
          throw error;
        }
      }
      return did;
    },

    moveDamagedRooms: async () => {
      let did = false;
      for (const link of rooms.all()) {
        const { document, isOverQuota } = link;
        if ((link.unreadableCount <= UNREADABLE_LIMIT && !isOverQuota) || !link.isRead) continue;
        const record = records.rooms.get(document) ?? freshRecord(link.epoch);
        if (record.epoch !== link.epoch || accountState.epochOf(document) > link.epoch) continue;
        const transaction = newTransaction();
        if (document !== INDEX_ROOM) {
          dropOutboxRows(transaction, document);
          records.putRoom(transaction, document, {
            ...freshRecord(record.epoch + 1),
            withheld: record.withheld,
            forgotten: record.forgotten,
            whole: record.withheld === null,
          });
          // A full account may have no room for both: then the old one is what the others have.
          await eraseRoom(transaction, document, record.epoch, isOverQuota);
        }
        await accountState.publish(transaction, [
          [epochKey(document), { epoch: record.epoch + 1, brought: isOverQuota }],
        ]);
        await records.commit(transaction);
        records.addToJournal({
          kind: 'note',
          what: isOverQuota ? 'moved' : 'rebuilt',
          document: document === INDEX_ROOM ? null : document,
          device: null,
          count: isOverQuota ? 1 : link.unreadableCount,
          bytes: 0,
        });
        if (document !== INDEX_ROOM) rooms.close(document);
        did = true;
      }
      return did;
    },

    eraseOnRelay: async (uploaded) => {
      for (const [name, erasure] of [...records.erasures]) {
        if (erasure.afterUpload && !(erasure.document === null ? uploaded() : isUploaded(erasure.document)))
          continue;
        try {
          await backend.erase(
            { endpoint: erasure.endpoint, token: erasure.token ?? relay.token },
            erasure.room,
            signal,
          );
          if (erasure.afterUpload && erasure.room === null)
            records.addToJournal({
              kind: 'note',
              what: 'erased',
              document: null,
              device: null,
              count: 1,
              bytes: 0,
            });
        } catch (error) {
          signal.throwIfAborted();
          const problem = toProblem(error);
          if (problem.retry) {
            wakeWithin(ERASE_RETRY_MS);
            continue;
          }
          records.addToJournal({
            kind: 'error',
            what: problem.code,
            document: null,
            device: null,
            count: 1,
            bytes: 0,
          });
        }
        const transaction = newTransaction();
        records.putErasure(transaction, name, undefined);
        await records.commit(transaction);
      }
    },
  };
}
