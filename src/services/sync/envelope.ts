// Bodies into blobs and back: cut into parts, deflated, sealed, numbered, and put together again. Knows keys, not what a body means.
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { KeyRing, SealingKey } from '../../adapters/vault/sealing.ts';
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
import { toText } from '../../domain/sync/bytes.ts';
import { type Coverage, NOTHING, union, withRange } from '../../domain/sync/coverage.ts';
import { ROOM_ID_BYTES, roomIdInfo, roomKeyInfo } from '../../domain/sync/keys.ts';
import { kept, type Records, type RoomRecord, type Step } from './records.ts';

/** What opens one room: its name on the relay, which its blobs are bound to, and its key. */
export interface RoomKey {
  readonly roomId: string;
  readonly key: SealingKey;
}
export type RoomKeys = (document: string, epoch: number) => Promise<RoomKey>;

/** Derives each room's key once. */
export function createRoomKeys(ring: KeyRing): RoomKeys {
  const made = new Map<string, Promise<RoomKey>>();
  const make = async (document: string, epoch: number): Promise<RoomKey> => ({
    roomId: toText(await ring.derive(roomIdInfo(document, epoch), ROOM_ID_BYTES)),
    key: await ring.sealingKey(roomKeyInfo(document, epoch)),
  });
  return (document, epoch) => {
    const name = `${document}|${epoch}`;
    const known = made.get(name) ?? make(document, epoch);
    made.set(name, known);
    return known;
  };
}

/** What a blob says; null where this key does not open it. */
export async function openBlob(
  { roomId, key }: RoomKey,
  blob: Uint8Array,
): Promise<{ kind: BlobKind; payload: Payload } | null> {
  const taken = splitBlob(blob);
  const plain = taken && (await key.open(taken.nonce, taken.sealed, boundTo(taken.kind, roomId)));
  const payload = plain && decodePayload(plain);
  return taken && payload ? { kind: taken.kind, payload } : null;
}

/** An opened blob. */
export interface Opened {
  readonly key: string;
  readonly kind: BlobKind;
  readonly bytes: number;
  readonly payload: Payload;
}
/** The parts of one body together. */
export interface Group {
  readonly opened: readonly Opened[];
  readonly coverage: Coverage;
}

/** Those whose parts are all there. */
export function groupParts(opened: readonly Opened[]): Group[] {
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

const INFLATED_BYTES = 256 * 1024 * 1024;

/** The body whose parts these are; null where it does not inflate. */
export async function joinParts({ opened }: Group, deflate: Deflate): Promise<Uint8Array | null> {
  const length = opened.reduce((sum, { payload }) => sum + payload.body.length, 0);
  const joined = new Uint8Array(length);
  let at = 0;
  for (const { payload } of opened) {
    joined.set(payload.body, at);
    at += payload.body.length;
  }
  return opened[0]?.payload.deflated ? await deflate.inflate(joined, INFLATED_BYTES) : joined;
}

export interface Outgoing {
  readonly document: string;
  readonly record: RoomRecord;
  readonly body: Uint8Array;
  readonly kind: BlobKind;
  /** What the body holds besides itself, for segments and snapshots. */
  readonly holds?: Coverage;
  /** Blobs that it stands for: taken out of the room once it is confirmed. */
  readonly replaces?: readonly string[];
  /** Changes of this device in it. */
  readonly changes: number;
  /** How a body moves the clocks (`Content`). */
  readonly content: { clocks(before: RoomRecord['clocks'], body: Uint8Array): RoomRecord['clocks'] };
}

/** Seals a body into the outbox of a room. Returns the record as it will be; the caller puts it into the same step. */
export type SealInto = (step: Step, outgoing: Outgoing) => Promise<RoomRecord>;

/** Bodies from this size on are deflated and sent as segments: they are bulk, whose exact length says little. */
const SEGMENT_BYTES = 4 * 1024;

export function createSealInto({
  records,
  keysOf,
  device,
  deflate,
  random,
}: {
  readonly records: Records;
  readonly keysOf: RoomKeys;
  readonly device: string;
  readonly deflate: Deflate;
  readonly random: (bytes: number) => Uint8Array;
}): SealInto {
  return async (step, { document, record, body, kind, holds = NOTHING, replaces = [], changes, content }) => {
    const { roomId, key } = await keysOf(document, record.epoch);
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
  };
}
