// Postgres in memory as the app opens it: unpacked from an empty database, 1 s of processor.
// Making that takes 6 s, so it is kept.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import type { PGlite } from '@electric-sql/pglite';
import { INITDB, packCluster, SETTINGS } from '../../../src/adapters/index/cluster.ts';
import { openEngine } from '../../../src/adapters/index/engines.ts';

const MODULES = new URL('../../../node_modules/', import.meta.url);
const KEPT = new URL('.cache/recollect/', MODULES);

/**
 * The empty database that the build packs, 2.5 MB: read from the file of an earlier call in any process, or made now.
 */
export async function packedCluster(): Promise<Blob> {
  const postgres = await readFile(new URL('@electric-sql/pglite/package.json', MODULES));
  const madeOf = createHash('sha256')
    .update(postgres)
    .update(JSON.stringify([SETTINGS, INITDB]))
    .digest('hex');
  const file = new URL(`cluster-${madeOf.slice(0, 16)}.tar.gz`, KEPT);
  const kept = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return null;
  });
  if (kept) return new Blob([kept]);
  const packed = await packCluster();
  await mkdir(KEPT, { recursive: true });
  // Another process may read it at any moment, and sees all of it or nothing.
  const written = new URL(`${file.pathname}.${process.pid}`, file);
  await writeFile(written, new Uint8Array(await packed.arrayBuffer()));
  await rename(written, file);
  return packed;
}

/** An empty database in memory with the present schema. The caller closes it. */
export async function openDatabase(): Promise<PGlite> {
  const cluster = URL.createObjectURL(await packedCluster());
  try {
    return (await openEngine({ wanted: 'memory', cluster })).database;
  } finally {
    URL.revokeObjectURL(cluster);
  }
}
