// Keeps the library's lines in step with conversations that changed elsewhere. The library document is not synced: each line is made
// from its conversation on each device, so that a line never says more, or less, than what is here.
import type { DrawerWrite, NewEntry, Store } from '../../adapters/log/conversation-log.ts';
import { type ConversationId, LIBRARY_DOCUMENT, newEntryId } from '../../domain/base/ids.ts';
import type { LibraryEntry } from './documents.ts';
import { createReader } from './reader.ts';
import { toLibraryEntry } from './yjs-conversation.ts';
import { createLibraryDocument } from './yjs-library.ts';

export interface Lines {
  /** Makes the lines of these conversations again, or takes them out where the log has nothing of them; `writes` in the same append. */
  refresh(ids: readonly ConversationId[], writes: readonly DrawerWrite[]): Promise<void>;
}

export function createLines({ log }: Store): Lines {
  const reader = createReader(log);
  return {
    refresh: async (ids, writes) => {
      const lines: LibraryEntry[] = [];
      const gone: ConversationId[] = [];
      for (const id of ids) {
        const found = await reader.read(id);
        if (found) lines.push(toLibraryEntry(found.conversation));
        else gone.push(id);
      }
      // Read last, and anew: what other tabs wrote meanwhile comes before what is written here.
      const library = createLibraryDocument();
      for (const entry of await log.read(LIBRARY_DOCUMENT)) {
        try {
          library.apply(entry.bytes);
        } catch {
          // A damaged line is made again when its conversation changes.
        }
      }
      const update = library.change(lines, gone);
      library.doc.destroy();
      const entries: NewEntry[] = update
        ? [{ id: newEntryId(), document: LIBRARY_DOCUMENT, origin: 'remote', bytes: update }]
        : [];
      await log.append(entries, writes);
    },
  };
}
