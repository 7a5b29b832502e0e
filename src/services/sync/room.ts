// One room: opens what lies in it, seals what goes into it, folds it, and mends it. It does not know what a body means; `Content` does.
//
//   send      body ─► seal ─► ONE commit {outbox row, record} ─► insert ─► the relay gives it back ─► commit {row removed}
//   receive   blobs ─► open ─► ONE commit {log entries, record with marks}
//   fold      the outbox row of a segment names the blobs it replaces; they are taken out when the segment is confirmed, never before
//
// Killed anywhere, the next start finds either the step or its cause, and does it (again); doing it twice changes nothing.

import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { SyncRoom } from '../../adapters/sync/sync-backend.ts';
import type { Problem } from '../../domain/base/errors.ts';
import { blobHash } from '../../domain/sync/blob.ts';
import { toText } from '../../domain/sync/bytes.ts';
import type { CompactionPolicy } from '../../domain/sync/compaction.ts';
import { covers, union } from '../../domain/sync/coverage.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { breathe } from '../scheduler.ts';
import { groupParts, joinParts, type OpenedBlob, openBlob, type RoomKey, type SealInto } from './envelope.ts';
import {
  awaitsMove,
  freshRecord,
  isShared,
  newTransaction,
  type OutboxRow,
  type Records,
  type RoomRecord,
  type Transaction,
  toStoredCoverage,
} from './records.ts';
import { createRoomRepair } from './repair.ts';

/** What the bodies of a room mean. */
export interface RoomContent {
  isBody(body: Uint8Array): boolean;
  /** Several bodies as one; nothing of them is lost. */
  merge(bodies: readonly Uint8Array[]): Uint8Array;
  /** Puts into the step what takes the bodies over. `known`: bodies that should hold nothing new; they are looked at before. Returns how many said something. */
  apply(
    transaction: Transaction,
    bodies: readonly Uint8Array[],
    known: readonly Uint8Array[],
  ): Promise<number>;
  /** All that this device has and may share; null: nothing, or not now. */
  snapshot(): Promise<Uint8Array | null>;
  /** What this device has and may share and `held` has not; null: nothing. */
  diff(held: Uint8Array | null): Promise<Uint8Array | null>;
  /** How many messages are forgotten in this body, as far as it is a whole. */
  forgottenCount(body: Uint8Array): number;
  /** Clocks after this body as well. */
  advanceClocks(before: RoomRecord['clocks'], body: Uint8Array): RoomRecord['clocks'];
}

export interface SyncedRoomDeps {
  readonly document: string;
  readonly epoch: number;
  readonly keys: RoomKey;
  readonly room: SyncRoom;
  readonly content: RoomContent;
  readonly records: Records;
  readonly device: string;
  readonly deflate: Deflate;
  readonly sealInto: SealInto;
  readonly compaction?: CompactionPolicy | undefined;
  /** Monotonic, ms. */
  readonly clock: () => number;
  /** The relay was found to lack what it had. */
  readonly onLoss: () => void;
  /** This device holds more of the room than before. */
  readonly onCoverageGrown: () => void;
  /**
   * Own blobs were found of which this store does not know that they arrived: it was put back, another copy of it goes on as well, or, seldom, the
   * confirmation was lost and others folded them since. Goes into the step that takes them.
   */
  readonly onRolledBack: (transaction: Transaction) => void;
  /** Asks to be looked at in this many ms. */
  readonly wakeWithin: (ms: number) => void;
}

export interface SyncedRoom {
  readonly document: string;
  readonly epoch: number;
  readonly room: SyncRoom;
  /** When something last happened in it, by the clock. */
  readonly lastActiveAt: number;
  /** Blobs that cannot be opened, and what is no blob. */
  readonly unreadableCount: number;
  /** Everything that lies in the room is taken over. */
  readonly isRead: boolean;
  /** None of it waits for its other parts. */
  readonly isComplete: boolean;
  /** Besides, all of this device's is confirmed, and the room was compared with what this device knows of it. */
  readonly isSettled: boolean;
  /** The relay was seen to lack something of it, which is not there again yet. */
  readonly isRepairing: boolean;
  /** The relay had no room for something that is to be sent; what is smaller goes on. */
  readonly quotaProblem: Problem | null;
  /** Of a full room: everything that it has room for is there. */
  readonly isDeferred: boolean;
  /** It is to be left for the next epoch, where all of the document takes less room. */
  readonly isOverQuota: boolean;
  /** Ends the pause where it is not connected, and sends also what the relay had no room for. `anew`: see `SyncRoom`. */
  retry(anew?: boolean): void;
  /** The room changed: look at it in the next round. */
  markDirty(): void;
  /** Compare what lies in the room with what is here, word for word, when next it is read. */
  compare(): void;
  /** One round: receive, send, and what is due of mending and compaction. Returns true where it did something. */
  sync(signal: AbortSignal): Promise<boolean>;
}

