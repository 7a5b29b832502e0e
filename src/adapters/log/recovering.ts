// How a store makes use of its second copy by itself: an empty log takes back what the copy has before anybody sees it empty, and an entry
// that is damaged is read from the copy and put right.

import type { DocumentId } from '../../domain/base/ids.ts';
import { log, orElse } from '../../domain/base/log.ts';
import type { KeyValues, LogEntry, Store } from './conversation-log.ts';
import { readSegments } from './copy-files.ts';
import type { CopyRecord } from './copy-format.ts';
import { STORAGE_LOST } from './idb-connection.ts';
import { putBack, repairRows } from './log-integrity.ts';

/** Drawer key: `Healed`, what came back from the copy or is missing, until the person has read it. */
export const LOG_HEALED = 'storage/healed';

interface Healed {
  /** Entries that came back from the copy, and those that the counters miss and no copy has. */
  readonly restored: number;
  readonly missing: number;
  /** ms since 1970 */
  readonly at: number;
}

/** Which documents changed otherwise than by an append: the copy has to let go of what was taken out. */
export const rewrittenChannel = (name: string) => new BroadcastChannel(`${name}:rewritten`);

/** The second copy, for those who must know what is in it. Any thread. */
export interface LogCopy {
  /** Segment by segment; nothing where this browser keeps no copy. */
  records(): AsyncIterable<readonly CopyRecord[]>;
  /** Has its writer let go of what the log has no more of the document. Nothing happens where no thread writes it now. */
  letGo(document: DocumentId): void;
}

export const logCopyOf = (name: string): LogCopy => ({
  records: () => readSegments(name),
  letGo: (document) => {
    const rewritten = rewrittenChannel(name);
    rewritten.postMessage(document);
    rewritten.close();
  },
});

/** Adds to what a person has not read yet. */
export async function noteHealed(
  keyValues: Pick<KeyValues, 'get' | 'set'>,
  { restored = 0, missing = 0 }: Partial<Healed>,
): Promise<void> {
  const before = (await keyValues.get(LOG_HEALED)) as Partial<Healed> | undefined;
  await keyValues.set(LOG_HEALED, {
    restored: (before?.restored ?? 0) + restored,
    missing: (before?.missing ?? 0) + missing,
    at: Date.now(),
  } satisfies Healed);
}

/** Fills an empty log from its copy, once for all threads that open it. Returns how many entries came back. */
async function restoreEmpty(name: string, store: Store): Promise<number> {
  if ((await store.log.head()) > 0) return 0;
  let restored = 0;
  for await (const records of readSegments(name))
    restored += await putBack(
      name,
      records.map(({ entry }) => entry),
    );
  if (restored === 0) return 0;
  log.warn(`The log was empty: ${restored} entries came back from the second copy`);
  await noteHealed(store.keyValues, { restored });
  await store.keyValues.set(STORAGE_LOST, undefined);
  return restored;
}

/** Sound bytes for the damaged among these entries, from the copy; they are put into the log as well. */
async function mended(name: string, entries: LogEntry[]): Promise<LogEntry[]> {
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

/**
 * The store with its copy behind it. `restored`: entries that an empty log took back before this returned. Failures of the copy are never
 * failures of the store.
 */
export async function withCopy(name: string, store: Store): Promise<{ store: Store; restored: number }> {
  const restore = () => orElse(restoreEmpty(name, store), 0, 'taking a lost log back from its copy');
  const isEmpty = (await store.log.head()) === 0;
  const restored = !isEmpty
    ? 0
    : globalThis.navigator?.locks
      ? await navigator.locks.request(`${name}:restore`, restore)
      : await restore();
  const rewritten = rewrittenChannel(name);
  const { log: inner } = store;
  const announce = (document: DocumentId) => rewritten.postMessage(document);
  return {
    restored,
    store: {
      ...store,
      log: {
        ...inner,
        since: async (seq, limit) => mended(name, await inner.since(seq, limit)),
        read: async (document, after) => mended(name, await inner.read(document, after)),
        fold: async (document, snapshot, upTo, id) => {
          await inner.fold(document, snapshot, upTo, id);
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
