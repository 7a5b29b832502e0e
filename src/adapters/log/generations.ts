// Log databases by number. Sealing a log, or unsealing it, copies it into the database of the next number,
// with the same seqs, while the present one is in use. An interrupted copy continues later; other code
// decides which of the two is in force.

import { deleteDB, openDB } from 'idb';
import { yieldToEvents } from '../../domain/base/yielding.ts';
import type { LogEntry, Store } from './conversation-log.ts';
import { valuesCopyOf } from './copied-values.ts';
import { removeCopy } from './copy-files.ts';
import { LOG_NAME } from './index.ts';
import { idsOfLog, putBack, raiseHead, recountLog, removeRows } from './log-integrity.ts';

/** Name of the database with that number. The first keeps the original name. */
export const databaseName = (generation: number): string =>
  generation === 1 ? LOG_NAME : `${LOG_NAME}-${generation}`;

/** Entries read, sealed and written at a time. */
const PAGE = 100;
/** Values written in one transaction. */
const VALUES = 50;

interface LogCopyOptions {
  /** Names of both databases, and the log of the first with its second copy behind it. */
  readonly from: string;
  readonly to: string;
  readonly source: Pick<Store['log'], 'since' | 'head'>;
  /** Converts an entry for the new database: same id, document, origin, seq and time. */
  readonly convert: (entry: LogEntry) => Promise<LogEntry>;
  readonly signal: AbortSignal;
  /** Called after each step with the entries copied so far and in all. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** Makes the copy's entries equal to the log's. Returns how many were missing or surplus. Both databases exist. */
export async function copyEntries(options: LogCopyOptions): Promise<number> {
  const { from, to, source, convert, signal, onProgress } = options;
  const [want, have] = [await idsOfLog(from), await idsOfLog(to)];
  // A snapshot has the seq of an entry that it replaces, so that entry is removed first.
  const extra = [...have].filter(([id, seq]) => want.get(id) !== seq);
  if (extra.length > 0)
    await removeRows(
      to,
      extra.map(([, seq]) => seq),
    );
  const missing = new Set([...want].flatMap(([id, seq]) => (have.get(id) === seq ? [] : [seq])));
  const all = want.size;
  let done = all - missing.size;
  onProgress?.(done, all);
  const changed = extra.length + missing.size;
  let seq = missing.size > 0 ? [...missing].reduce((least, one) => Math.min(least, one)) - 1 : 0;
  while (missing.size > 0) {
    signal.throwIfAborted();
    const entries = await source.since(seq, PAGE);
    const last = entries.at(-1);
    // The missing entries were compacted or erased since the ids were read.
    if (!last) break;
    const wanted = entries.filter((entry) => want.get(entry.id) === entry.seq && missing.delete(entry.seq));
    await putBack(to, await Promise.all(wanted.map(convert)));
    done += wanted.length;
    seq = last.seq;
    onProgress?.(done, all);
    await yieldToEvents();
  }
  await recountLog(to);
  await raiseHead(to, await source.head());
  return changed;
}

/** Makes the copy's values equal to the source's; `isOut` names keys that are left out, such as the vault's own. */
export async function copyValues(from: Store, to: Store, isOut: (key: string) => boolean): Promise<void> {
  const source = from.keyValues;
  const target = to.keyValues;
  const keys = (await source.keys('')).filter((key) => !isOut(key));
  const wanted = new Set(keys);
  const stale = (await target.keys('')).filter((key) => !isOut(key) && !wanted.has(key));
  for (let at = 0; at < keys.length; at += VALUES)
    await to.log.append(
      [],
      await Promise.all(
        keys.slice(at, at + VALUES).map(async (key) => ({ key, value: await source.get(key) })),
      ),
    );
  for (const key of stale) await target.set(key, undefined);
}

/**
 * A database with this version, in the old place, makes an app from before the lock refuse it
 * instead of showing an empty library.
 */
const GUARD_VERSION = 1000;

/**
 * Deletes a replaced log with its second copy. The files go too: otherwise plain
 * content would only be marked as deleted.
 */
export async function deleteGeneration(generation: number): Promise<void> {
  const name = databaseName(generation);
  await removeCopy(name);
  await removeCopy(valuesCopyOf(name));
  await deleteDB(name);
  if (generation !== 1) return;
  const guard = await openDB(name, GUARD_VERSION, {
    upgrade: (database) => void database.createObjectStore('moved'),
  });
  guard.close();
}
