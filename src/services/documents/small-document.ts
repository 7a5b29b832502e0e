// A small synced document of plain values by key, read whole: maps by name in one document of the log. What other tabs and devices write
// appears by itself; a change is shown once it is durable. Keys and maps that this version does not know are left where they are.
import * as Y from 'yjs';
import type { ConversationLog } from '../../adapters/log/conversation-log.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type DocumentId, newEntryId } from '../../domain/base/ids.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { acrossPendingStructs, hasPendingStructs, withoutPendingStructs } from './pending-structs.ts';

/** The document is folded when this many entries have piled up on it. */
const FOLD_AFTER = 200;

/** A map of a small document. Values are plain JSON. */
export type ValueMap = Y.Map<unknown>;
export type ValueMaps = (name: string) => ValueMap;

/** JSON as the document stores it: no undefined, nothing shared with the caller. */
export const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

interface SmallDocumentDeps {
  readonly log: ConversationLog;
  readonly document: DocumentId;
  /** Hears what the document is now, once at the start and after each change. */
  readonly onChange: (maps: ValueMaps) => void;
  readonly onProblem: (problem: Problem) => void;
}

export class SmallDocument {
  readonly #deps: SmallDocumentDeps;
  readonly #doc = new Y.Doc();
  readonly #applied = new Set<string>();
  // One author a tab: a new one for each change would stay in the document for ever.
  readonly #author = new Y.Doc().clientID;
  readonly #queue = new SerialQueue();
  readonly #stop: () => void;
  /** The log was read once: before that nothing is known, which is not the same as nothing being there. */
  #isRead = false;
  #entries = 0;
  /** Up to where the log was read. */
  #seq = 0;
  /** Something did not decode. */
  #damaged = false;
  #closed = false;

  constructor(deps: SmallDocumentDeps) {
    this.#deps = deps;
    // Also what this tab wrote: notes and prompts are two readers of one document.
    this.#stop = deps.log.subscribe(({ documents }) => {
      if (documents.includes(deps.document)) this.#follow();
    });
    this.#follow();
  }

  /** Resolves when all that was asked for until now is done; reads the log again where that failed before. Rejects never. */
  async known(): Promise<void> {
    await this.#queue.idle();
    if (!this.#isRead) await this.#queue.run(() => this.#read()).catch((error) => this.#report(error));
  }

  /**
   * Makes a change on a copy, so that a failure leaves nothing behind. Resolves when it is durable. Throws `storage-full`, `storage-failed`.
   * `foldAfter`: as many entries of the document are folded into one, and what was taken out is nowhere in that.
   */
  change(make: (maps: ValueMaps) => void, foldAfter: number = FOLD_AFTER): Promise<void> {
    return this.#queue.run(async () => {
      await this.#read();
      // Entries shown from behind a gap can be changed too: the change then waits in the document with its target.
      const across = this.#damaged && hasPendingStructs(this.#doc);
      const copy = across ? withoutPendingStructs(this.#doc) : new Y.Doc();
      if (!across) {
        Y.applyUpdate(copy, Y.encodeStateAsUpdate(this.#doc));
        // Across a gap each change is of an author of its own: whatever this one says after a change that waits would wait with it.
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
      // Words taken out before stay in the log until the document is compacted.
      if (this.#entries >= (bytes ? foldAfter : Math.max(foldAfter, 2))) await this.#fold();
    });
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    this.#doc.destroy();
  }

  /** Applies what the log has and this tab has not. */
  async #read(): Promise<void> {
    const { log, document, onProblem } = this.#deps;
    const read = await log.read(document, this.#seq);
    const added = read.filter(({ id }) => !this.#applied.has(id));
    const isFirst = !this.#isRead;
    this.#isRead = true;
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

  /** Folds what the log has; an entry that does not decode must survive as it is, then nothing is folded. */
  async #fold(): Promise<void> {
    const { log, document } = this.#deps;
    const kept = await log.read(document);
    const last = kept.at(-1);
    if (!last) return;
    const whole = new Y.Doc();
    try {
      for (const entry of kept) Y.applyUpdate(whole, entry.bytes);
      await log.fold(document, Y.encodeStateAsUpdate(whole), last.seq);
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
    this.#deps.onProblem(toProblem(error));
  }
}
