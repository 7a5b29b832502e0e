// The composition root: chooses the adapters of a tab, wires the services to them, then draws it. The only
// file of the page that knows them all.
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
import { deleteEverything, isEraseAsked } from './adapters/browser/erasing.ts';
import { exclusively } from './adapters/browser/locks.ts';
import { createExtraction } from './adapters/extractors/thread.ts';
import { STORAGE_LOST } from './adapters/log/idb-connection.ts';
import { logCopyOf } from './adapters/log/recovering.ts';
import { createNetwork } from './adapters/models/network.ts';
import { createProjection } from './adapters/projection/thread.ts';
import { createTokenizers } from './adapters/tokenizers/tokenizers.ts';
import { createSealing } from './adapters/vault/sealing.ts';
import { type Problem, toError } from './domain/base/errors.ts';
import { ignore, log } from './domain/base/log.ts';
import { loadPart } from './domain/base/part.ts';
import { type Readable, until, writable } from './domain/base/readable.ts';
import type { App } from './services/app.ts';
import { createApp } from './services/create-app.ts';
import { createDamages } from './services/documents/damages.ts';
import { createDocuments } from './services/documents/documents-service.ts';
import { createNotes } from './services/documents/notes.ts';
import { createDeviceLock } from './services/lock/lock-service.ts';
import { PrivacyFilter } from './services/privacy/privacy-filter.ts';
import { TokenTable } from './services/privacy/token-table.ts';
import { followAllowedOrigins } from './services/settings/allowed-origins.ts';
import { createKeys } from './services/settings/keys.ts';
import { createSettings } from './services/settings/settings-service.ts';
import { createStorageNews } from './services/storage/copy-state.ts';
import { exposeConsole } from './ui/console.ts';
import { exportWords } from './ui/i18n/export-words.ts';
import { UnlockScreen } from './ui/lock/unlock-screen.tsx';
import { watchPageActivity } from './ui/page-activity.ts';
import { Root } from './ui/root.tsx';
import { firstScreen } from './ui/shell/first-paint.ts';
import { showStartFailed } from './ui/shell/show-start-failed.ts';
import { guessedDeviceName } from './ui/sync/device-name.ts';
import './ui/styles.css';
import { leaveWhenLocked, settle } from './workers/leave-when-locked.ts';
import { reloadWhenShownAgain } from './workers/page-cache.ts';
import { connectSync } from './workers/sync-link.ts';
import { startMemory } from './workers/tab-memory.ts';
import { openTabRecords, startModels } from './workers/tab-models.ts';
import { openStorage } from './workers/tab-storage.ts';
import * as threads from './workers/threads.ts';

async function start(): Promise<void> {
  watchPage(window);
  reloadWhenShownAgain();
  const { signal } = new AbortController();

  // STORAGE
  const alert = writable<Problem | null>(null);
  const unlocking = new UnlockScreen(container());
  const { records, holder, name, vault, store, fatal } = await openStorage(unlocking, alert, signal);
  const { keyValues, kind } = store;
  const storageNews = createStorageNews({ keyValues, alert });
  const keys = createKeys(vault);

  // SETTINGS AND NETWORK: requests only go to configured endpoints.
  const network = createNetwork(threads.startNetworkThread);
  const settings = await createSettings({
    keyValues,
    vault,
    now: Date.now,
    test: async (endpoint, key, signal) => {
      allow([endpoint.baseUrl]);
      const { testConnection } = await loadPart(() => import('./adapters/models/connection-test.ts'));
      return await testConnection(endpoint, key, signal, { fetch: network.fetch });
    },
  });
  const { config } = settings;
  const allow = followAllowedOrigins(settings, network);

  // DOCUMENTS
  const damages = createDamages({ keyValues, alert });
  const warn = (part: string) => (problem: Problem) => log.warn(part, toError(problem));
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
    tokens: new TokenTable({ keyValues, exclusively, signal }),
  });

  // MEMORY
  const { shared, engine, pause } = startMemory({
    store,
    documents,
    config,
    secret: keys.get,
    fetch: network.fetch,
    firstScreen,
    alert,
    signal,
  });
  const { embedding, status } = shared;

  // MODELS
  const asked = { settings, documents, keys, fetch: network.fetch, filter };
  const answering = startModels(openTabRecords(store, guessedDeviceName, warn), asked, {
    ...shared,
    notes,
    config,
    filter,
    now: Date.now,
  });

  // SERVICES
  const lock = await createDeviceLock({ records, holder, kind, config, exclusively, now: Date.now, signal });
  const app = createApp({
    ...shared,
    keyed: { keyValues },
    keyValues,
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
      // The first visit fetches all files of the app for offline use; page and index come first.
      busy: until(status, ({ state }) => state !== 'starting', signal),
      fatal,
    }),
    projection: createProjection(threads.startProjectionThread),
    extraction: createExtraction(threads.startExtractionThread),
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
  createRoot(container()).render(
    <StrictMode>
      <Root app={app} />
    </StrictMode>,
  );
  ignore(prepare(app, embedding, signal), 'the model is loaded with the first question');
  if (new URLSearchParams(location.search).has('console')) exposeConsole(app, engine.index, embedding);
  app.chat.deleted.cleanUp().catch((error) => log.warn('Old deleted messages could not be removed', error));
  app.chat.rescueDrafts().catch((error) => log.warn('Drafts could not be rescued', error));
  watchPageActivity({ app, engine, pause, signal });
}

/** Loads the model while the index is still opening, so that both are ready for the first question. */
async function prepare(app: App, embedding: Readable<unknown>, signal: AbortSignal): Promise<void> {
  await until(app.documents.library, (library) => library.ready, signal);
  performance.mark('recollect:readable');
  await until(embedding, (provider) => provider !== null, signal);
  if (document.visibilityState === 'visible') app.memory.prepare();
}

function container(): HTMLElement {
  const found = document.getElementById('root');
  if (!found) throw new Error('index.html has no #root');
  return found;
}

/** Starts the app, after deleting everything on this device if that was requested. */
async function begin(): Promise<void> {
  if (!isEraseAsked()) return await start();
  const { eraseOnScreen } = await import('./ui/lock/erase-screen.tsx');
  await eraseOnScreen(container(), deleteEverything);
  location.replace('/');
}

begin().catch(showStartFailed);
