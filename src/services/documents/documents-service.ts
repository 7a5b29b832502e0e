// Opens and changes conversations, and follows changes made elsewhere. The screen is ahead of
// the log only while `saving` says so.
//
//   change ──► Y.Doc ──► readers here redraw
//                 └────► append queue ──► log.append (one transaction, in order) ──► resolved = durable
//   another tab ──► log ──► log follower ──► Y.Doc (in the conversation cache) ──► readers here redraw
import type { KeyValueWrite, NewEntry, Origin, Store } from '../../adapters/log/conversation-log.ts';
import { toProblem } from '../../domain/base/errors.ts';
import { type ConversationId, isConversation, isTemporary, LIBRARY_DOCUMENT } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Forgotten } from '../../domain/forget/sought.ts';
import { withoutForgottenSince } from '../forget/traces.ts';
import { AppendQueue, LogCursor, newEntry } from './append-queue.ts';
import { BulkChange, refuseNewer } from './bulk-change.ts';
import { ConversationCache } from './conversation-cache.ts';
import { ConversationList } from './conversation-list.ts';
import type { ConversationChange, Documents, LibraryEntry, OpenConversation } from './documents.ts';
import { Erasure } from './erasure.ts';
import { DocumentLoader, type OnProblem, SNAPSHOT_AFTER } from './loading.ts';
import { LogFollower } from './log-follower.ts';
import type { Notes } from './notes.ts';
import { purgeLog, unpurgedIn } from './purge.ts';
import { TemporaryConversations } from './temporary-conversations.ts';
import { toLibraryEntry } from './yjs-conversation.ts';
import { createLibraryDocument } from './yjs-library.ts';

interface DocumentsDeps {
  readonly store: Store;
  /** Feedback quotes passages, and is removed with erased ones. Required if others share the store. */
  readonly notes?: Pick<Notes, 'forget'> & Partial<Pick<Notes, 'forgotten'>>;
  /** Hears of damaged entries: they stay in the log, and the rest is shown. */
  readonly onProblem?: OnProblem;
}

/** Starts reading the library at once; `library` becomes ready when the log was read. */
export function createDocuments({
  store: { log, keyValues },
  notes,
  onProblem = () => {},
}: DocumentsDeps): Documents {
  let isClosing = false;
  const cursor = new LogCursor();
  const queue = new AppendQueue(log, cursor);
  const list = new ConversationList(queue);
  const loader = new DocumentLoader(log, onProblem);
  const cache = new ConversationCache({
    started: () => started,
    loader,
    list,
    queue,
    isClosing: () => isClosing,
  });
  const erasure = new Erasure({ log, keyValues, queue, list, cache, notes });
  const bulk = new BulkChange({ queue, list, cache, loader });
  const temporary = new TemporaryConversations(cache, bulk);

  const start = async (): Promise<void> => {
    cursor.seq = await log.head();
    const entries = await log.read(LIBRARY_DOCUMENT);
    for (const entry of entries) loader.apply(list.document, entry);
    list.logEntries = entries.length;
    list.notify();
    // Continue after a failure here (a full disk, a damaged entry), since everything can still be read.
    try {
      await erasure.resume();
      await listOrphans();
      if (list.logEntries < SNAPSHOT_AFTER) return;
      list.logEntries = 1;
      await loader.writeSnapshot(LIBRARY_DOCUMENT, createLibraryDocument(), () => isClosing);
    } catch (error) {
      onProblem(toProblem(error));
    }
  };

  /** Lists conversations that are in the log but not in the library, as after damage to their entry. */
  const listOrphans = async (): Promise<void> => {
    const entries: LibraryEntry[] = [];
    for (const id of await log.documents()) {
      if (!isConversation(id) || list.get(id)) continue;
      const conversation = (await loader.load(id))?.document.read();
      if (conversation && isBegun(conversation)) entries.push(toLibraryEntry(conversation));
    }
    const update = list.change(entries, []);
    if (update) await queue.enqueue([newEntry(LIBRARY_DOCUMENT, 'fold', update)], []);
    if (entries.length > 0) list.notify();
  };

  const started = start();
  started.catch((error) => {
    queue.fail(error);
    list.fail(toProblem(error));
  });
  const follower = new LogFollower({
    log,
    started: () => started,
    cursor,
    queue,
    list,
    cache,
    loader,
    onProblem,
  });
  const change = createChange({
    started,
    cache,
    list,
    queue,
    forgotten: () => notes?.forgotten?.get() ?? [],
    set: (key, value) => keyValues.set(key, value),
  });

  return {
    library: list.readable,
    saving: queue.saving,
    open: async (id) => await openConversation(cache, id),
    read: async (id) => {
      await started;
      const cached = await cache.find(id);
      if (cached) return cached.localHead.read();
      const loaded = await loader.load(id);
      if (loaded) cache.repair(loaded);
      return loaded?.document.read();
    },
    change,
    changeMany: async (changes, origin) => {
      await started;
      await bulk.apply(changes, origin);
    },
    keep: (id) => temporary.keep(id),
    onlyImported: async (ids) => {
      await started;
      const found: ConversationId[] = [];
      for (const id of ids) {
        if (await cache.find(id)) continue;
        if ((await log.read(id)).every(({ origin }) => origin === 'import')) found.push(id);
      }
      // The queued entries have been written.
      const queued = queue.documents();
      return found.filter((id) => !queued.has(id));
    },
    ...createTakingOut({ started, log, queue, erasure }),
    retry: () => queue.flush(),
    close: async () => {
      isClosing = true;
      list.close();
      queue.close();
      follower.close();
      await orElse(started, undefined, 'the failed start was reported already');
      await queue.flush();
      await follower.idle();
      // The follower may have queued list entries.
      await queue.flush();
    },
  };
}

