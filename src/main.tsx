// The composition root: chooses the adapters of a tab, has the services wired to them, then draws it. The only file of the page that knows them all.
//
//   page ──► engine.worker     PGlite and the background work (one leader for all tabs)
//     │        └─ is served ───────┐
//     ├──► embedding.worker ◄──────┘   the model that makes vectors
//     ├──► network.worker      requests to configured endpoints
//     └──► sync.worker         sync with the relay, once it is wanted (one leader for all tabs)
import './ui/react-first.ts';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createDevice } from './adapters/browser/device.ts';
import { watchPage } from './adapters/browser/diagnostics.ts';
import { deleteEverything, isEraseAsked, startAnewWhenErased } from './adapters/browser/erasing.ts';
import { whenIdle } from './adapters/browser/idle.ts';
import { exclusively, ifFree } from './adapters/browser/locks.ts';
import { createEmbedding } from './adapters/embedding/index.ts';
import { createEmbeddingThread } from './adapters/embedding/thread.ts';
import { createExtraction } from './adapters/extractors/thread.ts';
import type { KeyValues, Store } from './adapters/log/conversation-log.ts';
import { STORAGE_LOST } from './adapters/log/idb-connection.ts';
import { createInMemoryStore } from './adapters/log/in-memory.ts';
import { logCopyOf } from './adapters/log/recovering.ts';
import { withoutTemporary } from './adapters/log/temporary.ts';
import { testConnection } from './adapters/models/index.ts';
import { createNetwork } from './adapters/models/network.ts';
import { createProjection } from './adapters/projection/thread.ts';
import { createTokenizers } from './adapters/tokenizers/tokenizers.ts';
import { createSealing } from './adapters/vault/sealing.ts';
import { createVault } from './adapters/vault/web-crypto.ts';
import { type Problem, RecollectError, toProblem } from './domain/base/errors.ts';
import { log } from './domain/base/log.ts';
import { type Readable, until, type Writable, writable } from './domain/base/readable.ts';
import type { Config } from './domain/settings/config.ts';
import type { App } from './services/app.ts';
import { EndpointModels } from './services/chat/endpoint-models.ts';
import { createModelRefusals } from './services/chat/model-refusals.ts';
import { createApp } from './services/create-app.ts';
import { createDamages } from './services/documents/damages.ts';
import type { Documents } from './services/documents/documents.ts';
import { createDocuments } from './services/documents/documents-service.ts';
import { createNotes } from './services/documents/notes.ts';
import type { InForce } from './services/lock/in-force.ts';
import { createDeviceLock } from './services/lock/lock-service.ts';
import { followEmbedding } from './services/memory/embedding-in-force.ts';
import { createLateStart } from './services/memory/late-start.ts';
import { type MemoryStatus, STARTING } from './services/memory/memory.ts';
import { startNaming } from './services/memory/naming.ts';
import { createPause } from './services/memory/pause.ts';
import { startSuggesting } from './services/memory/suggesting.ts';
import { startTitling } from './services/memory/titling.ts';
import { PrivacyFilter } from './services/privacy/privacy-filter.ts';
import { TokenTable } from './services/privacy/token-table.ts';
import { createPrompts } from './services/prompts/prompts-service.ts';
import { followAllowedOrigins } from './services/settings/allowed-origins.ts';
import { createDeviceName } from './services/settings/device-name.ts';
import { createKeys } from './services/settings/keys.ts';
import { createSettings } from './services/settings/settings-service.ts';
import { createSpending } from './services/spending/spending-service.ts';
import { createStorageNews } from './services/storage/copy-state.ts';
import { exposeConsole } from './ui/console.ts';
import { couldNotStart } from './ui/i18n/could-not-start.ts';
import { exportWords } from './ui/i18n/export-words.ts';
import { UnlockScreen } from './ui/lock/unlock-screen.tsx';
import { lookAfter } from './ui/look-after.ts';
import { Root } from './ui/root.tsx';
import { removeFirstPaint } from './ui/shell/early-words.ts';
import { firstScreen } from './ui/shell/first-paint.ts';
import { guessedDeviceName } from './ui/sync/device-name.ts';
import './ui/styles.css';
import { openForTab } from './workers/device-lock.ts';
import { leaveWhenLocked } from './workers/leave-when-locked.ts';
import { connectSync } from './workers/sync-link.ts';
import { startTabEngine } from './workers/tab-engine.ts';
import * as threads from './workers/threads.ts';

/** A page that is locked is left at the latest after this time, ms: what was said is in the log long before. */
const SETTLE_MS = 2_000;
/** Index and model start so long after the first screen at the latest, however busy the page, ms. */
const IDLE_WITHIN_MS = 2_000;

