// Keeps a room whole and small: puts back what the relay lost, compares what lies in it with what is here, folds many blobs into one.
// Only what was opened, taken over and committed is ever replaced, and only once what stands for it is confirmed.
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { SyncRoom } from '../../adapters/sync/sync-backend.ts';
import { FOLD_BLOBS, FOLD_BYTES, planFold, type Unit } from '../../domain/sync/compaction.ts';
import { type Coverage, covers, NOTHING, union } from '../../domain/sync/coverage.ts';
import {
  type Group,
  groupParts,
  joinParts,
  type Opened,
  openBlob,
  type RoomKey,
  type SealInto,
} from './envelope.ts';
import { newStep, type Records, type RoomRecord } from './records.ts';
import type { Content } from './room.ts';

export interface Upkeep {
  /** The relay lost, or keeps back, what this device knows to have been there: then it is put there again. True where it was. */
  heal(): Promise<boolean>;
  /** A loss was seen and waits to be mended. */
  readonly healing: boolean;
  /** Reads every body in the room, and sends what this device has besides. */
  compare(): Promise<void>;
  /** Puts one snapshot in the place of all that was taken over: words that were forgotten are gone with it. */
  squash(): Promise<boolean>;
  /** Makes many blobs one, after a quiet time. True where it did. */
  fold(): Promise<boolean>;
  /** The connection was lost: what was seen of the room counts no more. */
  reset(): void;
}

/** Quiet time before a room is folded, and the jitter between devices that would do it at once, ms. */
const FOLD_AFTER_MS = 3_000;
const FOLD_JITTER_MS = 6_000;
/** Jitter before a loss on the relay is mended: all devices see it at once. */
const HEAL_JITTER_MS = 2_000;

