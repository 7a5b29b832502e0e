// The engine's thread: PGlite with the memory index, served to all tabs by whichever of them leads, and in the leader the
// background work that keeps the index up with the log. Everything here resumes from bookmarks when another tab takes over.
import { readAssembly } from '../adapters/browser/assembly.ts';
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { exclusively } from '../adapters/browser/locks.ts';
import { createEmbedding } from '../adapters/embedding/index.ts';
import type { Port } from '../adapters/embedding/protocol.ts';
import { connectByTransfer } from '../adapters/embedding/thread.ts';
import type { EngineName } from '../adapters/index/engines.ts';
import type { MemoryIndex } from '../adapters/index/memory-index.ts';
import { conditionSchema, serveIndex } from '../adapters/index/worker-host.ts';
import { log } from '../domain/base/log.ts';
import type { Documents } from '../services/documents/documents.ts';
import { createDocuments } from '../services/documents/documents-service.ts';
import { createNotes } from '../services/documents/notes.ts';
import { followEmbedding } from '../services/memory/embedding-in-force.ts';
import {
  type EngineStatus,
  giveTitle,
  type MemoryEngine,
  startMemoryEngine,
} from '../services/memory/engine.ts';
import { startNoticing } from '../services/memory/noticing.ts';
import { createRecognising } from '../services/memory/recognising.ts';
import { PrivacyFilter } from '../services/privacy/privacy-filter.ts';
import { TokenTable } from '../services/privacy/token-table.ts';
import { createKeys } from '../services/settings/keys.ts';
import { startLogCopying } from '../services/storage/log-copying.ts';
import { openDevice } from './device.ts';
import { CONDITION, joinEngineChannel } from './engine-link.ts';

watchWorker(self, 'engine');

// Lines to the model's thread come through a port that the tab sends once PGlite is up.
const port = new Promise<Port>((resolve) => {
  self.addEventListener('message', ({ data, ports }: MessageEvent<{ type?: unknown } | null>) => {
    const [first] = ports;
    if (data?.type === 'embedding' && first) resolve(first);
  });
});
const connect = port.then(connectByTransfer);

const opened = openDevice();
opened.catch((error) => log.error('The engine has no log to read', error));

// The second copy of the log needs a worker, but no index: the tab's worker that holds its lock writes it, sealed where
// the log is.
opened.then(
  ({ name, below, store }) =>
    startLogCopying({
      name,
      below,
      keyValues: store.keyValues,
      signal: new AbortController().signal,
    }),
  (error) => log.info('Without a log there is nothing to copy', error),
);

async function lead(index: MemoryIndex, engine: EngineName): Promise<void> {
  const { store, vault, settings } = await opened;
  // The worker ends with its tab; nothing else ends it.
  const { signal } = new AbortController();
  // Made for the first title: it reads the whole library and follows every change of it.
  let documents: Documents | undefined;
  const notes = createNotes({ store, now: Date.now });
  const embedding = followEmbedding({
    config: settings.config,
    make: (config) =>
      createEmbedding({
        config,
        connect: async () => (await connect)(),
        secret: createKeys(vault).get,
        // Passages go only to the address that a person chose, so redirects are refused.
        fetch: (input, init) => fetch(input, { ...init, redirect: 'error' }),
        keyValues: store.keyValues,
      }),
    signal,
  });
  let last: EngineStatus | undefined;
  let memory: MemoryEngine | undefined;
  let noticing: ReturnType<typeof startNoticing> | undefined;
  const say = joinEngineChannel((message) => {
    if (message.type === 'wake') memory?.wake(message.reason);
    else if (message.type === 'paused') {
      memory?.setPaused(message.paused);
      noticing?.setPaused(message.paused);
    } else if (message.type === 'hello') notify();
  }, signal);
  const notify = () => {
    if (last) say({ type: 'status', status: { ...last, engine } });
  };
  memory = startMemoryEngine({
    store,
    index,
    embedding: embedding.get,
    onEmbedding: embedding.subscribe,
    config: settings.config,
    tokens: new TokenTable({ keyValues: store.keyValues, exclusively, signal }),
    setTitle: (id, title) => {
      documents ??= createDocuments({ store, notes });
      return giveTitle(documents, id, title);
    },
    onStatus: (status) => {
      last = status;
      notify();
    },
    signal,
  });
  noticing = startNoticing({
    store,
    notes,
    recognising: createRecognising({ embedding: embedding.get, keyValues: store.keyValues, learns: true }),
    filter: new PrivacyFilter({ config: settings.config }),
    ready: () => embedding.get() !== null,
    config: settings.config,
    now: Date.now,
    signal,
  });
}

void serveIndex({
  condition: {
    get: async () => conditionSchema.safeParse(await (await opened).store.keyValues.get(CONDITION)).data,
    set: async (condition) => (await opened).store.keyValues.set(CONDITION, condition),
  },
  wanted: async () => (await opened).settings.config.get().storage.engine,
  cipher: async () => (await opened).indexCipher,
  readAssembly,
  cluster: import.meta.env.VITE_CLUSTER && `${import.meta.env.BASE_URL}${import.meta.env.VITE_CLUSTER}`,
  onOpened: ({ index, engine }) => {
    lead(index, engine).catch((error) => log.error('The engine does not run', error));
  },
});
