// Sealing a log and opening it for good loses nothing and leaves nothing in clear, wherever the process dies.
import 'fake-indexeddb/auto';
import { deleteDB } from 'idb';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { databaseName } from '../../../src/adapters/log/generations.ts';
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';
import type { DataKey } from '../../../src/adapters/vault/data-key.ts';
import { createLockRecords, type LockRecords } from '../../../src/adapters/vault/lock-records.ts';
import { newConversationId, newEntryId } from '../../../src/domain/base/ids.ts';
import {
  convertDatabase,
  deleteStale,
  nextGeneration,
  openStoresInForce,
} from '../../../src/services/lock/in-force.ts';
import { keepShared, takeShared } from '../../../src/services/lock/shared.ts';
import { newLock } from '../../../src/services/lock/slots.ts';

const argon = { memory: 8, iterations: 1 };
const { signal } = new AbortController();
const text = (value: string) => new TextEncoder().encode(value);

/** Lets the process die at a write: that one and all after it fail. */
const death = { writes: 0, at: Number.POSITIVE_INFINITY };
const { transaction } = IDBDatabase.prototype;
IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...given) {
  if (given[1] === 'readwrite') {
    death.writes += 1;
    if (death.writes >= death.at) throw new Error('The process died');
  }
  return transaction.apply(this, given);
};

let serial = 0;
let records: LockRecords;

/** Fills a device: entries of three documents, one with a snapshot and one erased, values and secrets. */
async function begin(): Promise<void> {
  serial += 1;
  for (const { name } of await indexedDB.databases()) if (name) await deleteDB(name);
  records = createLockRecords(`lock-${serial}`);
  const { store, vault } = await openStoresInForce(await records.read(), null);
  const [a, b, c] = [newConversationId(), newConversationId(), newConversationId()];
  const entry = (document: typeof a, words: string) =>
    ({ id: newEntryId(), document, origin: 'user', bytes: text(words) }) as const;
  await store.log.append([
    entry(a, 'canary 1'),
    entry(b, 'canary 2'),
    entry(c, 'canary 3'),
    entry(a, 'canary 4'),
  ]);
  await store.log.replaceBySnapshot(a, text('canary 1+4'), 4);
  await store.log.append([entry(b, 'canary 5'), entry(c, 'canary 6')]);
  await store.log.erase(c);
  await store.keyValues.set('written/a', { text: 'canary draft', bytes: text('canary bytes') });
  await vault.put('endpoint/a', 'sk-canary');
  await keepShared(records, 'canary shared', () => 1);
  await store.log.close();
}

/** Everything that a device's stores show. */
async function seen(key: DataKey | null) {
  const { store, vault } = await openStoresInForce(await records.read(), key);
  const entries = (await store.log.since(0, 1000)).map((one) => ({
    ...one,
    bytes: Buffer.from(one.bytes).toString(),
  }));
  const head = await store.log.head();
  const stats = await store.log.stats();
  const documents = (await store.log.documents()).sort();
  const draft = await store.keyValues.get('written/a');
  const secret = await vault.get('endpoint/a');
  await store.log.close();
  const shared: string[] = [];
  await takeShared(records, key, async (words) => {
    shared.push(words);
    return false;
  });
  return { entries, head, stats, documents, draft, secret, shared };
}

/** The bytes of all databases. */
async function lying(): Promise<string> {
  const found: string[] = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open(name as string);
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    for (const storeName of database.objectStoreNames) {
      const rows = await new Promise<unknown[]>((resolve) => {
        const asking = transaction.call(database, [storeName], 'readonly').objectStore(storeName).getAll();
        asking.onsuccess = () => resolve(asking.result);
      });
      found.push(
        JSON.stringify(rows, (_, value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
        ),
      );
    }
    database.close();
  }
  return found.join('\n');
}

async function turnOn(): Promise<DataKey> {
  const { key, ...made } = await newLock(
    [{ kind: 'passphrase', passphrase: 'correct horse', argon }],
    Date.now,
  );
  await records.change((before) => ({
    ...before,
    ...made,
    conversion: { to: nextGeneration(before), sealed: true, ready: false },
  }));
  return key;
}
const turnOff = () =>
  records.change((before) => ({
    ...before,
    conversion: { to: nextGeneration(before), sealed: false, ready: false },
  }));

/** Converts in the background and then at a start, as the app does. */
async function carryOut(key: DataKey): Promise<void> {
  await convertDatabase({ records, key, signal }, false);
  await convertDatabase({ records, key, signal }, true);
  await deleteStale(records, async () => undefined);
}

