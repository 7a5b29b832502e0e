// The schema of the index in numbered steps. A database made by a newer app is left unchanged.
import type { PGliteInterface } from '@electric-sql/pglite';
import { RecollectError } from '../../domain/base/errors.ts';
import spine from './schema/0001-spine.sql?raw';
import recalls from './schema/0002-recalls.sql?raw';
import pieces from './schema/0003-pieces.sql?raw';
import waiting from './schema/0004-waiting.sql?raw';
import places from './schema/0005-places.sql?raw';
import descriptions from './schema/0006-descriptions.sql?raw';
import functions from './schema/functions.sql?raw';

/** Step n brings version n - 1 to version n. The tables and indexes of a shipped step are never edited. */
const STEPS: readonly string[] = [spine, recalls, pieces, waiting, places, descriptions];

/** Version that this app reads and writes. */
export const SCHEMA_VERSION = STEPS.length;

/**
 * Largest segment of the word index, in megabytes: merging takes about seven times that in memory, and each search
 * reads every segment.
 */
const MERGED_MB = 32;

type Database = Pick<PGliteInterface, 'exec' | 'query' | 'transaction'>;

/** Version of the schema in the database; 0 for an empty one. */
async function versionOf(database: Database): Promise<number> {
  const { rows } = await database.query<{ there: boolean }>(
    `select to_regclass('public.schema_version') is not null as there`,
  );
  if (!rows[0]?.there) return 0;
  const found = await database.query<{ version: number }>(
    'select max(version) as version from schema_version',
  );
  return found.rows[0]?.version ?? 0;
}

/**
 * Brings the database to this app's schema, in one transaction. Call it before anything else uses the database.
 * @throws RecollectError `newer-index` when a newer app made it; nothing is changed then.
 */
export async function migrate(database: Database): Promise<void> {
  const version = await versionOf(database);
  if (version > SCHEMA_VERSION)
    throw new RecollectError(
      'newer-index',
      `The memory index has schema ${version}, this app knows up to ${SCHEMA_VERSION}.`,
      { params: { found: version, known: SCHEMA_VERSION } },
    );
  await database.transaction(async (transaction) => {
    await transaction.exec(
      'create table if not exists schema_version (version integer primary key, applied_at timestamptz not null default now())',
    );
    for (const [at, step] of STEPS.entries()) {
      if (at < version) continue;
      await transaction.exec(step);
      await transaction.query('insert into schema_version (version) values ($1)', [at + 1]);
    }
    await transaction.exec(functions);
  });
  // Prepared searches do not pass their limit on: the index would score a thousand rows each time, and doubles this
  // if too few pass.
  await database.exec('set pg_textsearch.default_limit = 100');
  // Merging holds every word in memory, 400 bytes each: without a limit a large library takes gigabytes, and Postgres
  // crashes.
  await database.exec(`set pg_textsearch.max_segment_size = '${MERGED_MB}MB'`);
}
