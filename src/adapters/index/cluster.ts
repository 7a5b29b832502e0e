// The empty database that a new index begins with. PGlite would make it in the browser, with a second Postgres that takes seconds and 170 MB:
// so it is made when the app is built, and only unpacked in the browser.
import { PGlite } from '@electric-sql/pglite';
import { log } from '../../domain/base/log.ts';

/**
 * A small write-ahead log takes a third of the disk, at no cost in speed. What a search touches of 10,000 messages fits the buffers: with half
 * of them it read from the file system for 5 ms.
 */
export const SETTINGS: readonly string[] = [
  'shared_buffers=32MB',
  'wal_level=minimal',
  'max_wal_senders=0',
  'min_wal_size=2MB',
  'max_wal_size=8MB',
  'wal_recycle=off',
  'wal_init_zero=off',
];
/** Options that decide the form of the files: a database made with others stays as it is. */
export const INITDB: readonly string[] = ['--wal-segsize=1'];

/**
 * Makes an empty database and packs its files: a gzipped tar of 2.5 MB, 16 MB unpacked, as `loadDataDir` of PGlite takes it. For the build, in
 * Node. The templates, of which nobody makes another database, are left out: two thirds of all files.
 */
export async function packCluster(): Promise<Blob> {
  const database = await PGlite.create({ postgresqlconf: [...SETTINGS], initDbStartParams: [...INITDB] });
  try {
    await database.exec('update pg_database set datistemplate = false where datistemplate');
    await database.exec('drop database template0');
    await database.exec('drop database template1');
    await database.exec('checkpoint');
    return await database.dumpDataDir('gzip');
  } finally {
    await database.close();
  }
}

/**
 * Database files that ship with the app, or null if they cannot be fetched: PGlite then makes a database by itself, which takes longer.
 */
export async function fetchCluster(address: string): Promise<Blob | null> {
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.blob();
  } catch (error) {
    log.warn('The empty database could not be had and is made here', error);
    return null;
  }
}
