// Keeps a room whole and small: puts back what the relay lost, compares what lies in it with what is here, folds many blobs into one.
// Only what was opened, taken over and committed is ever replaced, and only once what stands for it is confirmed.

import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { SyncRoom } from '../../adapters/sync/sync-backend.ts';
import { kindOf } from '../../domain/sync/blob.ts';
import {
  type CompactionPolicy,
  DEFAULT_COMPACTION,
  isCompactionDue,
  MAX_COMPACT_BYTES,
  planCompaction,
  type Unit,
} from '../../domain/sync/compaction.ts';
import { type Coverage, covers, EMPTY_COVERAGE, union, withRange } from '../../domain/sync/coverage.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import {
  type BodyParts,
  groupParts,
  joinParts,
  type OpenedBlob,
  openBlob,
  type RoomKey,
  type SealInto,
} from './envelope.ts';
import { newTransaction, type Records, type RoomRecord, replacesWithSnapshot } from './records.ts';
import type { RoomContent } from './room.ts';

export interface RoomRepair {
  /** The relay lost, or keeps back, what this device knows to have been there: then it is put there again. True where it was. */
  repair(): Promise<boolean>;
  /** A loss was seen and waits to be mended. */
  readonly isRepairing: boolean;
  /** Reads every body in the room, and sends what this device has besides. */
  compare(): Promise<void>;
  /** Puts one snapshot in the place of all that was taken over: words that were forgotten are gone with it. */
  replaceAll(): Promise<boolean>;
  /** Makes many blobs one, after a quiet time. True where it did. */
  compact(): Promise<boolean>;
  /**
   * The relay had no room for what says nothing new: what only folds, and what was to put back what somebody else has put back since. It goes
   * out no more, and where it was a fold, nothing is folded here again. What of it lies in the room is taken out, and its numbers are claimed
   * by a word that is hardly anything.
   */
  withdrawOverQuota(): Promise<void>;
  /** The room is to be left for the next epoch: it has no space for what would make it smaller. `full`: the relay said so. */
  isOverQuota(full: boolean): Promise<boolean>;
  /** The connection was lost: what was seen of the room counts no more. */
  reset(): void;
}

/** Jitter before a loss on the relay is mended, or a full room is left: all devices see it at once. */
const REPAIR_JITTER_MS = 2_000;
/** A full room is left where a new one is this many times smaller. */
const MIN_SHRINK_RATIO = 1.25;
/** What is as small as this is no burden to any room, bytes. */
const SMALL_BYTES = 1024;

