// From the log to the outbox: reads what is new, leaves out what must stay here, seals the rest. What the relay has nothing of yet is
// sent as a whole. Every step is one commit with the bookmark it reaches.
import type { LogEntry } from '../../adapters/log/conversation-log.ts';
import { type DocumentId, LIBRARY_DOCUMENT } from '../../domain/base/ids.ts';
import { INDEX_ROOM } from '../../domain/sync/keys.ts';
import { beyond, isUpdate, mergeUpdates, type WholeDocument } from '../documents/shared.ts';
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
  /** Seals what is new in the log. True where there was something. */
  pushChanges(): Promise<boolean>;
  /** Documents without a record: sent as a whole, or compared with what others have put on the relay. Only once the index was read. */
  adoptDocuments(): Promise<boolean>;
  /** There may be documents without a record. */
  readonly isAdopting: boolean;
  /** Sends all of the documents whose records ask for it, as far as the outbox has room. */
  pushSnapshots(): Promise<boolean>;
  /** The rules about what stays here may have changed. */
  markRulesChanged(): void;
  /** Looks at what stays here again, where the rules changed. */
  recheckWithheld(): Promise<boolean>;
}

/** Log entries read at a time. */
const LOG_PAGE_ENTRIES = 200;
/** First uploads wait while this much lies in the outbox. */
const MAX_OUTBOX_BYTES = 16 * 1024 * 1024;

