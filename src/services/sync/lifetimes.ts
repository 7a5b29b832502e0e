// How documents end and move: erased here and so everywhere, erased elsewhere and so here, kept in the trash where something was written
// meanwhile, carried over to the next epoch of their room. Deleting wins; what lost is kept where it was written.
import { toProblem } from '../../domain/base/errors.ts';
import { type DocumentId, isConversation, LIBRARY_DOCUMENT, newEntryId } from '../../domain/base/ids.ts';
import { reach, reaches } from '../../domain/sync/coverage.ts';
import { epochKey, type GoneFact, goneKey } from '../../domain/sync/facts.ts';
import { readHlc } from '../../domain/sync/hlc.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { deletedAt, type WholeDocument } from '../documents/shared.ts';
import type { OpenRooms } from './open-rooms.ts';
import type { SessionParts } from './parts.ts';
import { freshRecord, isShared, newStep, type RoomRecord, type Step } from './records.ts';

export interface Lifetimes {
  /** A change in the log named these documents. */
  touched(documents: readonly string[]): void;
  /** The log was read where it speaks of this document. */
  seen(document: string): void;
  /** Changes that were named and not looked at yet. */
  readonly unseen: ReadonlySet<string>;
  /** What is not in the log any more was erased here, and is erased everywhere. */
  noticeErased(): Promise<boolean>;
  /** Erases for good, here and everywhere. */
  forget(documents: readonly string[]): Promise<void>;
  /** Puts into the step what makes of a document one that was erased elsewhere while something was written here. */
  keepInTrash(step: Step, document: string): Promise<void>;
  /** Of a document that is gone: something of it is kept on this device. */
  isInTrash(document: string): boolean;
  /**
   * Something came into the log of a document that is gone. Whole again, it lives on in a new room. A mere fragment, appended by a tab
   * that still had it open, is erased as well where it was erased here, and lies in the trash where somebody else erased it.
   */
  cameBack(step: Step, document: string, here: WholeDocument): Promise<void>;
  /** Does what the facts ask for: erased, moved, taken back. */
  followFacts(): Promise<boolean>;
  /** A room in which too much cannot be opened, or that has no space to be made smaller in, is left and made again in the next epoch. */
  rebuildDamaged(): Promise<boolean>;
  /** Erases on the relay what is to be erased there; `uploaded`: all that this device has is there. */
  eraseOnRelay(uploaded: () => boolean): Promise<void>;
}

/** Unreadable things in a room after which it is made again in the next epoch. */
const UNREADABLE_LIMIT = 64;
/** A relay that does not answer is asked again to erase after this long, ms. */
const ERASE_AGAIN_MS = 30_000;

