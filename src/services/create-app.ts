// Wires the services of a tab to one another. main.tsx chooses their adapters.
//
//   documents ◄── library, retention        engine ◄── memory ◄── context ◄── chat ──► models
import type { Device } from '../adapters/browser/device.ts';
import type { EmbeddingProvider } from '../adapters/embedding/embedding-provider.ts';
import type { Extraction } from '../adapters/extractors/thread.ts';
import type { Store } from '../adapters/log/conversation-log.ts';
import type { LogCopy } from '../adapters/log/recovering.ts';
import type { ChatModel } from '../adapters/models/chat-model.ts';
import type { Projection } from '../adapters/projection/projection.ts';
import type { createTokenizers } from '../adapters/tokenizers/tokenizers.ts';
import type { Vault } from '../adapters/vault/vault.ts';
import { type Problem, RecollectError } from '../domain/base/errors.ts';
import { ignore } from '../domain/base/log.ts';
import { lazily } from '../domain/base/part.ts';
import type { Readable, Writable } from '../domain/base/readable.ts';
import type { App } from './app.ts';
import { createChat } from './chat/chat-service.ts';
import { withoutWords } from './chat/composer-drafts.ts';
import type { EndpointModels } from './chat/endpoint-models.ts';
import type { ModelRefusals } from './chat/model-refusals.ts';
import { descriptionOf, toolsInForce } from './chat/tools/index.ts';
import { COMMANDS } from './commands/index.ts';
import { createLateContext } from './context/late-context.ts';
import { meaningBy } from './context/meaning.ts';
import { createSentenceMeaning } from './context/sentence-meaning.ts';
import type { Documents } from './documents/documents.ts';
import type { Notes } from './documents/notes.ts';
import { createLateForget, forgettingAlone, IMPORTING } from './forget/late-forget.ts';
import { remainsSince, textSince } from './forget/traces.ts';
import { createActivities } from './library/activities.ts';
import { createLibrary, type LibraryDeps } from './library/library-service.ts';
import { estimateSpace, measureSpace } from './library/measured-space.ts';
import { createRetention } from './library/retention.ts';
import { afterScreen } from './load-ahead.ts';
import type { Applying } from './memory/applying.ts';
import type { RunningEngine } from './memory/index-supervisor.ts';
import type { Memory, MemoryStatus } from './memory/memory.ts';
import { createMemory } from './memory/memory-service.ts';
import type { Pause } from './memory/pause.ts';
import { createRebuilding } from './memory/rebuilding.ts';
import type { Recognising } from './memory/recognising.ts';
import type { PrivacyFilter } from './privacy/privacy-filter.ts';
import { readableExport } from './privacy/readable-export.ts';
import { preferredModel } from './projects/preferred-model.ts';
import { createProjects } from './projects/projects-service.ts';
import type { Prompts } from './prompts/prompts.ts';
import type { DeviceName } from './settings/device-name.ts';
import type { Settings } from './settings/settings.ts';
import type { Spending } from './spending/spending.ts';
import { ACCOUNT, accountSchema } from './sync/records.ts';
import type { SyncAnswer, SyncRequest } from './sync/requests.ts';
import type { SyncStatus } from './sync/sync.ts';
import { createSync } from './sync/sync-service.ts';

interface AppParts {
  readonly store: Store;
  /** The store's key-value part for chat and context. */
  readonly keyed: Pick<Store, 'keyValues'>;
  /** The same store for forgetting. */
  readonly keyValues: Store['keyValues'];
  readonly secondCopy: LogCopy;
  readonly vault: Vault;
  readonly settings: Settings;
  readonly documents: Documents;
  readonly notes: Notes;
  readonly embedding: Readable<EmbeddingProvider | null>;
  readonly engine: RunningEngine;
  readonly pause: Pause;
  readonly status: Writable<MemoryStatus>;
  readonly models: EndpointModels;
  readonly filter: PrivacyFilter;
  readonly refusals: ModelRefusals;
  readonly spending: Spending;
  readonly prompts: Prompts;
  readonly deviceName: DeviceName;
  readonly tokenizers: ReturnType<typeof createTokenizers>;
  readonly device: Device;
  readonly projection: Projection;
  readonly extraction: Extraction;
  readonly syncLink: {
    readonly status: Readable<SyncStatus>;
    ask(request: SyncRequest): Promise<SyncAnswer>;
  };
  /** Random bytes for new keys; see `createSealing`. */
  readonly random: (bytes: number) => Uint8Array;
  /** Texts of exported files. */
  readonly words: LibraryDeps['words'];
  /** Runs work in one tab at a time. */
  readonly exclusively: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  readonly alert: Readable<Problem | null>;
  readonly dismissAlert: () => void;
  readonly lock: App['lock'];
  /** State of the log's second copy. */
  readonly logCopy: App['logCopy'];
  /** Resolves once a screen is drawn. */
  readonly firstScreen: Promise<void>;
  readonly signal: AbortSignal;
}

