// Computes how much of the size that a person allowed is used. Pure; `measured-space.ts` measures.

/** The person is warned from this share on. */
const WARN_AT = 0.8;
/** A megabyte in the setting's sense, bytes. */
const MB = 1_000_000;

export interface StorageSpace {
  /** Bytes. */
  readonly used: number;
  readonly limit: number;
  readonly state: 'free' | 'warn' | 'full';
}

/**
 * Combines the figures: `usage` is the browser's own, rounded and late, null if it gives none; `known` are bytes that
 * exist for certain; `limit` is `storage.max_size_mb`.
 */
export function storageSpaceOf({
  usage,
  known,
  maxSizeMb,
}: {
  usage: number | null;
  known: number;
  maxSizeMb: number;
}): StorageSpace {
  const used = Math.max(usage ?? 0, known);
  const limit = maxSizeMb * MB;
  return { used, limit, state: used >= limit ? 'full' : used >= limit * WARN_AT ? 'warn' : 'free' };
}

/** Whole megabytes, rounded up, as the setting counts them. */
export const inMegabytes = (bytes: number): number => Math.ceil(bytes / MB);
