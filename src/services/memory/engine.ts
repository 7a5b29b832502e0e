// Keeps the memory index in step with the log. Once per origin: the leader runs it, the
// next leader resumes from the bookmarks.
//
//   log ──since(bookmark)──► projector: conversations → rows, chunks, words ──► index.apply (rows and bookmark)
//                                                                        │
//   typing pauses it · every_messages, end, max_age trigger it ──► indexer: pending chunks → vectors ──► index.put
//                                                                        └► keywords, summary, title
//
// Both only compare the present state with the wanted one: killed anywhere, the next
// run continues where this one stopped.

import {
  CALIBRATIONS,
  type EmbeddingProvider,
  type EmbeddingState,
} from '../../adapters/embedding/embedding-provider.ts';
import type { MemoryIndex } from '../../adapters/index/memory-index.ts';
import type { ConversationLog, KeyValues, Store } from '../../adapters/log/conversation-log.ts';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isConversation } from '../../domain/base/ids.ts';
import { log as diagnostics } from '../../domain/base/log.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { yieldToEvents } from '../../domain/base/yielding.ts';
import { isNotes } from '../../domain/memory/notes.ts';
import { isExcluded } from '../../domain/memory/privacy.ts';
import type { Config } from '../../domain/settings/config.ts';
import { type Documents, readLibrary } from '../documents/documents.ts';
import type { Reader } from '../documents/reader.ts';
import { createReader } from '../documents/reader.ts';
import { PrivacyFilter } from '../privacy/privacy-filter.ts';
import { TokenTable } from '../privacy/token-table.ts';
import { createJob } from '../scheduler.ts';
import { ChunkEmbedder } from './chunk-embedding.ts';
import { distinctTitle } from './distinct-title.ts';
import type { Memory, MemoryStatus } from './memory.ts';
import { createProjection } from './projection.ts';
import { describeConversation, isRemembered, pipelineVersionOf, withoutCutWords } from './rows.ts';
import { StatusNotifier } from './status-notifier.ts';
import { noteUndescribed, undescribedIn } from './undescribed.ts';

/** Status as the engine knows it; the opener knows the file system of the index. */
export type EngineStatus = Omit<MemoryStatus, 'engine'>;

export interface MemoryEngine {
  /** `changed`: look again. `ended`: the open conversation has ended. `now`: do everything, failed parts too. */
  wake(reason: Parameters<Memory['wake']>[0]): void;
  /** Embedding pauses while true. A pause that is not repeated lasts 15 s, so that a tab that died cannot hold it. */
  setPaused(paused: boolean): void;
  /** Empties the index and rebuilds it. Resolves when the request is durable; the status shows progress. */
  rebuild(): Promise<void>;
  /** Resolves when there is nothing left to do right now. */
  settled(): Promise<void>;
}

export interface MemoryEngineDeps {
  readonly store: Store;
  readonly index: MemoryIndex;
  /** null: none yet; words only. Asked again before each batch. */
  readonly embedding: () => EmbeddingProvider | null;
  /** Subscribes to a change of `embedding`. Without it the change is noticed within seconds of the configuration's. */
  readonly onEmbedding?: (listener: () => void) => () => void;
  readonly config: Readable<Config>;
  /** Tokens of private words; absent: those in the store. */
  readonly tokens?: TokenTable;
  /** Writes a title made from the words, see `giveTitle`; titles are in documents, which the engine does not write. */
  readonly setTitle: (conversation: ConversationId, title: string) => Promise<void>;
  /** Called when the status has changed, and whenever the projector has read on. */
  readonly onStatus: (status: EngineStatus) => void;
  readonly signal: AbortSignal;
  /** ms since 1970 */
  readonly now?: () => number;
}

/**
 * Gives a title made from the words, unlike any other's, to a conversation without one. Opens it first, which restores
 * the title of a damaged entry from the library. Throws as `open` and `change` do.
 */
export async function giveTitle(
  documents: Pick<Documents, 'open' | 'change' | 'library'>,
  id: ConversationId,
  title: string,
): Promise<void> {
  const open = await documents.open(id);
  try {
    const { entries } = await readLibrary(documents.library);
    const { meta, newer } = open.get();
    if (meta.title !== '' || newer) return;
    await documents.change(id, { meta: { title: distinctTitle(title, id, entries), titleBy: 'auto' } });
  } finally {
    open.close();
  }
}

/** True for documents that go into the index: conversations, and the memory notes as one more. */
const isRead = (document: string): document is ConversationId =>
  isConversation(document) || isNotes(document);

