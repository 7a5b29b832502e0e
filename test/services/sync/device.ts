// A device for tests of sync: a log, a vault, a configuration, the engine and the tab's side of it, over any backend.
import { encode } from 'uqr';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { type Deflate, platformDeflate } from '../../../src/adapters/sync/deflate.ts';
import type { SyncBackend } from '../../../src/adapters/sync/sync-backend.ts';
import { createSealing, type Sealing } from '../../../src/adapters/vault/sealing.ts';
import type { Vault } from '../../../src/adapters/vault/vault.ts';
import {
  type ConversationId,
  type DocumentId,
  LIBRARY_DOCUMENT,
  newConversationId,
  newEntryId,
  newMessageId,
} from '../../../src/domain/base/ids.ts';
import { type Readable, until, type Writable, writable } from '../../../src/domain/base/readable.ts';
import type { Conversation } from '../../../src/domain/chat/conversation.ts';
import { effectiveHead } from '../../../src/domain/chat/conversation.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { type Config, defaultConfig } from '../../../src/domain/settings/config.ts';
import type { CompactionPolicy } from '../../../src/domain/sync/compaction.ts';
import type { ConversationChange, LibraryEntry } from '../../../src/services/documents/documents.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { createReader } from '../../../src/services/documents/reader.ts';
import {
  createConversationDocument,
  toLibraryEntry,
} from '../../../src/services/documents/yjs-conversation.ts';
import { createLibraryDocument } from '../../../src/services/documents/yjs-library.ts';
import { type SyncEngine, startSync } from '../../../src/services/sync/engine.ts';
import { SYNC_OFF, type Sync, type SyncStatus } from '../../../src/services/sync/sync.ts';
import { createSync } from '../../../src/services/sync/sync-service.ts';
import { createInMemoryVault } from '../../adapters/vault/in-memory.ts';

export interface TestDevice {
  readonly name: string;
  readonly store: Store;
  readonly vault: Vault;
  readonly sync: Sync;
  readonly engine: SyncEngine;
  readonly config: Writable<Config>;
  readonly status: Readable<SyncStatus>;
  /** Writes as the documents service does: conversation and library line in one append. */
  change(id: ConversationId, change: ConversationChange): Promise<void>;
  say(id: ConversationId, text: string, parts?: Message['parts']): Promise<Message>;
  read(id: ConversationId): Promise<Conversation | undefined>;
  texts(id: ConversationId): Promise<string[]>;
  library(): Promise<readonly LibraryEntry[]>;
  erase(id: ConversationId): Promise<void>;
  /** Stops the engine as a closed tab does. */
  stop(): void;
}

export interface DeviceOptions {
  readonly name: string;
  readonly backend: SyncBackend;
  readonly store?: Store;
  readonly vault?: Vault;
  readonly config?: Writable<Config>;
  readonly sealing?: Sealing;
  readonly deflate?: Deflate;
  readonly now?: () => number;
  readonly compaction?: CompactionPolicy | undefined;
  readonly newMessage?: () => Message['id'];
}

export const textMessage = (
  id: Message['id'],
  parentId: Message['parentId'],
  text: string,
  createdAt: number,
): Message =>
  ({
    id,
    parentId,
    role: 'user',
    kind: 'message',
    createdAt,
    parts: [{ type: 'text', text }],
  }) as unknown as Message;

/** Settings that set values of a configuration, and check nothing. */
const settingsIn = (config: Writable<Config>) => ({
  config,
  set: async (path: string, value: unknown) => {
    const next = structuredClone(config.get()) as Record<string, unknown>;
    const keys = path.split('.');
    let at = next;
    for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>;
    at[keys.at(-1) as string] = value;
    config.set(next as unknown as Config);
  },
});

