// Fills the outbox from the log: reads new entries, leaves out what must stay here, seals the rest. A document that is
// new to the relay is sent whole. Each transaction includes the bookmark that it reaches.
import type { LogEntry } from '../../adapters/log/conversation-log.ts';
import { type DocumentId, LIBRARY_DOCUMENT, NOTES_DOCUMENT } from '../../domain/base/ids.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { isUpdate, mergeUpdates, updateBeyond, type WholeDocument } from '../documents/shared.ts';
import {
  awaitsMove,
  freshRecord,
  isShared,
  newTransaction,
  type RoomRecord,
  retractOutbox,
  type Transaction,
} from './records.ts';
import type { SessionContext } from './session-context.ts';

interface OutboxWriter {
  /** Seals new entries of the log. True if there were any. */
  pushChanges(): Promise<boolean>;
  /**
   * Handles documents without a record: sends them whole, or compares them with the relay's
   * version. Only once the index was read.
   */
  adoptDocuments(): Promise<boolean>;
  /** True while there may be documents without a record. */
  readonly isAdopting: boolean;
  /** Sends documents whole whose records ask for it, as far as the outbox has space. */
  pushSnapshots(): Promise<boolean>;
  /** Notes that the rules about documents that stay here may have changed. */
  markRulesChanged(): void;
  /** Applies changed rules to all documents. */
  recheckLocalOnly(): Promise<boolean>;
}

/** Log entries read at a time. */
const LOG_PAGE_ENTRIES = 200;
/** First uploads wait while this much lies in the outbox. */
const MAX_OUTBOX_BYTES = 16 * 1024 * 1024;

type SealingOutboxWriterDependencies = SessionContext & {
  /** Called when the log was read up to a change of this document. */
  readonly onLogRead: (document: string) => void;
  /** Called when a change of this document waits for its room. */
  readonly onQueued: (document: string) => void;
  /** Adds to the transaction that a document erased elsewhere stays in this device's trash. */
  readonly keepInTrash: (transaction: Transaction, document: string) => Promise<void>;
  /** Handles a write to a tombstoned document, within the transaction. */
  readonly handleTombstonedWrite: (
    transaction: Transaction,
    document: string,
    here: WholeDocument,
  ) => Promise<void>;
};

/**
 * Makes the writer of the outbox. First uploads pause while 16 MB wait in it; errors of the log reject, and the
 * next round continues from the bookmark.
 */
export function createOutboxWriter(deps: SealingOutboxWriterDependencies): OutboxWriter {
  return new SealingOutboxWriter(deps);
}

class SealingOutboxWriter implements OutboxWriter {
  readonly #deps: SealingOutboxWriterDependencies;
  #isAdopting = true;
  #mustRecheck = true;

  constructor(deps: SealingOutboxWriterDependencies) {
    this.#deps = deps;
  }

  async pushChanges(): Promise<boolean> {
    let did = false;
    for (;;) {
      const entries = await this.#deps.log.since(this.#deps.records.bookmark, LOG_PAGE_ENTRIES);
      this.#deps.signal.throwIfAborted();
      const last = entries.at(-1);
      if (!last) return did;
      did = true;
      const byDocument = new Map<string, LogEntry[]>();
      for (const entry of entries) {
        this.#deps.onLogRead(entry.document);
        if (entry.document === LIBRARY_DOCUMENT || entry.origin === 'remote') continue;
        const list = byDocument.get(entry.document) ?? [];
        byDocument.set(entry.document, [...list, entry]);
      }
      const transaction = newTransaction();
      for (const [document, list] of byDocument) await this.#queueEntries(transaction, document, list);
      this.#deps.records.putBookmark(transaction, last.seq);
      this.#deps.signal.throwIfAborted();
      await this.#deps.records.commit(transaction);
    }
  }

