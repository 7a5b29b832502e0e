// The front door: builds a tab out of adapters and services, then draws it. The only file of the page that knows them all.
//
//   page ──► engine.worker     PGlite and the background work (one leader for all tabs)
//     │        └─ borrows lines to ─┐
//     ├──► embedding.worker ◄───────┘   the model that makes vectors
//     ├──► network.worker      requests to configured endpoints
//     └──► sync.worker         sync with the relay, once it is wanted (one leader for all tabs)
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createDevice } from './adapters/browser/device.ts';
import { watchPage } from './adapters/browser/diagnostics.ts';
import type { EmbeddingProvider } from './adapters/embedding/embedding-provider.ts';
import { createEmbedding } from './adapters/embedding/index.ts';
import { createEmbeddingThread } from './adapters/embedding/thread.ts';
import type { MemoryIndex } from './adapters/index/memory-index.ts';
import type { IndexInWorker } from './adapters/index/worker.ts';
import type { Condition } from './adapters/index/worker-host.ts';
import type { Store } from './adapters/log/conversation-log.ts';
import { createInMemoryStore } from './adapters/log/in-memory.ts';
import { openStore } from './adapters/log/index.ts';
import { STORAGE_LOST } from './adapters/log/indexed-db.ts';
import { withoutTemporary } from './adapters/log/temporary.ts';
import type { ChatModel, Endpoint } from './adapters/models/chat-model.ts';
import { createEndpointModel, testConnection } from './adapters/models/index.ts';
import { createNetwork } from './adapters/models/network.ts';
import { createProjection } from './adapters/projection/thread.ts';
import { createTokenizers } from './adapters/tokenizers/tokenizers.ts';
import { createSealing } from './adapters/vault/sealing.ts';
import { createVault } from './adapters/vault/web-crypto.ts';
import { type Problem, RecollectError, toProblem } from './domain/base/errors.ts';
import { ignore, log, orElse } from './domain/base/log.ts';
import { until, writable } from './domain/base/readable.ts';
import type { Conversation } from './domain/chat/conversation.ts';
import { ownPriceOf, priceOf } from './domain/context/prices.ts';
import type { App } from './services/app.ts';
import { createChat } from './services/chat/chat-service.ts';
import { createModelRefusals } from './services/chat/model-refusals.ts';
import { descriptionOf, toolsInForce } from './services/chat/tools/index.ts';
import { COMMANDS } from './services/commands/index.ts';
import { createContext } from './services/context/context-service.ts';
import { meaningBy } from './services/context/meaning.ts';
import { createDamages } from './services/documents/damages.ts';
import { createDocuments } from './services/documents/documents-service.ts';
import { createNotes } from './services/documents/notes.ts';
import { createActivities } from './services/library/activities.ts';
import { createLibrary } from './services/library/library-service.ts';
import { createRetention } from './services/library/retention.ts';
import { storageSpaceOf } from './services/library/storage-space.ts';
import { followEmbedding } from './services/memory/embedding-in-force.ts';
import { type Memory, type MemoryStatus, STARTING } from './services/memory/memory.ts';
import { createMemory } from './services/memory/memory-service.ts';
import { startNaming } from './services/memory/naming.ts';
import { createPause } from './services/memory/pause.ts';
import { startPolish } from './services/memory/polish.ts';
import { createRebuilding } from './services/memory/rebuilding.ts';
import { createKeys, endpointKey } from './services/settings/keys.ts';
import { modelInUse } from './services/settings/model-in-use.ts';
import type { ModelChoice } from './services/settings/settings.ts';
import { createSettings } from './services/settings/settings-service.ts';
import { createSync } from './services/sync/sync-service.ts';
import { couldNotStart } from './ui/i18n/could-not-start.ts';
import { exportWords } from './ui/i18n/export-words.ts';
import { lookAfter } from './ui/look-after.ts';
import { Root } from './ui/root.tsx';
import './ui/styles.css';
import { CONDITION, joinEngineChannel } from './workers/engine-link.ts';
import { connectSync } from './workers/sync-link.ts';

/** An index that could not be opened is tried again after this time, ms: there may be room by then. */
const INDEX_RETRY_MS = 30_000;
/** Times that the index is opened again after it stopped, before it is given up until the next start. */
const MOST_CRASHES = 3;

