// Which rooms are open: the index always; of the others those with something to send or to fetch, those on somebody's screen, and a few
// that were used just now. Looks again now and then, at everything where somebody asks for it or the relay was found to have lost something.

import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { DocumentId } from '../../domain/base/ids.ts';
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
  /** Opens what is wanted and closes the rest. */
  openWanted(): Promise<void>;
  /** Something is wanted that is not open yet: another round is due. */
  readonly hasUnopened: boolean;
  /** Asks to look again, at the beginning of the next round: rooms must not vanish in the middle of one. `force`: at every room. */
  requestCheck(force: boolean): void;
  /** Does what was asked for, or is due. */
  runCheck(): Promise<void>;
  /** It was asked to look, and not all (or not this document) was looked at yet. */
  isChecking(document?: string): boolean;
  /** A room that was to be looked at was looked at, as far as the relay let it. */
  markChecked(document: string): void;
  /** Ends the pauses of rooms that are not connected. */
  retry(): void;
}

/** Rooms that are open at once while there is much to do, and those that are kept open for what may come. */
const MAX_OPEN_ROOMS = 24;
const MAX_WARM_ROOMS = 8;
const WARM_MS = 120_000;

export function createRoomPool({
  account,
  log,
  backend,
  relay,
  records,
  accountState,
  contents,
  keysOf,
  sealInto,
  deflate,
  compaction,
  clock,
  checkEveryMs,
  onScreen,
  signal,
  wake,
  wakeWithin,
}: SessionContext & {
  readonly deflate: Deflate;
  readonly compaction?: CompactionPolicy | undefined;
  readonly checkEveryMs: () => number;
  readonly onScreen: () => Iterable<string>;
}): RoomPool {
  const links = new Map<string, SyncedRoom>();
  let index: SyncedRoom | undefined;
  /** Rooms to be opened and compared whatever the index says. */
  const toCheck = new Set<string>();
  /** The index was read once: own blobs that come later are those of another copy, which tells of what it does. */
  let indexWasRead = false;
  /** The relay was found to lack what it had. */
  let lossSeen = false;
  /** Somebody asked to look (true: at everything). */
  let requested: boolean | null = null;
  let nextCheckAt = clock() + checkEveryMs();
  let isProbing = false;
  let moveTo: number | null = null;

  /**
   * This store was put back: the relay may have more of any document from this very device, and where that was told in the index, telling
   * anew would take its place. So each is compared before anything is told of it; kept in the record, for as long as it takes. Two copies of a
   * device that run in turns pay for this, reading all rooms, at each start.
   */
  const compareAll = (transaction: Transaction) => {
    for (const [document, record] of records.rooms)
      if (document !== INDEX_ROOM && isShared(record))
        records.putRoom(transaction, document, { ...record, compare: true });
  };

  async function open(document: string): Promise<SyncedRoom> {
    const epoch =
      records.rooms.get(document)?.epoch ??
      (document === INDEX_ROOM ? account.indexEpoch : accountState.currentEpoch(document));
    const keys = await keysOf(document, epoch);
    signal.throwIfAborted();
    let link: SyncedRoom | undefined;
    const room = backend.open(relay, keys.roomId, () => {
      link?.markDirty();
      wake();
    });
    link = new SyncedRoom({
      document,
      epoch,
      keys,
      room,
      content: document === INDEX_ROOM ? accountState.content : contents.of(document),
      records,
      device: account.device,
      deflate,
      sealInto,
      compaction,
      clock,
      // An index that lost something: the relay runs on an older copy of its disk, and the rooms may have lost something too.
      onLoss: () => {
        if (document === INDEX_ROOM) lossSeen = true;
      },
      onCoverageGrown: () => accountState.queueAnnouncement(document),
      onRolledBack: (transaction) => {
        if (document === INDEX_ROOM && !indexWasRead) compareAll(transaction);
      },
      wakeWithin,
    });
    if (toCheck.has(document)) link.compare();
    return link;
  }
  const close = (document: string) => {
    links.get(document)?.room.close();
    links.delete(document);
  };

  const wantedRooms = (): string[] => {
    const wanted = new Map<string, number>();
    const want = (document: string, weight: number) => {
      if (document === INDEX_ROOM) return;
      const record = records.rooms.get(document);
      if (record && record.gone !== null) return;
      wanted.set(document, Math.max(weight, wanted.get(document) ?? 0));
    };
    for (const document of records.outbox.keys()) want(document, accountState.isDeferred(document) ? 1 : 3);
    for (const document of toCheck) want(document, 1);
    for (const [document, record] of records.rooms) {
      if (record.withheld === null && (record.compare || record.squash)) want(document, 2);
    }
    for (const document of onScreen()) if (records.rooms.get(document)?.withheld === null) want(document, 4);
    for (const document of accountState.toFetch()) want(document, 2);
    let warm = 0;
    for (const link of [...links.values()].sort((a, b) => b.lastActiveAt - a.lastActiveAt))
      if (clock() - link.lastActiveAt < WARM_MS && warm < MAX_WARM_ROOMS) {
        want(link.document, 1);
        warm += 1;
      }
    return [...wanted]
      .sort(([a, x], [b, y]) => y - x || (a < b ? 1 : -1))
      .slice(0, MAX_OPEN_ROOMS)
      .map(([document]) => document);
  };

  /**
   * The others may have left the index for a later epoch, and the word of it may have been deleted since, with all that lay in between:
   * so now and then it is looked, as far as a newcomer looks, whether somebody is there.
   */
  const probeIndex = () => {
    if (isProbing) return;
    isProbing = true;
    const from = (records.rooms.get(INDEX_ROOM)?.epoch ?? account.indexEpoch) + 1;
    findIndex({ backend, keysOf, deflate }, relay, signal, from)
      .then((found) => {
        if (found) moveTo = found.epoch;
      })
      .catch(() => {}) // not reachable: the next look tries again
      .finally(() => {
        isProbing = false;
        wake();
      });
  };

  const check = (force: boolean, anew: boolean) => {
    nextCheckAt = clock() + checkEveryMs();
    accountState.retryLacking();
    for (const link of [index, ...links.values()]) link?.retry(anew);
    for (const [document, record] of records.rooms) {
      if (document === INDEX_ROOM || !isShared(record)) continue;
      if (!force && !accountState.othersLack(document)) continue;
      toCheck.add(document);
      // Through a new connection: what this one shows of our own may not be what the relay gives to others.
      close(document);
    }
    if (force) {
      index?.room.close();
      index = undefined;
    }
    index?.markDirty();
    probeIndex();
  };

  probeIndex();

  return {
    get index() {
      return index;
    },
    all: () => [...(index ? [index] : []), ...links.values()],
    documents: () => [...links.values()],
    has: (link) => links.get(link.document) === link,
    markDirty: (document) => links.get(document)?.markDirty(),
    close,
    closeIndex: () => {
      index?.room.close();
      index = undefined;
    },
    closeAll: () => {
      index?.room.close();
      for (const document of [...links.keys()]) close(document);
    },

    openWanted: async () => {
      if (!index) index = await open(INDEX_ROOM);
      if (index.room.state === 'refused') {
        for (const document of [...links.keys()]) close(document);
        return;
      }
      for (const document of [...toCheck]) {
        const record = records.rooms.get(document);
        // There is no room of it (any more) to look at.
        if (!record || !isShared(record)) toCheck.delete(document);
      }
      const wanted = new Set(wantedRooms());
      for (const document of [...links.keys()]) if (!wanted.has(document)) close(document);
      if (!index.isRead) return;
      indexWasRead = true;
      for (const document of wanted) {
        const link = links.get(document);
        const record = records.rooms.get(document);
        if (link && link.epoch !== (record?.epoch ?? accountState.currentEpoch(document))) close(document);
        if (links.has(document)) continue;
        // Here before it was ever fetched: what is here goes to the others too.
        if (!record && (await log.read(document as DocumentId)).length > 0) {
          const transaction = newTransaction();
          records.putRoom(transaction, document, {
            ...freshRecord(accountState.currentEpoch(document)),
            compare: true,
          });
          await records.commit(transaction);
        }
        links.set(document, await open(document));
      }
    },

    get hasUnopened() {
      return (index?.isRead ?? false) && wantedRooms().some((document) => !links.has(document));
    },

    requestCheck: (force) => {
      requested = force || requested === true;
    },
    runCheck: async () => {
      if (requested !== null || lossSeen || clock() >= nextCheckAt)
        check(lossSeen || requested === true, requested !== null);
      [lossSeen, requested] = [false, null];
      wakeWithin(Math.max(1, nextCheckAt - clock()));
      if (moveTo === null) return;
      const transaction = newTransaction();
      accountState.putIndexEpoch(transaction, moveTo);
      await records.commit(transaction);
      moveTo = null;
    },
    isChecking: (document) =>
      requested === true ||
      lossSeen ||
      (document === undefined ? requested !== null || toCheck.size > 0 : toCheck.has(document)),
    markChecked: (document) => {
      toCheck.delete(document);
    },
    retry: () => {
      for (const link of [index, ...links.values()]) link?.retry(true);
    },
  };
}
