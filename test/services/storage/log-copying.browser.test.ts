// The second copy of the log in a real Chromium: real IndexedDB, real OPFS, a real
// worker that is ended as a killed tab's is.
import { deleteDB, openDB } from 'idb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogEntry, NewEntry, Store } from '../../../src/adapters/log/conversation-log.ts';
import { valuesCopyOf } from '../../../src/adapters/log/copied-values.ts';
import { readSegments } from '../../../src/adapters/log/copy-files.ts';
import { recordOf } from '../../../src/adapters/log/copy-format.ts';
import type { LogSchema } from '../../../src/adapters/log/idb-connection.ts';
import { openStore } from '../../../src/adapters/log/index.ts';
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';
import { countLog, putBack } from '../../../src/adapters/log/log-integrity.ts';
import { LOG_REPAIRED, logCopyOf, withCopy } from '../../../src/adapters/log/recovering.ts';
import { sealedStore } from '../../../src/adapters/log/sealed.ts';
import { cipherFor, holdDataKey, newDataKey } from '../../../src/adapters/vault/data-key.ts';
import { type ConversationId, newConversationId, newEntryId } from '../../../src/domain/base/ids.ts';
import { COPY_STATE } from '../../../src/services/storage/copy-state.ts';
import { ALL, deep } from '../../scale.ts';
import { describeConversationLog, describeSharedLog } from '../../suites/conversation-log.suite.ts';
import type { Asked } from './copying.worker.ts';

type Asking = Asked extends infer One ? (One extends Asked ? Omit<One, 'id'> : never) : never;

/** A worker that copies; `kill` ends it at once, whatever it is doing. */
function copier() {
  const worker = new Worker(new URL('./copying.worker.ts', import.meta.url), { type: 'module' });
  let last = 0;
  const ask = (asked: Asking): Promise<void> => {
    const id = ++last;
    return new Promise((resolve, reject) => {
      const hear = ({ data }: MessageEvent<{ id: number; error?: string }>) => {
        if (data.id !== id) return;
        worker.removeEventListener('message', hear);
        if (data.error) reject(new Error(data.error));
        else resolve();
      };
      worker.addEventListener('message', hear);
      worker.postMessage({ ...asked, id });
    });
  };
  return { ask, kill: () => worker.terminate() };
}

const text = (value: string) => new TextEncoder().encode(value);
const entry = (document: ConversationId, value: string): NewEntry => ({
  id: newEntryId(),
  document,
  origin: 'user',
  bytes: text(value),
});
const wordsOf = (entries: readonly LogEntry[]) =>
  entries.map(({ bytes }) => new TextDecoder().decode(bytes)).sort();

let name: string;
let store: Store;
let a: ConversationId;
let b: ConversationId;
const opened: (() => void | Promise<void>)[] = [];

const start = async (more: { readonly pauseMs?: number } = {}) => {
  const one = copier();
  opened.push(one.kill);
  await one.ask({ type: 'start', name, ...more });
  return one;
};
const copied = async (): Promise<LogEntry[]> => {
  const found: LogEntry[] = [];
  for await (const records of readSegments(name)) found.push(...records.map(({ entry }) => entry));
  return found;
};
const copiedWords = async () => wordsOf(await copied());
const logged = async () => wordsOf(await store.log.since(0, Number.POSITIVE_INFINITY));
/** All bytes of the copy as Latin-1; they must not contain erased content. */
const rawCopy = async (of = name) => {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(`${of}-log-copy`);
  let raw = '';
  for await (const file of folder.values())
    if (file.kind === 'file')
      // A segment that is being rewritten may be gone.
      raw += await (file as FileSystemFileHandle).getFile().then(
        (found) => found.text(),
        () => '',
      );
  return raw;
};
const raw = async <T>(
  work: (database: Awaited<ReturnType<typeof openDB<LogSchema>>>) => Promise<T>,
): Promise<T> => {
  const database = await openDB<LogSchema>(name);
  try {
    return await work(database);
  } finally {
    database.close();
  }
};

beforeEach(async () => {
  name = `copied-${newEntryId()}`;
  store = await openStore({ name });
  [a, b] = [newConversationId(), newConversationId()];
});
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
  await store.log.close();
  await deleteDB(name);
  for (const of of [name, valuesCopyOf(name)])
    await (await navigator.storage.getDirectory())
      .removeEntry(`${of}-log-copy`, { recursive: true })
      .catch(() => {});
});

