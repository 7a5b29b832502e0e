// Changes many conversations in one durable append, for imports. Prepares the changes on copies and shows them once
// they are durable, so that an import is there as a whole or not at all.

import * as Y from 'yjs';
import type { Origin } from '../../adapters/log/conversation-log.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import { type ConversationId, LIBRARY_DOCUMENT } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import { yieldToEvents } from '../../domain/base/yielding.ts';
import { type AppendQueue, newEntry } from './append-queue.ts';
import type { ConversationCache } from './conversation-cache.ts';
import type { ConversationList } from './conversation-list.ts';
import type { ConversationChange, LibraryEntry } from './documents.ts';
import type { DocumentLoader } from './loading.ts';
import { type ConversationDocument, createConversationDocument, toLibraryEntry } from './yjs-conversation.ts';
import { createLibraryDocument } from './yjs-library.ts';

/** Longest stretch of work before the page gets its turn, ms. */
const MAX_WORK_MS = 12;

interface PreparedChange {
  readonly id: ConversationId;
  readonly update: Uint8Array;
  entry: LibraryEntry;
  /** The list entry from which `entry` was made. */
  before: LibraryEntry | undefined;
}

interface BulkChangeDeps {
  readonly queue: AppendQueue;
  readonly list: ConversationList;
  readonly cache: ConversationCache;
  readonly loader: DocumentLoader;
}

/**
 * Throws `newer-conversation` if a newer version of the app wrote it: a change could damage
 * parts that this version does not know.
 */
export function refuseNewer(document: ConversationDocument): void {
  if (document.read().newer)
    throw new RecollectError(
      'newer-conversation',
      'The conversation was written by a newer version of this app',
    );
}

export class BulkChange {
  readonly #deps: BulkChangeDeps;

  constructor(deps: BulkChangeDeps) {
    this.#deps = deps;
  }

  async apply(
    changes: Iterable<{ id: ConversationId; change: ConversationChange }>,
    origin: Origin,
  ): Promise<void> {
    const { queue, list } = this.#deps;
    const prepared = await this.#refreshEntries(await this.#prepare(changes), origin);
    if (prepared.length === 0) return;
    // From here to the append nothing is awaited.
    const copy = createLibraryDocument();
    copy.apply(Y.encodeStateAsUpdate(list.document.doc));
    const listed = copy.change(
      prepared.map(({ entry }) => entry),
      [],
    );
    const entries = prepared.map(({ id, update }) => newEntry(id, origin, update));
    if (listed) entries.push(newEntry(LIBRARY_DOCUMENT, origin, listed));
    await queue.append(entries);
    await this.#show(prepared, listed);
  }

  async #prepare(
    changes: Iterable<{ id: ConversationId; change: ConversationChange }>,
  ): Promise<PreparedChange[]> {
    const { queue, list, cache, loader } = this.#deps;
    const prepared: PreparedChange[] = [];
    let restedAt = performance.now();
    for (const { id, change } of changes) {
      if (performance.now() - restedAt > MAX_WORK_MS) {
        await yieldToEvents();
        restedAt = performance.now();
      }
      // Flush the queue first: `load` reads only the log.
      await queue.drain();
      const before = list.get(id);
      const loaded = before ? await loader.load(id) : undefined;
      const document = loaded?.document ?? createConversationDocument(id);
      const repaired = loaded && cache.repair(loaded);
      const changed = document.change(change);
      if (!changed) continue;
      refuseNewer(document);
      const update = repaired ? Y.mergeUpdates([repaired, changed]) : changed;
      prepared.push({ id, update, entry: toLibraryEntry(document.read()), before });
    }
    return prepared;
  }

  /**
   * Recomputes list entries that changed since: an old one would undo a change made
   * meanwhile. Leaves out erased conversations.
   */
  async #refreshEntries(prepared: PreparedChange[], origin: Origin): Promise<PreparedChange[]> {
    const { queue, list, loader } = this.#deps;
    for (;;) {
      await queue.drain();
      const kept = prepared.filter(({ id, before }) => !before || list.get(id));
      const stale = kept.filter((change) => this.#hasChanged(change));
      if (stale.length === 0) return kept;
      for (const change of stale) change.before = list.get(change.id);
      for (const change of stale) {
        const { id, update } = change;
        const document = (await loader.load(id))?.document ?? createConversationDocument(id);
        document.apply(update, origin);
        change.entry = toLibraryEntry(document.read());
      }
      prepared = kept;
    }
  }

  #hasChanged({ id, before }: PreparedChange): boolean {
    return this.#deps.list.get(id) !== before;
  }

  async #show(prepared: readonly PreparedChange[], listed: Uint8Array | undefined): Promise<void> {
    const { list, cache } = this.#deps;
    const changedMeanwhile = new Set(prepared.filter((change) => this.#hasChanged(change)));
    const erased = prepared.filter(({ id, before }) => before && !list.get(id));
    if (listed) list.document.apply(listed);
    list.logEntries += 1;
    list.write(
      [],
      erased.map(({ id }) => id),
    );
    for (const change of prepared) {
      const { id, update } = change;
      if (!list.get(id) || !(cache.has(id) || changedMeanwhile.has(change))) continue;
      const entry = cache.acquire(id, false);
      const cached = await orElse(
        entry.opening,
        undefined,
        'a conversation that does not open shows nothing',
      );
      if (cached) {
        const before = cached.localHead.read();
        cached.document.apply(update);
        cached.localHead.changed(before, 'tab');
        cached.value.set(cached.localHead.read());
        list.refresh(cached);
      }
      cache.release(id, entry);
    }
    list.notify();
  }
}
