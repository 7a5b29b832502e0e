// Which rooms are open: the index always; of the others those with something to send or to fetch, those on somebody's screen, and a few
// that were used just now. Looks again now and then, at everything where somebody asks for it or the relay was found to have lost something.

import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { DocumentId } from '../../domain/base/ids.ts';
import type { Folding } from '../../domain/sync/compaction.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { findIndex } from './account.ts';
import type { SessionParts } from './parts.ts';
import { freshRecord, isShared, newStep, type Step } from './records.ts';
import { createRoomLink, type RoomLink } from './room.ts';

export interface OpenRooms {
  readonly index: RoomLink | undefined;
  /** The index first. */
  all(): RoomLink[];
  /** Every open room but the index. */
  documents(): RoomLink[];
  has(link: RoomLink): boolean;
  touch(document: string): void;
  close(document: string): void;
  closeIndex(): void;
  closeAll(): void;
  /** Opens what is wanted and closes the rest. */
  follow(): Promise<void>;
  /** Something is wanted that is not open yet: another round is due. */
  readonly behind: boolean;
  /** Asks to look again, at the beginning of the next round: rooms must not vanish in the middle of one. `force`: at every room. */
  ask(force: boolean): void;
  /** Does what was asked for, or is due. */
  lookAgain(): Promise<void>;
  /** It was asked to look, and not all (or not this document) was looked at yet. */
  looking(document?: string): boolean;
  /** A room that was to be looked at was looked at, as far as the relay let it. */
  wasLookedAt(document: string): void;
  /** Ends the pauses of rooms that are not connected. */
  retry(): void;
}

/** Rooms that are open at once while there is much to do, and those that are kept open for what may come. */
const OPEN_ROOMS = 24;
const WARM_ROOMS = 8;
const WARM_MS = 120_000;