export function createRoomRepair({
  document,
  keys,
  room,
  content,
  records,
  sealInto,
  deflate,
  device,
  record,
  isUnreadable,
  compaction = DEFAULT_COMPACTION,
  clock,
  onLoss,
  onCoverageGrown,
  wakeWithin,
}: {
  readonly document: string;
  readonly keys: RoomKey;
  readonly room: SyncRoom;
  readonly content: RoomContent;
  readonly records: Records;
  readonly sealInto: SealInto;
  readonly deflate: Deflate;
  readonly device: string;
  /** The room's record as it is now. */
  readonly record: () => RoomRecord;
  readonly isUnreadable: (name: string) => boolean;
  readonly compaction?: CompactionPolicy | undefined;
  /** Monotonic, ms. */
  readonly clock: () => number;
  /** The relay was found to lack what it had. */
  readonly onLoss: () => void;
  /** This device holds more of the room than before: who is not told of what it put there does not fetch it. */
  readonly onCoverageGrown: () => void;
  readonly wakeWithin: (ms: number) => void;
}): RoomRepair {
  /** What was found to lack nothing: the same again is not looked through again. */
  let whole: { blobs: ReadonlyMap<string, Uint8Array>; record: RoomRecord } | undefined;
  let healAt: number | null = null;
  let foldAt: number | null = null;
  /** Units by the names of their blobs, as they were opened for compaction: opening is what takes time. */
  const units = new Map<string, Unit>();
  /** In this there was nothing to fold. */
  let unfoldable: ReadonlyMap<string, Uint8Array> | undefined;
  let foldless = false;
  /** Of the full room: what it held when it was last weighed, and when it is left, if it is. */
  let weighed = 0;
  let leaveAt: number | null = null;
  const named = document === INDEX_ROOM ? null : document;

  /** What the readable blobs in the room hold together. */
  const held = (): Coverage => {
    const { marks } = record();
    let all = EMPTY_COVERAGE;
    for (const name of room.blobs().keys()) all = union(all, marks[name] ?? EMPTY_COVERAGE);
    return all;
  };

  async function sendWhole(what: 'healed' | 'folded', replaces: readonly string[]): Promise<boolean> {
    const body = await content.snapshot();
    if (!body) return false;
    const transaction = newTransaction();
    const now = record();
    const next = await sealInto(transaction, {
      document,
      record: now,
      body,
      kind: 'snapshot',
      holds: now.have,
      replaces,
      changes: 0,
      content,
    });
    records.putRoom(transaction, document, {
      ...next,
      whole: false,
      squash: replaces.length > 0 ? false : now.squash,
    });
    transaction.after.push(onCoverageGrown);
    await records.commit(transaction);
    records.addToJournal({
      kind: 'note',
      what,
      document: named,
      device: null,
      count: 1,
      bytes: body.length,
    });
    return true;
  }

  async function heal(): Promise<boolean> {
    const [blobs, now] = [room.blobs(), record()];
    if (blobs === whole?.blobs && now === whole.record) return false;
    if (covers(held(), now.have)) {
      whole = { blobs, record: now };
      // Another device was quicker. What else the relay lost, only this one may have.
      if (healAt !== null) onLoss();
      healAt = null;
      return false;
    }
    // Others may have put it together anew: what came and was not read yet may hold it.
    if ([...blobs.keys()].some((name) => !now.marks[name] && !isUnreadable(name))) return false;
    healAt ??= clock() + Math.random() * REPAIR_JITTER_MS;
    if (clock() < healAt) {
      wakeWithin(healAt - clock() + 1);
      return false;
    }
    healAt = null;
    if (!(await sendWhole('healed', []))) return false;
    onLoss();
    return true;
  }

  async function bodyOf(group: BodyParts): Promise<Uint8Array | null> {
    const body = await joinParts(group, deflate);
    return body && content.isBody(body) ? body : null;
  }

  /** What was taken over, of all in the room or of these. */
  async function readAll(names: Iterable<string> = room.blobs().keys()): Promise<BodyParts[]> {
    const { marks } = record();
    const blobs = room.blobs();
    const opened: OpenedBlob[] = [];
    for (const name of names) {
      const blob = blobs.get(name);
      if (!blob) continue;
      const one = marks[name] ? await openBlob(keys, blob) : null;
      if (one) opened.push({ key: name, bytes: blob.length, ...one });
    }
    return groupParts(opened);
  }

  /** Every body in the room that was taken over. What of them is not here (any more), as after damage on the disk, is taken once more. */
  async function takeAgain(): Promise<Uint8Array[]> {
    const bodies: Uint8Array[] = [];
    for (const group of await readAll()) {
      const body = await bodyOf(group);
      if (body) bodies.push(body);
    }
    const transaction = newTransaction();
    // What was erased here meanwhile does not come back.
    if (bodies.length > 0 && (await content.snapshot()))
      await content.apply(transaction, [], [content.merge(bodies)]);
    await records.commit(transaction);
    return bodies;
  }

  async function compare(): Promise<void> {
    const bodies = await takeAgain();
    const transaction = newTransaction();
    const now = record();
    // A blob says that it holds what is in itself, never what it leaves out because other blobs have it: those may be lost.
    const lacks = !covers(held(), now.have);
    const there = bodies.length > 0 ? content.merge(bodies) : null;
    const body = lacks ? await content.snapshot() : await content.diff(there);
    // What others have told here to be forgotten is theirs to replace, and a room that was made anew has nothing of it.
    const told = now.seq === 0 && there ? content.forgottenCount(there) : 0;
    const next = body
      ? await sealInto(transaction, {
          document,
          record: now,
          body,
          kind: lacks ? 'snapshot' : 'delta',
          holds: lacks ? now.have : EMPTY_COVERAGE,
          changes: 1,
          content,
        })
      : now;
    records.putRoom(transaction, document, {
      ...next,
      compare: false,
      whole: false,
      forgotten: Math.max(now.forgotten, told),
    });
    if (body) transaction.after.push(onCoverageGrown);
    await records.commit(transaction);
  }

  async function fold(): Promise<boolean> {
    const blobs = room.blobs();
    if (foldless || blobs === unfoldable) return false;
    const fresh = [...blobs].filter(([name]) => !units.has(name) && !isUnreadable(name));
    const known = () => new Set([...blobs.keys()].flatMap((name) => units.get(name) ?? []));
    const alone = fresh.map(
      ([name, blob]): Unit => ({ keys: [name], kind: kindOf(blob) ?? 'segment', bytes: blob.length }),
    );
    if (!isCompactionDue([...known(), ...alone], compaction)) {
      foldAt = null;
      return false;
    }
    foldAt ??= clock() + compaction.afterMs + Math.random() * compaction.jitterMs;
    if (clock() < foldAt) {
      wakeWithin(foldAt - clock() + 1);
      return false;
    }
    foldAt = null;
    for (const name of [...units.keys()]) if (!blobs.has(name)) units.delete(name);
    for (const { opened } of await readAll(fresh.map(([name]) => name))) {
      const unit: Unit = {
        keys: opened.map(({ key: name }) => name),
        kind: opened[0]?.kind ?? 'delta',
        bytes: opened.reduce((sum, one) => sum + one.bytes, 0),
      };
      for (const name of unit.keys) units.set(name, unit);
    }
    const bodies: Uint8Array[] = [];
    const replaces: string[] = [];
    let holds = EMPTY_COVERAGE;
    for (const group of await readAll(
      planCompaction([...known()], compaction).flatMap(({ keys: names }) => names),
    )) {
      const body = await bodyOf(group);
      if (!body) continue;
      bodies.push(body);
      replaces.push(...group.opened.map(({ key: name }) => name));
      holds = union(holds, group.coverage);
    }
    if (bodies.length < 2) {
      unfoldable = blobs;
      return false;
    }
    const transaction = newTransaction();
    const body = content.merge(bodies);
    const next = await sealInto(transaction, {
      document,
      record: record(),
      body,
      kind: 'segment',
      holds,
      replaces,
      changes: 0,
      content,
    });
    records.putRoom(transaction, document, next);
    transaction.after.push(onCoverageGrown);
    await records.commit(transaction);
    if (named !== null)
      records.addToJournal({
        kind: 'note',
        what: 'folded',
        document,
        device: null,
        count: bodies.length,
        bytes: body.length,
      });
    return true;
  }

  async function giveUp(): Promise<void> {
    const transaction = newTransaction();
    const replaces: string[] = [];
    let holds = EMPTY_COVERAGE;
    let squash = false;
    let folds = false;
    for (const [number, row] of records.outbox.get(document) ?? []) {
      if (row.changes > 0 || row.bytes <= SMALL_BYTES) continue;
      const numbers = withRange(holds, device, number, number + row.blobs.length - 1);
      const isFold = row.replaces.length > 0;
      if (!isFold && !covers(union(held(), numbers), record().have)) continue;
      records.putOutboxRow(transaction, document, number, undefined);
      replaces.push(...row.keys);
      holds = numbers;
      folds ||= isFold;
      squash ||= replacesWithSnapshot(row);
    }
    if (replaces.length === 0) return;
    foldless ||= folds;
    const body = content.merge([]);
    const next = await sealInto(transaction, {
      document,
      record: record(),
      body,
      kind: 'delta',
      holds,
      replaces,
      changes: 0,
      content,
    });
    records.putRoom(transaction, document, { ...next, squash: next.squash || squash });
    await records.commit(transaction);
  }

  async function isOutgrown(full: boolean): Promise<boolean> {
    let bytes = 0;
    for (const blob of room.blobs().values()) bytes += blob.length;
    if (record().squash && (full || bytes > MAX_COMPACT_BYTES)) return true;
    if (!full) {
      [weighed, leaveAt] = [0, null];
      return false;
    }
    for (const row of records.outbox.get(document)?.values() ?? [])
      if (row.changes > 0)
        row.keys.forEach((name, at) => {
          if (!room.blobs().has(name)) bytes += row.blobs[at]?.length ?? 0;
        });
    if (leaveAt === null) {
      if (bytes < weighed * 1.1) return false;
      weighed = bytes;
      const body = await content.snapshot();
      if (!body || (await deflate.deflate(body)).length * MIN_SHRINK_RATIO > bytes) return false;
      leaveAt = clock() + Math.random() * REPAIR_JITTER_MS;
    }
    if (clock() >= leaveAt) return true;
    wakeWithin(leaveAt - clock() + 1);
    return false;
  }

  return {
    withdrawOverQuota: giveUp,
    isOverQuota: isOutgrown,
    repair: heal,
    get isRepairing() {
      return healAt !== null;
    },
    compare,
    replaceAll: async () => {
      const { marks } = record();
      const replaces = [...room.blobs().keys()].filter((name) => marks[name]);
      // What takes their place must have all that they have.
      await takeAgain();
      return await sendWhole('folded', replaces);
    },
    compact: fold,
    reset: () => {
      whole = undefined;
      unfoldable = undefined;
      foldAt = null;
    },
  };
}
