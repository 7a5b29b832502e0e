// A small house for tests of memory: a log in memory, documents, an engine and the memory
// of a tab, wired as the app wires them.
import type { EmbeddingProvider } from '../../../src/adapters/embedding/embedding-provider.ts';
import type { MemoryIndex } from '../../../src/adapters/index/memory-index.ts';
import type { Store } from '../../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../../src/adapters/log/in-memory.ts';
import { type ConversationId, newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import { type Readable, until, writable } from '../../../src/domain/base/readable.ts';
import type { ConversationMeta } from '../../../src/domain/chat/conversation.ts';
import type { Message, Part } from '../../../src/domain/chat/message.ts';
import type { Technique } from '../../../src/domain/memory/rank.ts';
import { type Config, configSchema, defaultConfig } from '../../../src/domain/settings/config.ts';
import { createDocuments } from '../../../src/services/documents/documents-service.ts';
import { createNotes } from '../../../src/services/documents/notes.ts';
import { giveTitle, requestRebuild, startMemoryEngine } from '../../../src/services/memory/engine.ts';
import { type MemoryStatus, STARTING } from '../../../src/services/memory/memory.ts';
import { createMemory } from '../../../src/services/memory/memory-service.ts';
import { createHashingEmbedding } from '../../adapters/embedding/hashing.ts';
import { createInMemoryIndex } from '../../adapters/index/in-memory-index.ts';

export type Said = string | (Partial<Message> & { text?: string; parts?: readonly Part[] });

/** A conversation as a straight line of messages, person and model in turn, a minute apart. */
export function conversationOf(
  said: readonly Said[],
  meta: Partial<ConversationMeta> = {},
  startedAt = Date.UTC(2026, 0, 5, 9),
): { id: ConversationId; change: { meta: Partial<ConversationMeta>; messages: Message[] } } {
  let parentId: Message['parentId'] = null;
  const messages = said.map((one, i): Message => {
    const { text, ...more } = typeof one === 'string' ? { text: one } : one;
    const message: Message = {
      id: newMessageId(),
      parentId,
      role: i % 2 === 0 ? 'user' : 'assistant',
      kind: 'message',
      createdAt: startedAt + i * 60_000,
      parts: [{ type: 'text', text: text ?? '' }],
      ...more,
    };
    parentId = message.id;
    return message;
  });
  return {
    id: newConversationId(),
    change: { meta: { createdAt: startedAt, head: parentId, ...meta }, messages },
  };
}

export interface HomeOptions {
  readonly store?: Store;
  readonly index?: MemoryIndex;
  readonly embedding?: EmbeddingProvider | null;
  readonly config?: Record<string, unknown>;
  readonly now?: () => number;
  /** Parts of the ranking that are left away. */
  readonly without?: () => ReadonlySet<Technique>;
  /** Default true: the engine starts with the house. */
  readonly engine?: boolean;
}

export function openHome(options: HomeOptions = {}) {
  const store = options.store ?? createInMemoryStore();
  const index = options.index ?? createInMemoryIndex();
  const config = writable<Config>(
    options.config ? configSchema.parse(options.config) : structuredClone(defaultConfig),
  );
  const embedding = writable<EmbeddingProvider | null>(
    options.embedding === undefined ? createHashingEmbedding() : options.embedding,
  );
  const status = writable<MemoryStatus>({ ...STARTING, engine: 'memory' });
  const documents = createDocuments({ store });
  const notes = createNotes({ store, now: options.now ?? Date.now });
  const closing = new AbortController();
  const start = () =>
    startMemoryEngine({
      store,
      index,
      embedding: embedding.get,
      onEmbedding: embedding.subscribe,
      config,
      setTitle: (id, title) => giveTitle(documents, id, title),
      onStatus: (now) => status.set({ ...now, engine: 'memory' }),
      signal: closing.signal,
      ...(options.now ? { now: options.now } : {}),
    });
  let engine = options.engine === false ? undefined : start();
  const memory = createMemory({
    index: writable(index),
    embedding,
    config,
    documents,
    notes,
    status,
    wake: (reason) => engine?.wake(reason),
    setPaused: (paused) => engine?.setPaused(paused),
    rebuild: () => requestRebuild(store.keyValues),
    ...(options.without ? { without: options.without } : {}),
    ...(options.now ? { now: options.now } : {}),
  });
  const signal = new AbortController().signal;
  return {
    store,
    index,
    config,
    embedding,
    status,
    documents,
    notes,
    memory,
    start: () => {
      engine = start();
    },
    engine: () => {
      if (!engine) throw new Error('the engine was not started');
      return engine;
    },
    /** Writes conversations as one import does. */
    add: async (...conversations: ReturnType<typeof conversationOf>[]) => {
      await documents.changeMany(conversations, 'import');
      return conversations.map((conversation) => conversation.id);
    },
    recall: (text: string, more: Partial<Parameters<typeof memory.recall>[0]> = {}) =>
      memory.recall({ text, signal, ...more }),
    /** When the engine has nothing left to do, vectors included. */
    indexed: async () => {
      if (!engine) throw new Error('the engine was not started');
      engine.wake('now');
      await engine.settled();
    },
    until: (wanted: (status: MemoryStatus) => boolean) =>
      until(status as Readable<MemoryStatus>, wanted, AbortSignal.timeout(20_000)),
    close: async () => {
      closing.abort();
      notes.close();
      await documents.close();
    },
    stopEngine: () => closing.abort(),
  };
}
