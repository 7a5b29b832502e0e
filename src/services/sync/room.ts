// One room: opens what lies in it, seals what goes into it, folds it, and mends it. It does not know what a body means; `Content` does.
//
//   send      body ─► seal ─► ONE commit {outbox row, record} ─► insert ─► the relay gives it back ─► commit {row removed}
//   receive   blobs ─► open ─► ONE commit {log entries, record with marks}
//   fold      the outbox row of a segment names the blobs it replaces; they are taken out when the segment is confirmed, never before
//
// Killed anywhere, the next start finds either the step or its cause, and does it (again); doing it twice changes nothing.
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { SyncRoom } from '../../adapters/sync/sync-backend.ts';
import type { SealingKey } from '../../adapters/vault/sealing.ts';
import {
  type BlobKind,
  blobHash,
  blobKey,
  boundTo,
  decodePayload,
  encodePayload,
  joinBlob,
  NONCE_BYTES,
  PART_BYTES,
  type Payload,
  splitBlob,
} from '../../domain/sync/blob.ts';
import { FOLD_BLOBS, FOLD_BYTES, planFold, type Unit } from '../../domain/sync/compaction.ts';
import { type Coverage, covers, NOTHING, reach, union, withRange } from '../../domain/sync/coverage.ts';
import {
  freshRecord,
  kept,
  newStep,
  type OutboxRow,
  type Records,
  type RoomRecord,
  type Step,
} from './records.ts';

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
  /** The room's name on the relay, which its blobs are bound to. */
  readonly roomId: string;
  readonly key: SealingKey;
  readonly room: SyncRoom;
  readonly content: Content;
  readonly records: Records;
  readonly device: string;
  readonly deflate: Deflate;
  readonly random: (bytes: number) => Uint8Array;
  /** Monotonic, ms. */
  readonly clock: () => number;
  /** The relay was found to lack what it had. */
  readonly onLoss: () => void;
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
  /** The room changed: look at it in the next round. */
  touch(): void;
  /** Compare what lies in the room with what is here, word for word, when next it is read. */
  compare(): void;
  /** One round: receive, send, and what is due of mending and folding. Returns true where it did something. */
  work(signal: AbortSignal): Promise<boolean>;
}

/** Bodies from this size on are deflated and sent as segments: they are bulk, whose exact length says little. */
const SEGMENT_BYTES = 4 * 1024;
/** What is on its way to a relay at a time, bytes. */
const IN_FLIGHT_BYTES = 4 * 1024 * 1024;
const INFLATED_BYTES = 256 * 1024 * 1024;
/** Quiet time before a room is folded, and the jitter between devices that would do it at once, ms. */
const FOLD_AFTER_MS = 3_000;
const FOLD_JITTER_MS = 6_000;
/** Jitter before a loss on the relay is mended: all devices see it at once. */
const HEAL_JITTER_MS = 2_000;

/**
 * Seals a body into the outbox of a room. Returns the record as it will be; the caller puts it into the same step.
 * `holds`: what the body holds besides itself, for segments and snapshots.
 */
export async function seal(
  step: Step,
  {
    document,
    record,
    body,
    kind,
    holds = NOTHING,
    replaces = [],
    changes,
    content,
  }: {
    document: string;
    record: RoomRecord;
    body: Uint8Array;
    kind: BlobKind;
    holds?: Coverage;
    replaces?: readonly string[];
    changes: number;
    content: Content;
  },
  {
    roomId,
    key,
    device,
    deflate,
    random,
    records,
  }: Pick<RoomDeps, 'roomId' | 'key' | 'device' | 'deflate' | 'random' | 'records'>,
): Promise<RoomRecord> {
  const form: BlobKind = kind === 'delta' && body.length >= SEGMENT_BYTES ? 'segment' : kind;
  let sent = body;
  let deflated = false;
  if (form !== 'delta') {
    const smaller = await deflate.deflate(body);
    if (smaller.length < body.length) [sent, deflated] = [smaller, true];
  }
  const parts = Math.max(1, Math.ceil(sent.length / PART_BYTES));
  const first = record.seq + 1;
  const last = record.seq + parts;
  const marks: Record<string, RoomRecord['have']> = { ...record.marks };
  const blobs: Uint8Array[] = [];
  let before = record.before;
  for (let part = 0; part < parts; part += 1) {
    const seq = first + part;
    const coverage = kept(withRange(part === parts - 1 ? holds : NOTHING, device, seq));
    const payload: Payload = {
      device,
      seq,
      before,
      part,
      parts,
      deflated,
      coverage,
      body: sent.slice(part * PART_BYTES, (part + 1) * PART_BYTES),
    };
    const nonce = random(NONCE_BYTES);
    const blob = joinBlob(
      form,
      nonce,
      await key.seal(nonce, encodePayload(form, payload), boundTo(form, roomId)),
    );
    before = blobHash(blob);
    marks[blobKey(blob)] = coverage;
    blobs.push(blob);
  }
  records.putOut(step, document, first, {
    epoch: record.epoch,
    blobs,
    keys: blobs.map(blobKey),
    replaces: [...replaces],
    changes,
    bytes: blobs.reduce((sum, blob) => sum + blob.length, 0),
  });
  return {
    ...record,
    seq: last,
    before,
    have: kept(withRange(union(record.have, holds), device, first, last)),
    marks,
    clocks: content.clocks(record.clocks, body),
  };
}

