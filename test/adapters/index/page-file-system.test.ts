// The page store alone: after any writes, cuts and removals, reading gives the same files.
import 'fake-indexeddb/auto';
import { createHash } from 'node:crypto';
import type { ChangeSet, FileWrite } from '@electric-sql/pglite/memfs-frontend';
import fc from 'fast-check';
import { openDB } from 'idb';
import { describe, expect, it } from 'vitest';
import { createPageFileSystem } from '../../../src/adapters/index/page-file-system.ts';
import { deletePages } from '../../../src/adapters/index/page-place.ts';
import { cipherFor, holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import type { RecordCipher } from '../../../src/domain/base/record-cipher.ts';
import { runs } from '../../scale.ts';

/** Length and content, short enough to be read in a failure. */
const digest = (bytes: Uint8Array) =>
  `${bytes.length}:${createHash('sha1').update(bytes).digest('hex').slice(0, 12)}`;

/** As PGlite calls it; the store does not look at it. */
const strict = { relaxedDurability: false };
const noFiles = (): ChangeSet['files'] => ({ wal: [], data: [], control: [] });

const key = await holdDataKey(newDataKey());
const index = await cipherFor(key, 'index');

async function openStore(name: string, cipher: RecordCipher | null = null) {
  const { backend } = createPageFileSystem(name, cipher);
  await backend.init();
  const entries: [string, string | null][] = [];
  for await (const entry of backend.load())
    entries.push([entry.path, entry.kind === 'dir' ? null : digest(entry.data)]);
  return { backend, entries };
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
    // PGlite does not tell of a file that was cut and has grown again within one flush (Postgres then makes the pages in
    // between from its log); here such a file is written in full.
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
  ] as const)('%s: gives back what any sequence of flushes made of the files', async (kind, cipher) => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyStep, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
        fc.nat(7),
        async (flushes, reopenAfter) => {
          const name = `random-${kind}-${run++}`;
          const files = new Map<string, Uint8Array>();
          let { backend } = await openStore(name, cipher);
          await backend.apply({ ops: [{ op: 'mkdir', path: '/d' }], files: noFiles() }, strict);
          for (const [at, steps] of flushes.entries()) {
            await backend.apply(play(files, steps), strict);
            if (at === reopenAfter) {
              await backend.close();
              ({ backend } = await openStore(name, cipher));
            }
          }
          await backend.close();
          const { backend: again, entries } = await openStore(name, cipher);
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
  });

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
});