async function start(): Promise<void> {
  watchPage(window);
  const { signal } = new AbortController();

  // STORAGE
  const alert = writable<Problem | null>(null);
  const { unlocking, records, holder, name, vault, store, fatal } = await openStorage(alert, signal);
  const { keyValues } = store;
  const storageNews = createStorageNews({ keyValues: keyValues, alert });
  const keys = createKeys(vault);

  // SETTINGS AND NETWORK: requests go to what is configured alone.
  const network = createNetwork(threads.startNetworkThread);
  const settings = await createSettings({
    keyValues,
    vault,
    now: Date.now,
    test: (endpoint, key, signal) => {
      allow([endpoint.baseUrl]);
      return testConnection(endpoint, key, signal, { fetch: network.fetch });
    },
  });
  const { config } = settings;
  const allow = followAllowedOrigins(settings, network);

  // DOCUMENTS
  const damages = createDamages({ keyValues, alert });
  const warn = (part: string) => (problem: Problem) =>
    log.warn(part, new RecollectError(problem.code, problem.message));
  const notes = createNotes({ store, now: Date.now, onProblem: warn('Notes') });
  const documents = createDocuments({
    store,
    notes,
    onProblem: (problem) => {
      warn('Documents')(problem);
      damages.report(problem);
    },
  });

  const filter = new PrivacyFilter({
    config,
    tokens: new TokenTable({ keyValues: keyValues, exclusively, signal }),
  });

  // MEMORY
  const { shared, engine, pause } = startMemory({
    store,
    documents,
    config,
    secret: keys.get,
    fetch: network.fetch,
    alert,
    signal,
  });
  const { embedding, status } = shared;

  // MODELS
  const asked = { settings, documents, keys, fetch: network.fetch, filter };
  const answering = startModels(createOwn(store, warn), asked, {
    store,
    notes,
    documents,
    config,
    filter,
    now: Date.now,
    signal,
  });

  // SERVICES
  const lock = await startLock({ records, holder, kind: store.kind, signal }, config);
  const app = createApp({
    ...shared,
    keyed: { keyValues },
    keyValues: keyValues,
    secondCopy: logCopyOf(name),
    vault,
    settings,
    notes,
    engine,
    pause,
    filter,
    ...answering,
    tokenizers: createTokenizers(),
    device: createDevice({
      ...(import.meta.env.PROD ? { serviceWorker: '/service-worker.js' } : {}),
      // Keeping the app's files at the first visit means fetching all of them: first come the page and the index.
      busy: until(status, ({ state }) => state !== 'starting', signal),
      fatal,
    }),
    ...shortThreads(),
    syncLink: connectSync({ startThread: threads.startSyncThread, config, signal }),
    random: createSealing().random,
    words: exportWords,
    exclusively,
    lock,
    logCopy: storageNews.copy,
    dismissAlert: () => {
      if (alert.get()?.code === 'storage-lost') void keyValues.set(STORAGE_LOST, undefined);
      if (alert.get()?.code === 'damaged-entry') damages.dismiss();
      storageNews.dismiss(alert.get()?.code);
      alert.set(null);
    },
  });

  leaveWhenLocked(holder, () => settle(documents, keyValues), signal);
  unlocking.close();
  draw(app);
  void until(documents.library, (library) => library.ready, signal).then(async () => {
    performance.mark('recollect:readable');
    // While the index is still opening, the model comes into memory: the first question finds both.
    await until(embedding, (provider) => provider !== null, signal);
    if (document.visibilityState === 'visible') app.memory.prepare();
  });
  if (new URLSearchParams(location.search).has('console')) exposeConsole(app, engine.index, embedding.get);
  app.chat.rescueDrafts().catch((error) => log.warn('Drafts could not be rescued', error));
  lookAfter({ app, engine, pause, signal });
}

/** Index and model: they begin when one can read and type, or when memory is asked something before. */
function startMemory({
  secret,
  fetch,
  config,
  ...parts
}: Pick<Parameters<typeof startTabEngine>[0], 'store' | 'documents' | 'config' | 'alert' | 'signal'> &
  Pick<Parameters<typeof createEmbedding>[0], 'secret' | 'fetch'>) {
  const { signal } = parts;
  const { keyValues } = parts.store;
  const start = createLateStart(firstScreen.then(() => whenIdle(IDLE_WITHIN_MS, signal)));
  const embeddingThread = createEmbeddingThread(threads.startEmbeddingThread);
  const { connect } = embeddingThread;
  const embedding = followEmbedding({
    config,
    make: async (config) => {
      await start.begun;
      return await createEmbedding({ config, connect, secret, fetch, keyValues });
    },
    signal,
  });
  const shared = { ...parts, embedding, status: writable<MemoryStatus>(STARTING) };
  const engine = startTabEngine({ ...shared, keyValues, config, embeddingThread, start });
  return { shared, engine, pause: createPause(engine, signal) };
}

