// The worker of sync: one leads for the origin, by a Web Lock. Sync has a worker of its own, so that it neither waits
// for PGlite or the model nor fails with them. The page's policy forbids the page every other origin; this worker
// connects only to relays that the person named.

import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { exclusively } from '../adapters/browser/locks.ts';
import type { Store } from '../adapters/log/conversation-log.ts';
import { platformDeflate } from '../adapters/sync/deflate.ts';
import { guardedFetch, guardedWebSocket, isOnRelay } from '../adapters/sync/guard.ts';
import { createWebsocketBackend } from '../adapters/sync/y-websocket.ts';
import { createSealing } from '../adapters/vault/sealing.ts';
import { toProblem } from '../domain/base/errors.ts';
import { ignore } from '../domain/base/log.ts';
import type { Readable } from '../domain/base/readable.ts';
import type { Config } from '../domain/settings/config.ts';
import { postNews } from '../domain/threads/news.ts';
import { TokenTable } from '../services/privacy/token-table.ts';
import { type SyncEngine, startSync } from '../services/sync/engine.ts';
import { ACCOUNT, accountSchema } from '../services/sync/records.ts';
import type { SyncRequest } from '../services/sync/requests.ts';
import { openDevice } from './device.ts';
import { holdAliveLock, LEADERSHIP, serveSync, type ThreadFailure } from './sync-link.ts';

watchWorker(self, 'sync');

/**
 * Leads once no other thread does, until this thread ends with its tab, which frees the lock.
 * Rejects if the stores cannot be opened.
 */
async function lead(): Promise<void> {
  const { store, vault, settings } = await openDevice();
  const { config } = settings;
  await navigator.locks.request(LEADERSHIP, async () => {
    const { signal } = new AbortController();
    const relays = await allowedRelays(store, config);
    const isAllowed = (address: string) => relays.some((endpoint) => isOnRelay(address, endpoint));
    let engine: SyncEngine | undefined;
    holdAliveLock();
    const notify = serveSync(async (request) => {
      relays.follow(request);
      if (!engine) throw new Error('Sync has not begun');
      return await engine.ask(request);
    }, signal);
    engine = startSync({
      store,
      vault,
      config,
      backend: createWebsocketBackend({
        WebSocket: guardedWebSocket(isAllowed),
        fetch: guardedFetch(isAllowed),
        timeoutMs: () => config.get().sync.remote.timeout * 1000,
      }),
      sealing: createSealing(),
      deflate: platformDeflate,
      tokens: new TokenTable({ keyValues: store.keyValues, exclusively, signal }),
      onStatus: notify,
      signal,
    });
    notify(engine.status());
    self.addEventListener('online', () => engine?.wake('online'));
    await new Promise<never>(() => {});
  });
}

/**
 * Keeps the addresses of relays that the person named, in the settings, the account and requests. `some`
 * tests them; `follow` adds a request's.
 */
async function allowedRelays(
  { keyValues }: Store,
  config: Readable<Config>,
): Promise<{ some(test: (endpoint: string) => boolean): boolean; follow(request: SyncRequest): void }> {
  /**
   * Nothing leaves this set while the thread lives: data of an old account may still have to be erased from its relay.
   */
  const named = new Set<string>();
  const read = async () => {
    named.add(config.get().sync.remote.endpoint);
    const account = accountSchema.safeParse(await keyValues.get(ACCOUNT));
    if (account.success) named.add(account.data.endpoint);
  };
  await read();
  config.subscribe(() => void named.add(config.get().sync.remote.endpoint));
  keyValues.subscribe(({ keys }) => {
    if (keys.includes(ACCOUNT)) ignore(read(), 'the relay of the account; requests name theirs');
  });
  return {
    some: (test) => [...named].some((endpoint) => endpoint !== '' && test(endpoint)),
    follow: (request) => {
      if (request.do === 'join' || request.do === 'knock') named.add(request.endpoint);
    },
  };
}

lead().catch((error: unknown) => {
  postNews<ThreadFailure>(self, { type: 'failed', problem: toProblem(error) });
});
