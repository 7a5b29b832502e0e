// The page store alone: after any writes, cuts and removals, reading gives the same files.
import 'fake-indexeddb/auto';
import { createHash } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import type { ChangeSet, FileWrite } from '@electric-sql/pglite/memfs-frontend';
import fc from 'fast-check';
import { openDB } from 'idb';
import { describe, expect, it, vi } from 'vitest';
import { createPageFileSystem, type Packing } from '../../../src/adapters/index/page-file-system.ts';
import { deletePages } from '../../../src/adapters/index/page-place.ts';
import { cipherFor, holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import type { RecordCipher } from '../../../src/domain/base/record-cipher.ts';
import { runs } from '../../scale.ts';
import { packedCluster } from './database.ts';

/** Length and content, short enough to be read in a failure. */
const digest = (bytes: Uint8Array) =>
  `${bytes.length}:${createHash('sha1').update(bytes).digest('hex').slice(0, 12)}`;

/** As PGlite calls it; the store does not look at it. */
const strict = { relaxedDurability: false };
const noFiles = (): ChangeSet['files'] => ({ wal: [], data: [], control: [] });

const key = await holdDataKey(newDataKey());
const index = await cipherFor(key, 'index');

/** Everything is packed at once, in packs that the small files of these tests fill. */
const packed: Packing = { pages: 2, loose: 0, share: 0, quietMs: 0, startMs: 0 };
/** Pages are packed now and then. */
const sometimes: Packing = { pages: 2, loose: 4, share: 0, quietMs: 1, startMs: 0 };

async function openStore(name: string, cipher: RecordCipher | null = null, packing?: Packing) {
  const { backend } = createPageFileSystem(name, cipher, packing ? { packing } : {});
  await backend.init();
  const entries: [string, string | null][] = [];
  for await (const entry of backend.load())
    entries.push([entry.path, entry.kind === 'dir' ? null : digest(entry.data)]);
  return { backend, entries };
}

/** Numbers of the stored records. */
async function counts(name: string): Promise<{ pages: number; packs: number }> {
  const database = await openDB(name);
  const found = { pages: await database.count('pages'), packs: await database.count('packs') };
  database.close();
  return found;
}

/** Files as PGlite has them in memory, and the writes it reports for each step. */
type Step =
  | {
      readonly do: 'write';
      readonly path: string;
      readonly at: number;
      readonly length: number;
      readonly byte: number;
    }
  | { readonly do: 'resize'; readonly path: string; readonly size: number }
  | { readonly do: 'remove'; readonly path: string }
  | { readonly do: 'replace'; readonly path: string; readonly size: number };

const path = fc.constantFrom('/a', '/d/b', '/d/c', '/pg_wal/1');
const size = fc.oneof(fc.nat(30_000), fc.constantFrom(0, 1, 8191, 8192, 8193, 16_384));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('write' as const),
    path,
    at: size,
    length: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.constantFrom(8192, 16_384)),
    byte: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({ do: fc.constant('resize' as const), path, size }),
  fc.record({ do: fc.constant('remove' as const), path: fc.oneof(path, fc.constant('/d')) }),
  fc.record({ do: fc.constant('replace' as const), path, size }),
);

/** A new file as PGlite reports it. */
const written = (path: string, data: Uint8Array): FileWrite => ({
  path,
  size: data.length,
  full: true,
  truncate: true,
  chunks: [{ at: 0, data }],
});

