// What clients delete leaves the relay's store within seconds, though the room goes on: looked for byte by byte.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, expect, it } from 'vitest';
import { startPostgres } from './postgres.ts';
import { createKey, createStockClient, filesIn, startRelay, stopAll, until, withFolder } from './support.ts';

afterAll(stopAll);
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Writes two sealed pieces into a room, takes one out, and looks for both wherever `bytesOf` reads. */
async function deletesOne(env: Readonly<Record<string, string>>, bytesOf: () => Promise<readonly Buffer[]>) {
  const relay = await startRelay({ ...env, RELAY_EVICT_SECONDS: '1' });
  const [gone, kept] = [randomBytes(4000), randomBytes(4000)];
  const isThere = async (piece: Buffer) => (await bytesOf()).some((file) => file.includes(piece));
  const client = createStockClient(relay, createKey(), 'room');
  closing.push(client.close);
  const blobs = client.doc.getMap<Uint8Array>('blobs');
  blobs.set('gone', new Uint8Array(gone));
  blobs.set('kept', new Uint8Array(kept));
  await client.acknowledged();
  expect([await isThere(gone), await isThere(kept)]).toEqual([true, true]);
  blobs.delete('gone');
  await client.acknowledged();
  await until('the piece to be nowhere', async () => !(await isThere(gone)), 60_000);
  expect(await isThere(kept)).toBe(true);
  // The room is in use, and goes on.
  blobs.set('next', new Uint8Array(3));
  await client.acknowledged();
  await relay.stop();
  expect([await isThere(gone), await isThere(kept)]).toEqual([false, true]);
}

it('the folder of the embedded store', { timeout: 120_000 }, () =>
  withFolder(async (folder) => {
    const data = join(folder, 'data');
    await deletesOne({ RELAY_DATA: data }, () => filesIn(data));
  }),
);

it('the folder of a relay that is asked to stop as soon as something was deleted', { timeout: 60_000 }, () =>
  withFolder(async (folder) => {
    const data = join(folder, 'data');
    const relay = await startRelay({ RELAY_DATA: data });
    const piece = randomBytes(4000);
    const client = createStockClient(relay, createKey(), 'room');
    closing.push(client.close);
    const blobs = client.doc.getMap<Uint8Array>('blobs');
    blobs.set('gone', new Uint8Array(piece));
    await client.acknowledged();
    blobs.delete('gone');
    await client.acknowledged();
    await relay.stop();
    expect((await filesIn(data)).some((file) => file.includes(piece))).toBe(false);
  }),
);

it('the tables of a PostgreSQL', { timeout: 120_000 }, async () => {
  const postgres = await startPostgres();
  const url = await postgres.createDatabase();
  const reader = new pg.Client({ connectionString: url });
  try {
    await reader.connect();
    await deletesOne({ DATABASE_URL: url }, async () => {
      const { rows } = await reader.query<{ body: Buffer }>('select body from relay_entry');
      return rows.map(({ body }) => body);
    });
  } finally {
    await reader.end();
    await postgres.stop();
  }
});
