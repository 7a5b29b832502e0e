// When blobs of a room are folded into one, and which. Tail segments: what piled up since the last segment becomes one, and it takes
// along the segments before it that are not much larger than itself, so that sizes stay geometric: few blobs in the room, and each
// byte is uploaded about twice in its life rather than with every full snapshot.
import type { BlobKind } from './blob.ts';

/** One blob, or the parts of a cut one together. */
export interface Unit {
  readonly keys: readonly string[];
  readonly kind: BlobKind;
  readonly bytes: number;
}

export const COMPACT_BLOBS = 64;
export const COMPACT_BYTES = 64 * 1024;
/** A fold replaces no more than this at a time: until it is confirmed, the room holds both. Larger segments stay as they are. */
export const MAX_COMPACT_BYTES = 4 * 1024 * 1024;
/** From how much on a room is folded, and how soon. */
export interface CompactionPolicy {
  readonly blobs: number;
  readonly bytes: number;
  /** Quiet time before a room is folded, and the jitter between devices that would do it at once, ms. */
  readonly afterMs: number;
  readonly jitterMs: number;
}
export const DEFAULT_COMPACTION: CompactionPolicy = {
  blobs: COMPACT_BLOBS,
  bytes: COMPACT_BYTES,
  afterMs: 3_000,
  jitterMs: 6_000,
};
/** A segment is taken along while it is smaller than this many times what is folded already. */
const SIZE_RATIO = 2;

const segmentsOf = (units: readonly Unit[]) =>
  units.filter((unit) => unit.kind !== 'delta' && unit.bytes <= MAX_COMPACT_BYTES);

/** True if enough has piled up to plan a compaction. */
export function isCompactionDue(units: readonly Unit[], { blobs, bytes } = DEFAULT_COMPACTION): boolean {
  const deltas = units.filter((unit) => unit.kind === 'delta');
  return (
    deltas.length >= blobs ||
    deltas.reduce((sum, unit) => sum + unit.bytes, 0) >= bytes ||
    segmentsOf(units).length >= blobs / 4
  );
}

/** Units to fold into one; empty: leave the room as it is. Units must have been opened, applied and committed here. */
export function planCompaction(units: readonly Unit[], policy = DEFAULT_COMPACTION): readonly Unit[] {
  const deltas = units.filter((unit) => unit.kind === 'delta');
  const segments = segmentsOf(units).sort((a, b) => a.bytes - b.bytes);
  const chosen: Unit[] = [];
  let bytes = deltas.reduce((sum, unit) => sum + unit.bytes, 0);
  const compactsDeltas = deltas.length >= policy.blobs || bytes >= policy.bytes;
  // Large changes come as segments by themselves: many of similar size are folded too.
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
