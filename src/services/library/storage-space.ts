// How much of the size that a person allowed the library takes. Pure; `measured-space.ts` measures.

/** From this share on a person is warned. */
const WARN_AT = 0.8;
/** A megabyte of the setting, bytes. */
const MB = 1_000_000;

export interface StorageSpace {
  /** Bytes. */
  readonly used: number;
  readonly limit: number;
  readonly state: 'free' | 'warn' | 'full';
}

/**
 * `usage`: bytes by the browser's own account, rounded and late, null where it does not say; `known`: bytes that are there for certain;
 * `limit`: `storage.max_size_mb`.
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

/** Whole megabytes, as the setting counts them. */
export const inMegabytes = (bytes: number): number => Math.ceil(bytes / MB);