export function createTestDevice({
  name,
  backend,
  now = Date.now,
  store = { ...createInMemoryStore({ now }), kind: 'persistent' },
  vault = createInMemoryVault(),
  config = writable(defaultConfig),
  sealing = createSealing(),
  deflate = platformDeflate,
  compaction,
  newMessage = newMessageId,
}: DeviceOptions): TestDevice {
  const stopping = new AbortController();
  const status = writable<SyncStatus>(SYNC_OFF);
  const engine = startSync({
    store,
    vault,
    config,
    backend,
    sealing,
    deflate,
    onStatus: status.set,
    signal: stopping.signal,
    now,
    compaction,
  });
  const sync = createSync({
    store,
    vault,
    // Loaded with the test: what is loaded later takes real time, of which the seeded clock knows nothing.
    drawQr: async (text) => encode(text, { ecc: 'M', border: 2 }).data,
    settings: settingsIn(config),
    notes: {
      forget: async (conversations) => {
        const notes = createNotes({ store, now });
        await notes.forget(conversations);
        notes.close();
      },
    },
    status,
    ask: (request) => engine.ask(request),
    random: sealing.random,
    now,
  });
  const reader = createReader(store.log);

  const loadConversation = async (id: ConversationId) => {
    const document = createConversationDocument(id, undefined, now);
    for (const { bytes } of await store.log.read(id)) {
      try {
        document.apply(bytes);
      } catch {
        // Damaged: the others still apply.
      }
    }
    return document;
  };
  const change = async (id: ConversationId, what: ConversationChange) => {
    const document = await loadConversation(id);
    const update = document.change(what);
    if (!update) return;
    const library = createLibraryDocument();
    for (const { bytes } of await store.log.read(LIBRARY_DOCUMENT)) library.apply(bytes);
    const line = library.change([toLibraryEntry(document.read())], []);
    const entry = (to: DocumentId, bytes: Uint8Array) => ({
      id: newEntryId(),
      document: to,
      origin: 'user' as const,
      bytes,
    });
    await store.log.append([entry(id, update), ...(line ? [entry(LIBRARY_DOCUMENT, line)] : [])]);
  };

  return {
    name,
    store,
    vault,
    sync,
    engine,
    config,
    status,
    change,
    say: async (id, text, parts) => {
      const conversation = (await loadConversation(id)).read();
      const message = textMessage(newMessage(), effectiveHead(conversation), text, now());
      await change(id, { messages: [parts ? { ...message, parts } : message], meta: { head: message.id } });
      return message;
    },
    read: async (id) => (await reader.read(id))?.conversation,
    texts: async (id) => {
      const conversation = (await reader.read(id))?.conversation;
      return [...(conversation?.messages.values() ?? [])]
        .map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
        .sort();
    },
    library: () => reader.library(),
    erase: async (id) => {
      const library = createLibraryDocument();
      for (const { bytes } of await store.log.read(LIBRARY_DOCUMENT)) library.apply(bytes);
      const line = library.change([], [id]);
      if (line)
        await store.log.append([
          { id: newEntryId(), document: LIBRARY_DOCUMENT, origin: 'user', bytes: line },
        ]);
      await store.log.erase(id);
    },
    stop: () => {
      stopping.abort();
      sync.close();
    },
  };
}

/** Waits until the device says so. */
export const isSynced = (device: TestDevice, timeoutMs = 10_000) =>
  until(device.status, ({ state }) => state === 'synced', AbortSignal.timeout(timeoutMs));

/** Waits until each has done what is due, and says that it is in step. */
export async function settled(...devices: readonly TestDevice[]): Promise<void> {
  for (const device of devices) {
    await device.engine.settled();
    await isSynced(device, 20_000);
  }
}

/** Waits until `found` gives something true, looking after each change of the log. */
export async function eventually<T>(
  device: TestDevice,
  found: () => Promise<T | undefined | false>,
  timeoutMs = 10_000,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await found();
    if (value) return value;
    const left = end - performance.now();
    if (left <= 0) throw new Error(`Not within ${timeoutMs} ms; ${JSON.stringify(device.status.get())}`);
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        for (const stop of stops) stop();
        resolve();
      };
      const stops = [device.store.log.subscribe(done), device.status.subscribe(done)];
      const timer = setTimeout(done, Math.min(left, 500));
    });
  }
}

/** Waits until the device has these messages of the conversation, and no others. */
export const has = (device: TestDevice, id: ConversationId, texts: readonly string[]) =>
  eventually(
    device,
    async () => JSON.stringify(await device.texts(id)) === JSON.stringify([...texts].sort()),
    20_000,
  );

/** An exact copy of the store, sequence numbers included, as a copied profile or a backup of the machine has it. */
export async function copyOfStore({ log, keyValues }: Store): Promise<Store> {
  const copy = createInMemoryStore({ now: () => Date.now() });
  const entries = new Map((await log.since(0, 100_000)).map((entry) => [entry.seq, entry]));
  const nothing = newConversationId();
  for (let seq = 1; seq <= (await log.head()); seq += 1) {
    const { id, document, origin, bytes } = entries.get(seq) ?? {
      id: newEntryId(),
      document: nothing,
      origin: 'user' as const,
      bytes: new Uint8Array(),
    };
    await copy.log.append([{ id, document, origin, bytes }]);
  }
  await copy.log.erase(nothing);
  for (const key of await keyValues.keys('')) await copy.keyValues.set(key, await keyValues.get(key));
  return { ...copy, kind: 'persistent' };
}

export { newConversationId };
