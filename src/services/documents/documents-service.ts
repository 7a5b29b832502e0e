// Opens conversations, changes them, and hears of changes made elsewhere. What is on the screen is ahead of the log only while
// `saving` says so; a change that could not be written stays in line and is written with the next one.
//
//   change ──► Y.Doc ──► readers here redraw
//                 └────► pending ──► log.append (one transaction, in order) ──► resolved = durable
//   another tab ──► log ──► since(seen) ──► Y.Doc (what is open here) ──► readers here redraw
import * as Y from 'yjs';
import type { DrawerWrite, LogEntry, NewEntry, Origin, Store } from '../../adapters/log/conversation-log.ts';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import {
  type ConversationId,
  type DocumentId,
  type EntryId,
  isConversation,
  isTemporary,
  LIBRARY_DOCUMENT,
  newConversationId,
  newEntryId,
} from '../../domain/base/ids.ts';
import { writable } from '../../domain/base/readable.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Documents, LibraryEntry, OpenConversation, SaveStatus } from './documents.ts';
import { hasGaps } from './gaps.ts';
import type { Notes } from './notes.ts';
import { createPlace, type Place } from './place.ts';
import { type ConversationDocument, createConversationDocument, toLibraryEntry } from './yjs-conversation.ts';
import { createLibraryDocument, type LibraryDocument } from './yjs-library.ts';

/** A document is folded when this many entries have piled up on it. */
const FOLD_AFTER = 200;
/** Longest stretch of work without a pause, ms. */
const BREATH_MS = 12;
/** Those who watch the library hear of a change this much later, ms: a save is over by then. */
const LISTED_WITHIN_MS = 30;
/** Entries read at a time when catching up with other tabs. */
const PAGE = 500;
/** What could not be written is tried again by itself after this time, ms. */
const RETRY_MS = 20_000;
/** Drawer keys of conversations that are being erased: a kill in between must not bring one back, nor leave what quotes it. */
const ERASING = 'erasing/';

/** What this app does not understand whole it must not write into. */
function refuseNewer(document: ConversationDocument): void {
  if (document.read().newer)
    throw new RecollectError(
      'newer-conversation',
      'The conversation was written by a newer version of this app',
    );
}

interface Listing {
  readonly ready: boolean;
  readonly entries: readonly LibraryEntry[];
}

/** A conversation in memory. */
interface Live {
  readonly document: ConversationDocument;
  readonly place: Place;
  readonly value: ReturnType<typeof writable<Conversation>>;
  entries: number;
  /** Something did not decode when it was read. */
  readonly damaged: boolean;
}

/** Where a conversation lives while anybody holds it. One that was erased has lost its slot: what its holders still show is in no log. */
interface Slot {
  /** Rejects as opening does. */
  readonly opening: Promise<Live>;
  /** Counted from when it is asked for: while one waits for it to be read another may let go of it. */
  holders: number;
}

interface Loaded {
  readonly document: ConversationDocument;
  readonly entries: number;
  /** Something did not decode. */
  readonly damaged: boolean;
}

/** What one append of many says of one conversation. */
interface Made {
  readonly id: ConversationId;
  readonly update: Uint8Array;
  line: LibraryEntry;
  /** The line it had when it was read. */
  before: LibraryEntry | undefined;
}

