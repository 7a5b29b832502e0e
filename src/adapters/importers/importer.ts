// Contract of an importer: it reads foreign history and yields conversations; it never writes.

import type { ConversationId } from '../../domain/base/ids.ts';
import type { NotesAndFeedback } from '../../domain/chat/archive.ts';
import type { Conversation, ConversationMeta } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { ReadingCopy } from '../../domain/chat/reading-copy.ts';
import type { Checkpoint, Compaction } from '../../domain/chat/records.ts';

/** A file handed over by the person, or one inside a ZIP or folder: path with forward slashes, read lazily. */
export interface SourceFile {
  readonly path: string;
  /** Bytes, uncompressed. */
  readonly size: number;
  /** ms since 1970, 0 if unknown. */
  readonly modifiedAt: number;
  bytes(signal: AbortSignal): Promise<Uint8Array>;
  /** Yields the same bytes in pieces, for files too large to hold at once. */
  stream?(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The platform's own file, if any: a large ZIP is then read in place. */
  readonly blob?: Blob;
  /** For a packed file: it gives what stands before the damage, and then ends. */
  readonly damage?: Damage;
  /** For a file in a ZIP: how many ZIPs it is nested in, and how much they have unpacked so far. */
  readonly within?: { readonly zips: number; readonly unpacked: Unpacked };
}

/** State of a packed file, known once it was read to its end. */
export interface Damage {
  isFound: boolean;
  /** Name by which the person knows the packed file, if it is not that of what lies in it. */
  readonly name?: string;
}

/** Unpacked totals of a ZIP and all ZIPs in it. */
export interface Unpacked {
  entries: number;
  bytes: number;
}

/** One file, one opened ZIP or one folder that the person dropped or picked. */
export interface ImportSource {
  /** Name of the file or folder as the person knows it. */
  readonly name: string;
  readonly files: readonly SourceFile[];
  /** True for a ZIP that broke off: there were more files. */
  readonly isCut?: boolean;
}

/**
 * One conversation of the source. Message ids are local to it (`sourceId` is the identity); the library assigns real
 * ids. `parentId` refers to another message's `id` in the same conversation.
 */
export interface ImportedConversation {
  readonly source: { readonly tool: string; readonly id: string };
  readonly meta: Partial<Omit<ConversationMeta, 'source' | 'head' | 'parent'>>;
  readonly head: string | null;
  /** Time of its last change in the source, ms since 1970, by which an older export is told from a newer one. */
  readonly updatedAt?: number;
  /** For a subagent: source ids of the conversation (and message) that started it. */
  readonly parent?: { readonly sourceId: string; readonly messageSourceId: string | null };
  readonly messages: readonly ImportedMessage[];
  /** Name → message id, or (our own export) the whole checkpoint. */
  readonly checkpoints?: Readonly<Record<string, string | Checkpoint>>;
  /** Our own export only. */
  readonly compactions?: Readonly<Record<string, Compaction>>;
  /** Our own export for people only. */
  readonly readingCopy?: ReadingCopy;
  /** Our own export only: ids of conversation and messages are real and kept, and so is everything in its meta. */
  readonly own?: {
    readonly id: ConversationId;
    readonly meta: ConversationMeta;
    readonly said?: Conversation['said'];
  };
}
export type ImportedMessage = Omit<Message, 'id' | 'parentId'> & {
  readonly id: string;
  readonly parentId: string | null;
  /** Source id that the message had in an earlier import, when the source held less of it. */
  readonly formerly?: string;
};

/**
 * A kind of thing that was left out, counted. `reason` names a sentence in the catalogue (`import.skipped.<reason>`).
 */
export interface Skipped {
  readonly reason:
    | 'malformed-line'
    /** Cut off or damaged; the example names each file and how many conversations before the damage were read. */
    | 'damaged-file'
    /** A conversation beyond what one may hold; the example names it. */
    | 'oversized-conversation'
    | 'unknown-role'
    | 'unknown-part'
    | 'no-content'
    | 'empty-conversation'
    | 'impossible-time'
    | 'missing-attachment'
    /** Present in the source, but larger than the limit for attachments. */
    | 'oversized-attachment'
    /** Notes of the service about the person. */
    | 'service-memory'
    /** Documents and instructions of a service's project, which belong to no conversation. */
    | 'service-project'
    /** Files of an export that hold no conversations: account, settings, votes, links; the example names them. */
    | 'service-file'
    /** A picture or file of the export that no message names. */
    | 'unused-file'
    /** A ZIP nested deeper than exports are. */
    | 'inner-zip'
    | 'interface-text'
    /** A broken attempt at an answer that was followed by another. */
    | 'broken-attempt'
    /** Not UTF-8, but read in the encoding that fits (the example names it). Nothing is lost. */
    | 'other-encoding'
    /** Neither UTF-8 nor surely anything else: U+FFFD marks what was lost; the example names the likeliest encoding. */
    | 'undecoded'
    /** Files of a folder that no importer reads; the example names them. */
    | 'unread-file'
    /** Forgotten for good by the person. */
    | 'forgotten'
    | 'broken-call';
  readonly count: number;
  readonly example?: string;
}

/** The files of a folder that belong to an importer. */
export interface Claim {
  /** Files that it reads, and files whose place shows that they belong to them. */
  readonly own: readonly SourceFile[];
  /** Files in places where its exports keep other files; another importer may claim them. */
  readonly beside: readonly SourceFile[];
}

export interface Importer {
  /** Also the `tool` of its conversations, and what its words in the catalogue are named by. */
  readonly id: string;
  /** Returns 0 (not mine) to 1 (surely mine), from names and at most the first 64 KB of a few files. */
  sniff(source: ImportSource, signal: AbortSignal): Promise<number>;
  /** Picks its own among files of any kind, from names and first bytes, as `sniff` does. */
  claim(files: readonly SourceFile[], signal: AbortSignal): Promise<Claim>;
  /**
   * Yields conversations as it reads them; the same source gives the same conversations every time.
   * @param skip reports what is left out
   * @param now ms since 1970, for sources without any time; times in a source count, whatever the clock says
   * @throws `import-broken` (no conversation can be read), `import-too-large`, `import-newer`
   */
  read(
    source: ImportSource,
    options: {
      signal: AbortSignal;
      skip: (skipped: Skipped) => void;
      now?: number;
      /** Our own export only: receives memory notes and feedback. */
      onNotesAndFeedback?: (notesAndFeedback: NotesAndFeedback) => void;
    },
  ): AsyncIterable<ImportedConversation>;
}
