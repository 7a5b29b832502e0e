// Reads documents from the log, and replaces many entries by a snapshot.
import * as Y from 'yjs';
import type { ConversationLog, LogEntry } from '../../adapters/log/conversation-log.ts';
import { RecollectError, toProblem } from '../../domain/base/errors.ts';
import type { ConversationId, DocumentId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { hasPendingStructs } from './pending-structs.ts';
import { type ConversationDocument, createConversationDocument } from './yjs-conversation.ts';
import type { LibraryDocument } from './yjs-library.ts';

/** A document with this many entries gets a snapshot. */
export const SNAPSHOT_AFTER = 200;

export interface LoadedConversation {
  readonly document: ConversationDocument;
  /** Log entries it was read from. */
  readonly entries: number;
  /** Some entry could not be decoded. */
  readonly damaged: boolean;
}

export type OnProblem = (problem: ReturnType<typeof toProblem>) => void;

export class DocumentLoader {
  readonly #log: ConversationLog;
  readonly #onProblem: OnProblem;

  constructor(log: ConversationLog, onProblem: OnProblem) {
    this.#log = log;
    this.#onProblem = onProblem;
  }

  /** Applies the entry. Reports a damaged one and returns false: it stays in the log, and the rest is shown. */
  apply(document: ConversationDocument | LibraryDocument, entry: LogEntry): boolean {
    try {
      document.apply(entry.bytes, entry.origin);
      return true;
    } catch (cause) {
      const message = `Entry ${entry.seq} of ${entry.document} cannot be read`;
      const params = { seq: entry.seq, document: entry.document };
      this.#onProblem(toProblem(new RecollectError('damaged-entry', message, { params, cause })));
      return false;
    }
  }

  async load(id: ConversationId): Promise<LoadedConversation | undefined> {
    const entries = await this.#log.read(id);
    if (entries.length === 0) return undefined;
    const document = createConversationDocument(id);
    let damaged = false;
    for (const entry of entries) damaged = !this.apply(document, entry) || damaged;
    return { document, entries: entries.length, damaged };
  }

  /**
   * Replaces the document's entries by one snapshot, made from the log rather than the screen. Does nothing if one
   * cannot be decoded or waits for another: they must survive as they are. `empty`: a new document.
   */
  async writeSnapshot(
    id: DocumentId,
    empty: ConversationDocument | LibraryDocument,
    isClosing: () => boolean,
  ): Promise<void> {
    const entries = await this.#log.read(id);
    const last = entries.at(-1);
    if (!last || entries.length < 2 || isClosing()) return;
    try {
      for (const entry of entries) empty.apply(entry.bytes);
    } catch (error) {
      // The person learns of it when the document is opened.
      log.debug('No snapshot: an entry cannot be read', error);
      return;
    }
    if (hasPendingStructs(empty.doc)) return;
    await this.#log.replaceBySnapshot(id, Y.encodeStateAsUpdate(empty.doc), last.seq);
  }
}
