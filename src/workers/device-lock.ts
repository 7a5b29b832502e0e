// How a thread comes to the stores in force: it learns how the device's lock stands, has the key handed to it or brought by the person, and keeps
// a change of databases from happening while it runs.

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
import { CONVERTING, convert, deleteStale, type InForce, openInForce } from '../services/lock/in-force.ts';
import { KeyHolder } from '../services/lock/key-holder.ts';
import { isKeyOf } from '../services/lock/slots.ts';

/** Held by every thread that has the log open, shared; alone by the one that puts another database in its place. */
const IN_USE = 'recollect:in-use';
/** A window that is unlocked answers within this time, ms; the screen that asks goes on listening. */
const ANSWER_MS = 250;
/** A worker waits for its tab, which has the key, ms. */
const WORKER_WAITS_MS = 60_000;
/** Other tabs that are loaded again let go of the log within this time, ms. */
const ALONE_WITHIN_MS = 8_000;

interface LockParts {
  readonly records: LockRecords;
  readonly holder: KeyHolder;
}

const lockParts = (signal: AbortSignal): LockParts => {
  const records = createLockRecords();
  return { records, holder: new KeyHolder(async (key) => isKeyOf(await records.read(), key), signal) };
};

/** Throws for a record that is there and cannot be read: taken for none it would show an empty library. */
const read = (records: LockRecords): Promise<LockRecord> =>
  records.read().catch((error: unknown) => {
    if (error instanceof RecollectError) throw error;
    log.info('This browser keeps no record of a lock', error);
    return NEVER_LOCKED;
  });

/** Until this thread ends. Resolves when it is held; at once where there are no locks: then nothing is ever converted either. */
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

/** Whether another thread has the log open: where none has, nobody is there to hand over a key. */
async function isInUse(): Promise<boolean> {
  if (!navigator.locks) return true;
  const { held } = await navigator.locks.query();
  return held?.some(({ name }) => name === IN_USE) ?? true;
}

/** The stores in force, for a worker: its tab has the key. Throws as `openStore`. */
export async function openForWorker(signal: AbortSignal): Promise<InForce> {
  const { records, holder } = lockParts(signal);
  await holdInUse();
  const record = await read(records);
  const key = record.sealed ? await holder.ask(WORKER_WAITS_MS) : null;
  return openInForce(record, key);
}

interface TabDeps extends Pick<IndexedDbOptions, 'onProblem'> {
  readonly signal: AbortSignal;
  /** Has the person unlock; resolves when the holder has the key. */
  readonly unlock: (parts: LockParts) => Promise<void>;
  /** A change is being finished: entries done, and all of them. */
  readonly onProgress: (done: number, all: number) => void;
  /** Deletes the files of the index that are sealed, or those that are not. */
  readonly removeIndex: (sealed: boolean) => Promise<void>;
}

type OpenedTab = LockParts & { readonly inForce: Promise<InForce> };

/** Unlocks where that is needed, finishes what is ready, and opens the stores in force. */
export async function openForTab(deps: TabDeps): Promise<OpenedTab> {
  const { signal, unlock, onProblem, removeIndex } = deps;
  const parts = lockParts(signal);
  const { records, holder } = parts;
  let record = await read(records);
  if (record.slots.length > 0 && !((await isInUse()) && (await holder.ask(ANSWER_MS)))) await unlock(parts);
  const key = holder.get();
  if (key && record.conversion?.ready) await finish(deps, parts, key);
  // At each start until it is done: what was replaced is not left behind.
  await orElse(
    ifFree(CONVERTING, () => deleteStale(records, removeIndex)),
    undefined,
    'a database that was replaced; the next start deletes it',
  );
  await holdInUse();
  record = await read(records);
  return { ...parts, inForce: openInForce(record, key, onProblem ? { onProblem } : {}) };
}

/** Puts the copy in the place of the log, once no other thread has it open; otherwise a later start does. */
async function finish({ signal, onProgress }: TabDeps, { records }: LockParts, key: DataKey): Promise<void> {
  if (!navigator.locks) return;
  const work = () => convert({ records, key, signal, onProgress }, true);
  await orElse(
    navigator.locks.request(IN_USE, { signal: AbortSignal.timeout(ALONE_WITHIN_MS) }, work),
    undefined,
    'a change of databases that has to wait: another tab has the log open',
  );
}
