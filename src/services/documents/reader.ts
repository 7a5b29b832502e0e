// Reads conversations from the log without following changes, for the engine's projector and for exports.
import type { ConversationLog, LogEntry } from '../../adapters/log/conversation-log.ts';
import {
  type ConversationId,
  type DocumentId,
  LIBRARY_DOCUMENT,
  NOTES_DOCUMENT,
} from '../../domain/base/ids.ts';
import { log as diagnostics } from '../../domain/base/log.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import { conversationOfNotes, isNotes } from '../../domain/memory/notes.ts';
import type { LibraryEntry } from './documents.ts';
import { readNotes } from './notes.ts';
import { type ConversationDocument, createConversationDocument } from './yjs-conversation.ts';
import { createLibraryDocument, type LibraryDocument } from './yjs-library.ts';

export interface Reader {
  /**
   * Reads a conversation as the log has it now, the memory notes as `NOTES`; undefined if the log has nothing of it.
   * `damaged` counts unreadable entries and messages; `grown` are messages with more words than at first.
   */
  read(
    id: ConversationId,
  ): Promise<{ conversation: Conversation; damaged: number; grown: readonly Message[] } | undefined>;
  /** All entries of the library, trash included. */
  library(): Promise<readonly LibraryEntry[]>;
}

/**
 * Makes a reader. It keeps the last `keep` documents, so that following a busy conversation applies only new entries.
 */
export function createReader(log: ConversationLog, keep = 4): Reader {
  const kept = new Map<string, { document: ConversationDocument; last: LogEntry; broken: number }>();
  let library: { document: LibraryDocument; last: LogEntry | undefined } = {
    document: createLibraryDocument(),
    last: undefined,
  };

  /** Entries after `last`, or undefined if `last` was compacted or erased: then everything must be read again. */
  const sinceLast = async (id: DocumentId, last: LogEntry): Promise<LogEntry[] | undefined> => {
    const [first, ...rest] = await log.read(id, last.seq - 1);
    return first?.id === last.id ? rest : undefined;
  };

  return {
    read: async (id) => {
      if (isNotes(id)) {
        const kept = await log.read(NOTES_DOCUMENT);
        const { notes, damaged } = readNotes(kept.map(({ bytes }) => bytes));
        return kept.length === 0
          ? undefined
          : { conversation: conversationOfNotes(notes), damaged, grown: [] };
      }
      const known = kept.get(id);
      let entries = known && (await sinceLast(id, known.last));
      const follows = known !== undefined && entries !== undefined;
      entries ??= await log.read(id);
      const last = entries.at(-1) ?? (follows ? known.last : undefined);
      kept.delete(id);
      if (!last) return undefined;
      const slot = follows ? known : { document: createConversationDocument(id), last, broken: 0 };
      slot.last = last;
      kept.set(id, slot);
      for (const entry of entries) {
        // The other entries still apply if one does not decode.
        try {
          slot.document.apply(entry.bytes, entry.origin);
        } catch (error) {
          diagnostics.warn('An entry of a conversation is damaged; the others apply', error);
          slot.broken += 1;
        }
      }
      for (const oldest of kept.keys()) {
        if (kept.size <= keep) break;
        kept.delete(oldest);
      }
      const { document, broken } = slot;
      return {
        conversation: document.read(),
        damaged: broken + document.damaged(),
        grown: document.grown(),
      };
    },
    library: async () => {
      let entries = library.last && (await sinceLast(LIBRARY_DOCUMENT, library.last));
      if (!entries) {
        entries = await log.read(LIBRARY_DOCUMENT);
        library = { document: createLibraryDocument(), last: undefined };
      }
      library.last = entries.at(-1) ?? library.last;
      for (const entry of entries) {
        try {
          library.document.apply(entry.bytes);
        } catch (error) {
          diagnostics.warn('A damaged list entry is made again when its conversation changes', error);
        }
      }
      return library.document.entries();
    },
  };
}
