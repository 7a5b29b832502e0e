// Connects a tab to the index's engine: in a worker shared by all tabs, or in the page if the browser stores nothing.
import { readAssembly } from '../adapters/browser/assembly.ts';
import type { EmbeddingProvider } from '../adapters/embedding/embedding-provider.ts';
import type { createEmbeddingThread } from '../adapters/embedding/thread.ts';
import type { MemoryIndex } from '../adapters/index/memory-index.ts';
import type { Condition } from '../adapters/index/worker-host.ts';
import type { Store } from '../adapters/log/conversation-log.ts';
import { type Problem, toProblem } from '../domain/base/errors.ts';
import { ignore } from '../domain/base/log.ts';
import { type Readable, type Writable, writable } from '../domain/base/readable.ts';
import type { Config } from '../domain/settings/config.ts';
import type { Documents } from '../services/documents/documents.ts';
import {
  IndexSupervisor,
  type OpenedIndex,
  type RunningEngine,
} from '../services/memory/index-supervisor.ts';
import type { LateStart } from '../services/memory/late-start.ts';
import type { MemoryStatus } from '../services/memory/memory.ts';
import { CONDITION, joinEngineChannel } from './engine-link.ts';
import { startEngineThread } from './threads.ts';

interface TabEngineDeps {
  readonly store: Store;
  /** Key-value store in which tabs and workers note the state of the index's files. */
  readonly keyValues: Store['keyValues'];
  readonly documents: Documents;
  readonly config: Readable<Config>;
  readonly embedding: Readable<EmbeddingProvider | null>;
  readonly embeddingThread: Pick<ReturnType<typeof createEmbeddingThread>, 'serve'>;
  readonly status: Writable<MemoryStatus>;
  /** Starts everything; nothing is loaded or opened before. */
  readonly start: LateStart;
  /** Problem to show to the person; a rebuilt index is shown only if no other problem is. */
  readonly alert: Writable<Problem | null>;
  readonly signal: AbortSignal;
}

/** Starts or joins the engine until the signal; `status` follows it. */
export const startTabEngine = (deps: TabEngineDeps): RunningEngine =>
  deps.store.kind === 'memory' ? startInPage(deps) : startInWorker(deps);

/** Runs the index in the page if this browser stores nothing; it ends with the page. */
function startInPage(deps: TabEngineDeps): RunningEngine {
  const { store, keyValues, documents, config, embedding, status, start, signal } = deps;
  const index = writable<MemoryIndex | null>(null);
  const running = (async () => {
    await start.begun;
    const { openEngine } = await import('../adapters/index/engines.ts');
    const { createPgliteIndex } = await import('../adapters/index/pglite.ts');
    const opened = await openEngine({ wanted: 'memory' });
    const pglite = createPgliteIndex(opened.database, { readAssembly });
    index.set(pglite);
    const { giveTitle, startMemoryEngine } = await import('../services/memory/engine.ts');
    return startMemoryEngine({
      store,
      index: pglite,
      embedding: embedding.get,
      config,
      setTitle: (id, title) => giveTitle(documents, id, title),
      onStatus: (now) => status.set({ ...now, engine: 'memory' }),
      signal,
    });
  })();
  running.catch((error: unknown) =>
    status.update((before) => ({ ...before, state: 'failed', problem: toProblem(error) })),
  );
  const request = (ask: (engine: Awaited<typeof running>) => unknown) =>
    ignore(running.then(ask), 'a request to an index that did not open; the status says so');
  return {
    index,
    begin: start.begin,
    wake: (reason) => request((engine) => engine.wake(reason)),
    setPaused: (paused) => request((engine) => engine.setPaused(paused)),
    requestRebuild: async () => {
      await noteRebuild(keyValues);
      request((engine) => engine.wake('now'));
    },
  };
}

function startInWorker({
  keyValues,
  documents,
  config,
  embeddingThread,
  status,
  start,
  alert,
  signal,
}: TabEngineDeps): RunningEngine {
  const send = joinEngineChannel((message) => {
    // While this tab has no index, the status is that of an ending engine, or of one that this tab cannot ask yet, which answers `hello`.
    if (message.type === 'status' && supervisor.index.get() !== null) status.set(message.status);
  }, signal);
  const supervisor: IndexSupervisor = new IndexSupervisor({
    open: async (wanted, events): Promise<OpenedIndex> => {
      await start.begun;
      const { openIndexInWorker } = await import('../adapters/index/worker.ts');
      const opened = await openIndexInWorker(startEngineThread, { wanted, ...events });
      const { port1, port2 } = new MessageChannel();
      embeddingThread.serve(port1);
      opened.post({ type: 'embedding' }, [port2]);
      return opened;
    },
    onOpened: () => send({ type: 'hello' }),
    config,
    status,
    files: {
      markDamaged: () => keyValues.set(CONDITION, 'damaged' satisfies Condition),
      subscribe: (listener) =>
        keyValues.subscribe(({ keys }) => {
          if (keys.includes(CONDITION)) listener();
        }),
    },
    onRemade: (problem) => {
      // Without conversations the person has lost nothing.
      if (documents.library.get().entries.length > 0 && alert.get() === null) alert.set(problem);
    },
    signal,
  });
  return {
    index: supervisor.index,
    begin: start.begin,
    wake: (reason) => send({ type: 'wake', reason }),
    setPaused: (paused) => send({ type: 'paused', paused }),
    requestRebuild: async () => {
      if (await supervisor.remake()) return;
      await noteRebuild(keyValues);
      send({ type: 'wake', reason: 'now' });
    },
  };
}

/** Loads the engine's code on demand, since the page rarely needs this line of it. */
async function noteRebuild(keyValues: TabEngineDeps['keyValues']): Promise<void> {
  const { requestRebuild } = await import('../services/memory/engine.ts');
  await requestRebuild(keyValues);
}
