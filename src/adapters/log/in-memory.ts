// The log and the key-value store in this tab's memory: for tests, and for browsers that
// refuse storage. Nothing outlives the tab.
import { RecollectError } from '../../domain/base/errors.ts';
import { type DocumentId, newEntryId } from '../../domain/base/ids.ts';
import { createAnnouncer } from './announcer.ts';
import type { KeyValueChange, LogChange, LogEntry, Store } from './conversation-log.ts';

/** Makes the store. It behaves as the persistent one, copies included: callers may change what they passed or got. */
export function createInMemoryStore({ now = Date.now }: { now?: () => number } = {}): Store {
  /** By seq, ascending. */
  let entries: LogEntry[] = [];
  const ids = new Set<string>();
  const keyValues = new Map<string, unknown>();
  const logListeners = createAnnouncer<LogChange>();
  const keyValueListeners = createAnnouncer<KeyValueChange>();
  let head = 0;
  let closed = false;

  /** Every answer comes later, as from a real database, and none after closing. */
  const later = async <T>(work: () => T): Promise<T> => {
    await Promise.resolve();
    if (closed) throw new RecollectError('storage-unavailable', 'The log was closed');
    return work();
  };
  const copy = (entry: LogEntry): LogEntry => ({ ...entry, bytes: entry.bytes.slice() });
  const put = (key: string, value: unknown) => {
    if (value === undefined) keyValues.delete(key);
    else keyValues.set(key, value);
  };
  const clone = (value: unknown): unknown => {
    try {
      return structuredClone(value);
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new RecollectError('storage-failed', `Storage failed: ${detail}`, { params: { detail }, cause });
    }
  };

  return {
    kind: 'memory',
    log: {
      append: (added, writes = []) => {
        const cloned = added.map((entry) => ({ ...entry, bytes: entry.bytes.slice() }));
        return later(() => {
          // Cloned before anything changes: a value that cannot be stored leaves nothing behind.
          const values = writes.map(({ key, value }) => ({ key, value: clone(value) }));
          const at = now();
          const changed = new Set<DocumentId>();
          for (const { id, document, origin, bytes } of cloned) {
            if (ids.has(id)) continue;
            ids.add(id);
            head += 1;
            entries.push({ seq: head, id, document, origin, bytes, at });
            changed.add(document);
          }
          for (const { key, value } of values) put(key, value);
          if (changed.size > 0) logListeners.notify({ documents: [...changed], seq: head, foreign: false });
          if (values.length > 0)
            keyValueListeners.notify({ keys: values.map(({ key }) => key), foreign: false });
          return head;
        });
      },

      since: (seq, limit) =>
        later(() => {
          // Callers mostly ask for the newest entries.
          const from = entries.findLastIndex((entry) => entry.seq <= seq) + 1;
          return entries.slice(from, from + Math.max(0, limit)).map(copy);
        }),

      read: (document, after = 0) =>
        later(() => entries.filter((entry) => entry.document === document && entry.seq > after).map(copy)),

      replaceBySnapshot: (document, snapshot, upTo, id = newEntryId()) => {
        const bytes = snapshot.slice();
        return later(() => {
          const isCovered = (entry: LogEntry) => entry.document === document && entry.seq <= upTo;
          const last = entries.findLast(isCovered);
          if (!last) return;
          for (const entry of entries) if (isCovered(entry)) ids.delete(entry.id);
          ids.add(id);
          entries = entries.flatMap((entry) =>
            entry === last
              ? [{ seq: last.seq, id, document, origin: 'fold' as const, bytes, at: now() }]
              : isCovered(entry)
                ? []
                : [entry],
          );
        });
      },

      erase: (document) =>
        later(() => {
          const kept = entries.filter((entry) => entry.document !== document);
          if (kept.length === entries.length) return;
          for (const entry of entries) if (entry.document === document) ids.delete(entry.id);
          entries = kept;
          logListeners.notify({ documents: [document], seq: head, foreign: false });
        }),

      documents: () => later(() => [...new Set(entries.map((entry) => entry.document))].sort()),
      head: () => later(() => head),
      subscribe: logListeners.subscribe,
      stats: () =>
        later(() => ({
          entries: entries.length,
          bytes: entries.reduce((sum, entry) => sum + entry.bytes.byteLength, 0),
        })),
      close: async () => {
        closed = true;
      },
    },
    keyValues: {
      get: (key) => later(() => clone(keyValues.get(key))),
      set: (key, value) =>
        later(() => {
          if (value === undefined && !keyValues.has(key)) return;
          put(key, clone(value));
          keyValueListeners.notify({ keys: [key], foreign: false });
        }),
      keys: (prefix) => later(() => [...keyValues.keys()].filter((key) => key.startsWith(prefix)).sort()),
      subscribe: keyValueListeners.subscribe,
    },
  };
}