describe('the second copy follows the log', () => {
  it('has every entry as it is, and says so', async () => {
    await store.log.append([entry(a, 'one'), entry(b, 'two')]);
    await start();
    expect(await copied()).toEqual(await store.log.since(0, 10));
    await store.log.append([entry(a, 'three')]);
    await expect.poll(copiedWords).toEqual(['one', 'three', 'two']);
    expect(await store.keyValues.get(COPY_STATE)).toMatchObject({ state: 'kept' });
  });

  it('lets go of what was erased or folded away, to the last byte', async () => {
    await store.log.append([entry(a, 'forgotten words'), entry(b, 'older words'), entry(b, 'more words')]);
    await start();
    await store.log.erase(a);
    await expect.poll(copiedWords).toEqual(['more words', 'older words']);
    expect(await rawCopy()).not.toContain('forgotten');
    await store.log.replaceBySnapshot(b, text('a snapshot'), 3);
    await expect.poll(copiedWords).toEqual(['a snapshot']);
    expect(await rawCopy()).not.toContain('older words');
  });

  it('lets go at the next start of what was erased while nobody copied', async () => {
    await store.log.append([entry(a, 'forgotten'), entry(b, 'kept')]);
    (await start()).kill();
    await store.log.erase(a);
    await start();
    expect(await copiedWords()).toEqual(['kept']);
    expect(await logged()).toEqual(['kept']);
    expect(await store.keyValues.get(LOG_REPAIRED)).toBeUndefined();
  });

  it('goes on in another tab when the first one dies, and is written by one at a time', async () => {
    await store.log.append([entry(a, 'one')]);
    const first = await start();
    const second = copier();
    opened.push(second.kill);
    const waiting = second.ask({ type: 'start', name });
    await store.log.append([entry(a, 'two')]);
    await expect.poll(copiedWords).toEqual(['one', 'two']);
    first.kill();
    await waiting;
    await store.log.append([entry(a, 'three')]);
    await expect.poll(copiedWords).toEqual(['one', 'three', 'two']);
  });

  deep('killed again and again while it copies, it has everything in the end, once', async () => {
    const wanted: string[] = [];
    for (let round = 0; round < 8; round += 1) {
      const one = copier();
      const starting = one.ask({ type: 'start', name });
      starting.catch(() => undefined);
      for (let n = 0; n < 10; n += 1) {
        wanted.push(`${round}.${n}`);
        await store.log.append([entry(a, `${round}.${n}`)]);
      }
      one.kill();
    }
    await start();
    expect(await copiedWords()).toEqual(wanted.sort());
  });
});

