// Lets a store use its second copy by itself: an empty log takes back the copy's content before anybody sees it empty,
// the key-value store too, and a damaged entry is read from the copy and repaired.

import { z } from 'zod';
import type { DocumentId } from '../../domain/base/ids.ts';
import { log, orElse } from '../../domain/base/log.ts';
import { joinNews, postNews } from '../../domain/threads/news.ts';
import { type KeyValues, type LogEntry, type Store, withKeyValues } from './conversation-log.ts';
import { copiedValue, hasStaleValues, restoreValues, VALUES_COPIED } from './copied-values.ts';
import { readSegments } from './copy-files.ts';
import type { CopyRecord } from './copy-format.ts';
import { STORAGE_LOST } from './idb-connection.ts';
import { putBack, repairRows } from './log-integrity.ts';

/** Key of `Repaired`: counts of restored and missing entries, until the person has read them. */
export const LOG_REPAIRED = 'storage/healed';

interface Repaired {
  /** Entries and values restored from the copy; and entries that the counters miss and no copy has. */
  readonly restored: number;
  readonly missing: number;
  /** ms since 1970 */
  readonly at: number;
}

/** Replaces a document's id: every value of the key-value store is compared with its copy. */
export const VALUES = 'values';

/** A document that changed other than by an append, or VALUES: the copy has to drop removed entries. */
type Rewritten = DocumentId | typeof VALUES;
const rewrittenSchema = z.string() as unknown as z.ZodType<Rewritten>;
const rewrittenChannel = (name: string) => new BroadcastChannel(`${name}:rewritten`);

/** Passes on what was rewritten in the log `name` by any other thread, until the signal. */
export const joinRewritten = (
  name: string,
  listener: (what: Rewritten) => void,
  signal: AbortSignal,
): unknown => joinNews(rewrittenChannel(name), rewrittenSchema, listener, signal);

/** Read access to the second copy. For any thread. */
export interface LogCopy {
  /** Yields its records segment by segment; none if this browser keeps no copy. */
  records(): AsyncIterable<readonly CopyRecord[]>;
  /** True if it has a value that is gone from the key-value store. */
  hasStaleValues(): Promise<boolean>;
  /**
   * Makes its writer drop entries that the log no longer has, or such values. Nothing
   * happens if no thread writes it now.
   */
  letGo(what: Rewritten): void;
}

/** Opens the second copy of the log `name`; reads nothing until it is asked. */
export const logCopyOf = (name: string): LogCopy => ({
  records: () => readSegments(name),
  hasStaleValues: () => hasStaleValues(name),
  letGo: (what) => {
    const rewritten = rewrittenChannel(name);
    postNews(rewritten, what);
    rewritten.close();
  },
});

/** Adds to the counts that a person has not read yet. */
export async function noteRepaired(
  keyValues: Pick<KeyValues, 'get' | 'set'>,
  { restored = 0, missing = 0 }: Partial<Repaired>,
): Promise<void> {
  const before = (await keyValues.get(LOG_REPAIRED)) as Partial<Repaired> | undefined;
  await keyValues.set(LOG_REPAIRED, {
    restored: (before?.restored ?? 0) + restored,
    missing: (before?.missing ?? 0) + missing,
    at: Date.now(),
  } satisfies Repaired);
}

/**
 * Fills a lost database from its copy, once for all threads that open it. Returns
 * how many entries and values came back.
 */
async function restoreLost(name: string, store: Store): Promise<number> {
  let restored = 0;
  if ((await store.log.head()) === 0)
    for await (const records of readSegments(name))
      restored += await putBack(
        name,
        records.map(({ entry }) => entry),
      );
  restored += await restoreValues(name, store);
  if (restored === 0) return 0;
  log.warn(`The database was empty: ${restored} entries and values came back from the second copy`);
  await noteRepaired(store.keyValues, { restored });
  await store.keyValues.set(STORAGE_LOST, undefined);
  return restored;
}

/** Replaces damaged entries by sound ones from the copy, also in the log. */
async function repaired(name: string, entries: LogEntry[]): Promise<LogEntry[]> {
  const damaged = new Set(entries.flatMap(({ id, bytes }) => (bytes.length === 0 ? [id] : [])));
  if (damaged.size === 0) return entries;
  const sound = new Map<string, LogEntry>();
  for await (const records of readSegments(name))
    for (const { entry } of records)
      if (damaged.has(entry.id) && entry.bytes.length > 0) sound.set(entry.id, entry);
  if (sound.size === 0) return entries;
  const patched = entries.map((entry) => ({
    ...entry,
    bytes: sound.get(entry.id)?.bytes.slice() ?? entry.bytes,
  }));
  await orElse(
    repairRows(
      name,
      patched.filter(({ id }) => sound.has(id)),
    ),
    undefined,
    'a damaged entry that the copy has',
  );
  log.warn(`${sound.size} damaged entries were read from the second copy`);
  return patched;
}

/** Reads a value; if the browser can no longer read it, takes the copy's and stores that. */
async function readOrRepaired(name: string, keyValues: KeyValues, key: string): Promise<unknown> {
  try {
    return await keyValues.get(key);
  } catch (error) {
    const copied = await orElse(copiedValue(name, key), undefined, 'the copy of a value that cannot be read');
    if (copied === undefined) throw error;
    log.warn('A value that cannot be read any more came from the second copy', error);
    await orElse(keyValues.set(key, copied), undefined, 'a value that the copy has');
    return copied;
  }
}

/**
 * Returns the store with its copy. `restored`: entries and values that a lost database took back before this returned.
 * Failures of the copy are never failures of the store.
 */
export async function withCopy(name: string, store: Store): Promise<{ store: Store; restored: number }> {
  const restore = () => orElse(restoreLost(name, store), 0, 'taking a lost log back from its copy');
  const isKnown = (await store.keyValues.get(VALUES_COPIED)) !== undefined && (await store.log.head()) > 0;
  const restored = isKnown
    ? 0
    : globalThis.navigator?.locks
      ? await navigator.locks.request(`${name}:restore`, restore)
      : await restore();
  const rewritten = rewrittenChannel(name);
  const { log: inner, keyValues } = store;
  const announce = (document: DocumentId) => postNews<Rewritten>(rewritten, document);
  return {
    restored,
    store: {
      ...withKeyValues(store, { ...keyValues, get: (key) => readOrRepaired(name, keyValues, key) }),
      log: {
        ...inner,
        since: async (seq, limit) => repaired(name, await inner.since(seq, limit)),
        read: async (document, after) => repaired(name, await inner.read(document, after)),
        replaceBySnapshot: async (document, snapshot, upTo, id) => {
          await inner.replaceBySnapshot(document, snapshot, upTo, id);
          announce(document);
        },
        erase: async (document) => {
          await inner.erase(document);
          announce(document);
        },
        close: async () => {
          rewritten.close();
          await inner.close();
        },
      },
    },
  };
}
