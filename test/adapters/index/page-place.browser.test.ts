// Where the pages of an index lie in a browser that has storage buckets: apart from the log,
// whose saves would else stand behind them.
import type { FileWrite } from '@electric-sql/pglite/memfs-frontend';
import { deleteDB, openDB } from 'idb';
import { describe, expect, it } from 'vitest';
import { createPageFileSystem } from '../../../src/adapters/index/page-file-system.ts';
import { deletePages, hasPages } from '../../../src/adapters/index/page-place.ts';

const file: FileWrite = {
  path: '/a',
  size: 4,
  full: true,
  truncate: true,
  chunks: [{ at: 0, data: new TextEncoder().encode('kept') }],
};

async function write(name: string): Promise<void> {
  const { backend } = createPageFileSystem(name);
  await backend.init();
  for await (const _ of backend.load()) expect.unreachable('there is nothing yet');
  await backend.apply(
    { ops: [], files: { wal: [], data: [file], control: [] } },
    { relaxedDurability: false },
  );
  await backend.close();
}

async function read(name: string): Promise<string[]> {
  const { backend } = createPageFileSystem(name);
  await backend.init();
  const found: string[] = [];
  for await (const entry of backend.load())
    if (entry.kind === 'file') found.push(new TextDecoder().decode(entry.data));
  await backend.close();
  return found;
}

const besideTheLog = async (name: string) =>
  (await indexedDB.databases()).some((database) => database.name === name);

describe('pages in a browser that has buckets', () => {
  it('lie apart from the log, and go when they are deleted', async () => {
    await write('apart');
    expect(await besideTheLog('apart')).toBe(false);
    expect(await hasPages('apart')).toBe(true);
    expect(await read('apart')).toEqual(['kept']);
    await deletePages('apart');
    expect(await hasPages('apart')).toBe(false);
    expect(await read('apart')).toEqual([]);
    await deletePages('apart');
  });

  it('stay where they were made before, and are deleted there, too', async () => {
    const made = await openDB('before', 1, {
      upgrade: (fresh) => {
        fresh.createObjectStore('files', { keyPath: 'path' });
        fresh.createObjectStore('pages');
      },
    });
    made.close();
    await write('before');
    expect(await besideTheLog('before')).toBe(true);
    expect(await read('before')).toEqual(['kept']);
    await deletePages('before');
    expect(await hasPages('before')).toBe(false);
    await deleteDB('before');
  });
});
