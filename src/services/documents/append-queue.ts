// Writes changes to the log: in order, one transaction at a time. A change that cannot be written stays queued and is
// written with the next one, or by a retry.
import type {
  ConversationLog,
  KeyValueWrite,
  LogEntry,
  NewEntry,
  Origin,
} from '../../adapters/log/conversation-log.ts';
import { toProblem } from '../../domain/base/errors.ts';
import { type DocumentId, type EntryId, newEntryId } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import { type Readable, writable } from '../../domain/base/readable.ts';
import type { SaveStatus } from './documents.ts';

/** Delay before a failed write is tried again, ms. */
const RETRY_MS = 20_000;

/** Makes a log entry with a new id. */
export const newEntry = (document: DocumentId, origin: Origin, bytes: Uint8Array): NewEntry => ({
  id: newEntryId(),
  document,
  origin,
  bytes,
});

/** Tracks how far this tab has followed the log, and which entries it appended itself. */
export class LogCursor {
  /** Highest seq that was followed. */
  seq = 0;
  readonly #own = new Set<EntryId>();

  appending(entries: readonly NewEntry[]): void {
    for (const { id } of entries) this.#own.add(id);
  }

  /** Moves past own entries, unless another tab appended in between. */
  appended(entries: readonly NewEntry[], seq: number): void {
    if (seq - entries.length !== this.seq) return;
    this.seq = seq;
    for (const { id } of entries) this.#own.delete(id);
  }

  /** Moves to the entry. True if this tab appended it. */
  advance({ seq, id }: LogEntry): boolean {
    this.seq = Math.max(this.seq, seq);
    return this.#own.delete(id);
  }
}

interface QueuedAppend {
  readonly entries: readonly NewEntry[];
  readonly writes: readonly KeyValueWrite[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly onSaved: () => void;
}

export class AppendQueue {
  readonly #log: ConversationLog;
  readonly #cursor: LogCursor;
  readonly #saving = writable<SaveStatus>({ state: 'saved' });
  readonly #queue: QueuedAppend[] = [];
  #flushing: Promise<void> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #closing = false;

  constructor(log: ConversationLog, cursor: LogCursor) {
    this.#log = log;
    this.#cursor = cursor;
  }

  get saving(): Readable<SaveStatus> {
    return this.#saving;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Lists documents with an unwritten change. */
  documents(): Set<DocumentId> {
    return new Set(this.#queue.flatMap(({ entries }) => entries.map(({ document }) => document)));
  }

  /**
   * Queues entries and writes for one transaction. Resolves when they are durable. Rejects if the first attempt fails,
   * and keeps them. `onSaved`: called once they are written, however late: until then the document must stay in memory.
   */
  enqueue(
    entries: readonly NewEntry[],
    writes: readonly KeyValueWrite[],
    onSaved: () => void = () => {},
  ): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      this.#queue.push({ entries, writes, resolve, reject, onSaved });
    });
    this.#flushInBackground();
    return written;
  }

  /** Queues entries without a waiting caller: a failed write is repeated with the next change. */
  enqueueInBackground(entries: readonly NewEntry[]): void {
    ignore(this.enqueue(entries, []), 'an append; its entries stay queued, and the save status shows that');
  }

  /** Writes all queued entries, so that a reader of the log finds them. Throws if that fails. */
  async drain(): Promise<void> {
    while (!this.isEmpty) await this.enqueue([], []);
  }

  /** Appends past the queue: a failure leaves nothing queued. */
  async append(entries: readonly NewEntry[], writes: readonly KeyValueWrite[] = []): Promise<void> {
    this.#cursor.appending(entries);
    this.#cursor.appended(entries, await this.#log.append(entries, writes));
  }

  /** Starts writing queued entries. Resolves when the attempt has succeeded or failed. */
  flush(): Promise<void> {
    // With an empty queue the work would end before it is assigned, and block all later writes.
    if (this.isEmpty) return this.#flushing ?? Promise.resolve();
    this.#flushing ??= this.#writeAll();
    return this.#flushing;
  }

  fail(error: unknown): void {
    this.#saving.set({ state: 'failed', problem: toProblem(error) });
  }

  /** Ends retries. Queued entries can still be flushed. */
  close(): void {
    this.#closing = true;
    clearTimeout(this.#retryTimer);
  }

  async #writeAll(): Promise<void> {
    clearTimeout(this.#retryTimer);
    try {
      while (!this.isEmpty) if (!(await this.#writeBatch())) return;
      this.#saving.set({ state: 'saved' });
    } finally {
      // In the same step as the last look at the queue: later entries begin a new flush.
      this.#flushing = undefined;
    }
  }

  /** Writes the entries queued now. False if that failed. */
  async #writeBatch(): Promise<boolean> {
    const batch = this.#queue.slice();
    try {
      const writing = this.append(
        batch.flatMap((item) => item.entries),
        batch.flatMap((item) => item.writes),
      );
      // Notify after the transaction began: listeners may draw while the disk works.
      this.#saving.set({ state: 'saving' });
      await writing;
    } catch (error) {
      for (const item of batch) item.reject(error);
      this.fail(error);
      if (!this.#closing) this.#retryTimer = setTimeout(() => this.#flushInBackground(), RETRY_MS);
      return false;
    }
    this.#queue.splice(0, batch.length);
    for (const item of batch) {
      item.onSaved();
      item.resolve();
    }
    return true;
  }

  #flushInBackground(): void {
    ignore(this.flush(), 'a flush; each queued append reports to its own caller');
  }
}