/** Plays one flush on the files in memory and says what changed, the way PGlite's front end does. */
function play(files: Map<string, Uint8Array>, steps: readonly Step[]): ChangeSet {
  const ops: ChangeSet['ops'] = [];
  const dirty = new Map<
    string,
    { full: boolean; resized: boolean; lowest: number; ranges: [number, number][] }
  >();
  const grown = (old: Uint8Array, length: number) => {
    const next = new Uint8Array(length);
    next.set(old.subarray(0, length));
    return next;
  };
  const of = (at: string) => {
    let entry = dirty.get(at);
    if (!entry) {
      entry = { full: !files.has(at), resized: false, lowest: Number.POSITIVE_INFINITY, ranges: [] };
      dirty.set(at, entry);
    }
    return entry;
  };
  for (const step of steps) {
    if (step.do === 'remove') {
      ops.push({ op: 'remove', path: step.path });
      for (const at of [...files.keys()])
        if (at === step.path || at.startsWith(`${step.path}/`)) {
          files.delete(at);
          dirty.delete(at);
        }
      continue;
    }
    const entry = of(step.path);
    const old = files.get(step.path) ?? new Uint8Array(0);
    if (step.do === 'write') {
      const next = grown(old, Math.max(old.length, step.at + step.length));
      next.fill(step.byte, step.at, step.at + step.length);
      files.set(step.path, next);
      entry.ranges.push([step.at, step.at + step.length]);
    } else {
      files.set(step.path, step.do === 'resize' ? grown(old, step.size) : new Uint8Array(step.size).fill(9));
      entry.resized = true;
      entry.lowest = Math.min(entry.lowest, step.size);
      if (step.do === 'replace') entry.full = true;
    }
  }
  const changed = noFiles();
  for (const [at, { resized, lowest, ranges, ...entry }] of dirty) {
    const content = files.get(at);
    if (!content) continue;
    // PGlite does not tell of a file that was cut and has grown again within one flush (Postgres then makes the pages
    // in between from its log); here such a file is written in full.
    const full = entry.full || lowest < content.length;
    const write: FileWrite = {
      path: at,
      size: content.length,
      full,
      truncate: full || resized,
      chunks: (full ? [[0, content.length] as const] : ranges)
        .map(([start, end]) => ({ at: start, data: content.slice(start, Math.min(end, content.length)) }))
        .filter((one) => one.data.length > 0),
    };
    (at.startsWith('/pg_wal/') ? changed.wal : changed.data).push(write);
  }
  return { ops, files: changed };
}

