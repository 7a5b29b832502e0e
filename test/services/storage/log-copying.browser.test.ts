// The second copy of the log in a real Chromium: real IndexedDB, real OPFS, a real worker that is ended as a killed tab's is.
import { deleteDB, openDB } from 'idb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogEntry, NewEntry, Store } from '../../../src/adapters/log/conversation-log.ts';
import { readSegments } from '../../../src/adapters/log/copy-files.ts';
import { recordOf } from '../../../src/adapters/log/copy-format.ts';
import type { LogSchema } from '../../../src/adapters/log/idb-connection.ts';
import { openStore } from '../../../src/adapters/log/index.ts';
import { openIndexedDbStore } from '../../../src/adapters/log/indexed-db.ts';
import { countLog, putBack } from '../../../src/adapters/log/log-integrity.ts';
import { LOG_HEALED, withCopy } from '../../../src/adapters/log/recovering.ts';
import { type ConversationId, newConversationId, newEntryId } from '../../../src/domain/base/ids.ts';
import { COPY_STATE } from '../../../src/services/storage/copy-state.ts';
import { ALL, deep } from '../../scale.ts';
import { describeConversationLog, describeSharedLog } from '../../suites/conversation-log.suite.ts';
import type { Asked } from './copying.worker.ts';

type Asking = Asked extends infer One ? (One extends Asked ? Omit<One, 'id'> : never) : never;

/** A worker that copies; `kill` ends it in the middle of whatever it does. */
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
/** All bytes of the copy as Latin-1: what was let go of is not among them. */
const rawCopy = async () => {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(`${name}-log-copy`);
  let raw = '';
  for await (const file of folder.values())
    if (file.kind === 'file') raw += await (await (file as FileSystemFileHandle).getFile()).text();
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
  await (await navigator.storage.getDirectory())
    .removeEntry(`${name}-log-copy`, { recursive: true })
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
    await store.log.fold(b, text('a snapshot'), 3);
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
    expect(await store.keyValues.get(LOG_HEALED)).toBeUndefined();
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
    expect(await store.keyValues.get(LOG_HEALED)).toMatchObject({ restored: 2, missing: 0 });
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
    expect(await store.keyValues.get(LOG_HEALED)).toMatchObject({ restored: 1, missing: 0 });
  });

  it('what it fell back behind, also when it went on from there', async () => {
    await store.log.append([entry(a, 'one'), entry(a, 'two'), entry(a, 'three')]);
    (await start()).kill();
    const [first] = await store.log.since(0, 1);
    await store.log.close();
    await deleteDB(name);
    // As a database that lost its last transactions: counters and entries agree.
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
      // It was put right where it is.
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
    expect(await store.keyValues.get(LOG_HEALED)).toMatchObject({ restored: 0, missing: 1 });
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
    expect(await store.keyValues.get(LOG_HEALED)).toBeUndefined();
  });
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