export function createOutboxWriter({
  log,
  records,
  accountState,
  contents,
  sealInto,
  signal,
  onLogRead,
  onQueued,
  keepInTrash,
  handleTombstonedWrite,
}: SessionContext & {
  /** The log was read where it speaks of this document. */
  readonly onLogRead: (document: string) => void;
  /** Something of this document waits for its room. */
  readonly onQueued: (document: string) => void;
  /** Puts into the step what makes of a document one that was erased elsewhere. */
  readonly keepInTrash: (transaction: Transaction, document: string) => Promise<void>;
  /** Puts into the step what becomes of a document that is gone and of which something came into the log. */
  readonly handleTombstonedWrite: (
    transaction: Transaction,
    document: string,
    here: WholeDocument,
  ) => Promise<void>;
}): OutboxWriter {
  let isAdopting = true;
  let mustRecheck = true;

  /** What is on its way: what the relay has no room for keeps nothing else from going out. */
  const outboxBytes = () => {
    let bytes = 0;
    for (const [document, rows] of records.outbox)
      if (!accountState.isDeferred(document)) for (const row of rows.values()) bytes += row.bytes;
    return bytes;
  };

  /** The document stays here from now on, whatever of it was to be sent, or goes out again. What lies on the relay stays there. */
  function setWithheld(
    transaction: Transaction,
    document: string,
    record: RoomRecord,
    withheld: RoomRecord['withheld'],
  ): void {
    if (withheld === null) records.putRoom(transaction, document, { ...record, withheld, whole: true });
    else {
      const taken = record.withheld === null && retractOutbox(records, transaction, document, record.epoch);
      // What is to leave the room because it was forgotten leaves it once the document goes out again.
      const squash = record.squash || taken;
      records.putRoom(transaction, document, { ...record, withheld, whole: false, compare: false, squash });
    }
  }

  async function queueEntries(
    transaction: Transaction,
    document: string,
    list: readonly LogEntry[],
  ): Promise<void> {
    const record = records.rooms.get(document);
    // Not known yet: all of it is sent, or compared, once the index was read.
    if (!record) {
      isAdopting = true;
      return;
    }
    if (record.whole) return;
    const here = await contents.read(document as DocumentId);
    if (!here) return;
    if (record.gone !== null) return await handleTombstonedWrite(transaction, document, here);
    const withheld = await contents.reasonToWithhold(document, here, record.withheld);
    if (withheld !== null || record.withheld !== null) {
      setWithheld(transaction, document, record, withheld);
      return;
    }
    // Sent with all else that the new room lacks, once it can be told what that is.
    if (awaitsMove(record)) return;
    const updates = list.flatMap(({ origin, bytes }) => {
      if (!isUpdate(bytes)) return [];
      return [origin === 'fold' ? beyond(bytes, record.clocks) : bytes];
    });
    if (updates.length === 0) return;
    const next = await sealInto(transaction, {
      document,
      record,
      body: await contents.clean(mergeUpdates(updates)),
      kind: 'delta',
      changes: list.length,
      content: contents.of(document),
    });
    records.putRoom(transaction, document, {
      ...next,
      forgotten: here.forgotten,
      squash: next.squash || here.forgotten > record.forgotten,
    });
    transaction.after.push(() => {
      accountState.setDeferred(document, false);
      accountState.queueAnnouncement(document);
      onQueued(document);
    });
  }

  async function pushSnapshot(document: string): Promise<boolean> {
    const record = records.rooms.get(document);
    if (!record?.whole || !isShared(record)) return false;
    const body = await contents.of(document).snapshot();
    const transaction = newTransaction();
    if (!body) {
      // Nothing of it is here (any more): what others have of it is to be fetched, and nothing is to be sent.
      records.putRoom(transaction, document, { ...record, whole: false, compare: true });
      await records.commit(transaction);
      return true;
    }
    const next = await sealInto(transaction, {
      document,
      record,
      body,
      kind: body.length < 4096 ? 'delta' : 'snapshot',
      holds: record.have,
      changes: 1,
      content: contents.of(document),
    });
    records.putRoom(transaction, document, { ...next, whole: false });
    transaction.after.push(() => {
      // What was held back was so in a room that was left.
      accountState.setDeferred(document, false);
      accountState.queueAnnouncement(document);
    });
    signal.throwIfAborted();
    await records.commit(transaction);
    return true;
  }

  return {
    pushChanges: async () => {
      let did = false;
      for (;;) {
        const entries = await log.since(records.bookmark, LOG_PAGE_ENTRIES);
        signal.throwIfAborted();
        const last = entries.at(-1);
        if (!last) return did;
        did = true;
        const byDocument = new Map<string, LogEntry[]>();
        for (const entry of entries) {
          onLogRead(entry.document);
          if (entry.document === LIBRARY_DOCUMENT || entry.origin === 'remote') continue;
          const list = byDocument.get(entry.document) ?? [];
          byDocument.set(entry.document, [...list, entry]);
        }
        const transaction = newTransaction();
        for (const [document, list] of byDocument) await queueEntries(transaction, document, list);
        records.putBookmark(transaction, last.seq);
        signal.throwIfAborted();
        await records.commit(transaction);
      }
    },

    adoptDocuments: async () => {
      if (!isAdopting) return false;
      const unknown = (await log.documents())
        .filter((id) => id !== LIBRARY_DOCUMENT && !records.rooms.has(id))
        .sort()
        .reverse();
      let did = false;
      for (const document of unknown) {
        if (outboxBytes() > MAX_OUTBOX_BYTES) return did;
        signal.throwIfAborted();
        const here = await contents.read(document);
        if (!here) continue;
        const transaction = newTransaction();
        const gone = accountState.tombstoneOf(document);
        const record: RoomRecord = {
          ...freshRecord(accountState.currentEpoch(document)),
          withheld: await contents.reasonToWithhold(document, here, null),
          forgotten: here.forgotten,
        };
        const living = accountState.existsIn(document, record.epoch);
        // Erased everywhere before this device could say that it has it.
        if (gone && record.epoch === gone.epoch + 1 && !living) await keepInTrash(transaction, document);
        else if (living) records.putRoom(transaction, document, { ...record, compare: true });
        else records.putRoom(transaction, document, { ...record, whole: true });
        await records.commit(transaction);
        did = true;
        if (await pushSnapshot(document)) continue;
      }
      isAdopting = false;
      return did;
    },
    get isAdopting() {
      return isAdopting;
    },

    pushSnapshots: async () => {
      let did = false;
      for (const [document, record] of records.rooms) {
        if (!record.whole || document === INDEX_ROOM) continue;
        if (outboxBytes() > MAX_OUTBOX_BYTES) break;
        did = (await pushSnapshot(document)) || did;
      }
      return did;
    },

    markRulesChanged: () => {
      mustRecheck = true;
    },
    recheckWithheld: async () => {
      if (!mustRecheck) return false;
      // Rules that change meanwhile are looked at in the next round.
      mustRecheck = false;
      let did = false;
      try {
        const listed = await contents.listedReasons();
        for (const [document, record] of [...records.rooms]) {
          if (document === INDEX_ROOM || record.gone !== null) continue;
          // Reading every document would take long: of what goes out, those are read of which the library says that they stay, or nothing.
          if (record.withheld === null && listed.get(document) === null) continue;
          const here = await contents.read(document as DocumentId);
          const withheld = here ? await contents.reasonToWithhold(document, here, record.withheld) : null;
          if (withheld === record.withheld) continue;
          signal.throwIfAborted();
          const transaction = newTransaction();
          setWithheld(transaction, document, record, withheld);
          await records.commit(transaction);
          did = true;
        }
      } catch (error) {
        mustRecheck = true;
        throw error;
      }
      return did;
    },
  };
}
