// What was forgotten, searched byte by byte in the files of a real index.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { expect, it, onTestFinished } from 'vitest';
import { INITDB, SETTINGS } from '../../../src/adapters/index/cluster.ts';
import { createPgliteIndex } from '../../../src/adapters/index/pglite.ts';
import { migrate } from '../../../src/adapters/index/schema.ts';
import { packedCluster } from '../../adapters/index/database.ts';
import { openDevice } from './device.ts';

const CANARY = 'Quillfeather';

/** Files below in whose bytes, each a character, something of it stands. */
async function filesWith(folder: string, isIn: (bytes: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && isIn(await readFile(path, 'latin1'))) found.push(relative(folder, path));
  }
  return found;
}

it('is in no file of the index afterwards, what was made of memory notes included', {
  timeout: 180_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recollect-index-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const database = await PGlite.create({
    dataDir: folder,
    loadDataDir: await packedCluster(),
    extensions: { vector, pg_textsearch },
    // As the app has it: segments of the write-ahead log go, they are not used again.
    postgresqlconf: [...SETTINGS],
    initDbStartParams: [...INITDB],
  });
  onTestFinished(() => database.close());
  await migrate(database);
  const device = openDevice({ index: createPgliteIndex(database) });
  onTestFinished(() => device.close());
  await device.say('talk', [`About ${CANARY} and roses`, 'And about rain'], { title: `On ${CANARY}` });
  await device.say('gone', [`${CANARY} alone`]);
  await device.notes.write({ text: `${CANARY} likes roses` });
  expect(await device.placesOf(CANARY)).toContain('index');
  await database.exec('checkpoint');
  // As it was said, and as the stems of its words.
  const inIndex = () => filesWith(folder, (bytes) => bytes.toLowerCase().includes('quillfeath'));
  expect((await inIndex()).length).toBeGreaterThan(1);

  const { report } = await device.forgetAll({ kind: 'person', words: [CANARY], whole: true });
  expect(report.places.find(({ place }) => place === 'index')).toMatchObject({ left: 0, waiting: false });
  expect(await inIndex()).toEqual([]);
});
