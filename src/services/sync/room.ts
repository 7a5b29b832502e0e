// One room: opens what lies in it, seals what goes into it, folds it, and mends it. It does not know what a body means; `Content` does.
//
//   send      body ─► seal ─► ONE commit {outbox row, record} ─► insert ─► the relay gives it back ─► commit {row removed}
//   receive   blobs ─► open ─► ONE commit {log entries, record with marks}
//   fold      the outbox row of a segment names the blobs it replaces; they are taken out when the segment is confirmed, never before
//
// Killed anywhere, the next start finds either the step or its cause, and does it (again); doing it twice changes nothing.
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { SyncRoom } from '../../adapters/sync/sync-backend.ts';
import { blobHash } from '../../domain/sync/blob.ts';
import { toText } from '../../domain/sync/bytes.ts';
import { covers, union } from '../../domain/sync/coverage.ts';
import { groupParts, joinParts, type Opened, openBlob, type RoomKey, type SealInto } from './envelope.ts';
import {
  freshRecord,
  kept,
  newStep,
  type OutboxRow,
  type Records,
  type RoomRecord,
  type Step,
} from './records.ts';
import { createUpkeep } from './upkeep.ts';

/** What the bodies of a room mean. */
export interface Content {
  isBody(body: Uint8Array): boolean;
  /** Several bodies as one; nothing of them is lost. */
  merge(bodies: readonly Uint8Array[]): Uint8Array;
  /** Puts into the step what takes the bodies over. `known`: bodies that should hold nothing new; they are looked at before. Returns how many said something. */
  take(step: Step, bodies: readonly Uint8Array[], known: readonly Uint8Array[]): Promise<number>;
  /** All that this device has and may share; null: nothing, or not now. */
  whole(): Promise<Uint8Array | null>;
  /** What this device has and may share and `held` has not; null: nothing. */
  missing(held: Uint8Array | null): Promise<Uint8Array | null>;
  /** Clocks after this body as well. */
  clocks(before: RoomRecord['clocks'], body: Uint8Array): RoomRecord['clocks'];
}

export interface RoomDeps {
  readonly document: string;
  readonly epoch: number;
  readonly keys: RoomKey;
  readonly room: SyncRoom;
  readonly content: Content;
  readonly records: Records;
  readonly device: string;
  readonly deflate: Deflate;
  readonly sealInto: SealInto;
  /** Monotonic, ms. */
  readonly clock: () => number;
  /** The relay was found to lack what it had. */
  readonly onLoss: () => void;
  /** This device holds more of the room than before. */
  readonly onHeld: () => void;
  /**
   * Own blobs were found of which this store does not know that they arrived: it was put back, another copy of it goes on as well, or, seldom, the
   * confirmation was lost and others folded them since. Goes into the step that takes them.
   */
  readonly onSetBack: (step: Step) => void;
  /** Asks to be looked at in this many ms. */
  readonly wakeWithin: (ms: number) => void;
}

export interface RoomLink {
  readonly document: string;
  readonly epoch: number;
  readonly room: SyncRoom;
  /** When something last happened in it, by the clock. */
  readonly activeAt: number;
  /** Blobs that cannot be opened, and what is no blob. */
  readonly unreadable: number;
  /** Everything that lies in the room is taken over. */
  readonly read: boolean;
  /** Besides, all of this device's is confirmed, and the room was compared with what this device knows of it. */
  readonly settled: boolean;
  /** The relay was seen to lack something of it, which is not there again yet. */
  readonly healing: boolean;
  /** The room changed: look at it in the next round. */
  touch(): void;
  /** Compare what lies in the room with what is here, word for word, when next it is read. */
  compare(): void;
  /** One round: receive, send, and what is due of mending and folding. Returns true where it did something. */
  work(signal: AbortSignal): Promise<boolean>;
}