/** Keys of the key-value store, all of this device. */
const REBUILD = 'memory.rebuild';
const PIPELINE_VERSION_KEY = 'memory.recipe';

/** Log entries read at a time. */
const PAGE = 100;
/** Chunks requested at a time; new ones wait for them. */
const READ_AHEAD = 64;
const PAUSE_FORGOTTEN_MS = 15_000;
/** Delays after a configuration change at which a new provider is looked for, ms. */
const PROVIDER_CHECKS_MS = [100, 1_000, 10_000];
/** New messages are collected for so long before the next look, ms. */
const GAP_MS = 30;

/**
 * Asks the engine that runs now or next to rebuild the index. Durable when resolved. Calibrations of models are
 * deleted, and measured again from the next start on.
 */
export async function requestRebuild(keyValues: KeyValues): Promise<void> {
  for (const key of await keyValues.keys(CALIBRATIONS)) await keyValues.set(key, undefined);
  await keyValues.set(REBUILD, true);
}

/** Starts the engine at once. It ends with the signal; callers need not await that. */
export function startMemoryEngine(deps: MemoryEngineDeps): MemoryEngine {
  return new BackgroundEngine(deps);
}

class BackgroundEngine implements MemoryEngine {
  readonly #deps: MemoryEngineDeps;
  readonly #log: ConversationLog;
  readonly #keyValues: KeyValues;
  readonly #now: NonNullable<MemoryEngineDeps['now']>;
  readonly #reader: Reader;
  readonly #filter: PrivacyFilter;
  #projecting = false;
  #embeddingNow = false;
  #starting = true;
  #unread = 0;
  /** A few entries do not justify reading the library: each counts as one message until its conversation is read. */
  #isCountedByEntry = false;
  #pendingMessages = 0;
  #rate = 0;
  #paused = false;
  /** The index does not answer, or the log cannot be read: everything waits for that. */
  #fatal: Problem | null = null;
  /** Problem in making vectors. */
  #vectorProblem: Problem | null = null;
  /** Problem of something that was skipped. */
  #skipped: Problem | null = null;
  /** Documents named by a change; an erased one has no entry by which to find it. */
  readonly #touched = new Set<ConversationId>();
  /** Conversations whose summary is older than their messages. */
  readonly #undescribed = new Set<ConversationId>();
  /** Those of them that the store has. */
  #noted: string | undefined;
  readonly #projectAll;
  /** Request that waits until the log is read up to its time: a message saved just before an end belongs to it. */
  #requested: 'ended' | 'now' | null = null;
  /** True: embed everything that waits. Set at the start, by the end of a conversation, and by `now`. */
  #all = true;
  /** For each conversation with pending chunks, since when, by `now()`. */
  readonly #pendingSince = new Map<ConversationId, number>();
  #pausedAt = 0;
  /** Subscription to the state of the present provider. */
  #watched: { readonly provider: EmbeddingProvider; readonly stop: () => void } | undefined;
  readonly #projector: ReturnType<typeof createJob>;
  readonly #indexer: ReturnType<typeof createJob>;
  readonly #embedder: ChunkEmbedder;
  readonly #status: StatusNotifier<EngineStatus>;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(deps: MemoryEngineDeps) {
    this.#deps = deps;
    const {
      store: { log, keyValues },
      now = Date.now,
    } = deps;
    this.#log = log;
    this.#keyValues = keyValues;
    this.#now = now;
    this.#reader = createReader(this.#log);
    this.#status = new StatusNotifier(() => this.#statusNow(), deps.onStatus);
    this.#embedder = new ChunkEmbedder({ ...deps, isPaused: () => this.#stillPaused() });
    this.#filter = new PrivacyFilter({
      config: deps.config,
      tokens: deps.tokens ?? new TokenTable({ keyValues: keyValues, signal: deps.signal }),
    });
    const { projectAll } = createProjection({
      index: deps.index,
      reader: this.#reader,
      config: deps.config,
      filter: this.#filter,
      setTitle: deps.setTitle,
      signal: deps.signal,
      touched: this.#touched,
      undescribed: this.#undescribed,
      onSkipped: (id, detail, cause) => this.#skip(id, detail, cause),
      // An imported conversation is one entry, however long it is.
      onFresh: (messages) => {
        if (!this.#isCountedByEntry || messages < 2) return;
        this.#unread += messages - 1;
        this.#status.notify();
      },
      beforeBatch: () => this.#noteUndescribed(),
      onMessage: () => {
        this.#unread = Math.max(0, this.#unread - 1);
      },
      onBatch: () => this.#status.notifySoon(),
    });
    this.#projectAll = projectAll;
    this.#projector = createJob({
      run: () => this.#runProjector(),
      signal: deps.signal,
      gapMs: GAP_MS,
      onError: (error) => {
        this.#fatal = toProblem(error);
        diagnostics.warn('The memory index could not be brought up to date', error);
        this.#status.notify();
      },
    });
    this.#indexer = createJob({
      run: () => this.#runIndexer(),
      signal: deps.signal,
      gapMs: 200,
      pauseMs: 5_000,
      maxPauseMs: 600_000,
      onError: (error) => {
        if (isAbort(error)) return;
        this.#vectorProblem = toProblem(error);
        diagnostics.info('Vectors have to wait', error);
        this.#status.notify();
      },
    });
    const stops = [
      this.#log.subscribe(({ documents }) => {
        for (const document of documents) if (isRead(document)) this.#touched.add(document);
        // The status must say at once that the new message cannot be found yet, and not only from the next look on.
        if (!this.#projecting && this.#unread === 0 && documents.some(isRead)) {
          this.#unread = 1;
          this.#status.notifySoon();
        }
        this.#projector.wake();
      }),
      this.#keyValues.subscribe(({ keys }) => {
        if (keys.includes(REBUILD)) this.#projector.wake(true);
      }),
      // The privacy filter affects rows, a trigger affects vectors.
      deps.config.subscribe(() => {
        this.#projector.wake();
        this.#indexer.wake();
        if (!deps.onEmbedding)
          for (const ms of PROVIDER_CHECKS_MS) this.#setTimer(() => this.#indexer.wake(true), ms);
      }),
      deps.onEmbedding?.(() => this.#indexer.wake(true)) ?? (() => undefined),
    ];
    deps.signal.addEventListener(
      'abort',
      () => {
        for (const stop of stops) stop();
        this.#watched?.stop();
        for (const timer of this.#timers) clearTimeout(timer);
        this.#status.stop();
      },
      { once: true },
    );
    this.#projector.wake();
    this.#status.notify();
  }

  wake(reason: Parameters<Memory['wake']>[0]): void {
    if (reason === 'now') this.#requested = 'now';
    else if (reason === 'ended' && this.#deps.config.get().indexing.on_end) this.#requested ??= 'ended';
    this.#projector.wake(reason === 'now');
  }

  setPaused(value: boolean): void {
    const before = this.#paused;
    this.#paused = value;
    this.#pausedAt = performance.now();
    if (before && !value) this.#indexer.wake();
    this.#status.notify();
  }

  async rebuild(): Promise<void> {
    await requestRebuild(this.#keyValues);
    this.#projector.wake(true);
  }

  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      await this.#projector.settled();
      await this.#indexer.settled();
      await yieldToEvents();
      quiet += 1;
    }
  }

  #stateNow(): EngineStatus['state'] {
    if (this.#fatal) return 'failed';
    if (this.#starting) return 'starting';
    if (this.#projecting && this.#unread > 0) return 'indexing';
    if (this.#paused && this.#pendingMessages > 0) return 'paused';
    return this.#embeddingNow ? 'indexing' : 'ready';
  }

  #embeddingState(): EmbeddingState {
    const state = this.#deps.embedding()?.state.get() ?? { status: 'idle' };
    return this.#vectorProblem && state.status !== 'loading'
      ? { status: 'failed', problem: this.#vectorProblem }
      : state;
  }

  #statusNow(): EngineStatus {
    return {
      state: this.#stateNow(),
      unread: this.#unread,
      waiting: this.#pendingMessages,
      rate: Math.round(this.#rate * 10) / 10,
      embedding: this.#embeddingState(),
      problem: this.#fatal ?? this.#vectorProblem ?? this.#skipped,
    };
  }

  #skip(id: string, detail: string, cause?: unknown): void {
    this.#skipped = new RecollectError(
      'damaged-entry',
      `A part of conversation ${id} cannot be read: ${detail}`,
      {
        params: { document: id, detail },
        cause,
      },
    ).problem;
  }

  /** Rebuilds rows of an older pipeline version (or of other private words); vectors that still fit stay. */
  async #followPipelineVersion(): Promise<void> {
    const pipelineVersion = pipelineVersionOf(this.#deps.config.get().privacy);
    const bookmark = await this.#deps.index.bookmark();
    if ((await this.#keyValues.get(PIPELINE_VERSION_KEY)) !== pipelineVersion) {
      if (bookmark > 0) {
        const ids = (await this.#log.documents()).filter(isRead);
        this.#unread = await this.#countUnread(new Set(ids), await this.#log.head());
        this.#status.notify();
        await this.#removeExcluded(bookmark);
        await this.#projectAll(ids, bookmark, { all: true, bookmark });
      }
      await this.#keyValues.set(PIPELINE_VERSION_KEY, pipelineVersion);
    }
  }

  /** Remove excluded conversations first and at once, before anything is made again. */
  async #removeExcluded(bookmark: number): Promise<void> {
    const { exclude_work_dirs: folders } = this.#deps.config.get().privacy;
    const excluded = (await this.#reader.library()).filter(({ workDir }) => isExcluded(workDir, folders));
    if (excluded.length === 0) return;
    const removedConversations = excluded.map(({ id }) => id);
    await this.#deps.index.apply(
      { conversations: [], messages: [], removedMessages: [], removedConversations },
      bookmark,
    );
  }

  /** Documents erased while no engine ran left no entry: find them as extra rows of the index. */
  async #forgetErased(): Promise<void> {
    const there = new Set<string>(await this.#log.documents());
    for (const id of await this.#deps.index.conversationIds()) if (!there.has(id)) this.#touched.add(id);
  }

  async #runProjector(): Promise<void> {
    const accepted = this.#requested;
    this.#requested = null;
    this.#projecting = true;
    let hasMoved = false;
    try {
      if ((await this.#keyValues.get(REBUILD)) !== undefined) {
        await this.#deps.index.clear();
        this.#undescribed.clear();
        await this.#keyValues.set(REBUILD, undefined);
      }
      const head = await this.#log.head();
      // The log was emptied and the index was not: none of its rows has a source.
      if ((await this.#deps.index.bookmark()) > head) await this.#deps.index.clear();
      if (this.#starting) for (const id of await undescribedIn(this.#keyValues)) this.#undescribed.add(id);
      await this.#followPipelineVersion();
      if (this.#starting) await this.#forgetErased();
      for (;;) {
        this.#deps.signal.throwIfAborted();
        const bookmark = await this.#deps.index.bookmark();
        const entries = await this.#log.since(bookmark, PAGE);
        const ids = new Set(entries.map(({ document }) => document).filter(isRead));
        // A document that a change named but that has no entry was erased.
        if (entries.length === 0) for (const id of this.#touched) ids.add(id);
        if (entries.length === 0 && ids.size === 0) break;
        const reach = entries.at(-1)?.seq ?? bookmark;
        this.#unread = await this.#countUnread(ids, reach);
        this.#status.notify();
        try {
          await this.#projectAll([...ids], reach, { all: false, bookmark });
        } catch (error) {
          // An erased conversation is in no entry, so only this set remembers to remove it.
          for (const id of ids) this.#touched.add(id);
          throw error;
        }
        hasMoved = true;
        this.#starting = false;
        this.#fatal = null;
        if ((await this.#keyValues.get(REBUILD)) !== undefined) {
          this.#projector.wake();
          break;
        }
      }
      await this.#noteUndescribed();
      this.#starting = false;
      this.#fatal = null;
    } catch (error) {
      this.#requested ??= accepted;
      throw error;
    } finally {
      this.#projecting = false;
      // Touched documents are not read yet.
      this.#unread = this.#touched.size > 0 ? 1 : 0;
      // The figures count messages only, and someone may wait for other entries to be read.
      if (hasMoved) this.#status.announce();
      else this.#status.notify();
    }
    if (accepted) this.#all = true;
    this.#indexer.wake(accepted === 'now');
  }

  /**
   * Counts messages that cannot be found yet: of named conversations as the library counts, and
   * one for each entry beyond the page.
   */
  async #countUnread(ids: ReadonlySet<ConversationId>, reach: number): Promise<number> {
    const beyond = Math.max(0, (await this.#log.head()) - reach);
    this.#isCountedByEntry = ids.size <= 3;
    if (this.#isCountedByEntry) return ids.size + beyond;
    const entries = await this.#reader.library();
    let messages = 0;
    for (const entry of entries) if (ids.has(entry.id)) messages += entry.messageCount;
    const each = Math.max(1, messages / ids.size);
    return Math.round(messages + beyond * each);
  }

  #stillPaused(): boolean {
    if (this.#paused && performance.now() - this.#pausedAt > PAUSE_FORGOTTEN_MS) this.#paused = false;
    return this.#paused;
  }

  /** Conversations that are due, or `all` if every pending one is. */
  #ready(counts: readonly { conversationId: ConversationId; messages: number }[]): ConversationId[] | 'all' {
    const { every_messages, max_age_minutes } = this.#deps.config.get().indexing;
    const present = new Set(counts.map(({ conversationId }) => conversationId));
    for (const id of [...this.#pendingSince.keys()]) if (!present.has(id)) this.#pendingSince.delete(id);
    let next = Number.POSITIVE_INFINITY;
    const due: ConversationId[] = [];
    for (const { conversationId, messages } of counts) {
      const from = this.#pendingSince.get(conversationId) ?? this.#now();
      this.#pendingSince.set(conversationId, from);
      const left = from + max_age_minutes * 60_000 - this.#now();
      if (messages >= every_messages || left <= 0) due.push(conversationId);
      else next = Math.min(next, left);
    }
    if (this.#all || due.length === counts.length) return 'all';
    if (Number.isFinite(next)) this.#indexer.wakeWithin(next);
    return due;
  }

  async #describeDue(due: readonly ConversationId[] | 'all'): Promise<void> {
    const ids = [...this.#undescribed].filter((id) => due === 'all' || due.includes(id));
    for (const id of ids) {
      await yieldToEvents(this.#deps.signal);
      const found = await this.#reader.read(id);
      this.#undescribed.delete(id);
      if (!found || !isRemembered(found.conversation, this.#deps.config.get().privacy)) continue;
      const { privacy } = this.#deps.config.get();
      const described = await this.#filter.hiding('index', (hiding) =>
        describeConversation(
          withoutCutWords(found.conversation, hiding),
          privacy,
          (text) => hiding.hide(text).text,
        ),
      );
      await this.#deps.index.describe(id, described);
    }
    if (ids.length > 0) await this.#noteUndescribed();
  }

  async #noteUndescribed(): Promise<void> {
    const ids = [...this.#undescribed].join(' ');
    if (ids === this.#noted) return;
    await noteUndescribed(this.#keyValues, this.#undescribed);
    this.#noted = ids;
  }

  #watch(provider: EmbeddingProvider | null): void {
    if (this.#watched?.provider === provider) return;
    this.#watched?.stop();
    this.#watched = provider
      ? { provider, stop: provider.state.subscribe(() => this.#status.notifySoon()) }
      : undefined;
    this.#vectorProblem = null;
  }

  async #runIndexer(): Promise<void> {
    // Rows of an older pipeline version may contain excluded words; the projector wakes this job after rebuilding them.
    if (
      this.#starting ||
      (await this.#keyValues.get(PIPELINE_VERSION_KEY)) !== pipelineVersionOf(this.#deps.config.get().privacy)
    )
      return;
    const wasAll = this.#all;
    const began = performance.now();
    let done = 0;
    let before = new Set<number>();
    try {
      for (;;) {
        this.#deps.signal.throwIfAborted();
        const provider = this.#deps.embedding();
        this.#watch(provider);
        if (!provider) {
          this.#pendingMessages = 0;
          // There is no batch to wait for.
          await this.#describeDue(this.#all || !this.#stillPaused() ? 'all' : []);
          this.#all = false;
          return;
        }
        if (this.#embedder.prepareFor(provider)) {
          // With another model everything waits again, and none of it is new.
          this.#all = true;
          before = new Set();
        }
        const counts = await this.#deps.index.pendingCounts(provider.id);
        this.#pendingMessages = counts.reduce((sum, { messages }) => sum + messages, 0);
        const due = this.#ready(counts);
        this.#status.notifySoon();
        await this.#describeDue(due);
        if (this.#pendingMessages === 0) this.#all = false;
        if (this.#pendingMessages === 0 || due.length === 0) return;

        if (this.#stillPaused()) {
          this.#indexer.wakeWithin(PAUSE_FORGOTTEN_MS + 50);
          return;
        }
        const pending = await this.#deps.index.pendingChunks(
          provider.id,
          READ_AHEAD,
          due === 'all' ? undefined : due,
        );
        if (pending.length > 0 && pending.every((chunk) => before.has(chunk.id)))
          throw new RecollectError('embedding-broken', 'The model gave no vectors', { retry: true });
        if (pending.length === 0) return;
        this.#embeddingNow = true;
        this.#status.notifySoon();
        const read = await this.#embedder.embed(provider, pending, done > 0, (count) => {
          this.#vectorProblem = null;
          done += count;
          this.#pendingMessages = Math.max(0, this.#pendingMessages - count);
          this.#rate = done / ((performance.now() - began) / 1_000);
          this.#status.notifySoon();
        });
        before = new Set(pending.slice(0, read).map((chunk) => chunk.id));
      }
    } catch (error) {
      // Leave the request standing for the next try.
      if (wasAll) this.#all = true;
      throw error;
    } finally {
      this.#embeddingNow = false;
      this.#rate = 0;
      this.#status.notify();
    }
  }

  #setTimer(work: () => void, ms: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }
}
