// A store whose contents are sealed: entries and values are opened and sealed on their way, and lie below as bytes that
// nobody can read. What stays readable are ids, keys, times, sizes and how many there are.
//
//   entry bound to its document, id and origin. Not to its seq: entries come back from
//   the second copy under another one, and
//           Yjs gives the same document in any order
//   value   bound to its key
import { newEntryId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import type { RecordCipher } from '../../domain/base/record-cipher.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import {
  type ConversationLog,
  type KeyValues,
  type LogEntry,
  type NewEntry,
  type Store,
  withKeyValues,
} from './conversation-log.ts';
import { VALUES_COPIED } from './copied-values.ts';
import { STORAGE_LOST } from './idb-connection.ts';
import { LOG_REPAIRED } from './recovering.ts';
import { decodeValue, encodeValue } from './stored-values.ts';

/** Ciphers for both kinds of records of a log database. */
export interface StoreCiphers {
  readonly entries: RecordCipher;
  readonly values: RecordCipher;
}

/** Keys that repairs of the log write without a key: counts and times. */
const READABLE: ReadonlySet<string> = new Set([STORAGE_LOST, LOG_REPAIRED, VALUES_COPIED]);

/** Bytes of an entry that cannot be opened: passed on like a damaged one. */
const NOTHING = new Uint8Array(0);

const placeOfEntry = ({ document, id, origin }: Pick<NewEntry, 'document' | 'id' | 'origin'>) =>
  `recollect/entry/1|${JSON.stringify([document, id, origin])}`;
const placeOfValue = (key: string) => `recollect/value/1|${key}`;

/** Seals one entry, as `sealedStore` appends it. */
export const sealEntry = async <Entry extends NewEntry>(
  entry: Entry,
  cipher: RecordCipher,
): Promise<Entry> => ({
  ...entry,
  bytes: await cipher.seal(placeOfEntry(entry), entry.bytes),
});

/** Opens an entry's bytes; returns it without any if they do not open. */
export async function openEntry(entry: LogEntry, cipher: RecordCipher): Promise<LogEntry> {
  if (entry.bytes.length === 0) return entry;
  const bytes = await cipher.open(placeOfEntry(entry), entry.bytes);
  if (!bytes) log.warn('An entry of the log does not open with the key of this device');
  return { ...entry, bytes: bytes ?? NOTHING };
}

/** Wraps a store whose contents are all sealed with these ciphers; it behaves as the store itself. */
export function sealedStore(below: Store, { entries, values }: StoreCiphers): Store {
  const { log: inner } = below;
  const keyValues = below.keyValues;
  const sealing = new InOrder();
  const sealValue = async (key: string, value: unknown): Promise<unknown> =>
    value === undefined || READABLE.has(key)
      ? value
      : await values.seal(placeOfValue(key), encodeValue(value));
  const openAll = (sealed: readonly LogEntry[]) =>
    Promise.all(sealed.map((entry) => openEntry(entry, entries)));

  const sealedLog: ConversationLog = {
    ...inner,
    append: (added, writes = []) =>
      sealing.run(
        () =>
          Promise.all([
            Promise.all(added.map((entry) => sealEntry(entry, entries))),
            Promise.all(writes.map(async ({ key, value }) => ({ key, value: await sealValue(key, value) }))),
          ]),
        ([sealed, sealedWrites]) => inner.append(sealed, sealedWrites),
      ),
    since: async (seq, limit) => openAll(await inner.since(seq, limit)),
    read: async (document, after) => openAll(await inner.read(document, after)),
    replaceBySnapshot: (document, snapshot, upTo, id = newEntryId()) =>
      sealing.run(
        () => sealEntry({ document, id, origin: 'fold', bytes: snapshot }, entries),
        ({ bytes }) => inner.replaceBySnapshot(document, bytes, upTo, id),
      ),
    stats: async () => {
      const { entries: count, bytes } = await inner.stats();
      return { entries: count, bytes: Math.max(0, bytes - count * entries.overhead) };
    },
    close: async () => {
      await sealing.settled();
      await inner.close();
    },
  };
  const sealedKeyValues: KeyValues = {
    ...keyValues,
    get: async (key) => {
      const kept = await keyValues.get(key);
      if (kept === undefined || READABLE.has(key)) return kept;
      const opened = kept instanceof Uint8Array ? await values.open(placeOfValue(key), kept) : null;
      if (opened) return decodeValue(opened);
      log.warn('A value beside the log does not open with the key of this device');
      return undefined;
    },
    set: (key, value) =>
      sealing.run(
        () => sealValue(key, value),
        (sealed) => keyValues.set(key, sealed),
      ),
  };
  return withKeyValues({ ...below, log: sealedLog }, sealedKeyValues);
}

/** Seals in parallel, and passes on in the order of the calls, so that appends keep their order. */
class InOrder {
  readonly #queue = new SerialQueue();

  async run<Sealed, Result>(
    seal: () => Promise<Sealed>,
    write: (sealed: Sealed) => Promise<Result>,
  ): Promise<Result> {
    // Settled here, so that a failure before its turn is no unhandled rejection.
    const sealing = Promise.allSettled([seal()]);
    // The next one begins once this write has begun, not once it has ended.
    const { writing } = await this.#queue.run(async () => {
      const [sealed] = await sealing;
      if (sealed.status === 'rejected') throw sealed.reason;
      return { writing: write(sealed.value) };
    });
    return writing;
  }

  async settled(): Promise<void> {
    await this.#queue.idle();
  }
}
