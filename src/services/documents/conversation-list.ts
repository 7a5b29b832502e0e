// The library's list in this tab: one entry per conversation, each a last-writer-wins value. If two tabs
// change a conversation at once, each may write an entry that lacks the other's change; a tab with the
// conversation in memory notices and writes it again.
import type { Problem } from '../../domain/base/errors.ts';
import { type ConversationId, LIBRARY_DOCUMENT } from '../../domain/base/ids.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import { type AppendQueue, newEntry } from './append-queue.ts';
import type { LibraryEntry, LibraryListing } from './documents.ts';
import type { LoadedConversation } from './loading.ts';
import { toLibraryEntry } from './yjs-conversation.ts';
import { createLibraryDocument, type LibraryDocument } from './yjs-library.ts';

/** Delay before subscribers are notified, ms: a save is over by then, and several changes are drawn once. */
const NOTIFY_AFTER_MS = 30;

export class ConversationList {
  readonly document: LibraryDocument = createLibraryDocument();
  /** Log entries of the list, since its last snapshot. */
  logEntries = 0;
  readonly #queue: AppendQueue;
  /** Listing that subscribers were last notified of; `get` gives the current one. */
  readonly #notified = writable<LibraryListing>({ ready: false, entries: [], projects: [] });
  #listing = this.#notified.get();
  #ready = false;
  #problem: Problem | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queue: AppendQueue) {
    this.#queue = queue;
  }

  get readable(): Readable<LibraryListing> {
    return { get: () => this.#current(), subscribe: this.#notified.subscribe };
  }

  get(id: ConversationId): LibraryEntry | undefined {
    return this.document.get(id);
  }

  /** Changes entries in memory. Returns the update to append; undefined if nothing changed. */
  change(entries: readonly LibraryEntry[], removed: readonly ConversationId[]): Uint8Array | undefined {
    return this.document.change(entries, removed);
  }

  /** Changes entries, and writes them in the background. */
  write(entries: readonly LibraryEntry[], removed: readonly ConversationId[] = []): void {
    const update = this.change(entries, removed);
    if (!update) return;
    this.logEntries += 1;
    this.notifySoon();
    this.#queue.enqueueInBackground([newEntry(LIBRARY_DOCUMENT, 'user', update)]);
  }

  /**
   * Writes the conversation's entry again if it differs. A conversation without one was
   * erased, or is listed at the next start.
   */
  refresh({ document, damaged }: Pick<LoadedConversation, 'document' | 'damaged'>): void {
    const conversation = document.read();
    // The entry of a damaged conversation may say more than its readable part.
    if (damaged || conversation.newer || !this.get(conversation.id)) return;
    this.write([toLibraryEntry(conversation)]);
  }

  notify(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#ready = true;
    this.#notified.set(this.#current());
  }

  /** Notifies once for several changes: drawing the sidebar costs more than a save. */
  notifySoon(): void {
    this.#timer ??= setTimeout(() => this.notify(), NOTIFY_AFTER_MS);
  }

  /** Says why the list could not be read. */
  fail(problem: Problem): void {
    this.#problem = problem;
    this.notify();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #current(): LibraryListing {
    const { entries, projects } = this.#ready ? this.document.listed() : this.#listing;
    if (
      this.#listing.ready !== this.#ready ||
      this.#listing.problem !== this.#problem ||
      this.#listing.entries !== entries ||
      this.#listing.projects !== projects
    )
      this.#listing = {
        ready: this.#ready,
        ...(this.#problem ? { problem: this.#problem } : {}),
        entries,
        projects,
      };
    return this.#listing;
  }
}
