// Keeps the memory index in step with the log. Once per origin: the leader runs it, the next leader resumes from the bookmarks.
//
//   log ──since(bookmark)──► projector: changed conversations → rows, chunks, words ──► index.apply (rows and bookmark together)
//                                                                        │
//   typing pauses it · every_messages, end, max_age trigger it ──► indexer: stale chunks → vectors ──► index.put
//                                                                        └► keywords, summary, title
//
// Both only compare what is with what should be: killed anywhere, the next run goes on where this one stopped.
import {
  CALIBRATIONS,
  type EmbeddingProvider,
  type EmbeddingState,
} from '../../adapters/embedding/embedding-provider.ts';
import type { MemoryIndex, NewVector, StaleChunk } from '../../adapters/index/memory-index.ts';
import type { Drawer, Store } from '../../adapters/log/conversation-log.ts';
import { isAbort, type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isConversation } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import { isNotes } from '../../domain/memory/notes.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Documents } from '../documents/documents.ts';
import { createReader } from '../documents/reader.ts';
import { breathe, createJob } from '../scheduler.ts';
import type { Memory, MemoryStatus } from './memory.ts';
import { createProjection } from './projection.ts';
import { describeConversation, isRemembered, recipeOf } from './rows.ts';

/** What the engine knows of itself; which file system the index is on is known to whoever opened it. */
export type EngineStatus = Omit<MemoryStatus, 'engine'>;

export interface MemoryEngine {
  /** `changed`: look again. `ended`: the conversation that was open has ended. `now`: do all of it, failures too. */
  wake(reason: Parameters<Memory['wake']>[0]): void;
  /** Embedding waits while true; forgotten after 15 s unless said again, so that a tab that died cannot hold it. */
  setPaused(paused: boolean): void;
  /** Empties the index and makes it again. Resolves when the wish is durable; progress is in the status. */
  rebuild(): Promise<void>;
  /** Resolves when there is nothing left to do right now. */
  settled(): Promise<void>;
}

export interface MemoryEngineDeps {
  readonly store: Store;
  readonly index: MemoryIndex;
  /** null: none yet; words only. Asked again before each batch. */
  readonly embedding: () => EmbeddingProvider | null;
  /** Tells that `embedding` gives another one now. Without it the change is noticed within seconds of the configuration's. */
  readonly onEmbedding?: (listener: () => void) => () => void;
  readonly config: Readable<Config>;
  /** Writes a title made from the words, see `giveTitle`; titles live in documents, which this does not write. */
  readonly setTitle: (conversation: ConversationId, title: string) => Promise<void>;
  readonly onStatus: (status: EngineStatus) => void;
  readonly signal: AbortSignal;
  /** ms since 1970 */
  readonly now?: () => number;
}

/**
 * Gives a title made from the words to a conversation that has none. Opened first: the title that went with a damaged entry comes back
 * from its line in the library. Throws as `open` and `change` do.
 */
export async function giveTitle(
  documents: Pick<Documents, 'open' | 'change'>,
  id: ConversationId,
  title: string,
): Promise<void> {
  const open = await documents.open(id);
  try {
    const { meta, newer } = open.get();
    if (meta.title === '' && !newer) await documents.change(id, { meta: { title, titleBy: 'auto' } });
  } finally {
    open.close();
  }
}

/** What goes into the index: conversations, and the memory notes as one more. */
const isRead = (document: string): document is ConversationId =>
  isConversation(document) || isNotes(document);

/** Drawer keys, all of this device. */
const REBUILD = 'memory.rebuild';
const RECIPE = 'memory.recipe';
const UNDESCRIBED = 'memory.undescribed';

/** Log entries read at a time. */
const PAGE = 100;
/** Vectors are kept about this often, ms: killed, it is all that is lost. As long a server may take for a batch: paused, it is all that is waited for. */
const BATCH_MS = 700;
/** Chunks asked for at a time; what is new meanwhile waits for them. */
const LOOK_AHEAD = 64;
const PAUSE_FORGOTTEN_MS = 15_000;
/** When a provider is looked for that the configuration may have named, ms after its change. */
const PROVIDER_LOOKS = [100, 1_000, 10_000];
/** How long one lot of new messages is collected before the next look. */
const GAP_MS = 30;
/** Least time between two statuses while nothing but figures changes. */
const STATUS_MS = 200;

