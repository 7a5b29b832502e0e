// The worker of the memory engine. Every tab has one; the one that leads holds PGlite with the memory index, answers
// all tabs, and does the background work that keeps the index in step with the log. Another one resumes from
// bookmarks when the leader's tab closes.
import { readAssembly } from '../adapters/browser/assembly.ts';
import { watchWorker } from '../adapters/browser/diagnostics.ts';
import { exclusively } from '../adapters/browser/locks.ts';
import { createEmbedding } from '../adapters/embedding/index.ts';
import type { Port } from '../adapters/embedding/protocol.ts';
import { connectByTransfer } from '../adapters/embedding/thread.ts';
import type { EngineName } from '../adapters/index/engines.ts';
import type { MemoryIndex } from '../adapters/index/memory-index.ts';
import { createPageReader } from '../adapters/index/page-reader.ts';
import { conditionSchema, serveIndex } from '../adapters/index/worker-host.ts';
import type { DataKey } from '../adapters/vault/data-key.ts';
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

// The tab sends this port once the index is open; connections to the embedding worker are asked for through it.
const port = new Promise<Port>((resolve) => {
  self.addEventListener('message', ({ data, ports }: MessageEvent<{ type?: unknown } | null>) => {
    const [first] = ports;
    if (data?.type === 'embedding' && first) resolve(first);
  });
});
const connect = port.then(connectByTransfer);

const opened = openDevice();
opened.catch((error) => log.error('The engine has no log to read', error));

// The second copy of the log is written here because that needs a worker, though no index. The worker that holds its
// Web Lock copies what is stored, so that entries of a sealed log stay sealed.
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

/** Does the background work of the leader until the worker ends. Rejects if the stores cannot be opened. */
async function lead(index: MemoryIndex, engine: EngineName): Promise<void> {
  const { store, vault, settings } = await opened;
  // Nothing aborts this signal: the worker ends with its tab.
  const { signal } = new AbortController();
  // Created for the first title only, since it reads the whole library and follows every change of it.
  let documents: Documents | undefined;
  const notes = createNotes({ store, now: Date.now });
  const embedding = followEmbedding({
    config: settings.config,
    make: (config) =>
      createEmbedding({
        config,
        connect: async () => (await connect)(),
        secret: createKeys(vault).get,
        // Passages may go only to the address that the person chose, so redirects are refused.
        fetch: (input, init) => fetch(input, { ...init, redirect: 'error' }),
        keyValues: store.keyValues,
      }),
    signal,
  });
  let last: EngineStatus | undefined;
  let memory: MemoryEngine | undefined;
  let noticing: ReturnType<typeof startNoticing> | undefined;
  const send = joinEngineChannel((message) => {
    if (message.type === 'wake') memory?.wake(message.reason);
    else if (message.type === 'paused') {
      memory?.setPaused(message.paused);
      noticing?.setPaused(message.paused);
    } else if (message.type === 'hello') notify();
  }, signal);
  const notify = () => {
    if (last) send({ type: 'status', status: { ...last, engine } });
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
  const filter = new PrivacyFilter({ config: settings.config });
  noticing = startNoticing({
    store,
    notes,
    recognising: createRecognising({
      embedding: embedding.get,
      hide: (text) => filter.hidden('index', text),
      forgotten: notes.forgotten,
      keyValues: store.keyValues,
      learns: true,
    }),
    filter,
    ready: () => embedding.get() !== null,
    config: settings.config,
    now: Date.now,
    signal,
  });
}

/** Key of a locked device, once it is there. */
let key: DataKey | null = null;

void serveIndex({
  condition: {
    get: async () => conditionSchema.safeParse(await (await opened).store.keyValues.get(CONDITION)).data,
    set: async (condition) => (await opened).store.keyValues.set(CONDITION, condition),
  },
  wanted: async () => (await opened).settings.config.get().storage.engine,
  cipher: async () => {
    const { indexCipher, dataKey } = await opened;
    key = dataKey;
    return indexCipher;
  },
  startReader: () =>
    createPageReader(
      new Worker(new URL('./page-reader.worker.ts', import.meta.url), {
        type: 'module',
        name: 'page-reader',
      }),
      key,
    ),
  readAssembly,
  cluster: import.meta.env.VITE_CLUSTER && `${import.meta.env.BASE_URL}${import.meta.env.VITE_CLUSTER}`,
  onOpened: ({ index, engine }) => {
    lead(index, engine).catch((error) => log.error('The engine does not run', error));
  },
});