/** An opened blob. */
interface Opened {
  readonly key: string;
  readonly kind: BlobKind;
  readonly bytes: number;
  readonly payload: Payload;
}
/** The parts of one body together. */
interface Group {
  readonly opened: readonly Opened[];
  readonly coverage: Coverage;
}

export function createRoomLink(deps: RoomDeps): RoomLink {
  const { document, epoch, roomId, key, room, content, records, device, deflate, random, clock, wakeWithin } =
    deps;
  /** Keys that cannot be opened: not tried again while the connection lasts. */
  const unreadable = new Set<string>();
  let changed = true;
  let activeAt = clock();
  let settled = false;
  let read = false;
  let comparing = false;
  /** What was looked through last, and what was found to lack nothing: the same again is not looked through again. */
  let looked: { blobs: ReadonlyMap<string, Uint8Array>; record: RoomRecord; complete: boolean } | undefined;
  let whole: { blobs: ReadonlyMap<string, Uint8Array>; record: RoomRecord } | undefined;
  let healAt: number | null = null;
  let foldAt: number | null = null;
  let wasSynced = false;

  const record = (): RoomRecord => records.rooms.get(document) ?? freshRecord(epoch);
  const rows = (): ReadonlyMap<number, OutboxRow> => records.outbox.get(document) ?? new Map();
  const sealing = { roomId, key, device, deflate, random, records };

  async function open(name: string, blob: Uint8Array): Promise<Opened | null> {
    const taken = splitBlob(blob);
    const plain = taken && (await key.open(taken.nonce, taken.sealed, boundTo(taken.kind, roomId)));
    const payload = plain && decodePayload(plain);
    return taken && payload ? { key: name, kind: taken.kind, bytes: blob.length, payload } : null;
  }

  /** Those whose parts are all there. */
  function groups(opened: readonly Opened[]): Group[] {
    const byUnit = new Map<string, Map<number, Opened>>();
    for (const one of opened) {
      const { device: author, seq, part, parts } = one.payload;
      const name = `${author}/${seq - part}/${parts}`;
      const unit = byUnit.get(name) ?? new Map<number, Opened>();
      // A device whose store was set back may have used a number twice: both count.
      if (parts === 1 && unit.has(part)) byUnit.set(`${name}/${one.key}`, new Map([[part, one]]));
      else byUnit.set(name, unit.set(part, one));
    }
    return [...byUnit.values()]
      .filter((unit) => unit.size === [...unit.values()][0]?.payload.parts)
      .map((unit) => {
        const parts = [...unit.values()].sort((a, b) => a.payload.part - b.payload.part);
        return {
          opened: parts,
          coverage: parts.reduce<Coverage>((all, { payload }) => union(all, payload.coverage), NOTHING),
        };
      });
  }

  async function bodyOf({ opened }: Group): Promise<Uint8Array | null> {
    const length = opened.reduce((sum, { payload }) => sum + payload.body.length, 0);
    const joined = new Uint8Array(length);
    let at = 0;
    for (const { payload } of opened) {
      joined.set(payload.body, at);
      at += payload.body.length;
    }
    const body = opened[0]?.payload.deflated ? await deflate.inflate(joined, INFLATED_BYTES) : joined;
    return body && content.isBody(body) ? body : null;
  }

  // ---------------------------------------------------------------- receive
  /** Takes over what is new. Returns false where some of it waits for its other parts. */
  async function receive(signal: AbortSignal): Promise<{ did: boolean; complete: boolean }> {
    const blobs = room.blobs();
    const before = record();
    if (blobs === looked?.blobs && before === looked.record) return { did: false, complete: looked.complete };
    const fresh: Opened[] = [];
    for (const [name, blob] of blobs) {
      if (before.marks[name] || unreadable.has(name)) continue;
      const opened = await open(name, blob);
      signal.throwIfAborted();
      if (opened) fresh.push(opened);
      else unreadable.add(name);
    }
    const together = groups(fresh);
    let next = before;
    const bodies: Uint8Array[] = [];
    const known: Uint8Array[] = [];
    let bytes = 0;
    let foreign = 0;
    const authors = new Set<string>();
    const marks: Record<string, RoomRecord['have']> = {};
    for (const group of together) {
      const body = await bodyOf(group);
      signal.throwIfAborted();
      if (!body) {
        for (const { key: name } of group.opened) unreadable.add(name);
        continue;
      }
      (covers(before.have, group.coverage) ? known : bodies).push(body);
      for (const one of group.opened) {
        marks[one.key] = kept(one.payload.coverage);
        bytes += one.bytes;
      }
      const author = group.opened[0]?.payload.device;
      if (author !== undefined && author !== device) {
        foreign += 1;
        authors.add(author);
      }
      // Own blobs that this store does not know: it was set back. Its numbers go on behind them.
      const own = Math.max(
        0,
        ...group.opened.map(({ payload }) => (payload.device === device ? payload.seq : 0)),
      );
      next = {
        ...next,
        seq: Math.max(next.seq, own),
        have: kept(union(next.have, group.coverage)),
        clocks: content.clocks(next.clocks, body),
      };
    }
    const complete = fresh.every((one) => marks[one.key] || unreadable.has(one.key));
    const outgoing = new Set([...rows().values()].flatMap((row) => row.keys));
    const lying = Object.entries(before.marks).filter(([name]) => blobs.has(name) || outgoing.has(name));
    if (bodies.length + known.length === 0 && lying.length === Object.keys(before.marks).length) {
      looked = { blobs, record: before, complete };
      return { did: false, complete };
    }
    const step = newStep();
    const said = await content.take(step, bodies, known);
    records.putRoom(step, document, { ...next, marks: { ...Object.fromEntries(lying), ...marks } });
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

  // ---------------------------------------------------------------- mend and fold
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
    const next = await seal(
      step,
      { document, record: now, body, kind: 'snapshot', holds: now.have, replaces, changes: 0, content },
      sealing,
    );
    records.putRoom(step, document, {
      ...next,
      whole: false,
      squash: replaces.length > 0 ? false : now.squash,
    });
    await records.commit(step);
    records.note({
      kind: 'note',
      what,
      document: document === 'index' ? null : document,
      device: null,
      count: 1,
      bytes: body.length,
    });
    return true;
  }

  /** The relay lost, or keeps back, what this device knows to have been there: then it is put there again. */
  async function heal(): Promise<boolean> {
    const [blobs, now] = [room.blobs(), record()];
    if (blobs === whole?.blobs && now === whole.record) return false;
    if (covers(held(), now.have)) {
      whole = { blobs, record: now };
      healAt = null;
      return false;
    }
    healAt ??= clock() + Math.random() * HEAL_JITTER_MS;
    if (clock() < healAt) {
      wakeWithin(healAt - clock() + 1);
      return false;
    }
    healAt = null;
    if (!(await sendWhole('healed', []))) return false;
    deps.onLoss();
    return true;
  }

  async function readAll(): Promise<Group[]> {
    const { marks } = record();
    const opened: Opened[] = [];
    for (const [name, blob] of room.blobs()) {
      const one = marks[name] ? await open(name, blob) : null;
      if (one) opened.push(one);
    }
    return groups(opened);
  }

  async function compare(): Promise<void> {
    const bodies: Uint8Array[] = [];
    for (const group of await readAll()) {
      const body = await bodyOf(group);
      if (body) bodies.push(body);
    }
    // With this body the room holds all that is here: the blob says so, and nothing has to be healed besides.
    const body = await content.missing(bodies.length > 0 ? content.merge(bodies) : null);
    const step = newStep();
    const now = record();
    const next = body
      ? await seal(
          step,
          { document, record: now, body, kind: 'delta', holds: now.have, changes: 1, content },
          sealing,
        )
      : now;
    records.putRoom(step, document, { ...next, compare: false, whole: false });
    await records.commit(step);
  }

  async function fold(): Promise<boolean> {
    let [deltas, segments, bytes] = [0, 0, 0];
    for (const [name, blob] of room.blobs()) {
      if (unreadable.has(name)) continue;
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
    const next = await seal(
      step,
      { document, record: record(), body, kind: 'segment', holds, replaces, changes: 0, content },
      sealing,
    );
    records.putRoom(step, document, next);
    await records.commit(step);
    if (document !== 'index')
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
        [looked, whole] = [undefined, undefined];
        [wasSynced, settled, read, foldAt] = [false, false, false, null];
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
          await compare();
          comparing = false;
          mended = true;
        } else if (mine && squash) {
          const { marks } = record();
          mended = await sendWhole(
            'folded',
            [...room.blobs().keys()].filter((name) => marks[name]),
          );
        } else if (mine) mended = (await heal()) || (await fold());
        settled = healAt === null && !mended;
        return did || sent || mended || room.blobs().size !== before;
      } catch (error) {
        // Nothing was committed, so all of it is still to be done.
        changed = true;
        throw error;
      }
    },
  };
}

/** How far a record reaches for a device: for beacons. */
export const reachOf = (record: RoomRecord, device: string): number => reach(record.have, device);