/** What is on its way to a relay at a time, bytes. */
const IN_FLIGHT_BYTES = 4 * 1024 * 1024;
export function createRoomLink(deps: RoomDeps): RoomLink {
  const { document, epoch, keys, room, content, records, device, deflate, clock } = deps;
  /** Keys that cannot be opened: not tried again while the connection lasts. */
  const unreadable = new Set<string>();
  let changed = true;
  let activeAt = clock();
  let settled = false;
  let read = false;
  let comparing = false;
  /** What was looked through last: the same again is not looked through again. */
  let looked: { blobs: ReadonlyMap<string, Uint8Array>; record: RoomRecord; complete: boolean } | undefined;
  let wasSynced = false;

  const record = (): RoomRecord => records.rooms.get(document) ?? freshRecord(epoch);
  const rows = (): ReadonlyMap<number, OutboxRow> => records.outbox.get(document) ?? new Map();
  const upkeep = createUpkeep({ ...deps, record, isUnreadable: (name) => unreadable.has(name) });

  // ---------------------------------------------------------------- receive
  /** Takes over what is new. Returns false where some of it waits for its other parts. */
  async function receive(signal: AbortSignal): Promise<{ did: boolean; complete: boolean }> {
    const blobs = room.blobs();
    const before = record();
    if (blobs === looked?.blobs && before === looked.record) return { did: false, complete: looked.complete };
    const fresh: Opened[] = [];
    for (const [name, blob] of blobs) {
      if (before.marks[name] || unreadable.has(name)) continue;
      const opened = await openBlob(keys, blob);
      signal.throwIfAborted();
      if (opened) fresh.push({ key: name, bytes: blob.length, ...opened });
      else unreadable.add(name);
    }
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
        marks[one.key] = kept(one.payload.coverage);
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
        have: kept(union(next.have, group.coverage)),
        clocks: content.clocks(next.clocks, body),
      };
    }
    // Own blobs that follow upon the last one of this store, each naming the one before: nothing else was ever said under their numbers.
    const following = new Map(
      fresh
        .filter(({ key: name, payload }) => marks[name] && payload.device === device)
        .map((one) => [`${one.payload.seq}/${toText(one.payload.before)}`, one]),
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
    const step = newStep();
    const said = await content.take(step, bodies, known);
    // A store that was set back counted on from where it was: some numbers mean two things, and who has heard of one does not ask for the
    // other. So all of it is said once more, under a new number. The index is read by everybody whatever its numbers say.
    const twice = (heard >= unheard && !follows) || (again && said > bodies.length);
    // Where the last of its bodies lacks nothing, another copy of this device has done so; both would answer one another without end.
    const saidAgain = async () => latest !== null && (await content.missing(latest)) === null;
    const squash = next.squash || (twice && document !== 'index' && !(await saidAgain()));
    records.putRoom(step, document, { ...next, squash, marks: { ...Object.fromEntries(lying), ...marks } });
    step.after.push(deps.onHeld);
    if (heard >= unheard) deps.onSetBack(step);
    signal.throwIfAborted();
    await records.commit(step);
    if (said > 0 && foreign > 0 && document !== 'index')
      records.note({
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
    let flying = 0;
    for (const [number, row] of rows()) {
      if (row.epoch !== epoch || row.keys.every((name) => room.isConfirmed(name))) {
        done.push([number, row]);
        continue;
      }
      row.keys.forEach((name, at) => {
        const blob = row.blobs[at];
        if (!blob || room.isConfirmed(name)) return;
        if (!there.has(name)) {
          if (flying > 0 && flying + blob.length > IN_FLIGHT_BYTES) return;
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
      const step = newStep();
      for (const [number] of done) records.putOut(step, document, number, undefined);
      await records.commit(step);
      signal.throwIfAborted();
      const changes = done.reduce((sum, [, row]) => sum + row.changes, 0);
      if (changes > 0 && document !== 'index')
        records.note({
          kind: 'upload',
          what: 'changes',
          document,
          device: null,
          count: changes,
          bytes: done.reduce((sum, [, row]) => sum + row.bytes, 0),
        });
    }
    if (out.length > 0) room.insert(out);
    return done.length > 0;
  }

  return {
    document,
    epoch,
    room,
    get activeAt() {
      return activeAt;
    },
    get unreadable() {
      return unreadable.size + room.junk;
    },
    get read() {
      return read && room.state === 'synced';
    },
    get settled() {
      return settled && !changed;
    },
    get healing() {
      return upkeep.healing;
    },
    touch: () => {
      changed = true;
    },
    compare: () => {
      comparing = true;
      changed = true;
    },
    work: async (signal) => {
      const { state } = room;
      if (state !== 'synced') {
        if (wasSynced) unreadable.clear();
        looked = undefined;
        upkeep.reset();
        [wasSynced, settled, read] = [false, false, false];
        return false;
      }
      wasSynced = true;
      const touched = changed;
      changed = false;
      const before = room.blobs().size;
      try {
        const { did, complete } = await receive(signal);
        read = true;
        const sent = await flush(signal);
        if (did || sent || touched) activeAt = clock();
        signal.throwIfAborted();
        if (room.state !== 'synced' || !complete || rows().size > 0) {
          settled = false;
          return did || sent;
        }
        const { withheld, gone, compare: wanted, squash } = record();
        const mine = withheld === null && gone === null;
        let mended = false;
        if (mine && (wanted || comparing)) {
          await upkeep.compare();
          comparing = false;
          mended = true;
        } else if (mine && squash) {
          mended = await upkeep.squash();
        } else if (mine) mended = (await upkeep.heal()) || (await upkeep.fold());
        settled = !upkeep.healing && !mended;
        return did || sent || mended || room.blobs().size !== before;
      } catch (error) {
        // Nothing was committed, so all of it is still to be done.
        changed = true;
        throw error;
      }
    },
  };
}