/** What is on its way to a relay at a time, bytes: on a slow line little enough for an answer every few seconds. */
const MAX_IN_FLIGHT_BYTES = 512 * 1024;
/** Blobs of a room that turn out not to open before the thread, and other rooms, have their turn. */
const MAX_UNREADABLE_PER_ROUND = 2_048;
/**
 * What a document has in its next epoch is brought by the device that moved it. Where nothing of it has come after this long, ms, another one
 * brings it; not all of them at once.
 */
const MOVE_WAIT_MS = 60_000;
const MOVE_JITTER_MS = 20_000;

export function createSyncedRoom(deps: SyncedRoomDeps): SyncedRoom {
  const { document, epoch, keys, room, content, records, device, deflate, clock } = deps;
  /** Keys that cannot be opened: not tried again while the connection lasts. */
  const unreadable = new Set<string>();
  /** Opened in rounds that junk brought to their end: taken over once all of the room was looked at. */
  const opened = new Map<string, OpenedBlob>();
  /** Where the next round goes on in the same blobs. */
  let place: { blobs: ReadonlyMap<string, Uint8Array>; rest: MapIterator<[string, Uint8Array]> } | undefined;
  let changed = true;
  let activeAt = clock();
  let settled = false;
  let read = false;
  let whole = false;
  let comparing = false;
  /** What was looked through last: the same again is not looked through again. */
  let looked: { blobs: ReadonlyMap<string, Uint8Array>; record: RoomRecord; complete: boolean } | undefined;
  let wasSynced = false;

  /** The relay had no room for a row of this size: what is as large waits until somebody looks again. */
  let full: { readonly problem: Problem; readonly bytes: number } | null = null;
  /** The largest row on its way. */
  let sending = 0;
  let outgrown = false;
  /** Until when an empty room is left to the device that moved into it. */
  let bringAt: number | null = null;

  const record = (): RoomRecord => records.rooms.get(document) ?? freshRecord(epoch);
  const rows = (): ReadonlyMap<number, OutboxRow> => records.outbox.get(document) ?? new Map();
  const upkeep = createRoomRepair({ ...deps, record, isUnreadable: (name) => unreadable.has(name) });

  // ---------------------------------------------------------------- receive
  /** Takes over what is new. `complete`: none of it waits for its other parts. null: there is more to look at, in the next round. */
  async function receive(signal: AbortSignal): Promise<{ did: boolean; complete: boolean } | null> {
    const blobs = room.blobs();
    const before = record();
    if (blobs === looked?.blobs && before === looked.record) return { did: false, complete: looked.complete };
    if (place?.blobs !== blobs) place = { blobs, rest: blobs.entries() };
    let junk = 0;
    // By hand: what leaves a `for … of` may close the iterator.
    for (let next = place.rest.next(); !next.done; next = place.rest.next()) {
      const [name, blob] = next.value;
      if (before.marks[name] || unreadable.has(name) || opened.has(name)) continue;
      const one = await openBlob(keys, blob);
      signal.throwIfAborted();
      if (one) {
        opened.set(name, { key: name, bytes: blob.length, ...one });
        continue;
      }
      unreadable.add(name);
      junk += 1;
      if (junk < MAX_UNREADABLE_PER_ROUND) continue;
      await breathe(signal);
      return null;
    }
    place = undefined;
    const fresh = [...opened.values()].filter((one) => blobs.has(one.key));
    opened.clear();
    const together = groupParts(fresh);
    let next = before;
    const bodies: Uint8Array[] = [];
    const known: Uint8Array[] = [];
    let bytes = 0;
    let foreign = 0;
    /** Own blobs that this store does not know under numbers that it has used. */
    let again = false;
    /** The first of its numbers that this device does not know to be on the relay, and the last one that somebody has heard. */
    const unheard = Math.min(
      before.seq + 1,
      ...[...rows()].flatMap(([number, row]) =>
        row.epoch === epoch && !row.keys.every((name) => room.isConfirmed(name)) ? [number] : [],
      ),
    );
    let heard = 0;
    /** The body under that number, where it is this device's own. */
    let latest: Uint8Array | null = null;
    const authors = new Set<string>();
    const marks: Record<string, RoomRecord['have']> = {};
    for (const group of together) {
      const body = await joinParts(group, deflate);
      signal.throwIfAborted();
      if (!body || !content.isBody(body)) {
        for (const { key: name } of group.opened) unreadable.add(name);
        continue;
      }
      const isKnown = covers(before.have, group.coverage);
      (isKnown ? known : bodies).push(body);
      for (const one of group.opened) {
        marks[one.key] = toStoredCoverage(one.payload.coverage);
        bytes += one.bytes;
      }
      const author = group.opened[0]?.payload.device;
      if (author !== undefined && author !== device) {
        foreign += 1;
        authors.add(author);
      } else again ||= isKnown;
      // Own numbers that this store does not know: it was set back. It goes on behind them.
      for (const [, to] of group.coverage[device] ?? []) {
        if (to > heard || (to === heard && author === device)) latest = author === device ? body : null;
        heard = Math.max(heard, to);
      }
      next = {
        ...next,
        seq: Math.max(next.seq, heard),
        have: toStoredCoverage(union(next.have, group.coverage)),
        clocks: content.advanceClocks(next.clocks, body),
      };
    }
    // Own blobs that follow upon the last one of this store, each naming the one before: nothing else was ever said under their numbers.
    const following = new Map(
      fresh
        .filter(({ key: name, payload }) => marks[name] && payload.device === device)
        .map((one) => [`${one.payload.seq}/${toText(one.payload.previous)}`, one]),
    );
    let last = { seq: before.seq, hash: before.before };
    for (;;) {
      const blob = blobs.get(following.get(`${last.seq + 1}/${toText(last.hash)}`)?.key ?? '');
      if (!blob) break;
      last = { seq: last.seq + 1, hash: blobHash(blob) };
    }
    const follows = last.seq > before.seq && last.seq >= heard;
    if (follows) next = { ...next, before: last.hash };
    const complete = fresh.every((one) => marks[one.key] || unreadable.has(one.key));
    const outgoing = new Set([...rows().values()].flatMap((row) => row.keys));
    const lying = Object.entries(before.marks).filter(([name]) => blobs.has(name) || outgoing.has(name));
    if (bodies.length + known.length === 0 && lying.length === Object.keys(before.marks).length) {
      looked = { blobs, record: before, complete };
      return { did: false, complete };
    }
    const transaction = newTransaction();
    const said = await content.apply(transaction, bodies, known);
    // A store that was set back counted on from where it was: some numbers mean two things, and who has heard of one does not ask for the
    // other. So all of it is said once more, under a new number. The index is read by everybody whatever its numbers say.
    const twice = (heard >= unheard && !follows) || (again && said > bodies.length);
    // Where the last of its bodies lacks nothing, another copy of this device has done so; both would answer one another without end.
    const saidAgain = async () => latest !== null && (await content.diff(latest)) === null;
    const squash = next.squash || (twice && document !== INDEX_ROOM && !(await saidAgain()));
    records.putRoom(transaction, document, {
      ...next,
      squash,
      marks: { ...Object.fromEntries(lying), ...marks },
    });
    transaction.after.push(deps.onCoverageGrown);
    if (heard >= unheard) deps.onRolledBack(transaction);
    signal.throwIfAborted();
    await records.commit(transaction);
    if (said > 0 && foreign > 0 && document !== INDEX_ROOM)
      records.addToJournal({
        kind: 'download',
        what: 'changes',
        document,
        device: authors.size === 1 ? ([...authors][0] ?? null) : null,
        count: foreign,
        bytes,
      });
    return { did: bodies.length + known.length > 0, complete };
  }

  // ---------------------------------------------------------------- send
  async function flush(signal: AbortSignal): Promise<boolean> {
    const there = room.blobs();
    const done: [number, OutboxRow][] = [];
    const out: Uint8Array[] = [];
    const parts: string[] = [];
    let flying = 0;
    sending = 0;
    const list = [...rows()];
    // In a full room what is small goes first, and alone: a relay takes all of what comes at once, or nothing.
    if (full) list.sort(([, a], [, b]) => a.bytes - b.bytes);
    for (const [number, row] of list) {
      if (row.epoch !== epoch || row.keys.every((name) => room.isConfirmed(name))) {
        done.push([number, row]);
        continue;
      }
      if (full && row.bytes >= full.bytes) {
        // Parts of what does not fit would keep out what does.
        parts.push(...row.keys.filter((name) => there.has(name)));
        continue;
      }
      if (full && flying > 0) continue;
      sending = Math.max(sending, row.bytes);
      row.keys.forEach((name, at) => {
        const blob = row.blobs[at];
        if (!blob || room.isConfirmed(name)) return;
        if (!there.has(name)) {
          if (flying > 0 && flying + blob.length > MAX_IN_FLIGHT_BYTES) return;
          out.push(blob);
        }
        flying += blob.length;
      });
    }
    if (done.length > 0) {
      const replaced = done
        .flatMap(([, row]) => (row.epoch === epoch ? row.replaces : []))
        .filter((name) => there.has(name));
      if (replaced.length > 0) room.remove(replaced);
      const transaction = newTransaction();
      for (const [number] of done) records.putOutboxRow(transaction, document, number, undefined);
      await records.commit(transaction);
      signal.throwIfAborted();
      const changes = done.reduce((sum, [, row]) => sum + row.changes, 0);
      if (changes > 0 && document !== INDEX_ROOM)
        records.addToJournal({
          kind: 'upload',
          what: 'changes',
          document,
          device: null,
          count: changes,
          bytes: done.reduce((sum, [, row]) => sum + row.bytes, 0),
        });
    }
    if (rows().size === 0) full = null;
    if (out.length + parts.length > 0) room.insert(out, parts);
    return done.length > 0;
  }

  /** The relay closed the door for want of room. What is smaller than what it refused may still get in, and so what others say gets here. */
  function yieldRoom(problem: Problem): void {
    if (sending === 0 || (full && sending >= full.bytes)) return;
    full = { problem, bytes: sending };
    sending = 0;
    room.retry();
  }

  /** Somebody else moved the document here, and nothing of it has come: two copies of a large one may not fit. */
  function isAwaiting(): boolean {
    if (!awaitsMove(record()) || room.blobs().size > 0) {
      bringAt = null;
      return false;
    }
    bringAt ??= clock() + MOVE_WAIT_MS + Math.random() * MOVE_JITTER_MS;
    if (clock() >= bringAt) return false;
    deps.wakeWithin(bringAt - clock() + 1);
    return true;
  }

  return {
    document,
    epoch,
    room,
    get lastActiveAt() {
      return activeAt;
    },
    get unreadableCount() {
      return unreadable.size + room.junk;
    },
    get isRead() {
      return read && room.state === 'synced';
    },
    get isComplete() {
      return whole && room.state === 'synced';
    },
    get isSettled() {
      return settled && !changed;
    },
    get isRepairing() {
      return upkeep.isRepairing;
    },
    get quotaProblem() {
      return full?.problem ?? null;
    },
    get isDeferred() {
      const limit = full?.bytes;
      return limit !== undefined && [...rows().values()].every((row) => row.bytes >= limit);
    },
    get isOverQuota() {
      return outgrown;
    },
    retry: (anew) => {
      if (full) [full, sending, changed] = [null, 0, true];
      room.retry(anew);
    },
    markDirty: () => {
      changed = true;
    },
    compare: () => {
      comparing = true;
      changed = true;
    },
    sync: async (signal) => {
      const { state } = room;
      if (state !== 'synced') {
        if (state === 'refused' && room.problem?.code === 'sync-quota') yieldRoom(room.problem);
        if (wasSynced) unreadable.clear();
        opened.clear();
        [looked, place] = [undefined, undefined];
        upkeep.reset();
        [wasSynced, settled, read, whole] = [false, false, false, false];
        return false;
      }
      wasSynced = true;
      const touched = changed;
      changed = false;
      const before = room.blobs().size;
      try {
        const received = await receive(signal);
        if (!received) {
          // What was not looked at may be somebody's words: until then the room is not one to be left, or mended.
          [changed, settled, read, whole] = [true, false, false, false];
          return true;
        }
        const { did, complete } = received;
        read = true;
        whole = complete;
        if (full) await upkeep.withdrawOverQuota();
        const mine = isShared(record());
        const isLeft =
          complete && mine && document !== INDEX_ROOM && (await upkeep.isOverQuota(full !== null));
        // What the old room has space for is said there first: who is late to follow reads it there.
        outgrown = isLeft && (full !== null || rows().size === 0);
        if (outgrown) return did;
        const sent = await flush(signal);
        if (did || sent || touched) activeAt = clock();
        signal.throwIfAborted();
        if (room.state !== 'synced' || !complete || rows().size > 0 || isLeft) {
          settled = false;
          return did || sent;
        }
        const { compare: wanted, squash } = record();
        if (mine && document !== INDEX_ROOM && isAwaiting()) {
          settled = false;
          return did || sent;
        }
        let mended = false;
        if (mine && (wanted || comparing)) {
          await upkeep.compare();
          comparing = false;
          mended = true;
        } else if (mine && squash) {
          mended = await upkeep.replaceAll();
        } else if (mine) mended = (await upkeep.repair()) || (await upkeep.compact());
        settled = !upkeep.isRepairing && !mended;
        return did || sent || mended || room.blobs().size !== before;
      } catch (error) {
        // Nothing was committed, so all of it is still to be done.
        [changed, place] = [true, undefined];
        throw error;
      }
    },
  };
}
