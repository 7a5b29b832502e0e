// Opens the stores of a thread: reads the state of the device's lock, gets the key from another thread or from the person, and keeps
// other threads from replacing the database while this one runs.

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

/** Every thread with the log open holds it, shared; a thread that replaces the database holds it alone. */
const IN_USE = 'recollect:in-use';
/** Time within which an unlocked window answers, ms; the unlock screen keeps listening. */
const ANSWER_MS = 250;
/** Longest wait of a worker for its tab, which has the key, ms. */
const WORKER_WAITS_MS = 60_000;
/** Time within which other tabs that reload let go of the log, ms. */
const ALONE_WITHIN_MS = 8_000;

interface LockParts {
  readonly records: LockRecords;
  readonly holder: KeyHolder;
}

const lockParts = (signal: AbortSignal): LockParts => {
  const records = createLockRecords();
  return { records, holder: new KeyHolder(async (key) => isKeyOf(await records.read(), key), signal) };
};

/** Throws for an unreadable record: treating it as missing would show an empty library. */
const read = (records: LockRecords): Promise<LockRecord> =>
  records.read().catch((error: unknown) => {
    if (error instanceof RecollectError) throw error;
    log.info('This browser keeps no record of a lock', error);
    return NEVER_LOCKED;
  });

/** Holds the lock until this thread ends. Resolves once it is held; at once if there are no locks, since such browsers convert nothing. */
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

/** True if another thread has the log open and could pass a key. */
async function isInUse(): Promise<boolean> {
  if (!navigator.locks) return true;
  const { held } = await navigator.locks.query();
  return held?.some(({ name }) => name === IN_USE) ?? true;
}

/** Opens the stores for a worker, whose tab has the key. Throws as `openStore`. */
export async function openForWorker(signal: AbortSignal): Promise<StoresInForce> {
  const { records, holder } = lockParts(signal);
  await holdInUse();
  const record = await read(records);
  const key = record.sealed ? await holder.ask(WORKER_WAITS_MS) : null;
  return openStoresInForce(record, key);
}

interface TabDeps extends Pick<IndexedDbOptions, 'onProblem'> {
  readonly signal: AbortSignal;
  /** Asks the person to unlock; resolves when the holder has the key. */
  readonly unlock: (parts: LockParts) => Promise<void>;
  /** Progress of finishing a change: entries done, and all of them. */
  readonly onProgress: (done: number, all: number) => void;
  /** Deletes the index's files: the sealed, or the unsealed ones. */
  readonly removeIndex: (sealed: boolean) => Promise<void>;
}

type OpenedTab = LockParts & { readonly inForce: Promise<StoresInForce> };

/** Unlocks if needed, finishes a change that is ready, and opens the stores. */
export async function openForTab(deps: TabDeps): Promise<OpenedTab> {
  const { signal, unlock, onProblem, removeIndex } = deps;
  const parts = lockParts(signal);
  const { records, holder } = parts;
  let record = await read(records);
  if (record.slots.length > 0 && !((await isInUse()) && (await holder.ask(ANSWER_MS)))) await unlock(parts);
  const key = holder.get();
  if (key && record.conversion?.ready) await finish(deps, parts, key);
  // Repeated at each start until it succeeds: the replaced files must not be left behind.
  await orElse(
    ifFree(CONVERTING, () => deleteStale(records, removeIndex)),
    undefined,
    'a database that was replaced; the next start deletes it',
  );
  await holdInUse();
  record = await read(records);
  return { ...parts, inForce: openStoresInForce(record, key, onProblem ? { onProblem } : {}) };
}

/** Replaces the log by its copy once no other thread has the log open; otherwise a later start does. */
async function finish({ signal, onProgress }: TabDeps, { records }: LockParts, key: DataKey): Promise<void> {
  if (!navigator.locks) return;
  const work = () => convertDatabase({ records, key, signal, onProgress }, true);
  await orElse(
    navigator.locks.request(IN_USE, { signal: AbortSignal.timeout(ALONE_WITHIN_MS) }, work),
    undefined,
    'a change of databases that has to wait: another tab has the log open',
  );
}
