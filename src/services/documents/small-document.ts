// A small synced document of plain values by key, read whole: named maps in one document of the log. Follows other tabs
// and devices; a change is shown once it is durable. Unknown keys and maps are left alone.
import * as Y from 'yjs';
import type { ConversationLog } from '../../adapters/log/conversation-log.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type DocumentId, newEntryId } from '../../domain/base/ids.ts';
import { writable } from '../../domain/base/readable.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { acrossPendingStructs, hasPendingStructs, withoutPendingStructs } from './pending-structs.ts';

/** A document with this many entries is replaced by a snapshot. */
const SNAPSHOT_AFTER = 200;

/** A map of a small document. Values are plain JSON. */
export type ValueMap = Y.Map<unknown>;
export type ValueMaps = (name: string) => ValueMap;

/** JSON as the document stores it: no undefined, nothing shared with the caller. */
export const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

interface SmallDocumentDeps {
  readonly log: ConversationLog;
  readonly document: DocumentId;
  /** Called with the document at the start and after each change. */
  readonly onChange: (maps: ValueMaps) => void;
  readonly onProblem: (problem: Problem) => void;
}

export class SmallDocument {
  readonly #deps: SmallDocumentDeps;
  readonly #doc = new Y.Doc();
  readonly #applied = new Set<string>();
  // One author for each tab: a new one for each change would stay in the document for ever.
  readonly #author = new Y.Doc().clientID;
  readonly #queue = new SerialQueue();
  readonly #stop: () => void;
  /** Why the log could not be read yet; null once it was read, and while nothing failed. */
  readonly failure = writable<Problem | null>(null);
  /** The log was read once: before that, an empty document means nothing. */
  #isRead = false;
  #entries = 0;
  /** Position up to which the log was read. */
  #seq = 0;
  /** An entry did not decode. */
  #damaged = false;
  #closed = false;

  constructor(deps: SmallDocumentDeps) {
    this.#deps = deps;
    // Includes this tab's own entries: notes and prompts are two readers of one document.
    this.#stop = deps.log.subscribe(({ documents }) => {
      if (documents.includes(deps.document)) this.#follow();
    });
    this.#follow();
  }

  /** Resolves when all earlier requests are done; reads the log again if that failed before. Never rejects. */
  async known(): Promise<void> {
    await this.#queue.idle();
    if (!this.#isRead) await this.#queue.run(() => this.#read()).catch((error) => this.#report(error));
  }

  /**
   * Makes a change on a copy, so that a failure leaves nothing behind. Resolves when it is durable. Throws
   * `storage-full`, `storage-failed`. `snapshotAfter`: this many entries become one snapshot, without removed values.
   */
  change(make: (maps: ValueMaps) => void, snapshotAfter: number = SNAPSHOT_AFTER): Promise<void> {
    return this.#queue.run(async () => {
      await this.#read();
      // Entries behind a gap can be changed, too: the change then waits in the document with its target.
      const across = this.#damaged && hasPendingStructs(this.#doc);
      const copy = across ? withoutPendingStructs(this.#doc) : new Y.Doc();
      if (!across) {
        Y.applyUpdate(copy, Y.encodeStateAsUpdate(this.#doc));
        // Behind a gap each change has its own author: later changes of a waiting author would wait, too.
        copy.clientID = this.#author;
      }
      let bytes: Uint8Array | undefined;
      copy.on('update', (update: Uint8Array) => {
        bytes = update;
      });
      copy.transact(() => make((name) => copy.getMap(name)));
      copy.destroy();
      if (bytes) {
        const id = newEntryId();
        await this.#deps.log.append([{ id, document: this.#deps.document, origin: 'user', bytes }]);
        this.#applied.add(id);
        Y.applyUpdate(this.#doc, bytes, 'log');
        this.#entries += 1;
        this.#announce();
      }
      // Removed words stay in the log until the document is replaced by a snapshot.
      if (this.#entries >= (bytes ? snapshotAfter : Math.max(snapshotAfter, 2))) await this.#writeSnapshot();
    });
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    this.#doc.destroy();
  }

  /** Applies the entries that this tab lacks. */
  async #read(): Promise<void> {
    const { log, document, onProblem } = this.#deps;
    const read = await log.read(document, this.#seq);
    const added = read.filter(({ id }) => !this.#applied.has(id));
    const isFirst = !this.#isRead;
    this.#isRead = true;
    if (isFirst) this.failure.set(null);
    this.#seq = read.at(-1)?.seq ?? this.#seq;
    this.#entries += added.length;
    for (const { id, seq, bytes } of added) {
      this.#applied.add(id);
      try {
        Y.applyUpdate(this.#doc, bytes, 'log');
      } catch (cause) {
        this.#damaged = true;
        const params = { seq, document };
        onProblem(
          toProblem(
            new RecollectError('damaged-entry', `Entry ${seq} of ${document} cannot be read`, {
              params,
              cause,
            }),
          ),
        );
      }
    }
    if (isFirst || added.length > 0) this.#announce();
  }

  /** Replaces the entries by a snapshot, unless one does not decode, since it must survive. */
  async #writeSnapshot(): Promise<void> {
    const { log, document } = this.#deps;
    const kept = await log.read(document);
    const last = kept.at(-1);
    if (!last) return;
    const whole = new Y.Doc();
    try {
      for (const entry of kept) Y.applyUpdate(whole, entry.bytes);
      await log.replaceBySnapshot(document, Y.encodeStateAsUpdate(whole), last.seq);
      this.#entries = 1;
      this.#seq = last.seq;
    } catch (error) {
      this.#report(error);
    } finally {
      whole.destroy();
    }
  }

  #announce(): void {
    acrossPendingStructs(this.#doc, this.#damaged, (shown) =>
      this.#deps.onChange((name) => shown.getMap(name)),
    );
  }

  #follow(): void {
    if (!this.#closed) this.#queue.run(() => this.#read()).catch((error) => this.#report(error));
  }

  #report(error: unknown): void {
    const problem = toProblem(error);
    if (!this.#isRead) this.failure.set(problem);
    this.#deps.onProblem(problem);
  }
}
