// Reads conversations out of the log without following them: for the engine's projector and for exports.
import type { ConversationLog } from '../../adapters/log/conversation-log.ts';
import { type ConversationId, LIBRARY_DOCUMENT } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { LibraryEntry } from './documents.ts';
import { type ConversationDocument, createConversationDocument } from './yjs-conversation.ts';
import { createLibraryDocument } from './yjs-library.ts';

export interface Reader {
  /** As the log has it now; undefined where it has nothing of it. `damaged` counts entries and messages that could not be read. */
  read(id: ConversationId): Promise<{ conversation: Conversation; damaged: number } | undefined>;
  /** All lines of the library, trash included. */
  library(): Promise<readonly LibraryEntry[]>;
}

/** Keeps the `keep` documents read last, so that following a busy conversation applies only what is new. */
export function createReader(log: ConversationLog, keep = 4): Reader {
  const kept = new Map<string, { document: ConversationDocument; seen: Set<string>; broken: number }>();
  const library = { document: createLibraryDocument(), seen: new Set<string>() };
  return {
    read: async (id) => {
      const entries = await log.read(id);
      if (entries.length === 0) {
        kept.delete(id);
        return undefined;
      }
      const slot = kept.get(id) ?? {
        document: createConversationDocument(id),
        seen: new Set<string>(),
        broken: 0,
      };
      kept.delete(id);
      kept.set(id, slot);
      for (const entry of entries) {
        if (slot.seen.has(entry.id)) continue;
        slot.seen.add(entry.id);
        // One entry that does not decode must not take the conversation with it: the others still apply.
        try {
          slot.document.apply(entry.bytes);
        } catch {
          slot.broken += 1;
        }
      }
      for (const oldest of kept.keys()) {
        if (kept.size <= keep) break;
        kept.delete(oldest);
      }
      return { conversation: slot.document.read(), damaged: slot.broken + slot.document.damaged() };
    },
    library: async () => {
      for (const entry of await log.read(LIBRARY_DOCUMENT)) {
        if (library.seen.has(entry.id)) continue;
        library.seen.add(entry.id);
        try {
          library.document.apply(entry.bytes);
        } catch {
          // A damaged line is made again from its conversation when that next changes.
        }
      }
      return library.document.entries();
    },
  };
}