interface Pending {
  readonly entries: readonly NewEntry[];
  readonly writes: readonly DrawerWrite[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** Called once when it is written, however late: until then its document must stay in memory. */
  readonly onSaved: () => void;
}

/**
 * Starts reading the library at once; `library` becomes ready when the log was read.
 * `onProblem` hears of damaged entries: they are left in the log and the rest is shown.
 */
export function createDocuments({
  store: { log, drawer },
  notes,
  onProblem = () => {},
}: {
  store: Store;
  /** What a person said of passages quotes them, and is forgotten with what is erased. Whoever shares the store with others must give it. */
  notes?: Pick<Notes, 'forget'>;
  onProblem?: (problem: ReturnType<typeof toProblem>) => void;
}): Documents {
  const live = new Map<ConversationId, Slot>();
  const library = createLibraryDocument();
  /** What listeners were told last; whoever asks gets what is so now. */
  const told = writable<Listing>({ ready: false, entries: [] });
  const saving = writable<SaveStatus>({ state: 'saved' });
  const own = new Set<EntryId>();
  const closing = new AbortController();
  let libraryEntries = 0;
  let seen = 0;

  let ready = false;
  let listing = told.get();
  const listingNow = (): Listing => {
    const entries = ready ? library.entries() : listing.entries;
    if (listing.ready !== ready || listing.entries !== entries) listing = { ready, entries };
    return listing;
  };
  let announcing: ReturnType<typeof setTimeout> | undefined;
  const announceLibrary = () => {
    clearTimeout(announcing);
    announcing = undefined;
    ready = true;
    told.set(listingNow());
  };
  /** A drawn sidebar costs more than a save: several changes are drawn once, and none before its caller knows it saved. */
  const announceLibrarySoon = (ms: number) => {
    announcing ??= setTimeout(announceLibrary, ms);
  };

  /** False where the entry is damaged. */
  const applyEntry = (document: ConversationDocument | LibraryDocument, entry: LogEntry): boolean => {
    try {
      document.apply(entry.bytes, entry.origin);
      return true;
    } catch (error) {
      onProblem(
        toProblem(
          new RecollectError('damaged-entry', `Entry ${entry.seq} of ${entry.document} cannot be read`, {
            params: { seq: entry.seq, document: entry.document },
            cause: error,
          }),
        ),
      );
      return false;
    }
  };

  // -------------------------------------------------------------------------------------------- start
  const started = (async () => {
    seen = await log.head();
    const entries = await log.read(LIBRARY_DOCUMENT);
    for (const entry of entries) applyEntry(library, entry);
    libraryEntries = entries.length;
    announceLibrary();
    // Duties left over from last time: where they cannot be done (a full disk, a damaged line) they wait, and everything can be read.
    try {
      const left = (await drawer.keys(ERASING)).map((key) => key.slice(ERASING.length) as ConversationId);
      // What is listed came back since, by an import say: only the note that it was to go is left of that.
      for (const id of left) if (library.get(id)) await drawer.set(`${ERASING}${id}`, undefined);
      const gone = left.filter((id) => !library.get(id));
      if (gone.length > 0) await eraseForGood(gone);
      await listOrphans();
      await foldLibrary();
    } catch (error) {
      onProblem(toProblem(error));
    }
  })();
  started.catch((error) => {
    saving.set({ state: 'failed', problem: toProblem(error) });
    announceLibrary();
  });

  async function eraseForGood(ids: readonly ConversationId[]): Promise<void> {
    for (const id of ids) {
      await log.erase(id);
      live.delete(id);
    }
    // Last, for on a full disk only what went makes room for it. Until it is done the drawer says that it is to be done.
    await notes?.forget(ids);
    for (const id of ids) await drawer.set(`${ERASING}${id}`, undefined);
  }

  /** A conversation in the log without a line in the library (its entry was damaged, say) gets one again. */
  async function listOrphans(): Promise<void> {
    const missing = (await log.documents()).filter(
      (id): id is ConversationId => isConversation(id) && !library.get(id),
    );
    const lines: LibraryEntry[] = [];
    for (const id of missing) {
      const document = await load(id);
      if (document && document.document.read().messages.size > 0)
        lines.push(toLibraryEntry(document.document.read()));
    }
    const update = library.change(lines, []);
    if (update) await enqueue([entryOf(LIBRARY_DOCUMENT, 'fold', update)], []);
    if (lines.length > 0) announceLibrary();
  }

  // -------------------------------------------------------------------------------------------- reading
  async function load(id: ConversationId): Promise<Loaded | undefined> {
    const entries = await log.read(id);
    if (entries.length === 0) return undefined;
    const document = createConversationDocument(id);
    let damaged = false;
    for (const entry of entries) damaged = !applyEntry(document, entry) || damaged;
    return { document, entries: entries.length, damaged };
  }

  /** Temporary conversations that were ended or kept: nothing that comes late begins them again. */
  const ended = new Set<ConversationId>();
  const keeping = new Map<ConversationId, Promise<ConversationId>>();

  /** Holds the conversation, until `release`. `make`: begins it where there is none. */
  function acquire(id: ConversationId, make: boolean): Slot {
    const slot = live.get(id) ?? begin(id, make);
    slot.holders += 1;
    return slot;
  }

  function begin(id: ConversationId, make: boolean): Slot {
    const slot = { opening: enter(id, make), holders: 0 };
    live.set(id, slot);
    slot.opening.catch(() => drop(id, slot));
    return slot;
  }

  async function enter(id: ConversationId, make: boolean): Promise<Live> {
    await started;
    const before = library.get(id);
    const loaded = await load(id);
    if (!loaded && isTemporary(id) && (!make || ended.has(id)))
      throw new RecollectError('conversation-ended', `The temporary conversation ${id} has ended`);
    if (!loaded && !make) throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
    const mended = loaded && mend(loaded);
    // Not written now, it is written with the next change; and asked for again at the next opening.
    if (mended) enqueue([entryOf(id, 'user', mended)], []).catch(() => {});
    const document = loaded?.document ?? createConversationDocument(id);
    // A line that moved while this was read knows more.
    if (loaded && library.get(id) === before) relist(loaded);
    const place = createPlace(document.read);
    return {
      document,
      place,
      value: writable(place.read()),
      entries: (loaded?.entries ?? 0) + (mended ? 1 : 0),
      damaged: loaded?.damaged ?? false,
    };
  }

  /** The conversation where it is in memory; undefined where it is not, or could not be opened. */
  const inMemory = async (id: ConversationId): Promise<Live | undefined> =>
    await live.get(id)?.opening.catch(() => undefined);

  /** Takes out this slot, never one that came into its place. */
  const drop = (id: ConversationId, slot: Slot): boolean => live.get(id) === slot && live.delete(id);

  /**
   * The title went with a damaged entry: the line in the library still has it, though not who gave it; it may have been the person.
   * And what was completed elsewhere while it was forgotten here goes. Returns the update, or undefined where there is nothing to mend.
   */
  function mend({ document, damaged }: Loaded): Uint8Array | undefined {
    const { id, meta, newer } = document.read();
    if (newer) return undefined;
    const title = damaged && meta.title === '' && library.get(id)?.title;
    return document.change(title ? { meta: { title, titleBy: 'person' } } : {}, { restores: true });
  }

  const release = (id: ConversationId, slot: Slot) => {
    slot.holders -= 1;
    // A temporary conversation is nowhere but here.
    if (slot.holders > 0 || isTemporary(id) || !drop(id, slot)) return;
    slot.opening.then((held) => maybeFold(id, held)).catch(() => {});
  };

  // -------------------------------------------------------------------------------------------- writing
  const entryOf = (document: DocumentId, origin: Origin, bytes: Uint8Array): NewEntry => ({
    id: newEntryId(),
    document,
    origin,
    bytes,
  });

  /** Appends, and where nobody else wrote in between, moves `seen` past what this tab knows already. */
  async function append(entries: readonly NewEntry[], writes: readonly DrawerWrite[]): Promise<void> {
    for (const entry of entries) own.add(entry.id);
    const seq = await log.append(entries, writes);
    if (seq - entries.length !== seen) return;
    seen = seq;
    for (const entry of entries) own.delete(entry.id);
  }

  // A line is one value of which the last word counts: of two who change a conversation at once, each with a line that lacks what the
  // other said, one has it. Who has the conversation in memory sees that and makes the line again; else who opens it next.

  /** Writes lines beside all else: what cannot be written now is written with the next change. */
  function list(lines: readonly LibraryEntry[], gone: readonly ConversationId[]): void {
    const update = library.change(lines, gone);
    if (!update) return;
    libraryEntries += 1;
    announceLibrarySoon(LISTED_WITHIN_MS);
    enqueue([entryOf(LIBRARY_DOCUMENT, 'user', update)], []).catch(() => {});
  }

  /** Makes the line again where it says something else. What has none was erased, or is listed at the next start; of what is damaged it may say more. */
  function relist({ document, damaged }: Pick<Live, 'document' | 'damaged'>): void {
    const conversation = document.read();
    if (damaged || conversation.newer || !library.get(conversation.id)) return;
    list([toLibraryEntry(conversation)], []);
  }

  const hasMoved = ({ id, before }: Made): boolean => library.get(id) !== before;

  /** The line of what the log has by now, and what is to be said. */
  async function lineWith({ id, update }: Made, origin: Origin): Promise<LibraryEntry> {
    const document = (await load(id))?.document ?? createConversationDocument(id);
    document.apply(update, origin);
    return toLibraryEntry(document.read());
  }

  const pending: Pending[] = [];
  let flushing: Promise<void> | undefined;
  let retrying: ReturnType<typeof setTimeout> | undefined;

  function enqueue(
    entries: readonly NewEntry[],
    writes: readonly DrawerWrite[],
    onSaved = () => {},
  ): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      pending.push({ entries, writes, resolve, reject, onSaved });
    });
    void flush();
    return written;
  }

  /** Writes what is in line, in order, as one transaction; one at a time. */
  function flush(): Promise<void> {
    // With nothing in line the work below would end before it is assigned, and stand in the way of all later writes.
    if (pending.length === 0) return flushing ?? Promise.resolve();
    flushing ??= (async () => {
      clearTimeout(retrying);
      try {
        while (pending.length > 0) {
          const batch = pending.slice();
          try {
            const writing = append(
              batch.flatMap((item) => item.entries),
              batch.flatMap((item) => item.writes),
            );
            // Told after the transaction has begun: who hears of it may draw, and the disk can work meanwhile.
            saving.set({ state: 'saving' });
            await writing;
          } catch (error) {
            // What is in line stays in line; its callers learn that it is not saved yet.
            for (const item of batch) item.reject(error);
            saving.set({ state: 'failed', problem: toProblem(error) });
            if (!closing.signal.aborted) retrying = setTimeout(() => void flush(), RETRY_MS);
            return;
          }
          pending.splice(0, batch.length);
          for (const item of batch) {
            item.onSaved();
            item.resolve();
          }
        }
        saving.set({ state: 'saved' });
      } finally {
        flushing = undefined;
      }
    })();
    return flushing;
  }

  // -------------------------------------------------------------------------------------------- folding
  async function maybeFold(id: ConversationId, held: Live): Promise<void> {
    if (held.entries < FOLD_AFTER) return;
    held.entries = 1;
    await foldDocument(id, createConversationDocument(id));
  }

  async function foldLibrary(): Promise<void> {
    if (libraryEntries < FOLD_AFTER) return;
    libraryEntries = 1;
    await foldDocument(LIBRARY_DOCUMENT, createLibraryDocument());
  }

  /** Folds what the log has, not what the screen has: the snapshot holds exactly the entries it replaces. */
  async function foldDocument(
    id: DocumentId,
    document: ConversationDocument | LibraryDocument,
  ): Promise<void> {
    const entries = await log.read(id);
    const last = entries.at(-1);
    if (!last || entries.length < 2 || closing.signal.aborted) return;
    // An entry that does not decode must survive as it is, and what waits behind it: then nothing is folded.
    try {
      for (const entry of entries) document.apply(entry.bytes);
    } catch {
      return;
    }
    if (hasGaps(document.doc)) return;
    await log.fold(id, Y.encodeStateAsUpdate(document.doc), last.seq);
  }

  // -------------------------------------------------------------------------------------------- other tabs
  let catchingUp: Promise<void> | undefined;
  let behind = false;
  /** Named by others since the last look. */
  const named = new Set<DocumentId>();
  let lookingAgain: ReturnType<typeof setTimeout> | undefined;
  const catchUp = (documents: readonly DocumentId[]) => {
    clearTimeout(lookingAgain);
    behind = true;
    for (const document of documents) named.add(document);
    catchingUp ??= (async () => {
      try {
        await started;
        while (behind) {
          behind = false;
          for (;;) {
            const entries = await log.since(seen, PAGE);
            await receive(entries);
            for (const { document } of entries) named.delete(document);
            if (entries.length < PAGE) break;
          }
          await letGoOfErased();
        }
      } catch (error) {
        onProblem(toProblem(error));
        // Nobody says it a second time. Without a start there is nothing to keep up.
        started.then(lookAgain, () => {});
      } finally {
        catchingUp = undefined;
      }
    })();
  };
  const lookAgain = () => {
    if (!closing.signal.aborted) lookingAgain = setTimeout(() => catchUp([]), RETRY_MS);
  };

  /** What others named and is not in the log was erased by them: words written below it would be a fragment that nobody can read. */
  async function letGoOfErased(): Promise<void> {
    for (const id of [...named]) {
      named.delete(id);
      if (!isConversation(id)) continue;
      const slot = live.get(id);
      // What is only now being begun is in the log, or in line, once it is open.
      if (!slot || !(await inMemory(id))) continue;
      try {
        if ((await log.read(id)).length > 0) continue;
      } catch (error) {
        named.add(id);
        throw error;
      }
      if (pending.some(({ entries }) => entries.some(({ document }) => document === id))) continue;
      drop(id, slot);
    }
  }

  async function receive(entries: readonly LogEntry[]): Promise<void> {
    /** As they stood before what came in a row from the same side. */
    const touched = new Map<Live, { before: Conversation; by: 'device' | 'tab' }>();
    let listed = false;
    for (const entry of entries) {
      seen = Math.max(seen, entry.seq);
      if (own.delete(entry.id)) continue;
      if (entry.document === LIBRARY_DOCUMENT) {
        applyEntry(library, entry);
        libraryEntries += 1;
        listed = true;
        continue;
      }
      if (!isConversation(entry.document)) continue;
      const held = await inMemory(entry.document);
      if (!held) continue;
      const by = entry.origin === 'remote' ? 'device' : 'tab';
      const known = touched.get(held);
      if (known && known.by !== by) held.place.changed(known.before, known.by);
      if (known?.by !== by) touched.set(held, { before: held.place.read(), by });
      applyEntry(held.document, entry);
      held.entries += 1;
    }
    for (const [held, { before, by }] of touched) {
      held.place.changed(before, by);
      held.value.set(held.place.read());
      // What came from another device is listed by who brought it.
      if (by === 'tab') relist(held);
    }
    if (listed) announceLibrary();
  }

  const stopListening = log.subscribe((change) => {
    if (change.foreign) catchUp(change.documents);
  });

  // -------------------------------------------------------------------------------------------- temporary conversations
  const end = (temporary: ConversationId) => {
    ended.add(temporary);
    live.delete(temporary);
  };

  async function keepAs(id: ConversationId, temporary: ConversationId): Promise<ConversationId> {
    // Not released: nothing but its end lets go of a temporary one.
    const { value } = await acquire(temporary, false).opening;
    let written: Conversation;
    do {
      written = value.get();
      const { messages, meta, checkpoints, compactions } = written;
      const change = {
        messages: [...messages.values()],
        meta,
        checkpoints: Object.fromEntries(checkpoints),
        compactions: Object.fromEntries(compactions),
      };
      await documents.changeMany([{ id, change }], 'user');
      // What was said meanwhile goes along.
    } while (value.get() !== written);
    end(temporary);
    return id;
  }

  // -------------------------------------------------------------------------------------------- the service
  const documents: Documents = {
    library: { get: listingNow, subscribe: told.subscribe },
    saving,

    open: async (id) => {
      const slot = acquire(id, false);
      const { value, place } = await slot.opening;
      let closed = false;
      return {
        id,
        get: value.get,
        subscribe: value.subscribe,
        whence: place.whence,
        close: () => {
          if (closed) return;
          closed = true;
          release(id, slot);
        },
      } satisfies OpenConversation;
    },

    read: async (id) => {
      await started;
      const held = await inMemory(id);
      if (held) return held.place.read();
      const loaded = await load(id);
      if (loaded) mend(loaded);
      return loaded?.document.read();
    },

    change: async (id, change, options = {}) => {
      await started;
      const slot = acquire(id, true);
      const held = await slot.opening;
      let update: Uint8Array | undefined;
      try {
        refuseNewer(held.document);
        update = held.document.change(change);
        held.place.change(change);
      } catch (error) {
        release(id, slot);
        throw error;
      }
      if (isTemporary(id)) {
        release(id, slot);
        held.value.set(held.place.read());
        for (const { key, value } of options.writes ?? []) await drawer.set(key, value);
        return;
      }
      if (!update && !options.writes?.length && pending.length === 0) {
        held.value.set(held.place.read());
        return release(id, slot);
      }
      const origin = options.origin ?? 'user';
      const entries: NewEntry[] = [];
      let listed: Uint8Array | undefined;
      if (update) {
        entries.push(entryOf(id, origin, update));
        held.entries += 1;
        listed = library.change([toLibraryEntry(held.document.read())], []);
        if (listed) {
          entries.push(entryOf(LIBRARY_DOCUMENT, origin, listed));
          libraryEntries += 1;
        }
      }
      // Written first, shown next: drawing takes longer than the disk, and both can go on at once.
      const written = enqueue(entries, options.writes ?? [], () => release(id, slot));
      held.value.set(held.place.read());
      if (listed) announceLibrarySoon(LISTED_WITHIN_MS);
      await written;
    },

    changeMany: async (changes, origin) => {
      await started;
      // Made on copies and shown only once they are durable: all of an import or nothing of it.
      let made: Made[] = [];
      let rested = performance.now();
      for (const { id, change } of changes) {
        // A large import is minutes of a person's typing: the page gets its turn every few milliseconds.
        if (performance.now() - rested > BREATH_MS) {
          await new Promise((resolve) => setTimeout(resolve));
          rested = performance.now();
        }
        // What is still in line would not be in what is read.
        while (pending.length > 0) await enqueue([], []);
        const before = library.get(id);
        const loaded = before ? await load(id) : undefined;
        const document = loaded?.document ?? createConversationDocument(id);
        const mended = loaded && mend(loaded);
        const changed = document.change(change);
        if (!changed) continue;
        refuseNewer(document);
        const update = mended ? Y.mergeUpdates([mended, changed]) : changed;
        made.push({ id, update, line: toLibraryEntry(document.read()), before });
      }
      // A line is one value: made of what was read a while ago it would take back what was said since. What was erased since stays so.
      for (;;) {
        while (pending.length > 0) await enqueue([], []);
        made = made.filter(({ id, before }) => !before || library.get(id));
        const stale = made.filter(hasMoved);
        if (stale.length === 0) break;
        for (const one of stale) one.before = library.get(one.id);
        for (const one of stale) one.line = await lineWith(one, origin);
      }
      if (made.length === 0) return;
      // From here to the append nothing is awaited.
      const copy = createLibraryDocument();
      copy.apply(Y.encodeStateAsUpdate(library.doc));
      const listed = copy.change(
        made.map(({ line }) => line),
        [],
      );
      const entries = made.map(({ id, update }) => entryOf(id, origin, update));
      if (listed) entries.push(entryOf(LIBRARY_DOCUMENT, origin, listed));
      // Not through the line: a failure must leave nothing behind to be written later.
      await append(entries, []);
      const meanwhile = new Set(made.filter(hasMoved));
      const erased = made.filter(({ id, before }) => before && !library.get(id));
      if (listed) library.apply(listed);
      libraryEntries += 1;
      list(
        [],
        erased.map(({ id }) => id),
      );
      for (const one of made) {
        if (!library.get(one.id) || !(live.has(one.id) || meanwhile.has(one))) continue;
        const slot = acquire(one.id, false);
        const held = await slot.opening.catch(() => undefined);
        if (held) {
          const before = held.place.read();
          held.document.apply(one.update);
          held.place.changed(before, 'tab');
          held.value.set(held.place.read());
          relist(held);
        }
        release(one.id, slot);
      }
      announceLibrary();
    },

    keep: (temporary) => {
      const known = keeping.get(temporary);
      if (known) return known;
      const kept = keepAs(newConversationId(), temporary);
      keeping.set(temporary, kept);
      kept.catch(() => keeping.delete(temporary));
      return kept;
    },

    onlyImported: async (ids) => {
      await started;
      const found: ConversationId[] = [];
      for (const id of ids) {
        if (await inMemory(id)) continue;
        if ((await log.read(id)).every(({ origin }) => origin === 'import')) found.push(id);
      }
      // What is still on its way to the log was written by somebody.
      const waiting = new Set(pending.flatMap(({ entries }) => entries.map(({ document }) => document)));
      return found.filter((id) => !waiting.has(id));
    },

    erase: async (given) => {
      await started;
      const ids = given.filter((id) => !isTemporary(id));
      for (const id of given) if (isTemporary(id)) end(id);
      if (ids.length === 0) return;
      const update = library.change([], ids);
      announceLibrary();
      const noted = enqueue(
        update ? [entryOf(LIBRARY_DOCUMENT, 'user', update)] : [],
        ids.map((id) => ({ key: `${ERASING}${id}`, value: true })),
      );
      await noted.catch(async (error: unknown) => {
        // On a full disk only what goes makes room for the note that it went, and for what waits in line before it. A kill in between
        // leaves a line without a conversation, which can be taken off the list.
        if (toProblem(error).code !== 'storage-full') throw error;
        for (const id of ids) await log.erase(id);
        await flush();
        if (pending.length > 0) throw error;
      });
      await eraseForGood(ids);
    },

    unlist: async (id) => {
      await started;
      if (live.has(id) || (await log.read(id)).length > 0) return;
      // Erased on a full disk and killed: what quotes it is still there, and with the line goes the last word of it.
      await notes?.forget([id]);
      const update = library.change([], [id]);
      if (!update) return;
      announceLibrary();
      await enqueue([entryOf(LIBRARY_DOCUMENT, 'user', update)], []);
    },

    retry: () => flush(),

    close: async () => {
      closing.abort();
      clearTimeout(announcing);
      clearTimeout(retrying);
      clearTimeout(lookingAgain);
      stopListening();
      await started.catch(() => {});
      await flush();
      await catchingUp;
      // What was heard last may have had a line made again.
      await flush();
    },
  };
  return documents;
}
