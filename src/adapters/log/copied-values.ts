// The second copy of the key-value store: drafts, queued messages, settings, records of forgetting. Files in the format
// of the log's own copy, in a folder of their own: one record for each key; if a kill left two, the newer one counts.
import type { DocumentId, EntryId } from '../../domain/base/ids.ts';
import { attempt, log } from '../../domain/base/log.ts';
import { checksum } from './checksum.ts';
import type { KeyValueWrite, LogEntry, Store } from './conversation-log.ts';
import { readSegments } from './copy-files.ts';
import { valuesOfLog } from './log-integrity.ts';
import { decodeValue, encodeValue } from './stored-values.ts';

/** Name of the copy of that log's key-value store, for `CopyFiles`. */
export const valuesCopyOf = (name: string): string => `${name}-values`;

/**
 * Key that records that these values were copied. If it is missing beside a copy with records, this is
 * not the database they were copied from.
 */
export const VALUES_COPIED = 'log/values';

/** Fingerprint that distinguishes records of different values. */
const printOf = (bytes: Uint8Array): string => `${bytes.length}.${checksum(bytes)}`;

/**
 * Makes the record of a value. `seq`: greater than that of every earlier one. Throws
 * `storage-failed` for a value that cannot be encoded.
 */
export function valueRecord(key: string, value: unknown, seq: number, at: number): LogEntry {
  const bytes = encodeValue(value);
  const [id, document] = [`${printOf(bytes)}.${seq}` as EntryId, key as DocumentId];
  return { id, document, origin: 'user', seq, at, bytes };
}

/** True if a record with this id has that value; false for a value that cannot be encoded. */
export const isRecordOf = (id: string, value: unknown): boolean => {
  const print = attempt(() => printOf(encodeValue(value)), null, 'a value that cannot be written as bytes');
  return print !== null && id.startsWith(`${print}.`);
};

/** Reads the newest sound record of each key. */
async function copiedValues(name: string): Promise<Map<string, LogEntry>> {
  const newest = new Map<string, LogEntry>();
  for await (const records of readSegments(valuesCopyOf(name)))
    for (const { entry } of records)
      if (entry.seq > (newest.get(entry.document)?.seq ?? 0))
        newest.set(entry.document, { ...entry, bytes: entry.bytes.slice() });
  return newest;
}

/** Reads a value from the copy; undefined if it has no readable one. */
export async function copiedValue(name: string, key: string): Promise<unknown> {
  const record = (await copiedValues(name)).get(key);
  return record && decoded(record);
}

const decoded = ({ bytes }: LogEntry): unknown =>
  attempt(() => decodeValue(bytes), undefined, 'a copied value that another version wrote');

/** Restores the values of a lost database, in one transaction; existing values stay. Returns how many came back. */
export async function restoreValues(name: string, { log: entries, keyValues }: Store): Promise<number> {
  if ((await keyValues.get(VALUES_COPIED)) !== undefined) return 0;
  const writes: KeyValueWrite[] = [];
  const copied = await copiedValues(name);
  for (const [key, record] of copied) {
    const value = decoded(record);
    if (value !== undefined && (await keyValues.get(key)) === undefined) writes.push({ key, value });
  }
  if (copied.size > 0) await entries.append([], [...writes, { key: VALUES_COPIED, value: true }]);
  if (writes.length > 0) log.warn(`${writes.length} values beside the log came back from the second copy`);
  return writes.length;
}

/** True if the copy has a value that is gone from the store, or different there. */
export async function hasStaleValues(name: string): Promise<boolean> {
  const records: { readonly key: string; readonly id: string }[] = [];
  for await (const found of readSegments(valuesCopyOf(name)))
    records.push(...found.map(({ entry: { document, id } }) => ({ key: document, id })));
  const there = await valuesOfLog(
    name,
    records.map(({ key }) => key),
  );
  return records.some(({ id }, at) => there[at] === undefined || !isRecordOf(id, there[at]));
}
