// A small synced document of plain values by key, read whole: maps by name in one document of the log. What other tabs and devices write
// appears by itself; a change is shown once it is durable. Keys and maps that this version does not know are left where they are.
import * as Y from 'yjs';
import type { ConversationLog } from '../../adapters/log/conversation-log.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { type DocumentId, newEntryId } from '../../domain/base/ids.ts';
import { SerialQueue } from '../../domain/base/serial-queue.ts';
import { hasGaps, withoutGaps } from './gaps.ts';

/** A map of a small document. Values are plain JSON. */
export interface ValueMap {
  entries(): Iterable<[string, unknown]>;
  set(key: string, value: unknown): unknown;
  delete(key: string): void;
}
export type ValueMaps = (name: string) => ValueMap;

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
  #isRead = false;
  /** Something did not decode. */
  #damaged = false;
  #closed = false;

  constructor(deps: SmallDocumentDeps) {
    this.#deps = deps;
    this.#stop = deps.log.subscribe(({ documents, foreign }) => {
      if (foreign && documents.includes(deps.document)) this.#follow();
    });
    this.#follow();
  }

  /** Makes a change on a copy, so that a failure leaves nothing behind. Resolves when it is durable. Throws `storage-full`, `storage-failed`. */
  change(make: (maps: ValueMaps) => void): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.#isRead) await this.#read();
      // What is shown from behind a gap can be changed like all else: the change then waits in the document with what it changes.
      const across = this.#damaged && hasGaps(this.#doc);
      const copy = across ? withoutGaps(this.#doc) : new Y.Doc();
      if (!across) {
        Y.applyUpdate(copy, Y.encodeStateAsUpdate(this.#doc));
        copy.clientID = this.#author;
      }
      let bytes: Uint8Array | undefined;
      copy.on('update', (update: Uint8Array) => {
        bytes = update;
      });
      copy.transact(() => make((name) => copy.getMap(name)));
      copy.destroy();
      if (!bytes) return;
      const id = newEntryId();
      await this.#deps.log.append([{ id, document: this.#deps.document, origin: 'user', bytes }]);
      this.#applied.add(id);
      Y.applyUpdate(this.#doc, bytes, 'log');
      this.#announce();
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
    const entries = await log.read(document);
    this.#isRead = true;
    for (const { id, seq, bytes } of entries) {
      if (this.#applied.has(id)) continue;
      this.#applied.add(id);
      try {
        Y.applyUpdate(this.#doc, bytes, 'log');
      } catch (cause) {
        this.#damaged = true;
        const params = { seq, document };
        onProblem(
          toProblem(
            new RecollectError('damaged-entry', `Entry ${seq} of ${document} is damaged`, { params, cause }),
          ),
        );
      }
    }
    this.#announce();
  }

  #announce(): void {
    const isWhole = !this.#damaged || !hasGaps(this.#doc);
    const shown = isWhole ? this.#doc : withoutGaps(this.#doc);
    this.#deps.onChange((name) => shown.getMap(name));
    if (!isWhole) shown.destroy();
  }

  #follow(): void {
    if (!this.#closed)
      this.#queue.run(() => this.#read()).catch((error) => this.#deps.onProblem(toProblem(error)));
  }
}