describe('a log that lost something takes it back', () => {
  it('all of it, before anybody sees it empty, under the same seqs', async () => {
    await store.log.append([entry(a, 'one'), entry(b, 'two')]);
    await store.log.erase(b);
    await store.log.append([entry(a, 'three')]);
    const before = await store.log.since(0, 10);
    (await start()).kill();
    await store.log.close();
    await deleteDB(name);
    const problems: string[] = [];
    store = await openStore({ name, onProblem: ({ code }) => problems.push(code) });
    expect(await store.log.since(0, 10)).toEqual(before);
    expect(await store.log.head()).toBe(3);
    expect(await store.log.documents()).toEqual([a]);
    expect(await store.log.stats()).toEqual({ entries: 2, bytes: 8 });
    expect(await store.log.append([entry(a, 'four')])).toBe(4);
    expect(await store.keyValues.get(LOG_REPAIRED)).toMatchObject({ restored: 2, missing: 0 });
    expect(problems).toEqual([]);
  });

  it('entries that its counters miss', async () => {
    await store.log.append([entry(a, 'one'), entry(b, 'two'), entry(a, 'three')]);
    (await start()).kill();
    await raw((database) => database.delete('entries', 2));
    expect(await countLog(name)).toEqual({ kept: 3, counted: 2 });
    await start();
    expect(await logged()).toEqual(['one', 'three', 'two']);
    expect((await countLog(name)).kept).toBe(3);
    await expect.poll(copiedWords).toEqual(['one', 'three', 'two']);
    expect(await store.keyValues.get(LOG_REPAIRED)).toMatchObject({ restored: 1, missing: 0 });
  });

  it('what it fell back behind, also when it went on from there', async () => {
    await store.log.append([entry(a, 'one'), entry(a, 'two'), entry(a, 'three')]);
    (await start()).kill();
    const [first] = await store.log.since(0, 1);
    await store.log.close();
    await deleteDB(name);
    // Like a database that lost its last transactions: counters and entries agree.
    store = await openIndexedDbStore({ name });
    await putBack(name, [first as LogEntry]);
    expect(await store.log.append([entry(a, 'since then')])).toBe(2);
    await start();
    expect(await logged()).toEqual(['one', 'since then', 'three', 'two']);
    await expect.poll(copiedWords).toEqual(['one', 'since then', 'three', 'two']);
  });

  it('an entry of which any byte changed, wherever it is read', async () => {
    await store.log.append([entry(a, 'said once'), entry(a, 'and again')]);
    (await start()).kill();
    for (let at = 0; at < 9; at += 1) {
      await raw(async (database) => {
        const row = await database.get('entries', 1);
        if (!row) throw new Error('no row');
        row.bytes[at] = (row.bytes[at] as number) ^ 0x20;
        await database.put('entries', row);
      });
      expect(wordsOf(await store.log.read(a))).toEqual(['and again', 'said once']);
      // The repair replaced the entry in its place.
      expect(await raw(async (database) => (await database.get('entries', 1))?.bytes)).toEqual(
        text('said once'),
      );
    }
  });

  it('without a copy what is missing is counted and said', async () => {
    await store.log.append([entry(a, 'one'), entry(b, 'two')]);
    await raw((database) => database.delete('entries', 1));
    const one = copier();
    opened.push(one.kill);
    await one.ask({ type: 'no-files' });
    await one.ask({ type: 'start', name });
    expect(await store.keyValues.get(COPY_STATE)).toMatchObject({ state: 'unavailable' });
    expect(await store.keyValues.get(LOG_REPAIRED)).toMatchObject({ restored: 0, missing: 1 });
    expect(await countLog(name)).toEqual({ kept: 1, counted: 1 });
  });
});

describe('a damaged copy is put right from the log', () => {
  /** Every byte, some 350 damages of two words, in `npm run test:all`; in the gate every 29th. */
  const STEP = ALL ? 1 : 29;
  it('at any byte of a record, flipped or cut off', { timeout: 240_000 }, async () => {
    await store.log.append([entry(a, 'one'), entry(b, 'two')]);
    const one = await start();
    const [last] = (await copied()).slice(-1);
    const size = recordOf(last as LogEntry).length;
    await one.ask({ type: 'stop' });
    for (const how of ['flip', 'cut'] as const)
      for (let at = 0; at < size; at += STEP) {
        await one.ask({ type: 'damage', name, at, how });
        await one.ask({ type: 'start', name });
        expect(await copiedWords(), `${how} at ${at}`).toEqual(['one', 'two']);
        await one.ask({ type: 'stop' });
      }
    expect(await logged()).toEqual(['one', 'two']);
    expect(await store.keyValues.get(LOG_REPAIRED)).toBeUndefined();
  });
});

it('a file that a closing tab still holds is waited for', async () => {
  await store.log.append([entry(a, 'one')]);
  const one = await start();
  await one.ask({ type: 'stop' });
  await one.ask({ type: 'hold', name });
  const states: unknown[] = [];
  opened.push(store.keyValues.subscribe(async () => states.push(await store.keyValues.get(COPY_STATE))));
  await store.log.append([entry(a, 'two')]);
  const next = copier();
  opened.push(next.kill);
  const started = next.ask({ type: 'start', name });
  await next.ask({ type: 'refused' });
  await one.ask({ type: 'let-go', name });
  await started;
  expect(await copiedWords()).toEqual(['one', 'two']);
  expect(states).not.toContainEqual(expect.objectContaining({ state: 'failed' }));
});

it('files are its own while the index opens in the same worker', async () => {
  await store.log.append([entry(a, 'one')]);
  const one = copier();
  opened.push(one.kill);
  await one.ask({ type: 'index-opens' });
  await one.ask({ type: 'start', name });
  expect(await copiedWords()).toEqual(['one']);
});

