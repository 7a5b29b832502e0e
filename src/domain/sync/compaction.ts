// Decides when blobs of a room are compacted into one, and which. Deltas since the last segment become a tail segment,
// which absorbs earlier segments that are not much larger, so that sizes stay geometric: few blobs in the room, and
// each byte is uploaded about twice in its life rather than with every full snapshot.
import type { BlobKind } from './blob.ts';

/** One blob, or all parts of a cut one. */
export interface BlobGroup {
  readonly keys: readonly string[];
  readonly kind: BlobKind;
  readonly bytes: number;
}

export const COMPACT_BLOBS = 64;
export const COMPACT_BYTES = 64 * 1024;
/**
 * Most bytes that a compaction replaces: the room holds both until it is confirmed. Larger segments stay as they are.
 */
export const MAX_COMPACT_BYTES = 4 * 1024 * 1024;
/** Thresholds from which a room is compacted, and delays. */
export interface CompactionPolicy {
  readonly blobs: number;
  readonly bytes: number;
  /** Quiet time before a compaction in ms, with jitter so that devices do not all start at once. */
  readonly afterMs: number;
  readonly jitterMs: number;
}
export const DEFAULT_COMPACTION: CompactionPolicy = {
  blobs: COMPACT_BLOBS,
  bytes: COMPACT_BYTES,
  afterMs: 3_000,
  jitterMs: 6_000,
};
/** A segment is included while it is smaller than this many times the bytes collected so far. */
const SIZE_RATIO = 2;

const segmentsOf = (units: readonly BlobGroup[]) =>
  units.filter((unit) => unit.kind !== 'delta' && unit.bytes <= MAX_COMPACT_BYTES);

/** True if enough blobs have accumulated to plan a compaction. */
export function isCompactionDue(units: readonly BlobGroup[], { blobs, bytes } = DEFAULT_COMPACTION): boolean {
  const deltas = units.filter((unit) => unit.kind === 'delta');
  return (
    deltas.length >= blobs ||
    deltas.reduce((sum, unit) => sum + unit.bytes, 0) >= bytes ||
    segmentsOf(units).length >= blobs / 4
  );
}

/**
 * Returns the units to compact into one; empty leaves the room as it is. Units must have been opened, applied and
 * committed here.
 */
export function planRoomCompaction(
  units: readonly BlobGroup[],
  policy = DEFAULT_COMPACTION,
): readonly BlobGroup[] {
  const deltas = units.filter((unit) => unit.kind === 'delta');
  const segments = segmentsOf(units).sort((a, b) => a.bytes - b.bytes);
  const chosen: BlobGroup[] = [];
  let bytes = deltas.reduce((sum, unit) => sum + unit.bytes, 0);
  const compactsDeltas = deltas.length >= policy.blobs || bytes >= policy.bytes;
  // Large changes arrive as segments: many of similar size are compacted too.
  if (!compactsDeltas && segments.length < policy.blobs / 4) return [];
  bytes = 0;
  if (compactsDeltas)
    for (const delta of deltas) {
      if (bytes + delta.bytes > MAX_COMPACT_BYTES) return chosen;
      chosen.push(delta);
      bytes += delta.bytes;
    }
  for (const segment of segments) {
    if (bytes + segment.bytes > MAX_COMPACT_BYTES) break;
    if (chosen.length > 0 && segment.bytes >= SIZE_RATIO * Math.max(bytes, policy.bytes / 16)) break;
    chosen.push(segment);
    bytes += segment.bytes;
  }
  return chosen.length > 1 ? chosen : [];
}
