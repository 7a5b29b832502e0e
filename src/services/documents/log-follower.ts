// Follows the entries of other tabs and devices: applies them to the list and to
// conversations in memory, and drops erased ones.
import type { ConversationLog, LogEntry } from '../../adapters/log/conversation-log.ts';
import { toProblem } from '../../domain/base/errors.ts';
import { type DocumentId, isConversation, LIBRARY_DOCUMENT } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { AppendQueue, LogCursor } from './append-queue.ts';
import type { CachedConversation, ConversationCache } from './conversation-cache.ts';
import type { ConversationList } from './conversation-list.ts';
import type { DocumentLoader, OnProblem } from './loading.ts';

/** Entries read at a time. */
const PAGE_ENTRIES = 500;
/** A read that failed is retried after this time, ms. */
const RETRY_MS = 20_000;

interface FollowerDeps {
  readonly log: ConversationLog;
  /** Resolves when the list was read. */
  readonly started: () => Promise<void>;
  readonly cursor: LogCursor;
  readonly queue: AppendQueue;
  readonly list: ConversationList;
  readonly cache: ConversationCache;
  readonly loader: DocumentLoader;
  readonly onProblem: OnProblem;
}

export class LogFollower {
  readonly #deps: FollowerDeps;
  readonly #unsubscribe: () => void;
  /** Documents that others changed since the last read. */
  readonly #changed = new Set<DocumentId>();
  #isBehind = false;
  #reading: Promise<void> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    this.#unsubscribe = deps.log.subscribe((change) => {
      if (change.foreign) this.#follow(change.documents);
    });
  }

  /** Stops listening. `idle` waits for the last read. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    this.#unsubscribe();
  }

  async idle(): Promise<void> {
    await this.#reading;
  }

  #follow(documents: readonly DocumentId[]): void {
    clearTimeout(this.#retryTimer);
    this.#isBehind = true;
    for (const document of documents) this.#changed.add(document);
    this.#reading ??= this.#readToEnd();
  }

  async #readToEnd(): Promise<void> {
    const { log, started, cursor, onProblem } = this.#deps;
    try {
      await started();
      while (this.#isBehind) {
        this.#isBehind = false;
        for (;;) {
          const entries = await log.since(cursor.seq, PAGE_ENTRIES);
          await this.#apply(entries);
          for (const { document } of entries) this.#changed.delete(document);
          if (entries.length < PAGE_ENTRIES) break;
        }
        await this.#forgetErased();
      }
    } catch (error) {
      onProblem(toProblem(error));
      // The change is announced only once. Without a start there is nothing to follow.
      ignore(
        started().then(() => this.#retryLater()),
        'the failed start was reported already',
      );
    } finally {
      // In the same step as the last look at `#isBehind`: a later change begins a new read.
      this.#reading = undefined;
    }
  }

  #retryLater(): void {
    if (!this.#closed) this.#retryTimer = setTimeout(() => this.#follow([]), RETRY_MS);
  }

  /** Others erased these documents, of which the log has nothing left: an append would leave an unreadable fragment. */
  async #forgetErased(): Promise<void> {
    const { log, queue, cache } = this.#deps;
    for (const id of [...this.#changed]) {
      this.#changed.delete(id);
      if (!isConversation(id)) continue;
      await cache.forgetIf(id, async () => {
        try {
          return (await log.read(id)).length === 0 && !queue.documents().has(id);
        } catch (error) {
          this.#changed.add(id);
          throw error;
        }
      });
    }
  }

  async #apply(entries: readonly LogEntry[]): Promise<void> {
    const { cursor, list, cache, loader } = this.#deps;
    /** Each conversation as it was before consecutive entries of the same origin. */
    const touched = new Map<CachedConversation, { before: Conversation; by: 'device' | 'tab' }>();
    let listChanged = false;
    for (const entry of entries) {
      if (cursor.advance(entry)) continue;
      if (entry.document === LIBRARY_DOCUMENT) {
        loader.apply(list.document, entry);
        list.logEntries += 1;
        listChanged = true;
        continue;
      }
      if (!isConversation(entry.document)) continue;
      const cached = await cache.find(entry.document);
      if (!cached) continue;
      const by = entry.origin === 'remote' ? 'device' : 'tab';
      const known = touched.get(cached);
      if (known && known.by !== by) cached.localHead.changed(known.before, known.by);
      if (known?.by !== by) touched.set(cached, { before: cached.localHead.read(), by });
      loader.apply(cached.document, entry);
      cached.entries += 1;
    }
    for (const [cached, { before, by }] of touched) {
      cached.localHead.changed(before, by);
      cached.value.set(cached.localHead.read());
      // The tab that receives another device's change lists it.
      if (by === 'tab') list.refresh(cached);
    }
    if (listChanged) list.notify();
  }
}