async function start(): Promise<void> {
  watchPage(window);
  const closing = new AbortController();
  const { signal } = closing;

  // STORAGE
  let fatal: Problem | null = null;
  const alert = writable<Problem | null>(null);
  const store: Store = withoutTemporary(
    await openStore({ onProblem: alert.set }).catch((error: unknown) => {
      fatal = toProblem(error);
      return createInMemoryStore();
    }),
  );
  const vault = createVault(store.drawer);
  const keys = createKeys(vault);

  // NETWORK
  const network = createNetwork(
    () =>
      new Worker(new URL('./workers/network.worker.ts', import.meta.url), {
        type: 'module',
        name: 'network',
      }),
  );
  const settings = await createSettings({
    drawer: store.drawer,
    vault,
    now: Date.now,
    test: (endpoint, key, signal) => {
      allow([endpoint.baseUrl]);
      return testConnection(endpoint, key, signal, { fetch: network.fetch });
    },
  });
  /** What the person configured, and what they are about to. */
  const allow = (more: readonly string[] = []) => {
    const { openai, custom } = settings.config.get().embedding;
    const urls = [
      ...settings.connections.get().endpoints.map((endpoint) => endpoint.baseUrl),
      openai.base_url,
      custom.base_url,
      ...more,
    ];
    network.allow([...new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin))]);
  };
  allow();
  settings.connections.subscribe(() => allow());
  settings.config.subscribe(() => allow());

  // DOCUMENTS
  const damages = createDamages({ drawer: store.drawer, alert });
  const notes = createNotes({
    store,
    now: Date.now,
    onProblem: (problem) => log.warn('Notes', new RecollectError(problem.code, problem.message)),
  });
  const documents = createDocuments({
    store,
    notes,
    onProblem: (problem) => {
      log.warn('Documents', new RecollectError(problem.code, problem.message));
      damages.hear(problem);
    },
  });

  // EMBEDDING
  const embeddingThread = createEmbeddingThread(
    () =>
      new Worker(new URL('./workers/embedding.worker.ts', import.meta.url), {
        type: 'module',
        name: 'embedding',
      }),
  );
  const embedding = followEmbedding({
    config: settings.config,
    make: (config) =>
      createEmbedding({
        config,
        connect: embeddingThread.connect,
        secret: keys.get,
        fetch: network.fetch,
        drawer: store.drawer,
      }),
    signal,
  });

  // MEMORY
  const status = writable<MemoryStatus>(STARTING);
  let index: MemoryIndex | null = null;
  const unavailable = (error: unknown) =>
    status.update((before) => ({ ...before, state: 'failed', problem: toProblem(error) }));
  const engine = store.kind === 'memory' ? engineHere() : engineInWorker();

  /** Nothing is kept in this browser: then the index lives here too, and ends with the page. */
  function engineHere(): Engine {
    const running = (async () => {
      const { openEngine } = await import('./adapters/index/engines.ts');
      const { createPgliteIndex } = await import('./adapters/index/pglite.ts');
      const opened = await openEngine({ wanted: 'memory' });
      index = createPgliteIndex(opened.database);
      const { giveTitle, startMemoryEngine } = await import('./services/memory/engine.ts');
      return startMemoryEngine({
        store,
        index,
        embedding: embedding.get,
        config: settings.config,
        setTitle: (id, title) => giveTitle(documents, id, title),
        onStatus: (now) => status.set({ ...now, engine: 'memory' }),
        signal,
      });
    })();
    running.catch(unavailable);
    const tell = (say: (engine: Awaited<typeof running>) => unknown) =>
      ignore(running.then(say), 'a request to an index that did not open; the status says so');
    return {
      wake: (reason) => tell((engine) => engine.wake(reason)),
      setPaused: (paused) => tell((engine) => engine.setPaused(paused)),
      remake: async () => false,
    };
  }

  function engineInWorker(): Engine {
    const say = joinEngineChannel((message) => {
      // While this tab has no index, what speaks is an engine about to end, or one this tab cannot ask yet: it answers the hello then.
      if (message.type === 'status' && index !== null) status.set(message.status);
    }, signal);
    const open = async (): Promise<IndexInWorker | undefined> => {
      try {
        const { openIndexInWorker } = await import('./adapters/index/worker.ts');
        const opened = await openIndexInWorker(
          () =>
            new Worker(new URL('./workers/engine.worker.ts', import.meta.url), {
              type: 'module',
              name: 'engine',
            }),
          {
            wanted: settings.config.get().storage.engine,
            onDamaged: (problem) => makeAgain(problem),
            onCrashed: (problem) => openAgain(problem),
            onRemade: () => tellRemade(new RecollectError('index-damaged', 'The index did not open').problem),
          },
        );
        index = opened.index;
        const { port1, port2 } = new MessageChannel();
        embeddingThread.lend(port1);
        opened.post({ type: 'embedding' }, [port2]);
        say({ type: 'hello' });
        return opened;
      } catch (error) {
        const problem = toProblem(error);
        if (problem.code === 'index-crashed') {
          // Another tab leads and has yet to let go of it.
          if (!signal.aborted) again = setTimeout(retry, INDEX_RETRY_MS);
        } else if (problem.code === 'index-damaged' && madeAgain && !waited) {
          // Another tab leads and still has the damaged one: it makes it again, too, when it comes to it.
          waited = true;
          if (!signal.aborted) again = setTimeout(retry, INDEX_RETRY_MS);
        } else if (problem.code === 'index-damaged') makeAgain(problem);
        else {
          unavailable(error);
          if (problem.retry && !signal.aborted) again = setTimeout(retry, INDEX_RETRY_MS);
        }
        return undefined;
      }
    };
    let again: ReturnType<typeof setTimeout> | undefined;
    const retry = () => {
      opening = opening.then((before) => before ?? open());
    };
    signal.addEventListener('abort', () => clearTimeout(again), { once: true });
    let opening = open();
    // Every tab lets go of the old engine; the first to come back opens the new one, empty, and the log fills it.
    const reopen = () => {
      clearTimeout(again);
      opening = opening.then(async (before) => {
        index = null;
        status.set(STARTING);
        await before?.index.close();
        return open();
      });
    };
    const tellRemade = (problem: Problem) => {
      if (documents.library.get().entries.length > 0 && alert.get() === null) alert.set(problem);
    };
    let madeAgain = false;
    /** Once, for another tab that was slower to let go of the damaged one. */
    let waited = false;
    const giveUp = ({ message, params }: Problem) => {
      opening = opening.then(async (before) => {
        index = null;
        unavailable(new RecollectError('index-unavailable', message, { params: params ?? {} }));
        await before?.index.close();
        return undefined;
      });
    };
    /** Damaged inside: the index is made again once. If that one fails too, it is not the index. */
    const makeAgain = (problem: Problem) => {
      if (madeAgain) return giveUp(problem);
      madeAgain = true;
      tellRemade(problem);
      reopen();
    };
    let crashes = 0;
    /** Stopped in the middle of its work: opened again. What stops again and again would go on doing so. */
    const openAgain = (problem: Problem) => {
      crashes += 1;
      if (crashes > MOST_CRASHES) giveUp(problem);
      else reopen();
    };
    let wanted = settings.config.get().storage.engine;
    settings.config.subscribe(() => {
      const now = settings.config.get().storage.engine;
      if (now === wanted) return;
      wanted = now;
      reopen();
    });
    const hasNone = () => index === null && status.get().state === 'failed';
    // Something new is known of the files: every tab that had to do without an index tries again.
    const stopHearing = store.drawer.subscribe(({ keys }) => {
      if (keys.includes(CONDITION) && hasNone()) reopen();
    });
    signal.addEventListener('abort', stopHearing, { once: true });
    return {
      wake: (reason) => say({ type: 'wake', reason }),
      setPaused: (paused) => say({ type: 'paused', paused }),
      remake: async () => {
        if (!hasNone()) return false;
        // One that is being tried just now may open after all.
        await opening;
        if (!hasNone()) return false;
        crashes = 0;
        await store.drawer.set(CONDITION, 'damaged' satisfies Condition);
        return true;
      },
    };
  }

  const pause = createPause(engine, signal);
  const memoryWork = createActivities({ now: Date.now });
  const memory = createMemory({
    index: () => index,
    embedding: embedding.get,
    config: settings.config,
    documents,
    notes,
    status,
    wake: engine.wake,
    setPaused: (paused) => pause.set('person', paused),
    rebuild: createRebuilding({
      activities: memoryWork,
      status,
      request: async () => {
        if (await engine.remake()) return;
        // The engine's code belongs to the engine's thread; the page needs this one line of it, and seldom.
        const { requestRebuild } = await import('./services/memory/engine.ts');
        await requestRebuild(store.drawer);
        engine.wake('now');
      },
      messages: () =>
        documents.library.get().entries.reduce((sum, { messageCount }) => sum + messageCount, 0),
      signal,
    }),
  });

  // SERVICES
  const device = createDevice({
    ...(import.meta.env.PROD ? { serviceWorker: '/service-worker.js' } : {}),
    // Keeping the app's files at the first visit means fetching all of them: first come the page and the index.
    busy: until(status, ({ state }) => state !== 'starting', signal),
    fatal,
  });
  const library = createLibrary({
    documents,
    notes,
    words: exportWords,
    others: memoryWork,
    estimate: async () => {
      const { usage, quota } = await device.storage();
      return usage === null || quota === null ? null : { usage, quota };
    },
    room: async () => {
      const { state } = status.get();
      const [{ usage, modelBytes }, kept, indexed] = await Promise.all([
        device.storage(),
        store.log.stats(),
        // Who sleeps or failed has no figures; the browser's own account has the index in it.
        state === 'starting' || state === 'failed'
          ? null
          : orElse(memory.stats(), null, 'the size of the index'),
      ]);
      return storageSpaceOf({
        usage,
        known: kept.bytes + modelBytes + (indexed?.bytes ?? 0),
        maxSizeMb: settings.config.get().storage.max_size_mb,
      });
    },
    backups: {
      recall: () => settings.recallItem<number>('last-backup'),
      keep: (at) => settings.keepItem('last-backup', at),
    },
    unfinished: {
      recall: () => settings.recallItem<string | null>('unfinished-import'),
      keep: (name) => settings.keepItem('unfinished-import', name ?? undefined),
    },
    ...(navigator.locks
      ? { exclusive: async (work) => await navigator.locks.request('recollect:import', work) }
      : {}),
    onImported: () => memory.wake('ended'),
  });
  const retention = createRetention({
    documents,
    notes,
    settings,
    now: Date.now,
    exclusive: async (work) =>
      navigator.locks ? await navigator.locks.request('recollect:retention', work) : await work(),
    signal,
  });
  const refusals = createModelRefusals({
    drawer: store.drawer,
    now: Date.now,
    onProblem: (problem) => console.warn(problem.message),
  });
  const endpointOf = new WeakMap<ChatModel, Endpoint>();
  const model = (conversation?: Conversation, by?: ModelChoice) => {
    const connections = settings.connections.get();
    const choice = by ?? modelInUse(connections, conversation ?? null).choice;
    const endpoint = connections.endpoints.find(({ id }) => id === choice?.endpointId);
    if (!endpoint || !choice) return null;
    const made = createEndpointModel({
      endpoint,
      model: choice.model,
      key: () => keys.get(endpointKey(endpoint.id), endpoint.baseUrl),
      fetch: network.fetch,
      repairs: {
        get: () => refusals.leftOut(made),
        remember: (repairs) => void refusals.remember(made, repairs, null),
      },
    });
    endpointOf.set(made, endpoint);
    return made;
  };
  startPolish({
    documents,
    config: settings.config,
    // Titles are nobody's conversation: the model chosen last makes them.
    model: () => model(),
    now: Date.now,
    signal,
    exclusively: (work) =>
      navigator.locks.request('recollect:polish', { ifAvailable: true }, (lock) =>
        lock ? work() : undefined,
      ),
  });
  startNaming({
    documents,
    config: settings.config,
    model,
    now: Date.now,
    signal,
    exclusively: (work) =>
      navigator.locks.request('recollect:naming', { ifAvailable: true }, (lock) =>
        lock ? work() : undefined,
      ),
  });
  const conversing = {
    documents,
    drawer: store.drawer,
    model,
    config: settings.config,
    now: Date.now,
    device: navigator.platform,
  };
  const tokenizers = createTokenizers();
  const context = createContext({
    ...conversing,
    tools: (conversationId) =>
      toolsInForce(settings.config.get(), { notes, conversationId }).map(descriptionOf),
    notes,
    meaning: meaningBy({ memory, index: () => index, model: () => embedding.get()?.id ?? null }),
    counterFor: ({ id }) => {
      void tokenizers.load(id);
      return tokenizers.get(id) ?? undefined;
    },
    priceOf: (priced) =>
      priceOf(priced.id, priced.endpoint ?? '', ownPriceOf(priced.id, endpointOf.get(priced)))?.price ?? null,
  });
  const chat = createChat({
    ...conversing,
    memory,
    context,
    notes,
    refusals,
    locks: navigator.locks,
    tabs: new BroadcastChannel('recollect-turns'),
    tabMemory: () => sessionStorage,
    onBegun: (id) => {
      ignore(settings.keepChosen(id), 'the model that was chosen, for the next start');
    },
  });
  const syncLink = connectSync({
    startThread: () =>
      new Worker(new URL('./workers/sync.worker.ts', import.meta.url), { type: 'module', name: 'sync' }),
    config: settings.config,
    signal,
  });
  const sync = createSync({
    store,
    vault,
    settings,
    notes,
    status: syncLink.status,
    // Without a store that lasts there is no engine's thread to ask, and nothing that could be kept in step.
    ask: async (request) => {
      if (store.kind === 'memory')
        throw new RecollectError('storage-unavailable', 'Sync needs a browser that keeps what it receives');
      return await syncLink.ask(request);
    },
    random: createSealing().random,
  });
  const app: App = {
    documents,
    library,
    retention,
    chat,
    context,
    memory,
    notes,
    projection: createProjection(
      () =>
        new Worker(new URL('./workers/projection.worker.ts', import.meta.url), {
          type: 'module',
          name: 'projection',
        }),
    ),
    settings,
    sync,
    commands: COMMANDS,
    device,
    storageKind: store.kind,
    alert,
    dismissAlert: () => {
      if (alert.get()?.code === 'storage-lost') void store.drawer.set(STORAGE_LOST, undefined);
      if (alert.get()?.code === 'damaged-entry') damages.dismiss();
      alert.set(null);
    },
    logStats: () => store.log.stats(),
  };

  // THE PAGE
  const container = document.getElementById('root');
  if (!container) throw new Error('index.html has no #root');
  createRoot(container).render(
    <StrictMode>
      <Root app={app} />
    </StrictMode>,
  );
  void until(documents.library, (library) => library.ready, signal).then(async () => {
    performance.mark('recollect:readable');
    // While the index is still opening, the model comes into memory: the first question finds both.
    await until(embedding, (provider) => provider !== null, signal);
    if (document.visibilityState === 'visible') memory.prepare();
  });
  if (new URLSearchParams(location.search).has('console')) exposeConsole(app, () => index, embedding.get);
  chat.rescueDrafts().catch((error) => log.warn('Drafts could not be rescued', error));
  lookAfter({ app, engine, pause, signal });
}

/** What the tab asks of the engine, wherever it runs. */
interface Engine extends Pick<Memory, 'wake' | 'setPaused'> {
  /** Has an index that could not be opened made anew. False where there is an engine to be asked instead. */
  remake(): Promise<boolean>;
}

/** `?console` in the address: the services as `recollect`, for those who script their memory and for benchmarks. */
function exposeConsole(
  app: App,
  index: () => MemoryIndex | null,
  embedding: () => EmbeddingProvider | null,
): void {
  Object.assign(globalThis, {
    recollect: {
      app,
      get index() {
        return index();
      },
      get embedding() {
        return embedding();
      },
      get model() {
        return embedding()?.id;
      },
      get dimensions() {
        return embedding()?.dimensions;
      },
    },
  });
}

start().catch((error) => {
  log.error('The app could not start', error);
  const container = document.getElementById('root');
  if (!container) return;
  const { language, text } = couldNotStart(toProblem(error).message, navigator.languages);
  document.documentElement.lang = language;
  container.textContent = text;
});