export function createLifetimes({
  account,
  log,
  backend,
  relay,
  records,
  facts,
  rooms,
  contents: { reasonToWithhold },
  keysOf,
  now,
  signal,
  wakeWithin,
}: SessionParts & { readonly rooms: OpenRooms }): Lifetimes {
  const { device } = account;
  /** Documents that a change in the log named and that were not looked at since. */
  const named = new Set<string>();
  const trash = new Set<string>();
  /** The log was looked through once. */
  let begun = false;

  /** Forgets what the outbox holds of a document's room. */
  const dropOut = (step: Step, document: string) => {
    for (const number of records.outbox.get(document)?.keys() ?? [])
      records.putOut(step, document, number, undefined);
  };
  const eraseRoom = async (
    step: Step,
    document: string,
    epoch: number,
    afterUpload = false,
  ): Promise<void> => {
    const { roomId } = await keysOf(document, epoch);
    records.putErasure(step, roomId, {
      endpoint: relay.endpoint,
      token: null,
      room: roomId,
      afterUpload,
      document: afterUpload ? document : null,
    });
  };
  /** All of the document lies in the room where it is now, and the others can know where that is. */
  const isSent = (document: string): boolean => {
    if (records.outbox.has(document) || records.outbox.has(INDEX_ROOM)) return false;
    if (rooms.all().some((link) => link.document === document && link.healing)) return false;
    const record = records.rooms.get(document);
    if (!record || !isShared(record)) return true;
    return !record.whole && !record.compare && !record.squash;
  };
  const markGone = (step: Step, document: string, record: RoomRecord, epoch: number) => {
    dropOut(step, document);
    records.putRoom(step, document, {
      ...record,
      gone: epoch,
      whole: false,
      compare: false,
      squash: false,
    });
    if (isConversation(document)) records.putUnlisted(step, document, true);
    step.after.push(() => trash.delete(document));
  };

  async function eraseEverywhere(document: string, record: RoomRecord): Promise<void> {
    const known = facts.goneOf(document);
    const step = newStep();
    markGone(step, document, record, record.epoch);
    if (!known || known.epoch < record.epoch) {
      await eraseRoom(step, document, record.epoch);
      const gone: GoneFact = { epoch: record.epoch, have: reaches(record.have), at: now() };
      await facts.publish(step, [[goneKey(document), gone]]);
      records.note({ kind: 'note', what: 'forgotten', document, device: null, count: 1, bytes: 0 });
    }
    signal.throwIfAborted();
    await records.commit(step);
    rooms.close(document);
  }

  /** Puts it into the trash of this device, or takes it out. */
  async function setDeleted(step: Step, document: string, time: number | null): Promise<void> {
    const bytes = await deletedAt(log, document as DocumentId, time);
    if (bytes)
      step.entries.push({ id: newEntryId(), document: document as DocumentId, origin: 'remote', bytes });
  }

  async function keepInTrash(step: Step, document: string): Promise<void> {
    const gone = facts.goneOf(document);
    if (!gone) return;
    const record = records.rooms.get(document) ?? freshRecord(gone.epoch);
    markGone(step, document, record, gone.epoch);
    await setDeleted(step, document, now());
    step.after.push(() => {
      trash.add(document);
      records.note({ kind: 'conflict', what: 'deleted', document, device: null, count: 1, bytes: 0 });
    });
  }

  async function cameBack(step: Step, document: string, here: WholeDocument): Promise<void> {
    const record = records.rooms.get(document);
    if (!record || here.conversation?.meta.deletedAt != null) return;
    if (here.standsAlone || trash.has(document)) {
      const epoch = facts.liveEpoch(document);
      const withheld = await reasonToWithhold(document, here, record.withheld);
      const living = facts.livesIn(document, epoch);
      records.putRoom(step, document, {
        ...freshRecord(epoch),
        withheld,
        forgotten: here.forgotten,
        whole: withheld === null && !living,
        compare: withheld === null && living,
      });
      step.after.push(() => trash.delete(document));
      return;
    }
    const time = records.facts.get(goneKey(document))?.time;
    const erasedHere = time === undefined || readHlc(time)?.node === device;
    if (!erasedHere && (here.conversation?.messages.size ?? 0) > 0) return await keepInTrash(step, document);
    if (isConversation(document)) records.putUnlisted(step, document, true);
    await log.erase(document as DocumentId);
  }

  async function noticeOne(document: string): Promise<boolean> {
    const record = records.rooms.get(document);
    if (document === LIBRARY_DOCUMENT || !record || record.gone !== null) return false;
    if (record.withheld !== null && record.seq === 0) {
      // Nobody else was ever told of it. Remembered, so that what a tab still appends does not begin it anew.
      const step = newStep();
      markGone(step, document, record, record.epoch);
      await records.commit(step);
      return false;
    }
    // Nothing of it was ever here: it is still to be fetched.
    if (record.seq === 0 && Object.keys(record.have).length === 0) return false;
    await eraseEverywhere(document, record);
    return true;
  }

  async function followIndex(record: RoomRecord | undefined): Promise<boolean> {
    const epoch = facts.epochOf(INDEX_ROOM);
    if (epoch <= (record?.epoch ?? account.indexEpoch)) return false;
    // The word of the move itself must have reached the old room.
    if (records.outbox.has(INDEX_ROOM)) {
      facts.stirred.add(INDEX_ROOM);
      return false;
    }
    const step = newStep();
    records.putRoom(step, INDEX_ROOM, { ...freshRecord(epoch), compare: true });
    await records.commit(step);
    rooms.closeIndex();
    return true;
  }

  async function followGone(document: string, record: RoomRecord, gone: GoneFact): Promise<void> {
    rooms.close(document);
    if (record.gone !== null) return;
    const unseen =
      reach(record.have, device) > (gone.have[device] ?? 0) ||
      record.whole ||
      (records.outbox.get(document)?.size ?? 0) > 0;
    if (unseen && (await log.read(document as DocumentId)).length > 0) {
      const step = newStep();
      await keepInTrash(step, document);
      await records.commit(step);
      return;
    }
    await log.erase(document as DocumentId);
    signal.throwIfAborted();
    await eraseEverywhere(document, record);
  }

  async function followFact(document: string): Promise<boolean> {
    const record = records.rooms.get(document);
    if (document === INDEX_ROOM) return await followIndex(record);
    if (!record) return facts.isKnown(document);
    const gone = facts.goneOf(document);
    const epoch = facts.liveEpoch(document);
    // Who moved it before hearing that it was erased goes on with it: then so does everybody.
    const livesOn = epoch > record.epoch && facts.livesIn(document, epoch);
    if (gone && gone.epoch >= record.epoch && record.gone !== gone.epoch && !livesOn) {
      await followGone(document, record, gone);
      return true;
    }
    if (epoch <= record.epoch || (record.gone !== null && !facts.livesIn(document, epoch))) return false;
    // It moved, or somebody restored it: what is here is compared with what the new room has, and what lies in the trash here lives again.
    const inTrash = record.gone !== null && (await log.read(document as DocumentId)).length > 0;
    const step = newStep();
    dropOut(step, document);
    if (inTrash) {
      await setDeleted(step, document, null);
      step.after.push(() => trash.delete(document));
    }
    records.putRoom(step, document, {
      ...freshRecord(epoch),
      withheld: record.withheld,
      forgotten: record.forgotten,
      compare: record.gone === null || inTrash,
      awaits: facts.isBrought(document, epoch),
    });
    await records.commit(step);
    rooms.close(document);
    facts.announce(document);
    return true;
  }

  return {
    touched: (documents) => {
      for (const document of documents) if (document !== LIBRARY_DOCUMENT) named.add(document);
    },
    seen: (document) => {
      named.delete(document);
    },
    unseen: named,
    noticeErased: async () => {
      const first = !begun;
      begun = true;
      if (named.size === 0) return false;
      const suspects = [...named];
      named.clear();
      try {
        const there = new Set<string>(await log.documents());
        let did = false;
        for (const document of suspects) {
          if (!there.has(document)) did = (await noticeOne(document)) || did;
          else if (first && (records.rooms.get(document)?.gone ?? null) !== null) trash.add(document);
        }
        return did;
      } catch (error) {
        for (const document of suspects) named.add(document);
        begun = !first;
        throw error;
      }
    },

    forget: async (documents) => {
      for (const document of documents) {
        const record = records.rooms.get(document);
        await log.erase(document as DocumentId);
        signal.throwIfAborted();
        if (record && record.gone === null) await eraseEverywhere(document, record);
        else {
          const step = newStep();
          if (isConversation(document)) records.putUnlisted(step, document, true);
          if (!record && facts.isKnown(document))
            await facts.publish(step, [
              [goneKey(document), { epoch: facts.liveEpoch(document), have: {}, at: now() }],
            ]);
          await records.commit(step);
        }
      }
    },
    keepInTrash,
    isInTrash: (document) => trash.has(document),
    cameBack,

    followFacts: async () => {
      let did = false;
      for (const document of [...facts.stirred]) {
        facts.stirred.delete(document);
        try {
          did = (await followFact(document)) || did;
          // At once: where the next one cannot be followed, this one is not come back to.
          facts.sortOut(document);
        } catch (error) {
          // Not done, so still to be done.
          facts.stirred.add(document);
          throw error;
        }
      }
      return did;
    },

    rebuildDamaged: async () => {
      let did = false;
      for (const link of rooms.all()) {
        const { document, outgrown } = link;
        if ((link.unreadable <= UNREADABLE_LIMIT && !outgrown) || !link.read) continue;
        const record = records.rooms.get(document) ?? freshRecord(link.epoch);
        if (record.epoch !== link.epoch || facts.epochOf(document) > link.epoch) continue;
        const step = newStep();
        if (document !== INDEX_ROOM) {
          dropOut(step, document);
          records.putRoom(step, document, {
            ...freshRecord(record.epoch + 1),
            withheld: record.withheld,
            forgotten: record.forgotten,
            whole: record.withheld === null,
          });
          // A full account may have no room for both: then the old one is what the others have.
          await eraseRoom(step, document, record.epoch, outgrown);
        }
        await facts.publish(step, [[epochKey(document), { epoch: record.epoch + 1, brought: outgrown }]]);
        await records.commit(step);
        records.note({
          kind: 'note',
          what: outgrown ? 'moved' : 'rebuilt',
          document: document === INDEX_ROOM ? null : document,
          device: null,
          count: outgrown ? 1 : link.unreadable,
          bytes: 0,
        });
        if (document !== INDEX_ROOM) rooms.close(document);
        did = true;
      }
      return did;
    },

    eraseOnRelay: async (uploaded) => {
      for (const [name, erasure] of [...records.erasures]) {
        if (erasure.afterUpload && !(erasure.document === null ? uploaded() : isSent(erasure.document)))
          continue;
        try {
          await backend.erase(
            { endpoint: erasure.endpoint, token: erasure.token ?? relay.token },
            erasure.room,
            signal,
          );
          if (erasure.afterUpload && erasure.room === null)
            records.note({ kind: 'note', what: 'erased', document: null, device: null, count: 1, bytes: 0 });
        } catch (error) {
          signal.throwIfAborted();
          const problem = toProblem(error);
          if (problem.retry) {
            wakeWithin(ERASE_AGAIN_MS);
            continue;
          }
          records.note({
            kind: 'error',
            what: problem.code,
            document: null,
            device: null,
            count: 1,
            bytes: 0,
          });
        }
        const step = newStep();
        records.putErasure(step, name, undefined);
        await records.commit(step);
      }
    },
  };
}
