// The empty database that a new index begins with. PGlite would make it in the browser with a second Postgres, which
// takes seconds and 170 MB; so the build makes it, and the browser only unpacks it.
import { PGlite } from '@electric-sql/pglite';
import { log } from '../../domain/base/log.ts';

/**
 * A small write-ahead log saves a third of the disk at no cost in speed. The buffers hold the pages that a search of
 * 10,000 messages reads; with half of them it spent 5 ms in the file system.
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
/** Options that decide the format of the files: a database made with other options keeps its format. */
export const INITDB: readonly string[] = ['--wal-segsize=1'];

/**
 * Makes an empty database and packs its files for PGlite's `loadDataDir`: a gzipped tar of 2.5 MB, 16 MB unpacked.
 * Runs in Node for the build. It leaves out template databases, two thirds of all files.
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
 * Fetches the database files that ship with the app; null if that fails: PGlite then makes a database itself, which
 * takes longer.
 */
export async function fetchCluster(address: string): Promise<Blob | null> {
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await response.blob();
  } catch (error) {
    log.warn('The shipped empty database could not be fetched and is made here', error);
    return null;
  }
}