/** Builds everything that the interface works with. */
export function createApp(parts: AppParts): App {
  const { memory, memoryWork } = connectMemory(parts);
  const { store, documents, notes, settings, spending, prompts, device, syncLink, alert, dismissAlert } =
    parts;
  const sync = createSync({
    store,
    vault: parts.vault,
    settings,
    notes,
    status: syncLink.status,
    // Without a lasting store there is no engine thread to ask, and nothing to keep in step.
    ask: async (request) => {
      if (store.kind === 'memory')
        throw new RecollectError('storage-unavailable', 'Sync needs a browser that keeps what it receives');
      return await syncLink.ask(request);
    },
    onNamed: (name) => parts.deviceName.set(name),
    random: parts.random,
  });
  const conversing = connectChat(parts, memory);
  const forget = connectForget(parts, memory, sync);
  parts.signal.addEventListener('abort', forget.onForgetting(conversing.chat.takeOut), { once: true });
  return {
    documents,
    notes,
    settings,
    spending,
    prompts,
    deviceName: parts.deviceName,
    device,
    memory,
    ...connectLibrary(parts, memory, memoryWork),
    projects: createProjects({ documents, now: Date.now }),
    ...conversing,
    projection: parts.projection,
    privacy: parts.filter,
    extraction: parts.extraction,
    sync,
    forget,
    lock: parts.lock,
    commands: COMMANDS,
    storageKind: store.kind,
    alert,
    dismissAlert,
    logStats: () => store.log.stats(),
    logCopy: parts.logCopy,
  };
}

/** Memory over the engine; its long work shows among the activities of the library. */
function connectMemory(parts: AppParts) {
  const { engine, embedding, settings, documents, notes, status, pause, signal } = parts;
  const memoryWork = createActivities({ now: Date.now });
  const memory = createMemory({
    index: engine.index,
    begin: engine.begin,
    embedding,
    config: settings.config,
    filter: parts.filter,
    documents,
    notes,
    status,
    wake: engine.wake,
    setPaused: (paused) => pause.set('person', paused),
    rebuild: createRebuilding({
      activities: memoryWork,
      status,
      request: engine.requestRebuild,
      messages: () =>
        documents.library.get().entries.reduce((sum, { messageCount }) => sum + messageCount, 0),
      signal,
    }),
  });
  return { memory, memoryWork };
}

/** Forgets for good, by requests from here and from other devices. */
function connectForget(parts: AppParts, memory: Memory, sync: App['sync']): App['forget'] {
  const { documents, notes, prompts, settings, engine, store, keyValues, exclusively, signal } = parts;
  const deps = {
    documents,
    notes,
    prompts,
    log: store.log,
    copy: parts.secondCopy,
    keyValues,
    index: engine.index.get,
    wakeIndex: () => memory.wake('now'),
    indexStatus: memory.status,
    privacy: () => settings.config.get().privacy,
    filter: parts.filter,
    sync,
    now: Date.now,
    exclusive: forgettingAlone(exclusively),
    device: async () => accountSchema.safeParse(await keyValues.get(ACCOUNT)).data?.device ?? null,
    signal,
  };
  return createLateForget(deps, {
    firstScreen: parts.firstScreen,
    due: afterScreen(parts.firstScreen, signal),
  });
}

