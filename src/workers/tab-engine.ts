// Connects a tab to the memory engine: in a worker that serves all tabs, or in the page
// itself if the browser stores nothing.
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
  /** Follows the status of the engine. */
  readonly status: Writable<MemoryStatus>;
  /** Nothing is loaded or opened before this is due. */
  readonly start: LateStart;
  /** Problem to show to the person; a rebuilt index is shown only if no other problem is. */
  readonly alert: Writable<Problem | null>;
  readonly signal: AbortSignal;
}

/**
 * Starts the engine, or joins the one of another tab, until the signal aborts.
 * Returns at once: failures go into `status`.
 */
export const startTabEngine = (deps: TabEngineDeps): RunningEngine =>
  deps.store.kind === 'memory' ? startInPage(deps) : startInWorker(deps);

/** Runs index and engine in the page, for a browser that stores nothing. They end with the page. */
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

/** Opens the index through this tab's worker; `IndexSupervisor` opens it again after failures. */
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
    // A status that comes before this tab has its index may be that of an ending engine;
    // `hello` asks for the present one then.
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

/**
 * Notes in the key-value store that the index is to be rebuilt. The engine's code is loaded for
 * this only now, as it is rarely needed.
 */
async function noteRebuild(keyValues: TabEngineDeps['keyValues']): Promise<void> {
  const { requestRebuild } = await import('../services/memory/engine.ts');
  await requestRebuild(keyValues);
}
