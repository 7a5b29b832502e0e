// Queues shares from other apps in a database beside the log's. Each generation has its own, so that sealing a device
// deletes the clear text together with its files.
import { type DBSchema, deleteDB, openDB } from 'idb';
import { z } from 'zod';

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);
/** Shared words in clear, or sealed into the device's box. */
const itemSchema = z.object({ id: z.string(), at: z.number(), content: z.union([z.string(), bytes]) });
export type SharedItem = z.infer<typeof itemSchema>;

interface Kept extends DBSchema {
  items: { key: string; value: unknown };
}

const nameOf = (generation: number): string => `recollect-shared-${generation}`;

async function within<T>(
  generation: number,
  work: (database: Awaited<ReturnType<typeof openDB<Kept>>>) => Promise<T>,
): Promise<T> {
  const database = await openDB<Kept>(nameOf(generation), 1, {
    upgrade: (fresh) => void fresh.createObjectStore('items', { keyPath: 'id' }),
  });
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/** Reads all waiting items, the oldest first. Leaves unreadable items in the queue. */
export const readShared = (generation: number): Promise<SharedItem[]> =>
  within(generation, async (database) =>
    (await database.getAll('items'))
      .flatMap((kept) => itemSchema.safeParse(kept).data ?? [])
      .sort((a, b) => a.at - b.at),
  );

/** Adds items, durable once resolved; an item replaces another of the same id. */
export const putShared = (generation: number, items: readonly SharedItem[]): Promise<void> =>
  within(generation, async (database) => {
    const transaction = database.transaction('items', 'readwrite', { durability: 'strict' });
    await Promise.all([...items.map((item) => transaction.store.put(item)), transaction.done]);
  });

/** Removes items from a queue by id, durable once resolved. */
export const removeShared = (generation: number, ids: readonly string[]): Promise<void> =>
  within(generation, async (database) => {
    const transaction = database.transaction('items', 'readwrite', { durability: 'strict' });
    await Promise.all([...ids.map((id) => transaction.store.delete(id)), transaction.done]);
  });

/** Deletes a replaced queue together with its files. */
export const deleteShared = (generation: number): Promise<void> => deleteDB(nameOf(generation));