afterEach(() => {
  death.at = Number.POSITIVE_INFINITY;
});

afterAll(() => {
  IDBDatabase.prototype.transaction = transaction;
});

describe('a log that is sealed', () => {
  it('has all that it had, and shows none of it', async () => {
    await begin();
    const before = await seen(null);
    expect(before).toMatchObject({ head: 6, secret: 'sk-canary', shared: ['canary shared'] });
    expect(await lying()).toContain('canary');
    const key = await turnOn();
    await carryOut(key);
    expect(await seen(key)).toEqual(before);
    expect(await lying()).not.toContain('canary');
    expect(await records.read()).toMatchObject({ generation: 2, sealed: true, conversion: null, stale: [] });

    await turnOff();
    await carryOut(key);
    expect(await seen(null)).toEqual(before);
    expect(await records.read()).toMatchObject({ generation: 3, sealed: false, slots: [], conversion: null });
  });

  it('takes over what was said, folded and forgotten while it was copied, and gives no seq twice', async () => {
    await begin();
    const key = await turnOn();
    await convertDatabase({ records, key, signal }, false);
    const { store } = await openStoresInForce(await records.read(), null);
    const [first] = await store.log.documents();
    if (!first) throw new Error('unreachable');
    await store.log.append([
      { id: newEntryId(), document: first, origin: 'user', bytes: text('while copied') },
    ]);
    await store.log.replaceBySnapshot(first, text('all of it'), 7);
    const gone = newConversationId();
    await store.log.append([{ id: newEntryId(), document: gone, origin: 'user', bytes: text('forget me') }]);
    await convertDatabase({ records, key, signal }, false);
    await store.log.erase(gone);
    await store.keyValues.set('written/b', 'later');
    await store.log.close();
    const before = await seen(null);
    await carryOut(key);
    expect(await seen(key)).toEqual(before);
    const after = await openStoresInForce(await records.read(), key);
    expect(await after.store.keyValues.get('written/b')).toBe('later');
    expect(
      await after.store.log.append([
        { id: newEntryId(), document: gone, origin: 'user', bytes: text('new') },
      ]),
    ).toBe(before.head + 1);
    await after.store.log.close();
  });

  it('is not copied by a tab that still has the key of a lock that was called off', async () => {
    await begin();
    const before = await seen(null);
    const old = await turnOn();
    // The person cancels the lock before it is in force and turns it on again, with another
    // key, before the other tab reloads.
    await records.change((now) => ({
      ...now,
      slots: [],
      check: null,
      conversion: null,
      stale: [...now.stale, now.conversion?.to ?? 0],
    }));
    const key = await turnOn();
    await expect(convertDatabase({ records, key: old, signal }, false)).rejects.toThrow('another key');
    await carryOut(key);
    expect(await seen(key)).toEqual(before);
  });

  it('is found too new by an app from before there were locks, not empty', async () => {
    await begin();
    await carryOut(await turnOn());
    await expect(openIndexedDbStore({ name: databaseName(1) })).rejects.toMatchObject({
      problem: { code: 'newer-log' },
    });
  });
});

describe('a process that dies', () => {
  const both = [
    ['sealing', null],
    ['opening for good', 'sealed'],
  ] as const;
  it.each(both)('at any write of %s loses nothing, and the next start goes on', async (_, first) => {
    /** One way through, dying at that write; returns how many writes there were. */
    const run = async (at: number): Promise<number> => {
      await begin();
      const before = await seen(null);
      const key = await turnOn();
      if (first) {
        await carryOut(key);
        await turnOff();
      }
      const inForce = async () => ((await records.read()).sealed ? key : null);
      death.writes = 0;
      death.at = at;
      const died = await carryOut(key).then(
        () => false,
        () => true,
      );
      const { writes } = death;
      death.at = Number.POSITIVE_INFINITY;
      expect(died).toBe(Number.isFinite(at));
      expect(await seen(await inForce())).toEqual(before);
      await carryOut(key);
      expect(await seen(await inForce())).toEqual(before);
      expect(await records.read()).toMatchObject({ sealed: !first, conversion: null, stale: [] });
      if (!first) expect(await lying()).not.toContain('canary');
      return writes;
    };
    const writes = await run(Number.POSITIVE_INFINITY);
    expect(writes).toBeGreaterThan(7);
    for (let at = 1; at <= writes; at += 1) await run(at);
  });
});
