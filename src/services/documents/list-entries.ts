// Updates the library's entries after conversations changed on other devices. The library document is not synced: each
// device makes each entry from its conversation, so that an entry never says more, or less, than the conversation here.
import type { KeyValueWrite, LogEntry, NewEntry, Store } from '../../adapters/log/conversation-log.ts';
import { type ConversationId, LIBRARY_DOCUMENT, newEntryId } from '../../domain/base/ids.ts';
import { log as diagnostics } from '../../domain/base/log.ts';
import type { LibraryEntry } from './documents.ts';
import { createReader } from './reader.ts';
import { toLibraryEntry } from './yjs-conversation.ts';
import { createLibraryDocument, type LibraryDocument } from './yjs-library.ts';

interface ListEntryWriter {
  /**
   * Rewrites the entries of these conversations, or removes those without anything in the
   * log; `writes` go into the same append.
   */
  refresh(ids: readonly ConversationId[], writes: readonly KeyValueWrite[]): Promise<void>;
}

/**
 * Makes the writer of list entries. It reads the library from the log and keeps it, so that
 * a later call reads only new entries.
 */
export function createListEntryWriter({ log }: Store): ListEntryWriter {
  const reader = createReader(log);
  let held: { document: LibraryDocument; last: LogEntry } | undefined;

  /** The library as the log has it now; reads only new entries. */
  const library = async (): Promise<LibraryDocument> => {
    let entries = held ? await log.read(LIBRARY_DOCUMENT, held.last.seq - 1) : [];
    if (held && entries[0]?.id === held.last.id) entries = entries.slice(1);
    else {
      held?.document.doc.destroy();
      held = undefined;
      entries = await log.read(LIBRARY_DOCUMENT);
    }
    const document = held?.document ?? createLibraryDocument();
    for (const entry of entries) {
      try {
        document.apply(entry.bytes);
      } catch (error) {
        diagnostics.warn('A damaged list entry is made again when its conversation changes', error);
      }
    }
    const last = entries.at(-1) ?? held?.last;
    held = last && { document, last };
    return document;
  };

  return {
    refresh: async (ids, writes) => {
      const lines: LibraryEntry[] = [];
      const gone: ConversationId[] = [];
      for (const id of ids) {
        const found = await reader.read(id);
        if (found) lines.push(toLibraryEntry(found.conversation));
        else gone.push(id);
      }
      // Read last, so that entries of other tabs come before this one.
      const update = (await library()).change(lines, gone);
      const entries: NewEntry[] = update
        ? [{ id: newEntryId(), document: LIBRARY_DOCUMENT, origin: 'remote', bytes: update }]
        : [];
      try {
        await log.append(entries, writes);
      } catch (error) {
        // Drop the cached document: it holds a change that was not written.
        held = undefined;
        throw error;
      }
    },
  };
}
