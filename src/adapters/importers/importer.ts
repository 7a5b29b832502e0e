// Foreign history in, conversations out. An importer reads; it never writes.

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
  /** ms since 1970, 0 where unknown. */
  readonly modifiedAt: number;
  bytes(signal: AbortSignal): Promise<Uint8Array>;
  /** The same bytes in pieces, for what is too large to hold at once. */
  stream?(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The file itself where the platform has one: a large ZIP is then read in place. */
  readonly blob?: Blob;
  /** Of what lies in a ZIP: how many stand around it, and what all of them have unpacked so far. */
  readonly within?: { readonly zips: number; readonly unpacked: Unpacked };
}

/** What a ZIP and all ZIPs in it have come to. */
export interface Unpacked {
  entries: number;
  bytes: number;
}

/** What was dropped or picked together: one file, one ZIP already opened, or one folder. */
export interface Source {
  /** Name of the file or folder as the person knows it. */
  readonly name: string;
  readonly files: readonly SourceFile[];
}

/**
 * A conversation as read. Message ids are local to it (`sourceId` is the identity): the library gives real ids.
 * `parentId` refers to another message's `id` in the same conversation.
 */
export interface ImportedConversation {
  readonly source: { readonly tool: string; readonly id: string };
  readonly meta: Partial<Omit<ConversationMeta, 'source' | 'head' | 'parent'>>;
  readonly head: string | null;
  /** Source id of the conversation (and message) that started it: subagents. */
  readonly parent?: { readonly sourceId: string; readonly messageSourceId: string | null };
  readonly messages: readonly ImportedMessage[];
  /** Name → message id, or (our own export) the whole checkpoint. */
  readonly checkpoints?: Readonly<Record<string, string | Checkpoint>>;
  /** Our own export only. */
  readonly compactions?: Readonly<Record<string, Compaction>>;
  /** Our own export for people only. */
  readonly readingCopy?: ReadingCopy;
  /** Our own export only: the ids of conversation and messages are real and kept, and so is everything in its meta. */
  readonly own?: {
    readonly id: ConversationId;
    readonly meta: ConversationMeta;
    readonly said?: Conversation['said'];
  };
}
export type ImportedMessage = Omit<Message, 'id' | 'parentId'> & {
  readonly id: string;
  readonly parentId: string | null;
  /** Source id under which it may have come before, when the source had less of it. */
  readonly formerly?: string;
};

/** Something left out, counted by reason. `reason` names a sentence in the catalogue (`import.skipped.<reason>`). */
export interface Skipped {
  readonly reason:
    | 'malformed-line'
    | 'unknown-role'
    | 'unknown-part'
    | 'no-content'
    | 'empty-conversation'
    | 'impossible-time'
    | 'missing-attachment'
    /** In the source, and larger than what is carried. */
    | 'oversized-attachment'
    /** What a service wrote down about the person. */
    | 'service-memory'
    /** Documents and instructions of a service that hang on no conversation. */
    | 'service-project'
    /** ZIPs are opened within ZIPs, but not deeper than exports are packed. */
    | 'inner-zip'
    | 'interface-text'
    /** An attempt at an answer that broke off and was begun again. */
    | 'broken-attempt'
    /** Not UTF-8, and read in the encoding that fits; the example names it. Nothing is lost. */
    | 'other-encoding'
    /** Not UTF-8 nor surely anything else: U+FFFD stands for it; the example names the likeliest encoding. */
    | 'undecoded'
    /** Files of a folder that nobody reads; the example names them. */
    | 'unread-file'
    /** The person had it forgotten for good. */
    | 'forgotten'
    | 'broken-call';
  readonly count: number;
  readonly example?: string;
}

/** What of a folder is an importer's. */
export interface Claim {
  /** Files it reads, and files whose place says that they are part of what it reads. */
  readonly own: readonly SourceFile[];
  /** Files that lie where its exports have others beside them. They may be something else all the same. */
  readonly beside: readonly SourceFile[];
}

export interface Importer {
  readonly id: string;
  readonly label: string;
  /** 0 (not mine) to 1 (surely mine), from names and at most the first 64 KB of a few files. */
  sniff(source: Source, signal: AbortSignal): Promise<number>;
  /** Among files of any kind, those that are its own: from names and the beginnings of files, as `sniff`. */
  claim(files: readonly SourceFile[], signal: AbortSignal): Promise<Claim>;
  /**
   * Yields conversations as they are read. What is skipped is reported through `skip`.
   * Throws `import-broken` (nothing of the source can be trusted), `import-too-large` or `import-newer`.
   * The same source gives the same conversations every time. `now` (ms) stands where neither the source nor its files
   * tell any time; what they tell is believed, whatever the clock says.
   */
  read(
    source: Source,
    options: {
      signal: AbortSignal;
      skip: (skipped: Skipped) => void;
      now?: number;
      /** Our own export only: what the person told memory. */
      onNotesAndFeedback?: (notesAndFeedback: NotesAndFeedback) => void;
    },
  ): AsyncIterable<ImportedConversation>;
}