export function createOpenRooms({
  account,
  log,
  backend,
  relay,
  records,
  facts,
  contents,
  keysOf,
  sealInto,
  deflate,
  folding,
  clock,
  lookEveryMs,
  onScreen,
  signal,
  wake,
  wakeWithin,
}: SessionParts & {
  readonly deflate: Deflate;
  readonly folding?: Folding | undefined;
  readonly lookEveryMs: () => number;
  readonly onScreen: () => Iterable<string>;
}): OpenRooms {
  const links = new Map<string, RoomLink>();
  let index: RoomLink | undefined;
  /** Rooms to be opened and compared whatever the index says. */
  const forced = new Set<string>();
  /** The index was read once: own blobs that come later are those of another copy, which tells of what it does. */
  let begun = false;
  /** The relay was found to lack what it had. */
  let lost = false;
  /** Somebody asked to look (true: at everything). */
  let asked: boolean | null = null;
  let nextLook = clock() + lookEveryMs();
  let probing = false;
  let moveTo: number | null = null;

  /**
   * This store was put back: the relay may have more of any document from this very device, and where that was told in the index, telling
   * anew would take its place. So each is compared before anything is told of it; kept in the record, for as long as it takes. Two copies of a
   * device that run in turns pay for this, reading all rooms, at each start.
   */
  const catchUp = (step: Step) => {
    for (const [document, record] of records.rooms)
      if (document !== INDEX_ROOM && isShared(record))
        records.putRoom(step, document, { ...record, compare: true });
  };

  async function open(document: string): Promise<RoomLink> {
    const epoch =
      records.rooms.get(document)?.epoch ??
      (document === INDEX_ROOM ? account.indexEpoch : facts.liveEpoch(document));
    const keys = await keysOf(document, epoch);
    signal.throwIfAborted();
    let link: RoomLink | undefined;
    const room = backend.open(relay, keys.roomId, () => {
      link?.touch();
      wake();
    });
    link = createRoomLink({
      document,
      epoch,
      keys,
      room,
      content: document === INDEX_ROOM ? facts.content : contents.of(document),
      records,
      device: account.device,
      deflate,
      sealInto,
      folding,
      clock,
      // An index that lost something: the relay runs on an older copy of its disk, and the rooms may have lost something too.
      onLoss: () => {
        if (document === INDEX_ROOM) lost = true;
      },
      onHeld: () => facts.announce(document),
      onSetBack: (step) => {
        if (document === INDEX_ROOM && !begun) catchUp(step);
      },
      wakeWithin,
    });
    if (forced.has(document)) link.compare();
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
    for (const document of records.outbox.keys()) want(document, facts.isHeldBack(document) ? 1 : 3);
    for (const document of forced) want(document, 1);
    for (const [document, record] of records.rooms) {
      if (record.withheld === null && (record.compare || record.squash)) want(document, 2);
    }
    for (const document of onScreen()) if (records.rooms.get(document)?.withheld === null) want(document, 4);
    for (const document of facts.toFetch()) want(document, 2);
    let warm = 0;
    for (const link of [...links.values()].sort((a, b) => b.activeAt - a.activeAt))
      if (clock() - link.activeAt < WARM_MS && warm < WARM_ROOMS) {
        want(link.document, 1);
        warm += 1;
      }
    return [...wanted]
      .sort(([a, x], [b, y]) => y - x || (a < b ? 1 : -1))
      .slice(0, OPEN_ROOMS)
      .map(([document]) => document);
  };

  /**
   * The others may have left the index for a later epoch, and the word of it may have been deleted since, with all that lay in between:
   * so now and then it is looked, as far as a newcomer looks, whether somebody is there.
   */
  const probe = () => {
    if (probing) return;
    probing = true;
    const from = (records.rooms.get(INDEX_ROOM)?.epoch ?? account.indexEpoch) + 1;
    findIndex({ backend, keysOf, deflate }, relay, signal, from)
      .then((found) => {
        if (found) moveTo = found.epoch;
      })
      .catch(() => {}) // not reachable: the next look tries again
      .finally(() => {
        probing = false;
        wake();
      });
  };

  const look = (force: boolean, anew: boolean) => {
    nextLook = clock() + lookEveryMs();
    facts.forgetLacks();
    for (const link of [index, ...links.values()]) link?.retry(anew);
    for (const [document, record] of records.rooms) {
      if (document === INDEX_ROOM || !isShared(record)) continue;
      if (!force && !facts.isDoubted(document)) continue;
      forced.add(document);
      // Through a new connection: what this one shows of our own may not be what the relay gives to others.
      close(document);
    }
    if (force) {
      index?.room.close();
      index = undefined;
    }
    index?.touch();
    probe();
  };

  probe();

  return {
    get index() {
      return index;
    },
    all: () => [...(index ? [index] : []), ...links.values()],
    documents: () => [...links.values()],
    has: (link) => links.get(link.document) === link,
    touch: (document) => links.get(document)?.touch(),
    close,
    closeIndex: () => {
      index?.room.close();
      index = undefined;
    },
    closeAll: () => {
      index?.room.close();
      for (const document of [...links.keys()]) close(document);
    },

    follow: async () => {
      if (!index) index = await open(INDEX_ROOM);
      if (index.room.state === 'refused') {
        for (const document of [...links.keys()]) close(document);
        return;
      }
      for (const document of [...forced]) {
        const record = records.rooms.get(document);
        // There is no room of it (any more) to look at.
        if (!record || !isShared(record)) forced.delete(document);
      }
      const wanted = new Set(wantedRooms());
      for (const document of [...links.keys()]) if (!wanted.has(document)) close(document);
      if (!index.read) return;
      begun = true;
      for (const document of wanted) {
        const link = links.get(document);
        const record = records.rooms.get(document);
        if (link && link.epoch !== (record?.epoch ?? facts.liveEpoch(document))) close(document);
        if (links.has(document)) continue;
        // Here before it was ever fetched: what is here goes to the others too.
        if (!record && (await log.read(document as DocumentId)).length > 0) {
          const step = newStep();
          records.putRoom(step, document, { ...freshRecord(facts.liveEpoch(document)), compare: true });
          await records.commit(step);
        }
        links.set(document, await open(document));
      }
    },

    get behind() {
      return (index?.read ?? false) && wantedRooms().some((document) => !links.has(document));
    },

    ask: (force) => {
      asked = force || asked === true;
    },
    lookAgain: async () => {
      if (asked !== null || lost || clock() >= nextLook) look(lost || asked === true, asked !== null);
      [lost, asked] = [false, null];
      wakeWithin(Math.max(1, nextLook - clock()));
      if (moveTo === null) return;
      const step = newStep();
      facts.putIndexEpoch(step, moveTo);
      await records.commit(step);
      moveTo = null;
    },
    looking: (document) =>
      asked === true ||
      lost ||
      (document === undefined ? asked !== null || forced.size > 0 : forced.has(document)),
    wasLookedAt: (document) => {
      forced.delete(document);
    },
    retry: () => {
      for (const link of [index, ...links.values()]) link?.retry(true);
    },
  };
}