describe('the page file system', () => {
  it.each([
    ['as they are', null],
    ['sealed', index],
    ['sealed and packed', index, packed],
    ['sealed and packed in part', index, sometimes],
  ] as const)(
    '%s: gives back what any sequence of flushes made of the files',
    async (kind, cipher, packing?: Packing) => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(anyStep, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
          fc.nat(7),
          async (flushes, reopenAfter) => {
            const name = `random-${kind}-${run++}`;
            const files = new Map<string, Uint8Array>();
            let { backend } = await openStore(name, cipher, packing);
            await backend.apply({ ops: [{ op: 'mkdir', path: '/d' }], files: noFiles() }, strict);
            for (const [at, steps] of flushes.entries()) {
              await backend.apply(play(files, steps), strict);
              if (at === reopenAfter) {
                await backend.close();
                ({ backend } = await openStore(name, cipher, packing));
              }
            }
            await backend.close();
            const { backend: again, entries } = await openStore(name, cipher, packing);
            await again.close();
            const wanted = [...files].map(([at, bytes]) => [at, digest(bytes)]);
            expect(entries.filter(([, content]) => content !== null)).toEqual(
              wanted.sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1)),
            );
            await deletePages(name);
          },
        ),
        { numRuns: runs(60, 30) },
      );
    },
  );

  it('leaves everything as it was when a flush fails, and takes the next', async () => {
    const { backend } = await openStore('failing');
    const file = (content: string): FileWrite => ({
      path: '/a',
      size: content.length,
      full: true,
      truncate: true,
      chunks: [{ at: 0, data: new TextEncoder().encode(content) }],
    });
    await backend.apply({ ops: [], files: { ...noFiles(), data: [file('before')] } }, strict);
    const broken = {
      ...file('broken'),
      path: '/b',
      chunks: [{ at: 0, data: null as unknown as Uint8Array }],
    };
    await expect(
      backend.apply({ ops: [{ op: 'remove', path: '/a' }], files: { ...noFiles(), data: [broken] } }, strict),
    ).rejects.toThrow();
    await backend.apply({ ops: [{ op: 'mkdir', path: '/d' }], files: noFiles() }, strict);
    await backend.close();
    const { backend: again, entries } = await openStore('failing');
    await again.close();
    expect(entries).toEqual([
      ['/a', digest(new TextEncoder().encode('before'))],
      ['/d', null],
    ]);
  });

  it('sealed pages show nothing, and open neither elsewhere nor with another key', async () => {
    const { backend } = await openStore('pages', index);
    const data = new TextEncoder().encode('canary'.repeat(3000));
    const file: FileWrite = {
      path: '/a',
      size: data.length,
      full: true,
      truncate: true,
      chunks: [{ at: 0, data }],
    };
    await backend.apply({ ops: [], files: { ...noFiles(), data: [file] } }, strict);
    await backend.close();
    const database = await openDB('pages');
    const [keys, pages] = [await database.getAllKeys('pages'), await database.getAll('pages')];
    expect(keys.length).toBe(3);
    for (const page of pages) expect(Buffer.from(page).includes('canary')).toBe(false);
    await database.put('pages', pages[1], keys[0]);
    database.close();
    await expect(openStore('pages', index)).rejects.toThrow('does not open');
    const other = await cipherFor(await holdDataKey(newDataKey()), 'index');
    await expect(openStore('pages', other)).rejects.toThrow('does not open');
  });

  it('a pack shows nothing, and opens neither elsewhere nor with another key', async () => {
    const { backend } = await openStore('packs', index, packed);
    const data = new TextEncoder().encode('canary'.repeat(6000));
    await backend.apply({ ops: [], files: { ...noFiles(), data: [written('/a', data)] } }, strict);
    // Pages are stored late: none lie there at first, either.
    await vi.waitUntil(async () => {
      const { pages, packs } = await counts('packs');
      return pages === 0 && packs === 3;
    });
    await backend.close();
    const database = await openDB('packs');
    const [keys, packs] = [await database.getAllKeys('packs'), await database.getAll('packs')];
    expect(keys.length).toBe(3);
    for (const pack of packs) expect(Buffer.from(pack).includes('canary')).toBe(false);
    const other = await cipherFor(await holdDataKey(newDataKey()), 'index');
    await expect(openStore('packs', other, packed)).rejects.toThrow('does not open');
    await database.put('packs', packs[1], keys[0]);
    await expect(openStore('packs', index, packed)).rejects.toThrow('does not open');
    await database.delete('packs', keys[0] as IDBValidKey);
    await database.put('pages', packs[0], keys[0]);
    database.close();
    await expect(openStore('packs', index, packed)).rejects.toThrow('does not open');
  });

  it('packs nothing while the app starts, however much lies outside of packs', async () => {
    const flushes = async (name: string, packing: Packing) => {
      const { backend } = await openStore(name, index, packing);
      // Packing begins with the first flush, and the second one waits for a pack.
      for (const byte of [1, 2]) {
        const data = new Uint8Array(60_000).fill(byte);
        await backend.apply({ ops: [], files: { ...noFiles(), control: [written('/a', data)] } }, strict);
      }
      await backend.close();
      return (await counts(name)).packs;
    };
    expect(await flushes('running', packed)).toBeGreaterThan(0);
    expect(await flushes('starting', { ...packed, startMs: 600_000 })).toBe(0);
  });

  it('packs nothing while the index is asked, unless far too much lies outside of packs', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1e7);
    const packsOf = async (name: string, loose: number, isUsed: boolean) => {
      const packing = { ...packed, loose, quietMs: 600_000 };
      const fs = createPageFileSystem(name, index, { packing });
      await fs.backend.init();
      for await (const entry of fs.backend.load()) expect(entry.path).toBe('/');
      if (isUsed) fs.used();
      for (const byte of [1, 2]) {
        const data = new Uint8Array(60_000).fill(byte);
        await fs.backend.apply({ ops: [], files: { ...noFiles(), control: [written('/a', data)] } }, strict);
      }
      await fs.backend.close();
      return (await counts(name)).packs;
    };
    try {
      expect(await packsOf('left alone', 6, false)).toBeGreaterThan(0);
      expect(await packsOf('asked', 6, true)).toBe(0);
      expect(await packsOf('asked and full', 2, true)).toBeGreaterThan(0);
    } finally {
      clock.mockRestore();
    }
  });

  it('does not wait for pages alone; they are stored before the next change, also after a failure', async () => {
    const { backend } = await openStore('pages alone', index);
    const page = (byte: number) => new Uint8Array(8192).fill(byte);
    const change = (data: FileWrite[], control: FileWrite[]) =>
      backend.apply({ ops: [], files: { ...noFiles(), data, control } }, strict);
    await change([], [written('/a', page(1)), written('/b', page(1))]);
    const transaction = IDBDatabase.prototype.transaction;
    let failed = 0;
    IDBDatabase.prototype.transaction = function full(...given) {
      if (given[1] !== 'readwrite') return transaction.apply(this, given);
      failed += 1;
      throw new Error('The disk is full.');
    };
    try {
      await change([written('/a', page(2))], []);
      await change([written('/a', page(3))], []);
      await vi.waitUntil(() => failed >= 2);
      await expect(change([], [written('/b', page(4))])).rejects.toThrow('full');
    } finally {
      IDBDatabase.prototype.transaction = transaction;
    }
    await change([], [written('/b', page(5))]);
    await backend.close();
    expect((await openStore('pages alone', index)).entries).toEqual([
      ['/a', digest(page(3))],
      ['/b', digest(page(5))],
    ]);
  });

  it('counts each query of Postgres as a use', async () => {
    const fs = createPageFileSystem('queries', index);
    const used = vi.spyOn(fs, 'used');
    const database = await PGlite.create({ fs, loadDataDir: await packedCluster() });
    used.mockClear();
    await database.query('select 1');
    expect(used).toHaveBeenCalled();
    await database.close();
  });

  it('opens a store of a version without packs, and moves its pages into packs', async () => {
    const { backend } = await openStore('old', index);
    const data = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
    await backend.apply({ ops: [], files: { ...noFiles(), data: [written('/a', data)] } }, strict);
    await backend.close();
    const now = await openDB('old');
    const rows = await now.getAll('files');
    const [keys, pages] = [await now.getAllKeys('pages'), await now.getAll('pages')];
    now.close();
    await deletePages('old');
    const old = await openDB('old', 1, {
      upgrade: (database) => {
        database.createObjectStore('files', { keyPath: 'path' });
        database.createObjectStore('pages');
      },
    });
    for (const row of rows) await old.put('files', row);
    for (const [at, page] of pages.entries()) await old.put('pages', page, keys[at]);
    old.close();
    const { backend: again, entries } = await openStore('old', index, sometimes);
    expect(entries).toEqual([['/a', digest(data)]]);
    await again.apply({ ops: [{ op: 'mkdir', path: '/d' }], files: noFiles() }, strict);
    await vi.waitUntil(async () => (await counts('old')).pages <= 4);
    await again.close();
    const { backend: last, entries: after } = await openStore('old', index, sometimes);
    await last.close();
    expect(after).toEqual([
      ['/a', digest(data)],
      ['/d', null],
    ]);
  });

  it('has every acknowledged flush and nothing of another, wherever it dies', async () => {
    const story: Step[][] = [
      [{ do: 'write', path: '/a', at: 0, length: 50_000, byte: 1 }],
      [{ do: 'write', path: '/a', at: 20_000, length: 9_000, byte: 2 }],
      [{ do: 'resize', path: '/a', size: 25_000 }],
      [
        { do: 'write', path: '/a', at: 45_000, length: 20_000, byte: 3 },
        { do: 'write', path: '/b', at: 0, length: 30_000, byte: 3 },
      ],
      [{ do: 'write', path: '/b', at: 8192, length: 8192, byte: 0 }],
      [{ do: 'remove', path: '/a' }],
      [{ do: 'replace', path: '/b', size: 12_000 }],
    ];
    const transaction = IDBDatabase.prototype.transaction;
    let deaths = 0;
    for (let diesAt = 1, died = true; died; diesAt++) {
      const name = `dying-${diesAt}`;
      const files = new Map<string, Uint8Array>();
      const { backend } = await openStore(name, index, packed);
      let before: [string, string][] = [];
      let writes = 0;
      died = false;
      IDBDatabase.prototype.transaction = function dying(...given) {
        if (given[1] === 'readwrite' && ++writes >= diesAt) {
          died = true;
          throw new Error('The process died.');
        }
        return transaction.apply(this, given);
      };
      try {
        for (const steps of story) {
          const { ops, files: changed } = play(files, steps);
          // Of the group that Postgres has told to be durable; pages alone are not waited for.
          await backend.apply({ ops, files: { ...changed, data: [], control: changed.data } }, strict);
          before = [...files].map(([at, bytes]) => [at, digest(bytes)]);
          await vi.waitUntil(async () => died || (await counts(name)).pages === 0);
          if (died) break;
        }
      } catch (error) {
        expect(error).toMatchObject({ message: 'The process died.' });
      } finally {
        IDBDatabase.prototype.transaction = transaction;
      }
      deaths += died ? 1 : 0;
      await backend.close();
      const { backend: again, entries } = await openStore(name, index, packed);
      await again.close();
      expect(entries).toEqual(before.sort(([a], [b]) => (a < b ? -1 : 1)));
      await deletePages(name);
    }
    // Seven flushes, and packs between them.
    expect(deaths).toBeGreaterThan(14);
  });
});
