// The real relay in this process, on a port of its own and a folder of its own, with sockets by `ws`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket as NodeSocket } from 'ws';
import type { SyncBackend } from '../../src/adapters/sync/sync-backend.ts';
import { createWebsocketBackend } from '../../src/adapters/sync/y-websocket.ts';
import { createLog } from '../../src/relay/log.ts';
import { createMetrics } from '../../src/relay/metrics.ts';
import { readOptions } from '../../src/relay/options.ts';
import { createRelayServer, type RelayServer } from '../../src/relay/server.ts';
import { type LevelStore, openLevelStore } from '../../src/relay/store-level.ts';

export interface RelayHere {
  readonly endpoint: string;
  readonly backend: SyncBackend;
  readonly store: LevelStore;
  setOnline(online: boolean): Promise<void>;
  /** Its disk is gone: it goes on with an empty one. */
  erase(): Promise<void>;
  /** What is on its disk, as a folder. */
  backup(): Promise<string>;
  /** Goes on with what a backup had. */
  restore(folder: string): Promise<void>;
  close(): Promise<void>;
}

export async function startRelayHere(env: Readonly<Record<string, string>> = {}): Promise<RelayHere> {
  const root = await mkdtemp(join(tmpdir(), 'recollect-relay-'));
  let disks = 0;
  const newFolder = () => {
    disks += 1;
    return join(root, `${disks}`);
  };
  let store = await openLevelStore(newFolder());
  let server: RelayServer | undefined;
  const listen = async (port: string) => {
    const options = readOptions([], {
      PORT: port,
      RELAY_DRAIN_SECONDS: '0',
      RELAY_HANDSHAKES_PER_SECOND: '10000',
      ...env,
    });
    server = createRelayServer({ store, options, metrics: createMetrics(), log: createLog(() => {}) });
    return await server.listen();
  };
  const restart = async (folder: string) => {
    await server?.close();
    await store.close();
    store = await openLevelStore(folder);
    await listen(address.port);
  };
  const address = new URL(await listen('0'));
  return {
    endpoint: `ws://${address.host}`,
    backend: createWebsocketBackend({
      WebSocket: NodeSocket as unknown as typeof WebSocket,
      fetch,
      timeoutMs: () => 5_000,
    }),
    get store() {
      return store;
    },
    erase: () => restart(newFolder()),
    backup: async () => {
      const folder = newFolder();
      await store.backup(folder);
      return folder;
    },
    restore: restart,
    setOnline: async (online) => {
      if (!online) {
        await server?.close();
        server = undefined;
      } else if (!server) await listen(address.port);
    },
    close: async () => {
      await server?.close();
      await store.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
