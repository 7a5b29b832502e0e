// Opens the stores of a thread: reads the record of the device's lock, gets the key from another thread or from
// the person, and keeps other threads from replacing the database while this one runs.
// services/lock/in-force.ts draws how a database is replaced.

import { ifFree } from '../adapters/browser/locks.ts';
import type { IndexedDbOptions } from '../adapters/log/indexed-db.ts';
import type { DataKey } from '../adapters/vault/data-key.ts';
import {
  createLockRecords,
  type LockRecord,
  type LockRecords,
  NEVER_LOCKED,
} from '../adapters/vault/lock-records.ts';
import { RecollectError } from '../domain/base/errors.ts';
import { log, orElse } from '../domain/base/log.ts';
import {
  CONVERTING,
  convertDatabase,
  deleteStale,
  openStoresInForce,
  type StoresInForce,
} from '../services/lock/in-force.ts';
import { KeyHolder } from '../services/lock/key-holder.ts';
import { isKeyOf } from '../services/lock/slots.ts';

/** Web Lock that every thread with the log open shares; a thread that replaces the database holds it alone. */
const IN_USE = 'recollect:in-use';
/**
 * Wait for the key of an unlocked window before the unlock screen is shown, ms. The screen still takes a later answer.
 */
const ANSWER_MS = 250;
/** Longest wait of a worker for the key of its tab, ms. */
const WORKER_WAITS_MS = 60_000;
/** Longest wait for other tabs, which reload, to close the log, ms. */
const ALONE_WITHIN_MS = 8_000;

/** Parts of the device's lock in this thread: its stored record, and the key. */
interface LockParts {
  readonly records: LockRecords;
  readonly holder: KeyHolder;
}

const lockParts = (signal: AbortSignal): LockParts => {
  const records = createLockRecords();
  return { records, holder: new KeyHolder(async (key) => isKeyOf(await records.read(), key), signal) };
};

/**
 * Reads the lock's record. Throws `storage-failed` for an unreadable one: treating it as
 * missing would show an empty library.
 */
const readRecord = (records: LockRecords): Promise<LockRecord> =>
  records.read().catch((error: unknown) => {
    if (error instanceof RecollectError) throw error;
    log.info('This browser keeps no record of a lock', error);
    return NEVER_LOCKED;
  });

/**
 * Shares `IN_USE` until this thread ends. Resolves once it is held; at once without Web Locks,
 * since nothing replaces a database then.
 */
function holdInUse(): Promise<void> {
  if (!navigator.locks) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const held = navigator.locks.request(IN_USE, { mode: 'shared' }, () => {
      resolve();
      return new Promise<never>(() => {});
    });
    held.catch(reject);
  });
}

/** True if another thread may have the log open, and could pass on the key. */
async function isInUse(): Promise<boolean> {
  if (!navigator.locks) return true;
  const { held } = await navigator.locks.query();
  return held?.some(({ name }) => name === IN_USE) ?? true;
}

/**
 * Opens the stores for a worker, whose tab has the key. Rejects as `openStore`, with `storage-failed`, or if
 * a sealed device's key does not come.
 */
export async function openForWorker(signal: AbortSignal): Promise<StoresInForce> {
  const { records, holder } = lockParts(signal);
  await holdInUse();
  const record = await readRecord(records);
  const key = record.sealed ? await holder.ask(WORKER_WAITS_MS) : null;
  return openStoresInForce(record, key);
}

interface TabDeps extends Pick<IndexedDbOptions, 'onProblem'> {
  readonly signal: AbortSignal;
  /** Asks the person to unlock the device. Resolves when the holder has the key. */
  readonly unlock: (parts: LockParts) => Promise<void>;
  /**
   * Reports how many entries of the log are copied, and how many there are, while a change of databases is finished.
   */
  readonly onProgress: (done: number, all: number) => void;
  /** Deletes the index's files: the sealed ones, or the unsealed ones. */
  readonly removeIndex: (sealed: boolean) => Promise<void>;
}

/** `inForce` rejects by itself, so that the caller has the lock's parts even if the stores do not open. */
type OpenedTab = LockParts & { readonly inForce: Promise<StoresInForce> };

/**
 * Opens the stores for a tab: unlocks the device if needed, and finishes a change of databases that is ready. Rejects
 * with `storage-failed` if the lock's record cannot be read, or as `unlock`; `inForce` rejects as `openStore`.
 */
export async function openForTab(deps: TabDeps): Promise<OpenedTab> {
  const { signal, unlock, onProblem, removeIndex } = deps;
  const parts = lockParts(signal);
  const { records, holder } = parts;
  let record = await readRecord(records);
  if (record.slots.length > 0 && !((await isInUse()) && (await holder.ask(ANSWER_MS)))) await unlock(parts);
  const key = holder.get();
  if (key && record.conversion?.ready) await finishConversion(deps, parts, key);
  // Every start tries again until it succeeds: the replaced files must not stay on the disk.
  await orElse(
    ifFree(CONVERTING, () => deleteStale(records, removeIndex)),
    undefined,
    'a database that was replaced; the next start deletes it',
  );
  await holdInUse();
  record = await readRecord(records);
  return { ...parts, inForce: openStoresInForce(record, key, onProblem ? { onProblem } : {}) };
}

/**
 * Replaces the log by its copy once no other thread has the log open. If that takes too long, a later start does it.
 */
async function finishConversion(
  { signal, onProgress }: TabDeps,
  { records }: LockParts,
  key: DataKey,
): Promise<void> {
  if (!navigator.locks) return;
  const work = () => convertDatabase({ records, key, signal, onProgress }, true);
  await orElse(
    navigator.locks.request(IN_USE, { signal: AbortSignal.timeout(ALONE_WITHIN_MS) }, work),
    undefined,
    'a change of databases that has to wait: another tab has the log open',
  );
}
