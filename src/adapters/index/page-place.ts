// Chooses the place of the database with the index's pages. In Chromium all databases of one storage bucket share one
// file and one queue, so that a save to the log waited behind every flush of the index. So the index has a bucket of
// its own if the browser has buckets; in other browsers each database has its own file anyway.
import { wrap } from 'idb';
import { orElse } from '../../domain/base/log.ts';

/** The parts in use of https://wicg.github.io/storage-buckets, for which there are no types yet. */
interface StorageBuckets {
  open(
    name: string,
    options: { durability: 'relaxed' | 'strict' },
  ): Promise<{ readonly indexedDB: IDBFactory }>;
}

const BUCKET = 'recollect-index';

/** Returns the databases of the index's bucket; null if the browser has no buckets. */
async function ofOwnBucket(): Promise<IDBFactory | null> {
  const { storageBuckets } = (globalThis.navigator ?? {}) as { readonly storageBuckets?: StorageBuckets };
  if (!storageBuckets) return null;
  const opening = storageBuckets.open(BUCKET, { durability: 'relaxed' });
  return (await orElse(opening, null, 'opening the bucket of the index'))?.indexedDB ?? null;
}

/** True if the database `name` exists, or if the browser does not say. */
const has = async (factory: IDBFactory, name: string): Promise<boolean> =>
  typeof factory.databases !== 'function' ||
  (await factory.databases()).some((database) => database.name === name);

/** Returns the databases that contain `name` or will: one made before there was a bucket stays in its place. */
export async function placeOfPages(name: string): Promise<IDBFactory> {
  const bucket = await ofOwnBucket();
  return bucket && !(await has(indexedDB, name)) ? bucket : indexedDB;
}

/** True if there is a database `name`, or if the browser does not say. */
export async function hasPages(name: string): Promise<boolean> {
  if (await has(indexedDB, name)) return true;
  const bucket = await ofOwnBucket();
  return bucket !== null && (await has(bucket, name));
}

/** Deletes the database `name` wherever it is; connections that are still open elsewhere close. */
export async function deletePages(name: string): Promise<void> {
  for (const factory of [indexedDB, await ofOwnBucket()])
    if (factory) await wrap(factory.deleteDatabase(name));
}
