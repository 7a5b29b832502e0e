// Keeps a second copy of the lock's record in OPFS: a browser that finds one database damaged may delete all of them,
// and the second copy of a sealed log cannot be opened without its key slots.
import { z } from 'zod';
import { readJson } from '../../domain/base/json.ts';
import { orElse } from '../../domain/base/log.ts';
import { fromText, toText } from '../../domain/sync/bytes.ts';

interface LockCopy {
  readonly check: Uint8Array | null;
}
const keptSchema = z.looseObject({ check: z.string().nullable() });
const fileOf = (name: string) => `${name}.json`;

/** Reads the copy as it was written; undefined if there is none or the browser has no OPFS. */
export async function readLockCopy(name: string): Promise<unknown> {
  const root = await orElse(storageRoot(), null, 'no OPFS: the record of the lock has no copy');
  if (!root) return undefined;
  let words: string;
  try {
    words = await (await (await root.getFileHandle(fileOf(name))).getFile()).text();
  } catch (error) {
    if ((error as { name?: unknown } | null)?.name === 'NotFoundError') return undefined;
    throw error;
  }
  const kept = keptSchema.safeParse(readJson(words));
  // Hand on an unreadable copy, so that the caller refuses it instead of taking the device for one without a lock.
  if (!kept.success) return 'damaged';
  const { check, ...others } = kept.data;
  return { ...others, check: check === null ? null : fromText(check) };
}

/**
 * Replaces the copy in one step by the result of `read`. One thread writes at a time, so the
 * last writer has read the latest record.
 */
export async function writeLockCopy(name: string, read: () => Promise<LockCopy>): Promise<void> {
  const write = async () => {
    const file = await (await storageRoot()).getFileHandle(fileOf(name), { create: true });
    const { check, ...others } = await read();
    const words = JSON.stringify({ ...others, check: check && toText(check) });
    const stream = await file.createWritable();
    await stream.write(words);
    await stream.close();
  };
  await navigator.locks.request(`recollect:${fileOf(name)}`, write);
}

const storageRoot = async (): Promise<FileSystemDirectoryHandle> => await navigator.storage.getDirectory();
