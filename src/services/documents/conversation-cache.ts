// Keeps conversations in memory while they are in use, by reference count. An erased conversation leaves the cache:
// content that its holders still show is in no log.
import { RecollectError } from '../../domain/base/errors.ts';
import { type ConversationId, isTemporary } from '../../domain/base/ids.ts';
import { ignore, orElse } from '../../domain/base/log.ts';
import { writable } from '../../domain/base/readable.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { type AppendQueue, newEntry } from './append-queue.ts';
import type { ConversationList } from './conversation-list.ts';
import { type DocumentLoader, type LoadedConversation, SNAPSHOT_AFTER } from './loading.ts';
import { createLocalHead, type LocalHead } from './local-head.ts';
import { type ConversationDocument, createConversationDocument } from './yjs-conversation.ts';

export interface CachedConversation {
  readonly document: ConversationDocument;
  readonly localHead: LocalHead;
  readonly value: ReturnType<typeof writable<Conversation>>;
  /** Log entries since the last snapshot. */
  entries: number;
  /** Some entry could not be decoded. */
  readonly damaged: boolean;
}

interface CacheEntry {
  /** Rejects as opening does. */
  readonly opening: Promise<CachedConversation>;
  /** Counted from the request on, since another holder may release it while it is being read. */
  references: number;
}

interface CacheDeps {
  /** Resolves when the list was read. */
  readonly started: () => Promise<void>;
  readonly loader: DocumentLoader;
  readonly list: ConversationList;
  readonly queue: AppendQueue;
  readonly isClosing: () => boolean;
}

export class ConversationCache {
  readonly #deps: CacheDeps;
  readonly #entries = new Map<ConversationId, CacheEntry>();
  /** Temporary conversations that ended: a late change does not start them again. */
  readonly #ended = new Set<ConversationId>();

  constructor(deps: CacheDeps) {
    this.#deps = deps;
  }

  has(id: ConversationId): boolean {
    return this.#entries.has(id);
  }

  /** Opens the conversation and holds it until `release`. `create`: starts it if there is none. */
  acquire(id: ConversationId, create: boolean): CacheEntry {
    const entry = this.#entries.get(id) ?? this.#begin(id, create);
    entry.references += 1;
    return entry;
  }

  release(id: ConversationId, entry: CacheEntry): void {
    entry.references -= 1;
    // A temporary conversation exists nowhere else.
    if (entry.references > 0 || isTemporary(id) || !this.#drop(id, entry)) return;
    ignore(
      entry.opening.then((cached) => this.#snapshotIfDue(id, cached)),
      'a snapshot only saves space, and is tried again at the next closing',
    );
  }

  /** Returns the conversation if it is in memory and could be opened. */
  async find(id: ConversationId): Promise<CachedConversation | undefined> {
    const opening = this.#entries.get(id)?.opening;
    return (
      opening && (await orElse(opening, undefined, 'a conversation that does not open is not in memory'))
    );
  }

  /** Forgets a conversation that was erased. */
  forget(id: ConversationId): void {
    this.#entries.delete(id);
  }

  /** Forgets the conversation if `isGone` says so once it is open, unless it was reopened meanwhile. */
  async forgetIf(id: ConversationId, isGone: () => Promise<boolean>): Promise<void> {
    const entry = this.#entries.get(id);
    // Wait for opening: only then is a new conversation's first entry logged or queued.
    if (!entry || !(await this.find(id))) return;
    if (await isGone()) this.#drop(id, entry);
  }

  /** Ends a temporary conversation. */
  end(temporary: ConversationId): void {
    this.#ended.add(temporary);
    this.forget(temporary);
  }

  /**
   * Restores a lost title from the list, as the person's, since the list does not say whose it is. Removes messages
   * again that were completed elsewhere while forgotten here. Returns the update; undefined if nothing needs repair.
   */
  repair({ document, damaged }: LoadedConversation): Uint8Array | undefined {
    const { id, meta, newer } = document.read();
    if (newer) return undefined;
    const title = damaged && meta.title === '' && this.#deps.list.get(id)?.title;
    return document.change(title ? { meta: { title, titleBy: 'person' } } : {}, { restores: true });
  }

  #begin(id: ConversationId, create: boolean): CacheEntry {
    const entry = { opening: this.#open(id, create), references: 0 };
    this.#entries.set(id, entry);
    entry.opening.catch(() => this.#drop(id, entry));
    return entry;
  }

  async #open(id: ConversationId, create: boolean): Promise<CachedConversation> {
    const { started, loader, list, queue } = this.#deps;
    await started();
    const before = list.get(id);
    const loaded = await loader.load(id);
    if (!loaded && isTemporary(id) && (!create || this.#ended.has(id)))
      throw new RecollectError('conversation-ended', `The temporary conversation ${id} has ended`);
    if (!loaded && !create)
      throw new RecollectError('conversation-missing', `There is no conversation ${id}`);
    const repaired = loaded && this.repair(loaded);
    if (repaired) queue.enqueueInBackground([newEntry(id, 'user', repaired)]);
    const document = loaded?.document ?? createConversationDocument(id);
    // A list entry that changed during the read is newer.
    if (loaded && list.get(id) === before) list.refresh(loaded);
    const localHead = createLocalHead(document.read);
    return {
      document,
      localHead,
      value: writable(localHead.read()),
      entries: (loaded?.entries ?? 0) + (repaired ? 1 : 0),
      damaged: loaded?.damaged ?? false,
    };
  }

  /** Removes this cache entry, but never its successor. */
  #drop(id: ConversationId, entry: CacheEntry): boolean {
    return this.#entries.get(id) === entry && this.#entries.delete(id);
  }

  async #snapshotIfDue(id: ConversationId, cached: CachedConversation): Promise<void> {
    if (cached.entries < SNAPSHOT_AFTER) return;
    cached.entries = 1;
    await this.#deps.loader.writeSnapshot(id, createConversationDocument(id), this.#deps.isClosing);
  }
}
