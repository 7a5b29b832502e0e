// Turns bodies into blobs and back: cuts, deflates, seals, numbers and joins them. Knows
// keys, but not the meaning of a body.
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { KeyRing, SealingKey } from '../../adapters/vault/sealing.ts';
import {
  associatedData,
  type BlobKind,
  blobHash,
  blobKey,
  decodePayload,
  encodePayload,
  joinBlob,
  NONCE_BYTES,
  PART_BYTES,
  type Payload,
  splitBlob,
} from '../../domain/sync/blob.ts';
import { toText } from '../../domain/sync/bytes.ts';
import { type Coverage, EMPTY_COVERAGE, union, withRange } from '../../domain/sync/coverage.ts';
import { ROOM_ID_BYTES, roomIdInfo, roomKeyInfo } from '../../domain/sync/keys.ts';
import { type Records, type RoomRecord, type Transaction, toStoredCoverage } from './records.ts';

/** Name and key of one room; its blobs are bound to the name. */
export interface RoomKey {
  readonly roomId: string;
  readonly key: SealingKey;
}
export type RoomKeys = (document: string, epoch: number) => Promise<RoomKey>;

/** Derives each room's key once. */
export function createRoomKeys(ring: KeyRing): RoomKeys {
  const derived = new Map<string, Promise<RoomKey>>();
  const derive = async (document: string, epoch: number): Promise<RoomKey> => ({
    roomId: toText(await ring.derive(roomIdInfo(document, epoch), ROOM_ID_BYTES)),
    key: await ring.sealingKey(roomKeyInfo(document, epoch)),
  });
  return (document, epoch) => {
    const name = `${document}|${epoch}`;
    const known = derived.get(name) ?? derive(document, epoch);
    derived.set(name, known);
    return known;
  };
}

/** Opens a blob; null if this key does not open it. */
export async function openBlob(
  { roomId, key }: RoomKey,
  blob: Uint8Array,
): Promise<{ kind: BlobKind; payload: Payload } | null> {
  const split = splitBlob(blob);
  const plaintext = split && (await key.open(split.nonce, split.sealed, associatedData(split.kind, roomId)));
  const payload = plaintext && decodePayload(plaintext);
  return split && payload ? { kind: split.kind, payload } : null;
}

/** An opened blob. */
export interface OpenedBlob {
  readonly key: string;
  readonly kind: BlobKind;
  readonly bytes: number;
  readonly payload: Payload;
}
/** The parts of one body together. */
export interface BodyParts {
  readonly opened: readonly OpenedBlob[];
  readonly coverage: Coverage;
}

/** Returns the bodies whose parts are all there. */
export function groupParts(opened: readonly OpenedBlob[]): BodyParts[] {
  const byUnit = new Map<string, Map<number, OpenedBlob>>();
  for (const blob of opened) {
    const { device: author, seq, part, parts } = blob.payload;
    const name = `${author}/${seq - part}/${parts}`;
    const unit = byUnit.get(name) ?? new Map<number, OpenedBlob>();
    // A device with a restored store may have used a number twice: both count.
    if (parts === 1 && unit.has(part)) byUnit.set(`${name}/${blob.key}`, new Map([[part, blob]]));
    else byUnit.set(name, unit.set(part, blob));
  }
  return [...byUnit.values()]
    .filter((unit) => unit.size === [...unit.values()][0]?.payload.parts)
    .map((unit) => {
      const parts = [...unit.values()].sort((a, b) => a.payload.part - b.payload.part);
      return {
        opened: parts,
        coverage: parts.reduce<Coverage>((all, { payload }) => union(all, payload.coverage), EMPTY_COVERAGE),
      };
    });
}

const MAX_INFLATED_BYTES = 256 * 1024 * 1024;

/** Joins the parts to their body; null if it does not inflate. */
export async function joinParts({ opened }: BodyParts, deflate: Deflate): Promise<Uint8Array | null> {
  const length = opened.reduce((sum, { payload }) => sum + payload.body.length, 0);
  const joined = new Uint8Array(length);
  let at = 0;
  for (const { payload } of opened) {
    joined.set(payload.body, at);
    at += payload.body.length;
  }
  return opened[0]?.payload.deflated ? await deflate.inflate(joined, MAX_INFLATED_BYTES) : joined;
}

interface OutgoingBody {
  readonly document: string;
  readonly record: RoomRecord;
  readonly body: Uint8Array;
  readonly kind: BlobKind;
  /** Further entries that the body covers, for segments and snapshots. */
  readonly holds?: Coverage;
  /** Blobs that it replaces: removed from the room once it is confirmed. */
  readonly replaces?: readonly string[];
  /** Count of this device's changes in it. */
  readonly changes: number;
  /** Computes the clocks after a body (`RoomContent`). */
  readonly content: { advanceClocks(before: RoomRecord['clocks'], body: Uint8Array): RoomRecord['clocks'] };
}

/**
 * Seals a body into the outbox of a room. Returns the room's next record, which the
 * caller adds to the same transaction.
 */
export type SealInto = (transaction: Transaction, outgoing: OutgoingBody) => Promise<RoomRecord>;

/** Bodies from this size on are deflated and sent as segments: their exact length reveals little. */
const MIN_SEGMENT_BYTES = 4 * 1024;

/**
 * Makes the function that seals bodies. Snapshots and bodies from 4 KB on are deflated if that makes them smaller, then
 * cut into parts and sealed under the room's key; `random` makes their nonces.
 */
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
  return async (
    transaction,
    { document, record, body, kind, holds = EMPTY_COVERAGE, replaces = [], changes, content },
  ) => {
    const { roomId, key } = await keysOf(document, record.epoch);
    const form: BlobKind = kind === 'delta' && body.length >= MIN_SEGMENT_BYTES ? 'segment' : kind;
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
      const coverage = toStoredCoverage(withRange(part === parts - 1 ? holds : EMPTY_COVERAGE, device, seq));
      const payload: Payload = {
        device,
        seq,
        previous: before,
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
        await key.seal(nonce, encodePayload(form, payload), associatedData(form, roomId)),
      );
      before = blobHash(blob);
      marks[blobKey(blob)] = coverage;
      blobs.push(blob);
    }
    records.putOutboxRow(transaction, document, first, {
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
      have: toStoredCoverage(withRange(union(record.have, holds), device, first, last)),
      marks,
      clocks: content.advanceClocks(record.clocks, body),
    };
  };
}
