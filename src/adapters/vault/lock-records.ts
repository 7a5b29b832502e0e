// Readable records of a locked device, in a database of their own: key slots, the log database in force, wrong tries. Read before anything
// else, with no key and no word of a person.
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
  /** A copy that is being made, and is to take the place of what is in force. `ready`: it has nearly caught up. */
  conversion: z
    .object({ to: z.number().int().min(2), sealed: z.boolean(), ready: z.boolean() })
    .nullable()
    .default(null),
  /** Databases that were replaced, and are not known to be deleted yet. */
  stale: z.array(z.number().int().min(1)).default([]),
  /** Nothing, sealed: tells the data key from another. */
  check: bytes.nullable().default(null),
  /** Keys of the box for what comes while the device is locked (`sealed-box.ts`). */
  box: z.object({ publicKey: z.string(), privateKey: z.string() }).nullable().default(null),
  /** Wrong tries in a row, and when the next one is allowed, ms since 1970. */
  tries: z.object({ failed: z.number().int().min(0), until: z.number() }).default({ failed: 0, until: 0 }),
  /** Language of the unlock screen: the settings are sealed by then. */
  language: z.enum(['auto', 'en', 'zh']).catch('auto').default('auto'),
});
export type LockRecord = z.infer<typeof schema>;

/** Record of a device that was never locked, and of a browser that keeps nothing. */
export const NEVER_LOCKED: LockRecord = schema.parse({});

export interface LockRecords {
  /** Stored record, or that of a device that was never locked. Throws `storage-failed` for one that cannot be read. */
  read(): Promise<LockRecord>;
  /** Changes what is kept in one transaction, and resolves with it once it is durable. */
  change(work: (before: LockRecord) => LockRecord): Promise<LockRecord>;
  close(): void;
}

/** Wrong tries are not worth a copy each. */
const withoutTries = (record: LockRecord): string => JSON.stringify({ ...record, tries: null });

interface Kept extends DBSchema {
  records: { key: string; value: unknown };
}

/** Opens at first use. `name`: of the database, for tests. */
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
    // Taken for a device without a lock it would be overwritten, and with it every key slot.
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