/** Asks whichever engine runs, now or next, to make the index again. Durable when resolved. What was measured of models is measured anew from the next start on. */
export async function requestRebuild(drawer: Drawer): Promise<void> {
  for (const key of await drawer.keys(CALIBRATIONS)) await drawer.set(key, undefined);
  await drawer.set(REBUILD, true);
}

/** Starts at once. Ends with the signal; nothing has to be awaited then. */
export function startMemoryEngine({
  store: { log, drawer },
  index,
  embedding,
  onEmbedding,
  config,
  setTitle,
  onStatus,
  signal,
  now = Date.now,
}: MemoryEngineDeps): MemoryEngine {
  const reader = createReader(log);

  // ---------------------------------------------------------------- status
  let projecting = false;
  let embeddingNow = false;
  let starting = true;
  let unread = 0;
  /** Few entries are not worth reading the library for: each counts as one message until its conversation is read. */
  let isCountedByEntry = false;
  let waiting = 0;
  let rate = 0;
  let paused = false;
  /** The index does not answer, or the log cannot be read: nothing can be done until it does. */
  let fatal: Problem | null = null;
  /** The vectors cannot be made. */
  let vectorProblem: Problem | null = null;
  /** Something was skipped. */
  let skipped: Problem | null = null;
  let told = '';
  let toldAt = Number.NEGATIVE_INFINITY;
  let statusTimer: ReturnType<typeof setTimeout> | undefined;

  const stateNow = (): EngineStatus['state'] => {
    if (fatal) return 'failed';
    if (starting) return 'starting';
    if (projecting && unread > 0) return 'indexing';
    if (paused && waiting > 0) return 'paused';
    return embeddingNow ? 'indexing' : 'ready';
  };
  const embeddingState = (): EmbeddingState => {
    const state = embedding()?.state.get() ?? { status: 'idle' };
    return vectorProblem && state.status !== 'loading' ? { status: 'failed', problem: vectorProblem } : state;
  };
  const tell = () => {
    if (signal.aborted) return;
    if (statusTimer) clearTimeout(statusTimer);
    statusTimer = undefined;
    const status: EngineStatus = {
      state: stateNow(),
      unread,
      waiting,
      rate: Math.round(rate * 10) / 10,
      embedding: embeddingState(),
      problem: fatal ?? vectorProblem ?? skipped,
    };
    const text = JSON.stringify(status);
    if (text === told) return;
    told = text;
    toldAt = performance.now();
    onStatus(status);
  };
  /** For figures that change all the time. */
  const tellSoon = () => {
    if (statusTimer || signal.aborted) return;
    statusTimer = setTimeout(tell, Math.max(0, toldAt + STATUS_MS - performance.now()));
  };

  // ------------------------------------------------------------- projector
  /** Documents that a change named; an erased one leaves no entry behind to find it by. */
  const touched = new Set<ConversationId>();
  /** Conversations whose summary is older than their messages. */
  const undescribed = new Set<ConversationId>();

  const skip = (id: string, detail: string, cause?: unknown) => {
    skipped = new RecollectError('damaged-entry', `A part of conversation ${id} cannot be read: ${detail}`, {
      params: { document: id, detail },
      cause,
    }).problem;
  };

  const { projectAll } = createProjection({
    index,
    reader,
    config,
    setTitle,
    signal,
    touched,
    undescribed,
    onSkipped: skip,
    // A conversation that came in whole is one entry, however long it is.
    onFresh: (messages) => {
      if (!isCountedByEntry || messages < 2) return;
      unread += messages - 1;
      tell();
    },
    onMessage: () => {
      unread = Math.max(0, unread - 1);
    },
    onBatch: tellSoon,
  });

  /** Rows made by an older recipe (another version, other private words) are made again; vectors that still fit stay. */
  const followRecipe = async (): Promise<void> => {
    const recipe = recipeOf(config.get().privacy);
    const bookmark = await index.bookmark();
    if ((await drawer.get(RECIPE)) !== recipe) {
      if (bookmark > 0) {
        const ids = (await log.documents()).filter(isRead);
        unread = await countUnread(new Set(ids), await log.head());
        tell();
        await projectAll(ids, bookmark, { all: true, bookmark });
      }
      await drawer.set(RECIPE, recipe);
    }
  };

  /** What was asked for and waits until the log has been read up to where it was then: a word said just before an end belongs to it. */
  let wish: 'ended' | 'now' | null = null;

  /** What was erased while no engine ran left no entry to be found by: it is told by what the index has too much. */
  const forgetErased = async (): Promise<void> => {
    const there = new Set<string>(await log.documents());
    for (const id of await index.conversationIds()) if (!there.has(id)) touched.add(id);
  };

  const runProjector = async (): Promise<void> => {
    const granted = wish;
    wish = null;
    projecting = true;
    try {
      if ((await drawer.get(REBUILD)) !== undefined) {
        await index.clear();
        undescribed.clear();
        await drawer.set(REBUILD, undefined);
      }
      const head = await log.head();
      // The log was emptied and the index was not: what it holds belongs to nobody.
      if ((await index.bookmark()) > head) await index.clear();
      if (starting) for (const id of await undescribedBefore()) undescribed.add(id);
      await followRecipe();
      if (starting) await forgetErased();
      for (;;) {
        signal.throwIfAborted();
        const bookmark = await index.bookmark();
        const entries = await log.since(bookmark, PAGE);
        const ids = new Set(entries.map(({ document }) => document).filter(isRead));
        // What was named by a change and left no entry was erased.
        if (entries.length === 0) for (const id of touched) ids.add(id);
        if (entries.length === 0 && ids.size === 0) break;
        const reach = entries.at(-1)?.seq ?? bookmark;
        unread = await countUnread(ids, reach);
        tell();
        try {
          await projectAll([...ids], reach, { all: false, bookmark });
        } catch (error) {
          // An erased conversation is in no entry: only this remembers that it has to go.
          for (const id of ids) touched.add(id);
          throw error;
        }
        starting = false;
        fatal = null;
        if ((await drawer.get(REBUILD)) !== undefined) {
          projector.wake();
          break;
        }
      }
      await drawer.set(UNDESCRIBED, undescribed.size > 0 ? [...undescribed] : undefined);
      starting = false;
      fatal = null;
    } catch (error) {
      wish ??= granted;
      throw error;
    } finally {
      projecting = false;
      // What was said meanwhile is not read yet.
      unread = touched.size > 0 ? 1 : 0;
      tell();
    }
    if (granted) all = true;
    indexer.wake(granted === 'now');
  };

  const undescribedBefore = async (): Promise<ConversationId[]> => {
    const kept = await drawer.get(UNDESCRIBED);
    return Array.isArray(kept) ? kept.filter((id): id is ConversationId => typeof id === 'string') : [];
  };

  /** Messages that are not findable yet: what the library says of the conversations named, and one for each entry beyond the page. */
  const countUnread = async (ids: ReadonlySet<ConversationId>, reach: number): Promise<number> => {
    const beyond = Math.max(0, (await log.head()) - reach);
    isCountedByEntry = ids.size <= 3;
    if (isCountedByEntry) return ids.size + beyond;
    const entries = await reader.library();
    let messages = 0;
    for (const entry of entries) if (ids.has(entry.id)) messages += entry.messageCount;
    const each = Math.max(1, messages / ids.size);
    return Math.round(messages + beyond * each);
  };

  // --------------------------------------------------------------- indexer
  /** Everything that waits now is to be done: set at the start, by an ended conversation, by `now`. */
  let all = true;
  /** Since when a conversation has something waiting, by `now()`. */
  const waitingSince = new Map<ConversationId, number>();
  /** Texts in a batch: follows how fast the model reads. */
  let size = 4;
  let sizeFor = '';
  let pausedAt = 0;

  const stillPaused = () => {
    if (paused && performance.now() - pausedAt > PAUSE_FORGOTTEN_MS) paused = false;
    return paused;
  };

  /** Conversations whose turn has come, or `all` when that is every one that waits. */
  const ready = (
    counts: readonly { conversationId: ConversationId; messages: number }[],
  ): ConversationId[] | 'all' => {
    const { every_messages, max_age_minutes } = config.get().indexing;
    const present = new Set(counts.map(({ conversationId }) => conversationId));
    for (const id of [...waitingSince.keys()]) if (!present.has(id)) waitingSince.delete(id);
    let next = Number.POSITIVE_INFINITY;
    const due: ConversationId[] = [];
    for (const { conversationId, messages } of counts) {
      const from = waitingSince.get(conversationId) ?? now();
      waitingSince.set(conversationId, from);
      const left = from + max_age_minutes * 60_000 - now();
      if (messages >= every_messages || left <= 0) due.push(conversationId);
      else next = Math.min(next, left);
    }
    if (all || due.length === counts.length) return 'all';
    if (Number.isFinite(next)) indexer.wakeWithin(next);
    return due;
  };

  const describeDue = async (due: readonly ConversationId[] | 'all'): Promise<void> => {
    const ids = [...undescribed].filter((id) => due === 'all' || due.includes(id));
    for (const id of ids) {
      await breathe(signal);
      const found = await reader.read(id);
      undescribed.delete(id);
      if (!found || !isRemembered(found.conversation, config.get().privacy)) continue;
      const { summary, keywords } = describeConversation(found.conversation, config.get().privacy);
      await index.describe(id, { summary, keywords });
    }
    if (ids.length > 0) await drawer.set(UNDESCRIBED, undescribed.size > 0 ? [...undescribed] : undefined);
  };

  /** Follows the state of whichever provider is in use. */
  let watched: { readonly provider: EmbeddingProvider; readonly stop: () => void } | undefined;
  const watch = (provider: EmbeddingProvider | null) => {
    if (watched?.provider === provider) return;
    watched?.stop();
    watched = provider ? { provider, stop: provider.state.subscribe(tellSoon) } : undefined;
    vectorProblem = null;
  };

  const vectorsOf = async (
    provider: EmbeddingProvider,
    chunks: readonly StaleChunk[],
  ): Promise<NewVector[]> => {
    const options = { kind: 'passage', signal } as const;
    if (provider.read) {
      const made = await provider.read(
        chunks.map(({ embedded, context }) => ({
          context: embedded.slice(0, context),
          text: embedded.slice(context),
        })),
        options,
      );
      return chunks.flatMap(({ id }, at) => {
        const one = made[at];
        return one ? [{ chunkId: id, values: one.vector, bits: one.bits }] : [];
      });
    }
    const vectors = await provider.embed(
      chunks.map((chunk) => chunk.embedded),
      options,
    );
    return chunks.flatMap(({ id }, at) => {
      const values = vectors[at];
      return values ? [{ chunkId: id, values }] : [];
    });
  };

  /**
   * Embeds these chunks and keeps their vectors as they come, and tells how many were read; ends early where a pause begins or another model is in
   * use. A model of this device is given them one by one, as many as it reads side by side: whoever begins to type waits for no more of them.
   * @param wasRead whether the model has read something before in this run
   * @param onKept told how many more are read and kept
   */
  const embedAll = async (
    provider: EmbeddingProvider,
    chunks: readonly StaleChunk[],
    wasRead: boolean,
    onKept: (count: number) => void,
  ): Promise<number> => {
    let isWarm = wasRead;
    let begun = 0;
    let over = 0;
    let made: NewVector[] = [];
    let keptAt = performance.now();
    const keep = async () => {
      const [some, count] = [made, over];
      [made, over, keptAt] = [[], 0, performance.now()];
      await index.put(provider.id, some);
      vectorProblem = null;
      onKept(count);
    };
    const reader = async () => {
      while (begun < chunks.length && embedding() === provider && !(begun > 0 && stillPaused())) {
        const batch = chunks.slice(begun, begun + (provider.read ? 1 : Math.min(size, provider.maxBatch)));
        begun += batch.length;
        const began = performance.now();
        // What was made until then may be on its way to the index when this one is done.
        const vectors = await vectorsOf(provider, batch);
        made.push(...vectors);
        over += batch.length;
        const took = performance.now() - began;
        // A cold batch also loads the model: it says nothing about its speed.
        if (isWarm || took < BATCH_MS)
          size = Math.max(1, Math.round(batch.length * Math.min(2, BATCH_MS / Math.max(1, took))));
        isWarm = true;
        more();
        // What a server has read was paid for.
        if (!provider.read || performance.now() - keptAt >= BATCH_MS) await keep();
        await breathe(signal);
      }
    };
    const readers: Promise<void>[] = [];
    let failed: { readonly reason: unknown } | undefined;
    // How many a model reads side by side is known once it is loaded.
    const more = () => {
      while (readers.length < (provider.abreast ?? 1))
        readers.push(
          reader().catch((reason: unknown) => {
            failed ??= { reason };
          }),
        );
    };
    more();
    for (let at = 0; at < readers.length; at++) await readers[at];
    if (over > 0 && !signal.aborted) await keep();
    // Replaced while it was at work: the next one is asked.
    if (failed && !(isAbort(failed.reason) && !signal.aborted && embedding() !== provider))
      throw failed.reason;
    return begun;
  };

  const runIndexer = async (): Promise<void> => {
    // Rows of another recipe may hold what is excluded by now; the projector wakes this when they are made again.
    if (starting || (await drawer.get(RECIPE)) !== recipeOf(config.get().privacy)) return;
    const wasAll = all;
    const began = performance.now();
    let done = 0;
    let before = new Set<number>();
    try {
      for (;;) {
        signal.throwIfAborted();
        const provider = embedding();
        watch(provider);
        if (!provider) {
          waiting = 0;
          await describeDue(all ? 'all' : []);
          all = false;
          return;
        }
        if (provider.id !== sizeFor) {
          // Another model: everything waits again, and none of it is new.
          all = true;
          [size, sizeFor] = [4, provider.id];
          before = new Set();
        }
        const counts = await index.waiting(provider.id);
        waiting = counts.reduce((sum, { messages }) => sum + messages, 0);
        const due = ready(counts);
        tellSoon();
        await describeDue(due);
        if (waiting === 0) all = false;
        if (waiting === 0 || due.length === 0) return;

        if (stillPaused()) {
          indexer.wakeWithin(PAUSE_FORGOTTEN_MS + 50);
          return;
        }
        const stale = await index.stale(provider.id, LOOK_AHEAD, due === 'all' ? undefined : due);
        if (stale.length > 0 && stale.every((chunk) => before.has(chunk.id)))
          throw new RecollectError('embedding-broken', 'The model gave no vectors', { retry: true });
        if (stale.length === 0) return;
        embeddingNow = true;
        tellSoon();
        const read = await embedAll(provider, stale, done > 0, (count) => {
          done += count;
          waiting = Math.max(0, waiting - count);
          rate = done / ((performance.now() - began) / 1_000);
          tellSoon();
        });
        before = new Set(stale.slice(0, read).map((chunk) => chunk.id));
      }
    } catch (error) {
      // What was asked for is not done: the next try knows it.
      if (wasAll) all = true;
      throw error;
    } finally {
      embeddingNow = false;
      rate = 0;
      tell();
    }
  };

  const projector = createJob({
    run: runProjector,
    signal,
    gapMs: GAP_MS,
    onError: (error) => {
      fatal = toProblem(error);
      console.warn('The memory index could not be brought up to date', fatal.message);
      tell();
    },
  });
  const indexer = createJob({
    run: runIndexer,
    signal,
    gapMs: 200,
    pauseMs: 5_000,
    maxPauseMs: 600_000,
    onError: (error) => {
      if (isAbort(error)) return;
      vectorProblem = toProblem(error);
      console.info('Vectors have to wait', vectorProblem.message);
      tell();
    },
  });

  const timers = new Set<ReturnType<typeof setTimeout>>();
  const setTimer = (work: () => void, ms: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  };
  const stops = [
    log.subscribe(({ documents }) => {
      for (const document of documents) if (isRead(document)) touched.add(document);
      // Not found from now on, and not only from the next look on: nobody may be told otherwise in between.
      if (!projecting && unread === 0 && documents.some(isRead)) {
        unread = 1;
        tellSoon();
      }
      projector.wake();
    }),
    drawer.subscribe(({ keys }) => {
      if (keys.includes(REBUILD)) projector.wake(true);
    }),
    // A change of the privacy filter concerns the rows, one of the triggers the vectors.
    config.subscribe(() => {
      projector.wake();
      indexer.wake();
      if (!onEmbedding) for (const ms of PROVIDER_LOOKS) setTimer(() => indexer.wake(true), ms);
    }),
    onEmbedding?.(() => indexer.wake(true)) ?? (() => undefined),
  ];
  signal.addEventListener(
    'abort',
    () => {
      for (const stop of stops) stop();
      watched?.stop();
      for (const timer of timers) clearTimeout(timer);
      if (statusTimer) clearTimeout(statusTimer);
    },
    { once: true },
  );
  projector.wake();
  tell();

  return {
    wake: (reason) => {
      if (reason === 'now') wish = 'now';
      else if (reason === 'ended' && config.get().indexing.on_end) wish ??= 'ended';
      projector.wake(reason === 'now');
    },
    setPaused: (value) => {
      const before = paused;
      paused = value;
      pausedAt = performance.now();
      if (before && !value) indexer.wake();
      tell();
    },
    rebuild: async () => {
      await requestRebuild(drawer);
      projector.wake(true);
    },
    settled: async () => {
      for (let quiet = 0; quiet < 2; ) {
        await projector.settled();
        await indexer.settled();
        await new Promise((resolve) => setTimeout(resolve, 0));
        quiet += 1;
      }
    },
  };
}