/** Purges forgotten content from the log. */
const createTakingOut = ({
  started,
  log,
  queue,
  erasure,
}: {
  readonly started: Promise<void>;
  readonly log: Store['log'];
  readonly queue: AppendQueue;
  readonly erasure: Erasure;
}): Pick<Documents, 'erase' | 'unlist' | 'purge' | 'unpurged'> => ({
  erase: async (ids) => {
    await started;
    await erasure.erase(ids);
  },
  unlist: async (id) => {
    await started;
    await erasure.unlist(id);
  },
  purge: async (rules, only) => {
    await started;
    // Flush the queue first: it may hold words that are to go.
    await queue.drain();
    return await purgeLog(log, rules, only);
  },
  unpurged: async (rules, only) => {
    await started;
    return await unpurgedIn(log, rules, only);
  },
});

/** A project begins with its name. */
const isBegun = ({ messages, meta }: Conversation): boolean => messages.size > 0 || meta.project;

async function openConversation(cache: ConversationCache, id: ConversationId): Promise<OpenConversation> {
  const entry = cache.acquire(id, false);
  const { value, localHead } = await entry.opening;
  let closed = false;
  return {
    id,
    get: value.get,
    subscribe: value.subscribe,
    originOf: localHead.originOf,
    close: () => {
      if (closed) return;
      closed = true;
      cache.release(id, entry);
    },
  };
}

/** Makes the function that changes one conversation: shown at once, resolved when durable. */
function createChange({
  started,
  cache,
  list,
  queue,
  forgotten,
  set,
}: {
  readonly started: Promise<void>;
  readonly cache: ConversationCache;
  readonly list: ConversationList;
  readonly queue: AppendQueue;
  /** Records of forgetting, so that no undo restores forgotten content. */
  readonly forgotten: () => readonly Forgotten[];
  readonly set: Store['keyValues']['set'];
}): Documents['change'] {
  return async (
    id: ConversationId,
    wanted: ConversationChange,
    { origin = 'user', writes = [] }: { origin?: Origin; writes?: readonly KeyValueWrite[] } = {},
  ) => {
    await started;
    const change = wanted.restored ? withoutForgottenSince(wanted, forgotten()) : wanted;
    const entry = cache.acquire(id, true);
    const cached = await entry.opening;
    const show = () => cached.value.set(cached.localHead.read());
    let update: Uint8Array | undefined;
    try {
      refuseNewer(cached.document);
      update = cached.document.change(change);
      cached.localHead.change(change);
    } catch (error) {
      cache.release(id, entry);
      throw error;
    }
    if (isTemporary(id)) {
      cache.release(id, entry);
      show();
      for (const { key, value } of writes) await set(key, value);
      return;
    }
    if (!update && writes.length === 0 && queue.isEmpty) {
      show();
      return cache.release(id, entry);
    }
    const entries: NewEntry[] = [];
    let listed: Uint8Array | undefined;
    if (update) {
      entries.push(newEntry(id, origin, update));
      cached.entries += 1;
      listed = list.change([toLibraryEntry(cached.document.read())], []);
      if (listed) {
        entries.push(newEntry(LIBRARY_DOCUMENT, origin, listed));
        list.logEntries += 1;
      }
    }
    // Starts the write before notifying readers: drawing takes longer than the disk, and both run at once.
    const written = queue.enqueue(entries, writes, () => cache.release(id, entry));
    show();
    if (listed) list.notifySoon();
    await written;
  };
}
