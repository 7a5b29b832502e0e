// Keeps the readable records of a locked device in a database of their own: key slots, the number of the log database
// in force, wrong tries. The app reads them first, before it has a key.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { z } from 'zod';
import { RecollectError } from '../../domain/base/errors.ts';
import { ignore, orElse } from '../../domain/base/log.ts';
import { slotSchema } from './key-slots.ts';
import { readLockCopy, writeLockCopy } from './lock-copy.ts';

const LOCK_DATABASE = 'recollect-lock';
const KEY = 'lock';

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
const schema = z.object({
  version: z.literal(1).default(1),
  /** Number of the log database in force (`adapters/log/generations.ts`), and whether its contents are sealed. */
  generation: z.number().int().min(1).default(1),
  sealed: z.boolean().default(false),
  slots: z.array(slotSchema).default([]),
  /** Copy in the making that will replace the database in force. `ready`: it has nearly caught up. */
  conversion: z
    .object({ to: z.number().int().min(2), sealed: z.boolean(), ready: z.boolean() })
    .nullable()
    .default(null),
  /** Databases that were replaced and may still have to be deleted. */
  stale: z.array(z.number().int().min(1)).default([]),
  /** Sealed empty record: only the right data key opens it. */
  check: bytes.nullable().default(null),
  /** Keys of the box that takes what arrives while the device is locked (`sealed-box.ts`). */
  box: z.object({ publicKey: z.string(), privateKey: z.string() }).nullable().default(null),
  /** Number of wrong tries in a row, and the time at which the next one is allowed, ms since 1970. */
  tries: z.object({ failed: z.number().int().min(0), until: z.number() }).default({ failed: 0, until: 0 }),
  /** Language of the unlock screen, which cannot read the sealed settings. */
  language: z.enum(['auto', 'en', 'zh']).catch('auto').default('auto'),
});
export type LockRecord = z.infer<typeof schema>;

/** Record of a device that was never locked, and of a browser that stores nothing. */
export const NEVER_LOCKED: LockRecord = schema.parse({});

export interface LockRecords {
  /**
   * Reads the stored record, or that of a device that was never locked. Throws `storage-failed` for an unreadable one.
   */
  read(): Promise<LockRecord>;
  /** Changes the record in one transaction, and resolves with the new record once it is durable. */
  change(work: (before: LockRecord) => LockRecord): Promise<LockRecord>;
  /**
   * Writes the copy anew where it is not that of the record, as after a kill or with a full disk: it would open with a
   * passphrase that was changed, and stand for a database that is not in force.
   */
  repairCopy(): Promise<void>;
  close(): void;
}

/** Encodes a record without its wrong tries, whose change alone is not worth a new copy. */
const withoutTries = (record: LockRecord): string => JSON.stringify({ ...record, tries: null });

interface Kept extends DBSchema {
  records: { key: string; value: unknown };
}

/** Makes the store; the database opens at first use. `name`: name of the database, for tests. */
export function createLockRecords(name = LOCK_DATABASE): LockRecords {
  let connection: Promise<IDBPDatabase<Kept>> | undefined;
  const connect = () => {
    connection ??= openDB<Kept>(name, 1, {
      upgrade: (database) => void database.createObjectStore('records'),
      blocking: (_, __, event) => {
        (event.target as IDBDatabase).close();
        connection = undefined;
      },
      terminated: () => {
        connection = undefined;
      },
    });
    return connection;
  };
  const parsed = (kept: unknown): LockRecord => {
    const result = schema.safeParse(kept ?? {});
    if (result.success) return result.data;
    // An unreadable record taken for "no lock" would be overwritten, and every key slot with it.
    throw new RecollectError('storage-failed', 'What is known of the lock cannot be read', {
      params: { detail: 'lock' },
      cause: result.error,
    });
  };
  const read = async (): Promise<LockRecord> => {
    const kept = await (await connect()).get('records', KEY);
    if (kept !== undefined) return parsed(kept);
    const copied = await readLockCopy(name);
    if (copied === undefined) return NEVER_LOCKED;
    const restored = parsed(copied);
    await (await connect()).put('records', restored, KEY);
    return restored;
  };
  return {
    read,
    change: async (work) => {
      const before = await read();
      const transaction = (await connect()).transaction('records', 'readwrite', { durability: 'strict' });
      const next = work(parsed(await transaction.store.get(KEY)));
      await transaction.store.put(next, KEY);
      await transaction.done;
      if (withoutTries(before) !== withoutTries(next))
        await orElse(writeLockCopy(name, read), undefined, 'the copy of the record of the lock');
      return next;
    },
    repairCopy: async () => {
      const kept = await (await connect()).get('records', KEY);
      if (kept === undefined) return;
      const copied = schema.safeParse((await readLockCopy(name)) ?? null).data;
      if (copied && withoutTries(copied) === withoutTries(parsed(kept))) return;
      await writeLockCopy(name, read);
    },
    close: () => {
      if (connection)
        ignore(
          connection.then((database) => database.close()),
          'closing what did not open',
        );
      connection = undefined;
    },
  };
}
