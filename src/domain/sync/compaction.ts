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

export const FOLD_BLOBS = 64;
export const FOLD_BYTES = 64 * 1024;
/** A fold replaces no more than this at a time: until it is confirmed, the room holds both. Larger segments stay as they are. */
export const FOLD_MOST = 4 * 1024 * 1024;
/** From how much on a room is folded, and how soon. */
export interface Folding {
  readonly blobs: number;
  readonly bytes: number;
  /** Quiet time before a room is folded, and the jitter between devices that would do it at once, ms. */
  readonly afterMs: number;
  readonly jitterMs: number;
}
export const FOLDING: Folding = { blobs: FOLD_BLOBS, bytes: FOLD_BYTES, afterMs: 3_000, jitterMs: 6_000 };
/** A segment is taken along while it is smaller than this many times what is folded already. */
const GROWTH = 2;

const segmentsOf = (units: readonly Unit[]) =>
  units.filter((unit) => unit.kind !== 'delta' && unit.bytes <= FOLD_MOST);

/** Whether enough has piled up for a fold to be planned. */
export function isFoldDue(units: readonly Unit[], { blobs, bytes } = FOLDING): boolean {
  const deltas = units.filter((unit) => unit.kind === 'delta');
  return (
    deltas.length >= blobs ||
    deltas.reduce((sum, unit) => sum + unit.bytes, 0) >= bytes ||
    segmentsOf(units).length >= blobs / 4
  );
}

/** Units to fold into one; empty: leave the room as it is. Units must have been opened, applied and committed here. */
export function planFold(units: readonly Unit[], due = FOLDING): readonly Unit[] {
  const deltas = units.filter((unit) => unit.kind === 'delta');
  const segments = segmentsOf(units).sort((a, b) => a.bytes - b.bytes);
  const fold: Unit[] = [];
  let bytes = deltas.reduce((sum, unit) => sum + unit.bytes, 0);
  const folds = deltas.length >= due.blobs || bytes >= due.bytes;
  // Large changes come as segments by themselves: many of similar size are folded too.
  if (!folds && segments.length < due.blobs / 4) return [];
  bytes = 0;
  if (folds)
    for (const delta of deltas) {
      if (bytes + delta.bytes > FOLD_MOST) return fold;
      fold.push(delta);
      bytes += delta.bytes;
    }
  for (const segment of segments) {
    if (bytes + segment.bytes > FOLD_MOST) break;
    if (fold.length > 0 && segment.bytes >= GROWTH * Math.max(bytes, due.bytes / 16)) break;
    fold.push(segment);
    bytes += segment.bytes;
  }
  return fold.length > 1 ? fold : [];
}
