// The sync thread in a real browser: it survives a crash of the index, and its status ends with it.
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { SCHEMA_VERSION } from '../../src/adapters/index/schema.ts';
import { openIndexInWorker } from '../../src/adapters/index/worker.ts';
import { INDEX_ID } from '../../src/adapters/index/worker-news.ts';
import { openStore } from '../../src/adapters/log/index.ts';
import { createSealing } from '../../src/adapters/vault/sealing.ts';
import { createVault } from '../../src/adapters/vault/web-crypto.ts';
import { createNotes } from '../../src/services/documents/notes.ts';
import type { Settings } from '../../src/services/settings/settings.ts';
import { createSettings } from '../../src/services/settings/settings-service.ts';
import { createSync } from '../../src/services/sync/sync-service.ts';
import { connectSync, type SyncLink } from '../../src/workers/sync-link.ts';
import { deep } from '../scale.ts';

/** No relay listens at this address. */
const NOBODY = 'ws://127.0.0.1:9';

let settings: Settings;
let threads: Worker[] = [];
let closing = new AbortController();

const start = (url: URL | string = new URL('../../src/workers/sync.worker.ts', import.meta.url)) => {
  const thread = new Worker(url, { type: 'module' });
  threads.push(thread);
  return thread;
};
/** A tab whose threads are started by `startThread`. */
const tab = (startThread = () => start(), times: { startMs?: number; retryMs?: number } = {}): SyncLink =>
  connectSync({ startThread, config: settings.config, signal: closing.signal, ...times });
const state = (link: SyncLink) => link.status.get().state;
const isOffline = (link: SyncLink) => expect.poll(() => state(link), { timeout: 30_000 }).toBe('offline');

beforeAll(async () => {
  const store = await openStore();
  const vault = createVault(store.keyValues);
  settings = await createSettings({
    keyValues: store.keyValues,
    vault,
    now: Date.now,
    test: () => Promise.reject(new Error('not here')),
  });
  const sync = createSync({
    store,
    vault,
    settings,
    notes: createNotes({ store, now: Date.now }),
    status: tab().status,
    ask: () => Promise.resolve(null),
    random: createSealing().random,
  });
  await sync.create({ endpoint: NOBODY, deviceName: 'Here' });
  sync.close();
  endTab();
});
const endTab = () => {
  closing.abort();
  closing = new AbortController();
  for (const thread of threads) thread.terminate();
  threads = [];
};
afterEach(endTab);

it('goes on when the index cannot be opened in the tab', { timeout: 60_000 }, async () => {
  const link = tab();
  await isOffline(link);
  // Another tab leads the index, and it is of a newer version.
  const news = new BroadcastChannel(`${INDEX_ID}:news`);
  news.onmessage = ({ data }) => {
    if (data.type === 'ask') news.postMessage({ type: 'opened', engine: 'opfs', schema: SCHEMA_VERSION + 1 });
  };
  const noise = (event: PromiseRejectionEvent) => event.preventDefault();
  addEventListener('unhandledrejection', noise);
  const opening = openIndexInWorker(
    () => new Worker(new URL('../../src/workers/engine.worker.ts', import.meta.url), { type: 'module' }),
    { wanted: 'memory' },
  );
  await expect(opening).rejects.toMatchObject({ problem: { code: 'newer-index' } });
  news.close();
  expect(await link.ask({ do: 'where', document: 'nothing' })).toEqual({ place: 'here', devices: [] });
  expect(state(link)).toBe('offline');
  expect(threads).toHaveLength(1);
});

it('is begun anew where it ended by itself, and nothing that it said is claimed meanwhile', async () => {
  const link = tab(undefined, { retryMs: 500 });
  await isOffline(link);
  expect(link.status.get().account).not.toBeNull();
  threads[0]?.terminate();
  await expect.poll(() => state(link)).toBe('connecting');
  expect(link.status.get()).toMatchObject({ account: null, devices: [], syncedAt: null });
  await isOffline(link);
  expect(threads).toHaveLength(2);
});

it('is led on by the thread of another tab', async () => {
  const first = tab();
  await isOffline(first);
  const other = new AbortController();
  const second = connectSync({ startThread: () => start(), config: settings.config, signal: other.signal });
  await isOffline(second);
  expect(threads).toHaveLength(2);
  threads[0]?.terminate();
  await expect.poll(() => state(first)).toBe('connecting');
  await isOffline(first);
  await isOffline(second);
  expect(threads).toHaveLength(2);
  other.abort();
});

it('says so where it cannot run, refuses what is asked, and is tried again', async () => {
  const broken = URL.createObjectURL(new Blob(['throw new Error("broken")'], { type: 'text/javascript' }));
  let works = false;
  const link = tab(() => (works ? start() : start(broken)), { retryMs: 1_000 });
  await expect.poll(() => state(link)).toBe('stopped');
  expect(link.status.get().problem?.code).toBe('sync-thread');
  await expect(link.ask({ do: 'look', force: false })).rejects.toMatchObject({
    problem: { code: 'sync-thread' },
  });
  works = true;
  await isOffline(link);
});

deep('says so where it never speaks', async () => {
  const silent = URL.createObjectURL(new Blob([''], { type: 'text/javascript' }));
  const link = tab(() => start(silent), { startMs: 300 });
  expect(state(link)).toBe('connecting');
  await expect.poll(() => state(link)).toBe('stopped');
});

it('is not begun while nobody wants sync', async () => {
  await settings.set('sync.mode', 'disabled');
  const startThread = vi.fn(() => start());
  const link = tab(startThread);
  expect(state(link)).toBe('disabled');
  expect(startThread).not.toHaveBeenCalled();
  // What a person was told can be left must be left without switching sync on first.
  await link.ask({ do: 'leave', erase: false });
  expect(startThread).toHaveBeenCalledTimes(1);
  await settings.set('sync.mode', 'remote');
  await expect.poll(() => state(link)).toBe('unpaired');
});
