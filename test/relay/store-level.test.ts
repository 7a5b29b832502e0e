// The embedded store: the contract, and what a crash of the machine may leave behind.
import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLevelStore } from '../../src/relay/store-level.ts';
import { describeRelayStore } from '../suites/relay-store.suite.ts';
import { withFolder } from './support.ts';

describeRelayStore('the embedded store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recollect-relay-'));
  return {
    open: () => openLevelStore(join(folder, 'store')),
    shared: false,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
});

const id = { account: 'account', room: 'room' };
const bodyOf = (index: number) => new Uint8Array(Buffer.from(`${index}`.padStart(200, '.')));
const numberOf = (update: Uint8Array) => Number(Buffer.from(update).toString().replaceAll('.', ''));

describe('a folder whose last write was torn', () => {
  for (const damage of ['cut', 'garbled'] as const)
    it(`opens with all that was before it (${damage} at many places)`, () =>
      withFolder(async (folder) => {
        const whole = join(folder, 'whole');
        const store = await openLevelStore(whole);
        const ends: number[] = [];
        const logOf = async (path: string) => {
          const log = (await readdir(path))
            .filter((name) => name.endsWith('.log'))
            .sort()
            .at(-1);
          return join(path, log ?? '');
        };
        for (let index = 1; index <= 40; index++) {
          await store.append(id, bodyOf(index));
          ends.push((await stat(await logOf(whole))).size);
        }
        await cp(whole, join(folder, 'image'), { recursive: true });
        await store.close();
        const size = ends.at(-1) ?? 0;
        for (let at = size - 1; at > size / 2; at -= Math.ceil(size / 40)) {
          const copy = join(folder, `at-${at}`);
          await cp(join(folder, 'image'), copy, { recursive: true });
          const log = await logOf(copy);
          if (damage === 'cut') await truncate(log, at);
          else {
            const bytes = await readFile(log);
            bytes.fill(0xa5, at);
            await writeFile(log, bytes);
          }
          const reopened = await openLevelStore(copy);
          const found = (await reopened.load(id)).updates.map(numberOf);
          const acknowledged = ends.filter((end) => end <= at).length;
          expect(found.slice(0, acknowledged)).toEqual(Array.from({ length: acknowledged }, (_, i) => i + 1));
          expect(await reopened.append(id, bodyOf(99))).toMatchObject({ position: found.length + 1 });
          await reopened.close();
          await rm(copy, { recursive: true });
        }
      }));
});

describe('a disk that is nearly full', () => {
  it('takes nothing more in, says so, and gives out what it has', () =>
    withFolder(async (folder) => {
      const before = await openLevelStore(folder);
      await before.append(id, bodyOf(1));
      await before.close();
      const store = await openLevelStore(folder, { minFree: 2 ** 60 });
      await expect(store.append(id, bodyOf(2))).rejects.toThrow('nearly full');
      await expect(store.ping()).rejects.toThrow('nearly full');
      expect((await store.load(id)).updates.map(numberOf)).toEqual([1]);
      await store.erase(id.account);
      await store.close();
    }));
});

describe('a backup', () => {
  it('is a store of its own, made while the other is written to', () =>
    withFolder(async (folder) => {
      const store = await openLevelStore(join(folder, 'store'));
      for (let index = 1; index <= 100; index++) await store.append(id, bodyOf(index));
      const later = Array.from({ length: 100 }, (_, index) => store.append(id, bodyOf(101 + index)));
      await store.backup(join(folder, 'deep/backup'));
      await Promise.all(later);
      await store.close();
      const copy = await openLevelStore(join(folder, 'deep/backup'));
      const found = await copy.load(id);
      expect(found.updates.length).toBeGreaterThanOrEqual(100);
      expect(found.updates.map(numberOf)).toEqual(found.updates.map((_, index) => index + 1));
      expect(found.position).toBe(found.updates.length);
      await copy.close();
    }));
});
