// The whole interface over real services in one page, for component tests: nothing is kept, no
// worker runs, a scripted model answers.
import './renders.ts';
import '../../src/ui/styles.css';
import axe from 'axe-core';
import { createRoot } from 'react-dom/client';
import { toast } from 'sonner';
import { expect, onTestFinished } from 'vitest';
import { page } from 'vitest/browser';
import { createDevice } from '../../src/adapters/browser/device.ts';
import { createExtraction } from '../../src/adapters/extractors/thread.ts';
import type { Store } from '../../src/adapters/log/conversation-log.ts';
import { createInMemoryStore } from '../../src/adapters/log/in-memory.ts';
import type { ChatModel, Endpoint } from '../../src/adapters/models/chat-model.ts';
import { createScriptedModel, type ModelScript } from '../../src/adapters/models/in-memory.ts';
import { createLockRecords } from '../../src/adapters/vault/lock-records.ts';
import { createSealing } from '../../src/adapters/vault/sealing.ts';
import type { Vault } from '../../src/adapters/vault/vault.ts';
import { createVault } from '../../src/adapters/vault/web-crypto.ts';
import { type Problem, RecollectError } from '../../src/domain/base/errors.ts';
import { type ConversationId, newEntryId } from '../../src/domain/base/ids.ts';
import { until, writable } from '../../src/domain/base/readable.ts';
import type { App } from '../../src/services/app.ts';
import { createChat } from '../../src/services/chat/chat-service.ts';
import { COMMANDS } from '../../src/services/commands/index.ts';
import { createLateContext } from '../../src/services/context/late-context.ts';
import type { Documents } from '../../src/services/documents/documents.ts';
import { createDocuments } from '../../src/services/documents/documents-service.ts';
import { createNotes, type Notes } from '../../src/services/documents/notes.ts';
import { createLateForget } from '../../src/services/forget/late-forget.ts';
import { createLibrary } from '../../src/services/library/library-service.ts';
import { createRetention } from '../../src/services/library/retention.ts';
import { KeyHolder } from '../../src/services/lock/key-holder.ts';
import type { DeviceLock } from '../../src/services/lock/lock.ts';
import { createDeviceLock } from '../../src/services/lock/lock-service.ts';
import { type MemoryStatus, STARTING } from '../../src/services/memory/memory.ts';
import { createMemory } from '../../src/services/memory/memory-service.ts';
import { PrivacyFilter } from '../../src/services/privacy/privacy-filter.ts';
import { privateModel } from '../../src/services/privacy/private-model.ts';
import { TokenTable } from '../../src/services/privacy/token-table.ts';
import { createProjects } from '../../src/services/projects/projects-service.ts';
import { createPrompts } from '../../src/services/prompts/prompts-service.ts';
import { createDeviceName } from '../../src/services/settings/device-name.ts';
import type { ModelChoice, Settings } from '../../src/services/settings/settings.ts';
import { createSettings } from '../../src/services/settings/settings-service.ts';
import { meteredModel } from '../../src/services/spending/metered-model.ts';
import type { Spending } from '../../src/services/spending/spending.ts';
import { createSpending } from '../../src/services/spending/spending-service.ts';
import type { SyncAnswer, SyncRequest } from '../../src/services/sync/requests.ts';
import { SYNC_OFF, type SyncStatus } from '../../src/services/sync/sync.ts';
import { createSync } from '../../src/services/sync/sync-service.ts';
import { exportWords } from '../../src/ui/i18n/export-words.ts';
import { Root } from '../../src/ui/root.tsx';
import { guessedDeviceName } from '../../src/ui/sync/device-name.ts';
import { startExtractionThread } from '../../src/workers/threads.ts';
import { createInMemoryIndex } from '../adapters/index/in-memory-index.ts';
import { ALL } from '../scale.ts';

const ENDPOINT: Endpoint = {
  id: 'scripted',
  label: 'Scripted',
  baseUrl: 'http://localhost:9',
  models: ['scripted'],
};
const unavailable = async (): Promise<never> => {
  throw new RecollectError('storage-unavailable', 'There is no such thread in a component test');
};

type ConnectionTest = Parameters<typeof createSettings>[0]['test'];
const nobodyThere: ConnectionTest = async () => ({
  ok: false,
  problem: { code: 'model-network', message: 'Nobody is there', retry: true },
});

export interface TestApp extends App {
  /** What a test sets to bring the interface into a state. */
  readonly states: {
    readonly memory: ReturnType<typeof writable<MemoryStatus>>;
    readonly sync: ReturnType<typeof writable<SyncStatus>>;
    readonly alert: ReturnType<typeof writable<Problem | null>>;
  };
  /** Sends a message, in a new conversation where none is named; resolves as soon as it is in the log. */
  say(text: string, conversation?: ConversationId): Promise<ConversationId>;
  /** Resolves when no answer is being written any more. */
  idle(conversation: ConversationId): Promise<unknown>;
}