export function createUpkeep({
  document,
  keys,
  room,
  content,
  records,
  sealInto,
  deflate,
  record,
  isUnreadable,
  clock,
  onLoss,
  onHeld,
  wakeWithin,
}: {
  readonly document: string;
  readonly keys: RoomKey;
  readonly room: SyncRoom;
  readonly content: Content;
  readonly records: Records;
  readonly sealInto: SealInto;
  readonly deflate: Deflate;
  /** The room's record as it is now. */
  readonly record: () => RoomRecord;
  readonly isUnreadable: (name: string) => boolean;
  /** Monotonic, ms. */
  readonly clock: () => number;
  /** The relay was found to lack what it had. */
  readonly onLoss: () => void;
  /** This device holds more of the room than before: who is not told of what it put there does not fetch it. */
  readonly onHeld: () => void;
  readonly wakeWithin: (ms: number) => void;
}): Upkeep {
  /** What was found to lack nothing: the same again is not looked through again. */
  let whole: { blobs: ReadonlyMap<string, Uint8Array>; record: RoomRecord } | undefined;
  let healAt: number | null = null;
  let foldAt: number | null = null;
  const named = document === 'index' ? null : document;

  /** What the readable blobs in the room hold together. */
  const held = (): Coverage => {
    const { marks } = record();
    let all = NOTHING;
    for (const name of room.blobs().keys()) all = union(all, marks[name] ?? NOTHING);
    return all;
  };

  async function sendWhole(what: 'healed' | 'folded', replaces: readonly string[]): Promise<boolean> {
    const body = await content.whole();
    if (!body) return false;
    const step = newStep();
    const now = record();
    const next = await sealInto(step, {
      document,
      record: now,
      body,
      kind: 'snapshot',
      holds: now.have,
      replaces,
      changes: 0,
      content,
    });
    records.putRoom(step, document, {
      ...next,
      whole: false,
      squash: replaces.length > 0 ? false : now.squash,
    });
    step.after.push(onHeld);
    await records.commit(step);
    records.note({
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
    healAt ??= clock() + Math.random() * HEAL_JITTER_MS;
    if (clock() < healAt) {
      wakeWithin(healAt - clock() + 1);
      return false;
    }
    healAt = null;
    if (!(await sendWhole('healed', []))) return false;
    onLoss();
    return true;
  }

  async function bodyOf(group: Group): Promise<Uint8Array | null> {
    const body = await joinParts(group, deflate);
    return body && content.isBody(body) ? body : null;
  }

  async function readAll(): Promise<Group[]> {
    const { marks } = record();
    const opened: Opened[] = [];
    for (const [name, blob] of room.blobs()) {
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
    const step = newStep();
    // What was erased here meanwhile does not come back.
    if (bodies.length > 0 && (await content.whole())) await content.take(step, [], [content.merge(bodies)]);
    await records.commit(step);
    return bodies;
  }

  async function compare(): Promise<void> {
    const bodies = await takeAgain();
    const step = newStep();
    const now = record();
    // A blob says that it holds what is in itself, never what it leaves out because other blobs have it: those may be lost.
    const lacks = !covers(held(), now.have);
    const body = lacks
      ? await content.whole()
      : await content.missing(bodies.length > 0 ? content.merge(bodies) : null);
    const next = body
      ? await sealInto(step, {
          document,
          record: now,
          body,
          kind: lacks ? 'snapshot' : 'delta',
          holds: lacks ? now.have : NOTHING,
          changes: 1,
          content,
        })
      : now;
    records.putRoom(step, document, { ...next, compare: false, whole: false });
    if (body) step.after.push(onHeld);
    await records.commit(step);
  }

  async function fold(): Promise<boolean> {
    let [deltas, segments, bytes] = [0, 0, 0];
    for (const [name, blob] of room.blobs()) {
      if (isUnreadable(name)) continue;
      if (blob[1] === 0) {
        deltas += 1;
        bytes += blob.length;
      } else segments += 1;
    }
    if (deltas < FOLD_BLOBS && bytes < FOLD_BYTES && segments < FOLD_BLOBS / 4) {
      foldAt = null;
      return false;
    }
    foldAt ??= clock() + FOLD_AFTER_MS + Math.random() * FOLD_JITTER_MS;
    if (clock() < foldAt) {
      wakeWithin(foldAt - clock() + 1);
      return false;
    }
    foldAt = null;
    const all = await readAll();
    const units = new Map<Unit, Group>(
      all.map((group) => [
        {
          keys: group.opened.map(({ key: name }) => name),
          kind: group.opened[0]?.kind ?? 'delta',
          bytes: group.opened.reduce((sum, one) => sum + one.bytes, 0),
        },
        group,
      ]),
    );
    const plan = planFold([...units.keys()]);
    const bodies: Uint8Array[] = [];
    const replaces: string[] = [];
    let holds = NOTHING;
    for (const unit of plan) {
      const group = units.get(unit);
      const body = group && (await bodyOf(group));
      if (!body) continue;
      bodies.push(body);
      replaces.push(...unit.keys);
      holds = union(holds, group.coverage);
    }
    if (bodies.length < 2) return false;
    const step = newStep();
    const body = content.merge(bodies);
    const next = await sealInto(step, {
      document,
      record: record(),
      body,
      kind: 'segment',
      holds,
      replaces,
      changes: 0,
      content,
    });
    records.putRoom(step, document, next);
    step.after.push(onHeld);
    await records.commit(step);
    if (named !== null)
      records.note({
        kind: 'note',
        what: 'folded',
        document,
        device: null,
        count: bodies.length,
        bytes: body.length,
      });
    return true;
  }

  return {
    heal,
    get healing() {
      return healAt !== null;
    },
    compare,
    squash: async () => {
      const { marks } = record();
      const replaces = [...room.blobs().keys()].filter((name) => marks[name]);
      // What takes their place must have all that they have.
      await takeAgain();
      return await sendWhole('folded', replaces);
    },
    fold,
    reset: () => {
      whole = undefined;
      foldAt = null;
    },
  };
}