/** Import, export and clean-up. */
function connectLibrary(
  parts: AppParts,
  memory: Memory,
  memoryWork: ReturnType<typeof createActivities>,
): Pick<App, 'library' | 'retention'> {
  const { documents, notes, settings, device, store, words, exclusively, signal } = parts;
  const library = createLibrary({
    documents,
    notes,
    prompts: parts.prompts,
    words,
    forReading: () =>
      settings.config.get().privacy.placeholders_in_exports ? readableExport(parts.filter) : null,
    others: memoryWork,
    estimate: () => estimateSpace(device),
    storageSpace: () => measureSpace({ device, store, memory, settings }),
    backups: {
      recall: () => settings.recallItem<number>('last-backup'),
      keep: (at) => settings.keepItem('last-backup', at),
    },
    unfinished: {
      recall: () => settings.recallItem<string | null>('unfinished-import'),
      keep: (name) => settings.keepItem('unfinished-import', name ?? undefined),
    },
    exclusive: (work) => exclusively(IMPORTING, work),
    onImported: () => memory.wake('ended'),
  });
  const retention = createRetention({
    documents,
    notes,
    settings,
    now: Date.now,
    exclusive: (work) => exclusively('recollect:retention', work),
    signal,
  });
  return { library, retention };
}

/** The model on this device: who chose a service elsewhere sends it passages and questions, not each sentence. */
const modelHere = ({ embedding, settings }: Pick<AppParts, 'embedding' | 'settings'>) =>
  settings.config.get().embedding.provider === 'local' ? embedding.get() : null;

/**
 * Makes the recogniser of a conversation's sentences and the finder of notes that apply; their code is loaded with the
 * first request (decision 1115).
 */
function createLateRecognising(parts: AppParts): {
  readonly recognising: Recognising;
  readonly applying: Applying;
} {
  const { embedding, keyed, settings, filter, notes } = parts;
  const recognisingBy = (model: typeof embedding.get): Recognising => {
    const recogniser = lazily(async () => {
      const { createRecognising } = await import('./memory/recognising.ts');
      return createRecognising({
        embedding: model,
        hide: (text) => filter.hidden('index', text),
        forgotten: notes.forgotten,
        keyValues: keyed.keyValues,
        learns: false,
      });
    });
    return { of: async (...asked) => (await recogniser()).of(...asked) };
  };
  const recognising = recognisingBy(embedding.get);
  const finder = lazily(async () => {
    const { createApplying } = await import('./memory/applying.ts');
    return createApplying({ recognising, config: settings.config, now: Date.now });
  });
  return {
    recognising: recognisingBy(() => modelHere(parts)),
    applying: { forRequest: async (asked) => (await finder()).forRequest(asked) },
  };
}

/** Connects conversations with models and with the context sent to them. */
function connectChat(parts: AppParts, memory: Memory): Pick<App, 'chat' | 'context'> {
  const { documents, notes, settings, engine, embedding, models, refusals, tokenizers } = parts;
  const { recognising, applying } = createLateRecognising(parts);
  const common = {
    ...parts.keyed,
    documents,
    notes,
    model: (...asked: Parameters<EndpointModels['modelOf']>) => models.modelOf(...asked),
    config: settings.config,
    filter: parts.filter,
    personaOf: parts.prompts.personaOf,
    now: Date.now,
    device: () => parts.deviceName.get(),
    recognising,
    priceOf: (model: ChatModel) => models.priceOf(model),
  };
  const context = createLateContext({
    ...common,
    tools: (conversationId) =>
      toolsInForce(settings.config.get(), { notes, conversationId }).map(descriptionOf),
    meaning: meaningBy({
      memory,
      index: engine.index.get,
      model: () => embedding.get()?.id ?? null,
      sentences: createSentenceMeaning({
        embedding: () => modelHere(parts),
        now: () => performance.now(),
      }),
    }),
    counterFor: ({ id }) => {
      void tokenizers.load(id);
      return tokenizers.get(id) ?? undefined;
    },
  });
  const chat = createChat({
    ...common,
    memory,
    withoutForgotten: remainsSince(() => parts.notes.forgotten.get()),
    notedSince: textSince(async () => {
      await notes.known();
      return notes.forgotten.get();
    }),
    applying,
    context,
    refusals,
    locks: navigator.locks,
    tabs: new BroadcastChannel('recollect-turns'),
    // The browser writes session storage to its disk.
    tabMemory: () => (parts.lock.state.get().phase === 'off' ? sessionStorage : withoutWords(sessionStorage)),
    onBegun: (id) => {
      // Its project's model may differ from the one chosen last.
      if (preferredModel(documents.library.get(), id) === null)
        ignore(settings.keepChosen(id), 'the model that was chosen, for the next start');
    },
  });
  return { chat, context };
}