  async adoptDocuments(): Promise<boolean> {
    if (!this.#isAdopting) return false;
    const unknown = (await this.#deps.log.documents())
      .filter((id) => id !== LIBRARY_DOCUMENT && !this.#deps.records.rooms.has(id))
      .sort()
      .reverse();
    let did = false;
    for (const document of unknown) {
      if (this.#outboxBytes() > MAX_OUTBOX_BYTES) return did;
      this.#deps.signal.throwIfAborted();
      const here = await this.#deps.contents.read(document);
      if (!here) continue;
      const transaction = newTransaction();
      const gone = this.#deps.accountState.tombstoneOf(document);
      const record: RoomRecord = {
        ...freshRecord(this.#deps.accountState.currentEpoch(document)),
        localOnly: await this.#deps.contents.localOnlyReason(document, here, null),
        forgotten: here.forgotten,
      };
      const living = this.#deps.accountState.existsIn(document, record.epoch);
      // Erased everywhere before this device could announce that it has it.
      if (gone && record.epoch === gone.epoch + 1 && !living)
        await this.#deps.keepInTrash(transaction, document);
      else if (living) this.#deps.records.putRoom(transaction, document, { ...record, compare: true });
      else this.#deps.records.putRoom(transaction, document, { ...record, whole: true });
      await this.#deps.records.commit(transaction);
      did = true;
      if (await this.#pushSnapshot(document)) continue;
    }
    this.#isAdopting = false;
    return did;
  }

  get isAdopting() {
    return this.#isAdopting;
  }

  async pushSnapshots(): Promise<boolean> {
    let did = false;
    for (const [document, record] of this.#deps.records.rooms) {
      if (!record.whole || document === INDEX_ROOM) continue;
      if (this.#outboxBytes() > MAX_OUTBOX_BYTES) break;
      did = (await this.#pushSnapshot(document)) || did;
    }
    return did;
  }

  markRulesChanged(): void {
    this.#mustRecheck = true;
  }

  async recheckLocalOnly(): Promise<boolean> {
    if (!this.#mustRecheck) return false;
    // Rules that change meanwhile are applied in the next round.
    this.#mustRecheck = false;
    let did = false;
    try {
      const listed = await this.#deps.contents.listedReasons();
      for (const [document, record] of [...this.#deps.records.rooms]) {
        if (document === INDEX_ROOM || record.gone !== null) continue;
        // Reading every document would take long: of shared ones, only those are read that the
        // library excludes or does not list.
        if (record.localOnly === null && listed.get(document) === null) continue;
        const here = await this.#deps.contents.read(document as DocumentId);
        const localOnly = here
          ? await this.#deps.contents.localOnlyReason(document, here, record.localOnly)
          : null;
        if (localOnly === record.localOnly) continue;
        this.#deps.signal.throwIfAborted();
        const transaction = newTransaction();
        this.#setLocalOnly(transaction, document, record, localOnly);
        await this.#deps.records.commit(transaction);
        did = true;
      }
    } catch (error) {
      this.#mustRecheck = true;
      throw error;
    }
    return did;
  }

  /** Size of waiting blobs; documents that the relay has no space for delay no others. */
  #outboxBytes(): number {
    let bytes = 0;
    for (const [document, rows] of this.#deps.records.outbox)
      if (!this.#deps.accountState.isDeferred(document)) for (const row of rows.values()) bytes += row.bytes;
    return bytes;
  }

  /** Keeps the document and its waiting blobs here from now on, or sends it again. Blobs on the relay stay there. */
  #setLocalOnly(
    transaction: Transaction,
    document: string,
    record: RoomRecord,
    localOnly: RoomRecord['localOnly'],
  ): void {
    if (localOnly === null)
      this.#deps.records.putRoom(transaction, document, { ...record, localOnly, whole: true });
    else {
      const taken =
        record.localOnly === null && retractOutbox(this.#deps.records, transaction, document, record.epoch);
      // Forgotten words leave the room once the document is sent again.
      const squash = record.squash || taken;
      this.#deps.records.putRoom(transaction, document, {
        ...record,
        localOnly,
        whole: false,
        compare: false,
        squash,
      });
    }
  }

  async #queueEntries(transaction: Transaction, document: string, list: readonly LogEntry[]): Promise<void> {
    const record = this.#deps.records.rooms.get(document);
    // Without a record the document is sent whole, or compared, once the index was read.
    if (!record) {
      this.#isAdopting = true;
      return;
    }
    if (record.whole) return;
    const here = await this.#deps.contents.read(document as DocumentId);
    if (!here) return;
    if (record.gone !== null) return await this.#deps.handleTombstonedWrite(transaction, document, here);
    const localOnly = await this.#deps.contents.localOnlyReason(document, here, record.localOnly);
    if (localOnly !== null || record.localOnly !== null) {
      this.#setLocalOnly(transaction, document, record, localOnly);
      return;
    }
    // Sent with everything else that the new room lacks, once that is known.
    if (awaitsMove(record)) return;
    const updates = list.flatMap(({ origin, bytes }) => {
      if (!isUpdate(bytes)) return [];
      return [origin === 'fold' ? updateBeyond(bytes, record.clocks) : bytes];
    });
    if (updates.length === 0) return;
    const next = await this.#deps.sealInto(transaction, {
      document,
      record,
      body: await this.#deps.contents.clean(mergeUpdates(updates)),
      kind: 'delta',
      changes: list.length,
      content: this.#deps.contents.of(document),
    });
    this.#deps.records.putRoom(transaction, document, {
      ...next,
      forgotten: here.forgotten,
      squash: next.squash || here.forgotten > record.forgotten || (await this.#mayTakeOut(list)),
    });
    transaction.after.push(() => {
      this.#deps.accountState.setDeferred(document, false);
      this.#deps.accountState.queueAnnouncement(document);
      this.#deps.onQueued(document);
    });
  }

  /**
   * True if these entries may remove words: a snapshot does, some time after its record. A room rebuilt in between
   * would still have them, and titles and notes leave no mark of their own.
   */
  async #mayTakeOut(list: readonly LogEntry[]): Promise<boolean> {
    if (!list.some(({ origin }) => origin === 'fold')) return false;
    return ((await this.#deps.contents.read(NOTES_DOCUMENT))?.forgotten ?? 0) > 0;
  }

  async #pushSnapshot(document: string): Promise<boolean> {
    const record = this.#deps.records.rooms.get(document);
    if (!record?.whole || !isShared(record)) return false;
    const body = await this.#deps.contents.of(document).snapshot();
    const transaction = newTransaction();
    if (!body) {
      // The device has nothing of the document (any more): fetches the others' version, and sends nothing.
      this.#deps.records.putRoom(transaction, document, { ...record, whole: false, compare: true });
      await this.#deps.records.commit(transaction);
      return true;
    }
    const next = await this.#deps.sealInto(transaction, {
      document,
      record,
      body,
      kind: body.length < 4096 ? 'delta' : 'snapshot',
      holds: record.have,
      changes: 1,
      content: this.#deps.contents.of(document),
    });
    this.#deps.records.putRoom(transaction, document, { ...next, whole: false });
    transaction.after.push(() => {
      // The deferral belonged to the previous room.
      this.#deps.accountState.setDeferred(document, false);
      this.#deps.accountState.queueAnnouncement(document);
    });
    this.#deps.signal.throwIfAborted();
    await this.#deps.records.commit(transaction);
    return true;
  }
}
