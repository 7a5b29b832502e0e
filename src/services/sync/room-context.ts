// Shared state of receiving, sending and repairing one room: the room on the relay, its keys, its
// record, and how its bodies are read.
import type { Deflate } from '../../adapters/sync/deflate.ts';
import type { SyncRoom } from '../../adapters/sync/sync-backend.ts';
import type { CompactionPolicy } from '../../domain/sync/compaction.ts';
import { type Coverage, EMPTY_COVERAGE, union } from '../../domain/sync/coverage.ts';
import {
  type BodyParts,
  groupParts,
  joinParts,
  type OpenedBlob,
  openBlob,
  type RoomKey,
  type SealInto,
} from './envelope.ts';
import type { Records, RoomRecord, Transaction } from './records.ts';

/** Reads, merges and applies the bodies of one room. */
export interface RoomContent {
  isBody(body: Uint8Array): boolean;
  /** Merges several bodies into one without loss. */
  merge(bodies: readonly Uint8Array[]): Uint8Array;
  /**
   * Puts the bodies into the transaction. Skips those of `known` that hold nothing new. Returns
   * how many bodies held something new.
   */
  apply(
    transaction: Transaction,
    bodies: readonly Uint8Array[],
    known: readonly Uint8Array[],
  ): Promise<number>;
  /** All that this device has and may share; null: nothing, or it cannot be read now. */
  snapshot(): Promise<Uint8Array | null>;
  /** Changes that this device may share and `held` lacks; null: none. */
  diff(held: Uint8Array | null): Promise<Uint8Array | null>;
  /** Counts the forgotten messages in a body that is a whole document. */
  forgottenCount(body: Uint8Array): number;
  /** Returns the clocks as they are once the body is applied too. */
  advanceClocks(before: RoomRecord['clocks'], body: Uint8Array): RoomRecord['clocks'];
}

export interface RoomContext {
  readonly document: string;
  readonly epoch: number;
  readonly keys: RoomKey;
  readonly room: SyncRoom;
  readonly content: RoomContent;
  readonly records: Records;
  /** The room's record as it is now. */
  readonly record: () => RoomRecord;
  readonly device: string;
  readonly deflate: Deflate;
  readonly sealInto: SealInto;
  readonly compaction?: CompactionPolicy | undefined;
  /** Monotonic, ms. */
  readonly clock: () => number;
  /** Called when the relay was found to lack what it had. */
  readonly onLoss: () => void;
  /** Called when this device holds more of the room than before, so that it can announce that to the others. */
  readonly onCoverageGrown: () => void;
  /** Asks for another round in this many ms. */
  readonly wakeWithin: (ms: number) => void;
}

/** Returns what the applied blobs in the room hold together. */
export function heldCoverage({ room, record }: Pick<RoomContext, 'room' | 'record'>): Coverage {
  const { marks } = record();
  let all = EMPTY_COVERAGE;
  for (const name of room.blobs().keys()) all = union(all, marks[name] ?? EMPTY_COVERAGE);
  return all;
}

/** Opens the applied blobs among these, or in the whole room, and groups them into bodies. */
export async function openApplied(
  { room, record, keys }: Pick<RoomContext, 'room' | 'record' | 'keys'>,
  names: Iterable<string> = room.blobs().keys(),
): Promise<BodyParts[]> {
  const { marks } = record();
  const blobs = room.blobs();
  const opened: OpenedBlob[] = [];
  for (const name of names) {
    const blob = blobs.get(name);
    if (!blob || !marks[name]) continue;
    const content = await openBlob(keys, blob);
    if (content) opened.push({ key: name, bytes: blob.length, ...content });
  }
  return groupParts(opened);
}

/** Joins and inflates a body; null if it cannot be read. */
export async function readBody(
  { deflate, content }: Pick<RoomContext, 'deflate' | 'content'>,
  parts: BodyParts,
): Promise<Uint8Array | null> {
  const body = await joinParts(parts, deflate);
  return body && content.isBody(body) ? body : null;
}