/** A lock of its own for each app; there is no log for it to seal. */
async function testLock(settings: Settings): Promise<DeviceLock> {
  const { signal } = new AbortController();
  const records = createLockRecords(`lock-${newEntryId()}`);
  await records.change((before) => ({ ...before, generation: 2 + Math.floor(Math.random() * 1e9) }));
  return createDeviceLock({
    records,
    holder: new KeyHolder(async () => false, signal),
    kind: 'persistent',
    config: settings.config,
    exclusively: (_name, work) => work(),
    now: Date.now,
    signal,
  });
}

/**
 * A model that answers from the script, under any name; what it costs and what is
 * private go the way they go in the app.
 */
function createModels({
  reply,
  spending,
  privacy,
}: {
  readonly reply: ModelScript['reply'] | undefined;
  readonly spending: Spending;
  readonly privacy: PrivacyFilter;
}) {
  const scripted: ChatModel | null = reply ? createScriptedModel({ contextWindow: 32_000, reply }) : null;
  const price = { currency: 'USD', input: 1, output: 2 };
  return {
    model: (asked: { readonly id: ConversationId } | undefined, by?: ModelChoice) => {
      if (!scripted) return null;
      const model = by?.model ?? scripted.id;
      const metered = meteredModel({ ...scripted, id: model, stream: scripted.stream }, (usage) =>
        spending.record({ endpoint: 'localhost:9', model, conversation: asked?.id, usage, price }),
      );
      return privateModel(metered, privacy);
    },
    priceOf: () => price,
  };
}

async function createConnectedSettings(
  { keyValues }: Store,
  vault: Vault,
  isConnected: boolean,
  test: ConnectionTest,
): Promise<Settings> {
  const settings = await createSettings({ keyValues, vault, now: Date.now, test });
  if (isConnected) {
    await settings.saveEndpoint(ENDPOINT, undefined);
    await settings.choose({ endpointId: ENDPOINT.id, model: 'scripted' });
  }
  return settings;
}

/**
 * Memory over an index that is there and empty: with no index at all, each answer would wait for it for three seconds.
 */
function createEmptyMemory(deps: {
  readonly settings: Settings;
  readonly documents: Documents;
  readonly notes: Notes;
}) {
  const index = createInMemoryIndex();
  const status = writable<MemoryStatus>({ ...STARTING, state: 'ready', engine: 'memory' });
  const memory = createMemory({
    index: writable(index),
    embedding: writable(null),
    config: deps.settings.config,
    documents: deps.documents,
    notes: deps.notes,
    status,
    wake: () => undefined,
    setPaused: () => undefined,
    rebuild: async () => undefined,
  });
  return { memory, status };
}

/** Options that a test may omit. */
interface TestAppOptions {
  /** What the model answers; without it no model is connected. */
  readonly reply?: ModelScript['reply'];
  /** What an endpoint answers when its connection is tested; without it nobody is there. */
  readonly test?: ConnectionTest;
  /** What the sync engine answers, which runs in a worker; without it there is none. */
  readonly sync?: (request: SyncRequest) => Promise<SyncAnswer>;
  /** What is kept; without one a new store in memory. */
  readonly store?: Store;
  /** How long forgetting waits for an undo, ms. */
  readonly undoMs?: number;
}