/** What this device knows beside conversations: prompts and personas, what was spent, what models refused, its name. */
function createOwn(store: Store, warn: (part: string) => (problem: Problem) => void) {
  const keyValues = store.keyValues;
  return {
    spending: createSpending({ keyValues, now: Date.now, onProblem: warn('Spending') }),
    prompts: createPrompts({ store, now: Date.now, onProblem: warn('Prompts') }),
    refusals: createModelRefusals({
      keyValues: keyValues,
      now: Date.now,
      onProblem: (problem) => log.warn(`What a model refused could not be kept: ${problem.code}`),
    }),
    deviceName: createDeviceName({ keyValues, guess: guessedDeviceName, onProblem: warn('Device name') }),
  };
}

/** The models that answer, and what they are asked besides. */
function startModels(
  own: ReturnType<typeof createOwn>,
  asked: Omit<ConstructorParameters<typeof EndpointModels>[0], 'refusals' | 'spending' | 'personaOf'>,
  beside: Parameters<typeof startTitles>[0] &
    Omit<Parameters<typeof startSuggesting>[0], 'model' | 'device' | 'exclusively'>,
) {
  const { personaOf } = own.prompts;
  const models = new EndpointModels({ ...asked, ...own, personaOf });
  startTitles(beside, models);
  startSuggesting({
    ...beside,
    model: (conversation) => models.modelOf(conversation),
    device: () => own.deviceName.get(),
    exclusively: (work) => ifFree('recollect:suggesting', work),
  });
  return { models, ...own };
}

/** What starts a thread for one piece of work and ends it. */
const shortThreads = () => ({
  projection: createProjection(threads.startProjectionThread),
  extraction: createExtraction(threads.startExtractionThread),
});

/** The stores in force. Where the device is locked the person unlocks it first; nothing else was loaded until then. */
async function openStorage(alert: Writable<Problem | null>, signal: AbortSignal) {
  startAnewWhenErased(signal);
  const unlocking = new UnlockScreen(container());
  const { records, holder, inForce } = await openForTab({
    signal,
    onProblem: alert.set,
    unlock: (parts) => unlocking.ask(parts),
    onProgress: (done, all) => unlocking.progress(done, all),
    removeIndex: async (sealed) =>
      (await import('./adapters/index/engines.ts')).removeEngineFiles(undefined, sealed),
  });
  let fatal: Problem | null = null;
  const { name, vault, store } = await inForce.catch((error: unknown): InForce => {
    fatal = toProblem(error);
    const store = createInMemoryStore();
    return { name: '', store, below: store, vault: createVault(store.keyValues), indexCipher: null };
  });
  return { unlocking, records, holder, name, vault, store: withoutTemporary(store), fatal };
}

/** Goes on with what was begun: sealing what is here, or opening it. */
const startLock = (
  parts: Pick<Parameters<typeof createDeviceLock>[0], 'records' | 'holder' | 'kind' | 'signal'>,
  config: Readable<Config>,
) => createDeviceLock({ ...parts, config, exclusively, now: Date.now });

/** Keeps what is being written, as when a page is left. The write at the end comes after all that were asked for before it. */
async function settle(documents: Documents, keyValues: KeyValues): Promise<void> {
  window.dispatchEvent(new Event('pagehide'));
  await until(documents.saving, ({ state }) => state === 'saved', AbortSignal.timeout(SETTLE_MS));
  // A draft is handed to the store some promises later, within this turn.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await keyValues.set('settled', undefined);
}

/** Titles and summaries, made in one tab at a time. */
function startTitles(
  common: Pick<Parameters<typeof startNaming>[0], 'documents' | 'config' | 'filter' | 'now' | 'signal'>,
  models: EndpointModels,
): void {
  // Titles are nobody's conversation: the model chosen last makes them.
  const model = () => models.modelOf();
  startTitling({ ...common, model, exclusively: (work) => ifFree('recollect:polish', work) });
  startNaming({
    ...common,
    model: (conversation) => models.modelOf(conversation),
    exclusively: (work) => ifFree('recollect:naming', work),
  });
}

function container(): HTMLElement {
  const found = document.getElementById('root');
  if (!found) throw new Error('index.html has no #root');
  return found;
}

function draw(app: App): void {
  createRoot(container()).render(
    <StrictMode>
      <Root app={app} />
    </StrictMode>,
  );
}

/** Starts the app, once everything on this device is deleted where that was asked for. */
async function begin(): Promise<void> {
  if (!isEraseAsked()) return await start();
  const { eraseOnScreen } = await import('./ui/lock/erase-screen.tsx');
  await eraseOnScreen(container(), deleteEverything);
  location.replace('/');
}

begin().catch((error) => {
  log.error('The app could not start', error);
  removeFirstPaint();
  const container = document.getElementById('root');
  if (!container) return;
  const { language, text } = couldNotStart(toProblem(error).message, navigator.languages);
  document.documentElement.lang = language;
  container.textContent = text;
});