describe('without room', () => {
  it('the log goes on, it is said, and the copy follows once there is some', async () => {
    await store.log.append([entry(a, 'one')]);
    const one = copier();
    opened.push(one.kill);
    await one.ask({ type: 'room', bytes: 20_000_000 });
    one.ask({ type: 'start', name, pauseMs: 300 }).catch(() => undefined);
    await expect.poll(() => store.keyValues.get(COPY_STATE)).toMatchObject({ state: 'full' });
    await store.log.append([entry(a, 'two')]);
    expect(await copiedWords()).toEqual([]);
    await one.ask({ type: 'room' });
    await expect.poll(copiedWords).toEqual(['one', 'two']);
    await expect.poll(() => store.keyValues.get(COPY_STATE)).toMatchObject({ state: 'kept' });
  });
});

describe('what lies beside the log has a second copy, too', () => {
  const DRAFT = 'written/new/tab';
  /** Keys of the copy, each with its words. */
  const copiedValues = async () => {
    const found: Record<string, string> = {};
    for await (const records of readSegments(valuesCopyOf(name)))
      for (const { entry } of records) found[entry.document] = new TextDecoder().decode(entry.bytes);
    return found;
  };
  const copiedDraft = async () => (await copiedValues())[DRAFT] ?? '';
  const lose = async () => {
    await store.log.close();
    await deleteDB(name);
    store = await openStore({ name });
  };

  it('as it is now, and nothing of what it was before', async () => {
    await store.keyValues.set(DRAFT, { text: 'unsent' });
    await store.keyValues.set('sync/account', 'of this database alone');
    await start();
    expect(await copiedDraft()).toContain('unsent');
    expect(Object.keys(await copiedValues())).toEqual([DRAFT]);
    await store.keyValues.set(DRAFT, { text: 'other words' });
    await expect.poll(copiedDraft).toContain('other words');
    await expect.poll(() => rawCopy(valuesCopyOf(name))).not.toContain('unsent');
    await store.log.append([entry(a, 'sent')], [{ key: DRAFT, value: undefined }]);
    await expect.poll(copiedValues).toEqual({});
    expect(await rawCopy(valuesCopyOf(name))).not.toContain('other words');
    expect(await copiedWords()).toEqual(['sent']);
  });

  it('a lost database has it again before anybody looks, also where nothing was ever sent', async () => {
    await store.keyValues.set(DRAFT, { text: 'unsent', file: Uint8Array.of(0, 255, 7) });
    await store.keyValues.set('queue/x/tab', [new Map([['waits', 1]])]);
    await store.keyValues.set('settings/config', { 'chat.instructions': 'be brief' });
    await store.keyValues.set('forgetting/asked', { words: ['a name'] });
    (await start()).kill();
    await lose();
    expect(await store.keyValues.get(DRAFT)).toEqual({ text: 'unsent', file: Uint8Array.of(0, 255, 7) });
    expect(await store.keyValues.get('queue/x/tab')).toEqual([new Map([['waits', 1]])]);
    expect(await store.keyValues.get('settings/config')).toEqual({ 'chat.instructions': 'be brief' });
    expect(await store.keyValues.get('forgetting/asked')).toEqual({ words: ['a name'] });
    expect(await store.keyValues.get(LOG_REPAIRED)).toMatchObject({ restored: 4, missing: 0 });
    // Only once: what the person deletes afterwards stays deleted, even if the copy still has it.
    await store.keyValues.set(DRAFT, undefined);
    await store.log.close();
    store = await openStore({ name });
    expect(await store.keyValues.get(DRAFT)).toBeUndefined();
    await start();
    expect(await copiedDraft()).toBe('');
  });

  it('what was changed or deleted while nobody copied is as the database has it', async () => {
    await store.keyValues.set(DRAFT, 'old words');
    await store.keyValues.set('queue/x/tab', 'sent since');
    (await start()).kill();
    await store.keyValues.set(DRAFT, 'new words');
    await store.keyValues.set('queue/x/tab', undefined);
    expect(await logCopyOf(name).hasStaleValues()).toBe(true);
    await start();
    expect(Object.keys(await copiedValues())).toEqual([DRAFT]);
    expect(await copiedDraft()).toContain('new words');
    expect(await rawCopy(valuesCopyOf(name))).not.toMatch(/old words|sent since/);
    expect(await logCopyOf(name).hasStaleValues()).toBe(false);
    expect(await store.keyValues.get(LOG_REPAIRED)).toBeUndefined();
  });

  it('a database that is deleted under a page that goes on takes nothing out of the copy', async () => {
    await store.keyValues.set(DRAFT, 'unsent');
    await start();
    await deleteDB(name);
    await store.keyValues.set('queue/x/tab', 'written after');
    await expect.poll(async () => Object.keys(await copiedValues())).toEqual([DRAFT, 'queue/x/tab']);
    logCopyOf(name).letGo('values');
    await expect.poll(() => store.keyValues.get(DRAFT)).toBe('unsent');
    expect(await store.keyValues.get('queue/x/tab')).toBe('written after');
  });

  it('killed again and again while it copies, it has the last of each in the end', async () => {
    for (let round = 0; round < 6; round += 1) {
      const one = copier();
      one.ask({ type: 'start', name }).catch(() => undefined);
      for (let n = 0; n < 8; n += 1) await store.keyValues.set(`${DRAFT}${n % 3}`, `${round}.${n}`);
      one.kill();
    }
    await start();
    await lose();
    const values = await Promise.all([0, 1, 2].map((n) => store.keyValues.get(`${DRAFT}${n}`)));
    expect(values).toEqual(['5.6', '5.7', '5.5']);
  });

  it('at any byte of it, flipped or cut off, it is put right from the database', {
    timeout: 240_000,
  }, async () => {
    await store.keyValues.set(DRAFT, 'unsent');
    await store.keyValues.set('queue/x/tab', 'waits');
    const one = await start();
    const size = (await rawCopy(valuesCopyOf(name))).length;
    await one.ask({ type: 'stop' });
    for (const how of ['flip', 'cut'] as const)
      for (let at = 0; at < size / 2; at += ALL ? 1 : 19) {
        await one.ask({ type: 'damage', name: valuesCopyOf(name), at, how });
        await one.ask({ type: 'start', name });
        expect(Object.keys(await copiedValues()).sort(), `${how} at ${at}`).toEqual(['queue/x/tab', DRAFT]);
        await one.ask({ type: 'stop' });
      }
    expect(await store.keyValues.get(DRAFT)).toBe('unsent');
  });

  it('a value that the browser cannot read any more is read from it', async () => {
    await store.keyValues.set(DRAFT, 'unsent');
    await start();
    const broken: string[] = [DRAFT];
    const below: Store['keyValues'] = {
      ...store.keyValues,
      get: (key) =>
        broken.includes(key) ? Promise.reject(new Error('a file is gone')) : store.keyValues.get(key),
      set: async (key, value) => {
        broken.splice(0);
        await store.keyValues.set(key, value);
      },
    };
    const { store: mended } = await withCopy(name, { ...store, keyValues: below });
    expect(await mended.keyValues.get(DRAFT)).toBe('unsent');
    expect(broken).toEqual([]);
  });

  it('sealed where the database is sealed', async () => {
    const key = await holdDataKey(newDataKey());
    const ciphers = { entries: await cipherFor(key, 'log'), values: await cipherFor(key, 'key-values') };
    await sealedStore(store, ciphers).keyValues.set(DRAFT, { text: 'a canary' });
    await (await start()).ask({ type: 'stop' });
    expect(Object.keys(await copiedValues())).toEqual([DRAFT]);
    expect(await rawCopy(valuesCopyOf(name))).not.toContain('canary');
    await lose();
    expect(await sealedStore(store, ciphers).keyValues.get(DRAFT)).toEqual({ text: 'a canary' });
  });
});

/** As the app opens it. */
async function subject() {
  const own = `suite-${newEntryId()}`;
  const open = async () => (await withCopy(own, await openIndexedDbStore({ name: own }))).store;
  const first = await open();
  return {
    store: first,
    another: open,
    dispose: async () => {
      await first.log.close();
      await deleteDB(own);
    },
  };
}
describeConversationLog('The store with its copy', subject);
describeSharedLog('The store with its copy', subject);
