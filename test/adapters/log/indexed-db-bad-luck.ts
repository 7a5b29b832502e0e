// What can go wrong with a database in a browser; runs in Node and in Chromium alike.
import { deleteDB, openDB } from 'idb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LOG_VERSION } from '../../../src/adapters/log/idb-connection.ts';
import { openStore } from '../../../src/adapters/log/index.ts';
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';
import type { Problem } from '../../../src/domain/base/errors.ts';
import { newConversationId, newEntryId } from '../../../src/domain/base/ids.ts';

const document = newConversationId();
export const entryOf = (bytes: Uint8Array = new Uint8Array([1, 2, 3])) => ({
  id: newEntryId(),
  document,
  origin: 'user' as const,
  bytes,
});
const problem = (code: string, retry: boolean) => ({ problem: { code, retry } });

export function describeBadLuck(name: string): void {
  describe(`${name} meets bad luck`, () => {
    let database: string;
    beforeEach(() => {
      database = `unlucky-${newEntryId()}`;
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      vi.unstubAllGlobals();
      await deleteDB(database);
    });

    it('a log of a newer app is left alone', async () => {
      const first = await openIndexedDbStore({ name: database });
      await first.log.append([entryOf()]);
      await first.log.close();
      const newer = await openDB(database, LOG_VERSION + 1, {
        upgrade: (db) => db.createObjectStore('later'),
      });
      newer.close();

      await expect(openIndexedDbStore({ name: database })).rejects.toMatchObject(problem('newer-log', false));
      await expect(openStore({ name: database })).rejects.toMatchObject(problem('newer-log', false));

      const kept = await openDB(database);
      expect(kept.version).toBe(LOG_VERSION + 1);
      expect(await kept.count('entries')).toBe(1);
      expect([...kept.objectStoreNames]).toContain('later');
      kept.close();
    });

    it('a log of the first version is taken over with all it has', async () => {
      const [one, other] = [entryOf(new Uint8Array([1])), { ...entryOf(), document: newConversationId() }];
      const older = await openDB(database, 1, {
        upgrade: (db) => {
          const entries = db.createObjectStore('entries', { keyPath: 'seq', autoIncrement: true });
          entries.createIndex('id', 'id', { unique: true });
          entries.createIndex('document', ['document', 'seq', 'size']);
          for (const store of ['counts', 'drawer']) db.createObjectStore(store);
        },
      });
      // The third entry was the last one, and was erased.
      for (const entry of [one, other])
        await older.add('entries', { ...entry, size: entry.bytes.length, at: 5 });
      await older.put('counts', { entries: 2, bytes: 4, head: 3 }, '');
      await older.put('counts', { entries: 1, bytes: 1, head: 1 }, one.document);
      await older.put('counts', { entries: 1, bytes: 3, head: 2 }, other.document);
      await older.put('drawer', 'kept', 'k');
      older.close();

      const { log, keyValues } = await openIndexedDbStore({ name: database });
      expect((await log.documents()).sort()).toEqual([one.document, other.document].sort());
      expect(await log.stats()).toEqual({ entries: 2, bytes: 4 });
      expect(await log.head()).toBe(3);
      expect(await log.read(one.document)).toMatchObject([{ id: one.id, bytes: one.bytes }]);
      expect(await keyValues.get('k')).toBe('kept');
      await log.append([entryOf()]);
      await log.erase(other.document);
      expect(await log.stats()).toEqual({ entries: 2, bytes: 4 });
      expect(await log.documents()).toEqual([one.document]);
      await log.close();
    });

    it('a write asks for the disk, and does not resolve before its transaction has ended', async () => {
      const store = await openIndexedDbStore({ name: database });
      const steps: string[] = [];
      const real = IDBDatabase.prototype.transaction;
      vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (
        this: IDBDatabase,
        stores,
        mode,
        options,
      ) {
        const transaction = real.call(this, stores, mode, options);
        if (mode === 'readwrite') {
          steps.push(String(options?.durability));
          transaction.addEventListener('complete', () => steps.push('ended'));
        }
        return transaction;
      });
      for (const write of [
        () => store.log.append([entryOf(), entryOf()]),
        () => store.log.append([entryOf()], [{ key: 'k', value: 1 }]),
        () => store.keyValues.set('k', 2),
        () => store.log.replaceBySnapshot(document, new Uint8Array([9]), 2),
      ]) {
        steps.length = 0;
        await write().then(() => steps.push('resolved'));
        expect(steps).toEqual(['strict', 'ended', 'resolved']);
      }
      await store.log.close();
    });

    it('a newer app in another tab gets the database at once, and this tab says so', async () => {
      const problems: Problem[] = [];
      const store = await openIndexedDbStore({
        name: database,
        onProblem: (problem) => problems.push(problem),
      });
      await store.log.append([entryOf()]);
      const underWay = store.log.append([entryOf()]);
      const newer = await openDB(database, LOG_VERSION + 1);
      const written = await underWay.then(
        () => 2,
        () => 1,
      );
      expect(await newer.count('entries'), 'written and said so, or neither').toBe(written);
      expect(problems).toMatchObject([{ code: 'newer-log' }]);
      await expect(store.log.append([entryOf()])).rejects.toMatchObject(problem('newer-log', false));
      await expect(store.log.head()).rejects.toMatchObject(problem('newer-log', false));
      expect(await newer.count('entries')).toBe(written);
      newer.close();
      await store.log.close();
    });

    it('a database deleted under its feet is made anew', async () => {
      const problems: Problem[] = [];
      const store = await openIndexedDbStore({
        name: database,
        onProblem: (problem) => problems.push(problem),
      });
      await store.log.append([entryOf()]);
      await deleteDB(database);
      expect(await store.log.head()).toBe(0);
      expect(await store.log.append([entryOf()])).toBe(1);
      expect(problems).toEqual([]);
      await store.log.close();
    });

    it('a connection that the browser closed is opened again', async () => {
      const open = vi.spyOn(IDBFactory.prototype, 'open');
      const store = await openIndexedDbStore({ name: database });
      await store.log.append([entryOf()]);
      const request = open.mock.results[0]?.value as IDBOpenDBRequest;
      // Closed without any event, as WebKit does to tabs that were long in the background.
      request.result.close();
      expect(await store.log.append([entryOf()])).toBe(2);
      expect(await store.log.stats()).toEqual({ entries: 2, bytes: 6 });
      expect(open.mock.calls.filter(([opened]) => opened === database).length).toBe(2);
      await store.log.close();
    });

    it('waits for other tabs no longer than its time-out', async () => {
      const stubborn = await openDB(database, LOG_VERSION);
      const upgrading = openDB(database, LOG_VERSION + 1);
      await expect(openStore({ name: database, timeout: 50 })).rejects.toMatchObject(
        problem('storage-held', true),
      );
      stubborn.close();
      (await upgrading).close();
    });

    it('says that storage is full, keeps what was there, and goes on when there is room', async () => {
      const store = await openIndexedDbStore({ name: database });
      await store.log.append([entryOf()]);
      const full = vi.spyOn(IDBObjectStore.prototype, 'add').mockImplementation(() => {
        throw new DOMException('no room', 'QuotaExceededError');
      });
      const waiting = entryOf();
      await expect(store.log.append([waiting], [{ key: 'k', value: 1 }])).rejects.toMatchObject(
        problem('storage-full', true),
      );
      full.mockRestore();
      expect(await store.log.stats()).toEqual({ entries: 1, bytes: 3 });
      expect(await store.keyValues.get('k')).toBeUndefined();
      expect(await store.log.append([waiting])).toBe(2);
      await store.log.close();
    });

    it('hands on nothing of an entry in which a bit flipped, leaves it as it is, and believes entries without a checksum', async () => {
      const store = await openIndexedDbStore({ name: database });
      await store.log.append([1, 2, 3].map((byte) => entryOf(new Uint8Array([byte, byte, byte]))));
      const raw = await openDB(database);
      const [first, second] = await raw.getAll('entries');
      await raw.put('entries', { ...first, bytes: new Uint8Array([1, 1 ^ 4, 1]) });
      const { sum: _, ...old } = second;
      await raw.put('entries', old);
      const all = [[], [2, 2, 2], [3, 3, 3]];
      expect((await store.log.read(document)).map(({ bytes }) => [...bytes])).toEqual(all);
      expect((await store.log.since(0, 10)).map(({ bytes }) => [...bytes])).toEqual(all);
      expect([...(await raw.get('entries', 1)).bytes]).toEqual([1, 1 ^ 4, 1]);
      raw.close();
      await store.log.close();
    });

    it('a write that the browser cut off is done again, once', async () => {
      const store = await openIndexedDbStore({ name: database });
      const real = IDBObjectStore.prototype.put;
      let failures = 0;
      vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...given) {
        failures += 1;
        if (failures === 1)
          throw new DOMException('Connection to Indexed Database server lost', 'UnknownError');
        return real.apply(this, given);
      });
      expect(await store.log.append([entryOf(), entryOf()])).toBe(2);
      expect(await store.log.stats()).toEqual({ entries: 2, bytes: 6 });
      expect(failures).toBeGreaterThan(1);
      await store.log.close();
    });

    it('a failure in the middle of a write leaves nothing of it, and the next use works', async () => {
      const store = await openIndexedDbStore({ name: database });
      const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
        throw new DOMException('the disk is gone', 'UnknownError');
      });
      await expect(store.log.append([entryOf()])).rejects.toMatchObject({
        problem: { code: 'storage-failed', retry: true, params: { detail: 'the disk is gone' } },
      });
      put.mockRestore();
      expect(await store.log.stats()).toEqual({ entries: 0, bytes: 0 });
      expect(await store.log.append([entryOf()])).toBe(1);
      await store.log.close();
    });

    it.each([
      ['none at all', undefined],
      [
        'one that may not be used',
        {
          open: () => {
            throw new DOMException('denied', 'SecurityError');
          },
        },
      ],
    ])('keeps things in memory where the browser offers %s', async (_, factory) => {
      vi.stubGlobal('indexedDB', factory);
      vi.spyOn(console, 'info').mockImplementation(() => {});
      await expect(openIndexedDbStore({ name: database })).rejects.toMatchObject(
        problem('storage-unavailable', false),
      );
      const store = await openStore({ name: database });
      expect(store.kind).toBe('memory');
      expect(await store.log.append([entryOf()])).toBe(1);
      await store.log.close();
      vi.unstubAllGlobals();
    });

    it('does not hide a database that cannot be read behind an empty memory', async () => {
      vi.stubGlobal('indexedDB', {
        open: () => {
          throw new DOMException('Internal error opening backing store', 'UnknownError');
        },
      });
      await expect(openStore({ name: database })).rejects.toMatchObject(problem('storage-failed', true));
      vi.unstubAllGlobals();
    });

    it('opens the persistent store where it can', async () => {
      const store = await openStore({ name: database });
      expect(store.kind).toBe('persistent');
      await store.log.close();
    });

    it('believes no stranger on the channel between tabs', async () => {
      const store = await openIndexedDbStore({ name: database });
      const heard: unknown[] = [];
      const notified = new Promise<void>((resolve) => {
        store.log.subscribe((change) => {
          heard.push(change);
          resolve();
        });
      });
      const channel = new BroadcastChannel(`${database}:log`);
      for (const message of [
        null,
        'x',
        { documents: 'all', seq: 1 },
        { documents: [''], seq: 1 },
        { documents: [], seq: -1 },
      ])
        channel.postMessage(message);
      channel.postMessage({ documents: [document], seq: 7 });
      await notified;
      expect(heard).toEqual([{ documents: [document], seq: 7, foreign: true }]);
      channel.close();
      await store.log.close();
    });
  });
}
