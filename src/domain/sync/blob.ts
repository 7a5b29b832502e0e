// The sealed blob, which travels through rooms and is all that a relay ever holds.
//
//   version 1 | kind 1 | nonce 12 | AES-256-GCM( payload, padded ) + tag 16        bound to: version, kind, room
//
//   payload   device 8 | seq | hash of the device's blob before 16 | part, parts | flags | coverage | body | zeros
//
// The position in the room is not bound, because it changes. Numbers have variable length. Padding hides
// lengths: deltas in steps of 64 bytes, larger ones by PADME (Nikitin et al., "Reducing Metadata Leakage from
// Encrypted Files", 2019: at most 12 % more).
import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { log } from '../base/log.ts';
import { createByteReader, createByteWriter, fromText, toText } from './bytes.ts';
import { type Coverage, withRange } from './coverage.ts';

const BLOB_VERSION = 1;
/**
 * `delta`: one change. `segment`: several compacted into one, or one large change. `snapshot`: everything that a
 * device has.
 */
export type BlobKind = 'delta' | 'segment' | 'snapshot';
const KINDS: readonly BlobKind[] = ['delta', 'segment', 'snapshot'];

export const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 2 + NONCE_BYTES;
export const DEVICE_BYTES = 8;
const HASH_BYTES = 16;
/** Bodies are cut into parts of this size, so that no blob exceeds a relay's limit for one message. */
export const PART_BYTES = 256 * 1024;

/** Content of an opened blob. */
export interface Payload {
  /** Device that sealed it: 8 random bytes as text. */
  readonly device: string;
  /** Number of the blob among the device's blobs in this room, from 1. */
  readonly seq: number;
  /** Hash of the device's previous blob; zeros for the first. */
  readonly previous: Uint8Array;
  /** Number of this piece (from 0) of a body that is too long for one blob; `parts` pieces have consecutive numbers. */
  readonly part: number;
  readonly parts: number;
  /** True if the whole body is deflated. */
  readonly deflated: boolean;
  /** Entries that this blob holds, itself included. */
  readonly coverage: Coverage;
  readonly body: Uint8Array;
}

/** Returns the key of a blob by its content: equal bytes, equal key. */
export const blobKey = (blob: Uint8Array): string => toText(sha256(blob).slice(0, HASH_BYTES));
/** Returns the first `HASH_BYTES` bytes of the blob's SHA-256. */
export const blobHash = (blob: Uint8Array): Uint8Array => sha256(blob).slice(0, HASH_BYTES);

/** Returns the data that sealing binds the payload to. */
export const associatedData = (kind: BlobKind, room: string): Uint8Array =>
  concatBytes(Uint8Array.of(BLOB_VERSION, KINDS.indexOf(kind)), utf8ToBytes(room));

/** Builds a blob: one byte for the version, one for the kind, the nonce, and the sealed payload. */
export function joinBlob(kind: BlobKind, nonce: Uint8Array, sealed: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(BLOB_VERSION, KINDS.indexOf(kind)), nonce, sealed);
}

/** Returns the kind of a blob without opening it; undefined if this version does not know it. */
export const kindOf = (blob: Uint8Array): BlobKind | undefined => KINDS[blob[1] ?? -1];

/** Splits a blob; null if this version does not recognise it. */
export function splitBlob(
  blob: Uint8Array,
): { kind: BlobKind; nonce: Uint8Array; sealed: Uint8Array } | null {
  const kind = kindOf(blob);
  if (blob[0] !== BLOB_VERSION || kind === undefined || blob.length <= HEADER_BYTES + TAG_BYTES) return null;
  return { kind, nonce: blob.slice(2, HEADER_BYTES), sealed: blob.slice(HEADER_BYTES) };
}

/** Returns the size after padding by PADME, which rounds the length up to a multiple of a step. */
export function padme(length: number): number {
  if (length < 2) return length;
  const exponent = Math.floor(Math.log2(length));
  const kept = Math.floor(Math.log2(exponent || 1)) + 1;
  const step = 2 ** Math.max(0, exponent - kept);
  return Math.ceil(length / step) * step;
}

const DELTA_STEP = 64;

/** Returns the padded plaintext of a blob. */
export function encodePayload(kind: BlobKind, payload: Payload): Uint8Array {
  const writer = createByteWriter();
  writer.raw(fromText(payload.device));
  writer.number(payload.seq);
  writer.raw(payload.previous);
  writer.number(payload.part);
  writer.number(payload.parts);
  writer.byte(payload.deflated ? 1 : 0);
  const devices = Object.entries(payload.coverage);
  writer.number(devices.length);
  for (const [device, ranges] of devices) {
    writer.raw(fromText(device));
    writer.number(ranges.length);
    for (const [from, to] of ranges) {
      writer.number(from);
      writer.number(to - from);
    }
  }
  writer.bytes(payload.body);
  const size = kind === 'delta' ? Math.ceil(writer.length / DELTA_STEP) * DELTA_STEP : padme(writer.length);
  return writer.finish(size);
}

/** Parses an opened plaintext; null if it is invalid. */
export function decodePayload(plain: Uint8Array): Payload | null {
  try {
    const reader = createByteReader(plain);
    const device = toText(reader.raw(DEVICE_BYTES));
    const seq = reader.number();
    const previous = reader.raw(HASH_BYTES);
    const part = reader.number();
    const parts = reader.number();
    const deflated = reader.byte() === 1;
    let coverage: Coverage = {};
    for (let devices = reader.number(); devices > 0; devices -= 1) {
      const other = toText(reader.raw(DEVICE_BYTES));
      for (let ranges = reader.number(); ranges > 0; ranges -= 1) {
        const from = reader.number();
        coverage = withRange(coverage, other, from, from + reader.number());
      }
    }
    const body = reader.bytes();
    if (seq < 1 || parts < 1 || part >= parts || seq <= part) return null;
    return { device, seq, previous, part, parts, deflated, coverage, body };
  } catch (error) {
    log.debug('A blob that cannot be read was left out', error);
    return null;
  }
}