/** Services as in `main.tsx`, over a store in memory. */
export async function createTestApp({
  reply,
  test = nobodyThere,
  sync = unavailable,
  undoMs = 10_000,
  store = createInMemoryStore(),
}: TestAppOptions = {}): Promise<TestApp> {
  const { keyValues } = store;
  const vault = createVault(keyValues);
  const settings = await createConnectedSettings(store, vault, reply !== undefined, test);
  const notes = createNotes({ store, now: Date.now });
  const documents = createDocuments({ store, notes });
  const { memory, status: memoryStatus } = createEmptyMemory({ settings, documents, notes });
  const spending = createSpending({ keyValues, now: Date.now, onProblem: console.error });
  const prompts = createPrompts({ store, now: Date.now, onProblem: console.error });
  const deviceName = createDeviceName({ keyValues, guess: guessedDeviceName, onProblem: console.error });
  const privacy = new PrivacyFilter({ config: settings.config, tokens: new TokenTable({ keyValues }) });
  const common = {
    documents,
    keyValues,
    ...createModels({ reply, spending, privacy }),
    personaOf: prompts.personaOf,
    config: settings.config,
    now: Date.now,
    device: () => deviceName.get(),
    notes,
  };
  const context = createLateContext(common);
  const chat = createChat({ ...common, memory, context });
  const syncStatus = writable<SyncStatus>(SYNC_OFF);
  const alert = writable<Problem | null>(null);
  const syncing = createSync({
    store,
    vault,
    settings,
    notes,
    status: syncStatus,
    ask: sync,
    onNamed: (name) => deviceName.set(name),
    random: createSealing().random,
  });
  const background = {
    now: Date.now,
    exclusive: <T,>(work: () => Promise<T>) => work(),
    signal: new AbortController().signal,
  };
  const forget = createLateForget(
    {
      documents,
      notes,
      prompts,
      log: store.log,
      copy: { records: async function* () {}, hasStaleValues: async () => false, letGo: () => undefined },
      keyValues,
      index: () => null,
      wakeIndex: () => undefined,
      indexStatus: memory.status,
      privacy: () => settings.config.get().privacy,
      sync: syncing,
      undoMs,
      device: async () => null,
      ...background,
    },
    { firstScreen: Promise.resolve(), due: Promise.resolve() },
  );
  forget.onForgetting(chat.takeOut);
  return {
    documents,
    library: createLibrary({ documents, notes, prompts, words: exportWords }),
    projects: createProjects({ documents, now: Date.now }),
    retention: createRetention({ documents, notes, settings, ...background }),
    chat,
    context,
    memory,
    notes,
    projection: { project: unavailable },
    privacy,
    extraction: createExtraction(startExtractionThread),
    settings,
    lock: await testLock(settings),
    spending,
    prompts,
    deviceName,
    sync: syncing,
    forget,
    commands: COMMANDS,
    device: createDevice({ fatal: null }),
    storageKind: 'memory',
    alert,
    dismissAlert: () => alert.set(null),
    logStats: () => store.log.stats(),
    logCopy: writable(null),
    states: { memory: memoryStatus, sync: syncStatus, alert },
    say: async (text, conversation) => {
      const sent = await chat.send({
        ...(conversation ? { conversationId: conversation } : {}),
        parts: [{ type: 'text', text }],
      });
      return sent.conversationId;
    },
    idle: (id) => until(chat.turn(id), ({ status }) => status === 'idle'),
  };
}

const ADDRESS = location.href;

/**
 * Draws the interface at an address, e.g. `/settings/storage`, in the language and theme of the
 * settings. Ends with the test, or when called.
 */
export async function show(app: App, path = '/', { width = 1280, height = 800 } = {}): Promise<() => void> {
  await page.viewport(width, height);
  history.replaceState(null, '', path);
  const container = document.createElement('div');
  document.body.append(container);
  const root = createRoot(container);
  // Not a hook of this module, because files share the module and a hook would run for the first file alone.
  const leave = () => {
    // Notices are kept outside of React.
    toast.dismiss();
    root.unmount();
    container.remove();
  };
  onTestFinished(() => {
    leave();
    history.replaceState(null, '', ADDRESS);
    // Small switches of the interface, such as an open panel.
    for (const key of Object.keys(localStorage))
      if (key.startsWith('recollect.')) localStorage.removeItem(key);
  });
  root.render(<Root app={app} />);
  await expect.element(page.getByRole('main')).toBeVisible();
  return leave;
}

/** Fails where axe finds something serious or critical in the page. Waits for fades, during which contrast is lower. */
export const expectAccessible = (): Promise<void> =>
  expectNothingSerious({
    // The page that the test runner draws around the interface has no title or landmarks of its own.
    rules: { 'document-title': { enabled: false }, 'html-has-lang': { enabled: false } },
  });

/**
 * Checks contrast alone, for a screen that `expectAccessible` has checked in another theme.
 * `npm run test:all` checks everything.
 */
export const expectReadable = (): Promise<void> =>
  ALL ? expectAccessible() : expectNothingSerious({ runOnly: ['color-contrast'] });

/** Most measurements, for a page that never comes to rest. */
const MEASUREMENTS = 5;

const runningFades = (): Animation[] =>
  document
    .getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);

/** Measures once all fades have ended, and again where another began meanwhile. */
async function measuredAtRest<T>(measure: () => Promise<T>): Promise<T> {
  for (let left = MEASUREMENTS; ; left -= 1) {
    for (let fades = runningFades(); fades.length > 0; fades = runningFades())
      await Promise.allSettled(fades.map(({ finished }) => finished));
    let hasBegun = false;
    const begun = new AbortController();
    for (const kind of ['animationstart', 'transitionrun'] as const)
      document.addEventListener(
        kind,
        () => {
          hasBegun = true;
        },
        { capture: true, signal: begun.signal },
      );
    const measured = await measure().finally(() => begun.abort());
    if (!hasBegun || left <= 1) return measured;
  }
}

async function expectNothingSerious(options: axe.RunOptions): Promise<void> {
  // A reader would say what stands in both of them twice; axe does not look for it.
  expect([...document.querySelectorAll('[role=status] [role=status]')]).toEqual([]);
  const { violations } = await measuredAtRest(() =>
    axe.run(document, { resultTypes: ['violations'], ...options }),
  );
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(
    serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
  ).toEqual([]);
}

/** A promise and the way to keep it: what a script waits for. */
export function held(): { promise: Promise<void>; release: () => void } {
  let release = () => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}
