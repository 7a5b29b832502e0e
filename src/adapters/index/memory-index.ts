// The memory index: rows, chunks, vectors and keywords made from the log. All of it can be dropped and made again.
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Role } from '../../domain/chat/message.ts';
import type { QueryPieces } from '../../domain/memory/late.ts';
import type { WordStatistics } from '../../domain/text/bm25.ts';

export interface ConversationRow {
  readonly id: ConversationId;
  readonly title: string;
  readonly summary: string;
  readonly keywords: readonly string[];
  /** Search words of what was written of it and of its keywords, each once, parted by spaces. */
  readonly described: string;
  /** ms since 1970 */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly workDir: string | null;
  readonly tokenCount: number;
  readonly archived: boolean;
  readonly pinned: boolean;
}

export interface MessageRow {
  readonly id: MessageId;
  readonly conversationId: ConversationId;
  readonly parentId: MessageId | null;
  /** The nearest message above it that can be found, if this one can be found too: what was said right before. Default: null. */
  readonly before?: MessageId | null;
  readonly role: Role;
  /** Parts as JSON of which recalls are asked for; words are found by the chunks alone. */
  readonly content: unknown;
  readonly tokenCount: number;
  /** ms since 1970 */
  readonly createdAt: number;
  readonly hasCode: boolean;
  readonly codeLanguage: string | null;
  /** Chunks of it that can be found: none for notes, recalls and messages that the privacy filter holds back. */
  readonly chunks: readonly ChunkRow[];
}

/** A stretch of one message, the unit of recall. */
export interface ChunkRow {
  /** Position in its message, from 0. */
  readonly ordinal: number;
  /** As a person reads it (redacted). */
  readonly text: string;
  /** Space-separated search words of the text, for BM25: `domain/text/words.ts`. */
  readonly words: string;
  /** Text that is embedded (may carry context in front of the chunk's own). */
  readonly embedded: string;
  /** Hash of `embedded`, hex: equal texts share a vector. */
  readonly hash: string;
  /** Smaller is embedded first. */
  readonly priority: number;
}

/**
 * Changes of one step of the projector. Applied as one transaction together with the bookmark. Removal wins over arrival in the same
 * change.
 */
export interface IndexChange {
  /** An empty title, summary, list of keywords or description keeps what `describe` made. */
  readonly conversations: readonly ConversationRow[];
  /** New messages. A message that is already there is replaced; one of an unknown conversation makes an untitled one. */
  readonly messages: readonly MessageRow[];
  readonly removedMessages: readonly MessageId[];
  readonly removedConversations: readonly ConversationId[];
}

/** A chunk that has no vector of the wanted model yet. */
export interface StaleChunk {
  readonly id: number;
  readonly embedded: string;
  /** So many characters of it, from its beginning, are only context: its lead up to the last line break. */
  readonly context: number;
  readonly conversationId: ConversationId;
}

/** Narrows a search. Absent keys do not narrow. Times in ms since 1970. */
export interface IndexFilter {
  readonly conversationIds?: readonly ConversationId[];
  readonly excludeConversationIds?: readonly ConversationId[];
  readonly titleContains?: string;
  readonly roles?: readonly Role[];
  readonly workDir?: string;
  /** Said earlier than this. */
  readonly before?: number;
  /** Said at this time or later. */
  readonly after?: number;
  readonly hasCode?: boolean;
  readonly pinned?: boolean;
  /** Default: both. */
  readonly archived?: boolean;
}

export interface IndexQuery {
  /** Space-separated search words; empty: no keyword half. */
  readonly words: string;
  /** Query vector and the model it came from; absent: no vector half. */
  readonly vector?: { readonly model: string; readonly values: Float32Array };
  readonly filter: IndexFilter;
  /** Candidates wanted from each half. */
  readonly limit: number;
  /** Also brings what was said right before and after each candidate, with both numbers. Default: false. */
  readonly around?: boolean;
  /** Chunk ids that the query found without its vector: brings only what the vector adds, and measures these. */
  readonly after?: { readonly found: readonly number[]; readonly beside: readonly number[] };
  /**
   * Result of an earlier search for these words with the same filter and limit, so that they are not looked up again. Ignored if it comes
   * from another index.
   */
  readonly knownWords?: KnownWords;
  /** Nothing is searched then: the chunks of these messages that pass the filter, with both numbers. */
  readonly messages?: readonly MessageId[];
  /**
   * Nothing is ranked then: the newest messages that hold this text, letter by letter (empty: all), newest first, each by the first of its
   * chunks that does.
   */
  readonly newest?: string;
}

/** The best chunks by words, and what the library says of these; handed on as it came. */
export interface KnownWords {
  /** The opened index that says so: numbers of chunks are its own. */
  readonly index: string;
  readonly best: readonly number[];
  readonly statistics: WordStatistics;
}

/** A chunk found by either half, or beside one that was; both numbers are computed for it. */
export interface Candidate {
  readonly chunkId: number;
  readonly messageId: MessageId;
  readonly conversationId: ConversationId;
  readonly title: string;
  readonly role: Role;
  /** The message that it follows, as its row says: of an answer, what was asked. */
  readonly before: MessageId | null;
  /** The messages that memory gave to the answer it is of; absent where it gave none. */
  readonly recalled?: readonly MessageId[];
  readonly createdAt: number;
  readonly text: string;
  /** Cosine, -1–1; null without a vector of the model. */
  readonly cosine: number | null;
  /** BM25, > 0; 0 where no word matched. */
  readonly bm25: number;
  /** BM25 of each of the query's words for it, in their order. */
  readonly terms: readonly number[];
  /** Chunks right before and after it in its branch (newest answer first): within the message, else of the messages beside it. Known with `around`. */
  readonly previous: number | null;
  readonly next: number | null;
  /** Not found itself, only beside one that was: the filter was not asked. */
  readonly beside: boolean;
  readonly archived: boolean;
  readonly pinned: boolean;
}

/** A conversation whose description has some of a query's words. */
export interface Described {
  readonly conversationId: ConversationId;
  /** Which of them, in their order. */
  readonly has: readonly boolean[];
}

/** Result of a search: candidates, and the IDF weight of each of the query's words (the most it adds, in BM25). */
export interface Found {
  readonly candidates: readonly Candidate[];
  readonly worth: readonly number[];
  /** Chunks of `after` that still exist, with their cosine; null without a vector of the model. */
  readonly measured?: readonly (readonly [chunkId: number, cosine: number | null])[];
  /** With `around`: the conversations that pass whose descriptions have most of the query's words by worth, best first; eight at most. */
  readonly described?: readonly Described[];
  /** For the next look for these words, where that spares it something. */
  readonly knownWords?: KnownWords;
  /** For `newest`: number of messages that pass, including those not brought. */
  readonly total?: number;
}

/** A message next to a hit. */
export interface NeighbourRow {
  readonly messageId: MessageId;
  readonly role: Role;
  readonly createdAt: number;
  readonly text: string;
}

export interface IndexStats {
  readonly conversations: number;
  readonly messages: number;
  readonly chunks: number;
  /** Chunks that have a vector of the given model. */
  readonly vectors: number;
  /** Size of the database files, bytes. */
  readonly bytes: number;
}

/** The library from above: what the Memory screen draws. */
export interface Overview {
  readonly conversations: readonly {
    readonly id: ConversationId;
    readonly title: string;
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly messages: number;
    readonly workDir: string | null;
    readonly archived: boolean;
    readonly keywords: readonly string[];
    /** When something was said in it: each quarter of an hour once, by its beginning, in order. Every time zone's days begin with one. */
    readonly said: readonly number[];
    /** Mean of the vectors of at most 24 of its chunks, not normalised; null where none has one. */
    readonly vector: Float32Array | null;
  }[];
  /** Recalls: one for each passage that went into an answer, with the time of the answer. */
  readonly recalled: readonly { readonly at: number; readonly conversationId: ConversationId }[];
}

/** A chunk's vector and, where its model reads pieces, their signs. */
export interface NewVector {
  readonly chunkId: number;
  readonly values: Float32Array;
  readonly bits?: Uint8Array;
}

export interface MemoryIndex {
  /** Log position whose changes are in the index; 0 for an empty one. */
  bookmark(): Promise<number>;
  /** Applies the change and moves the bookmark, both or neither. Applying it again changes nothing. */
  apply(change: IndexChange, bookmark: number): Promise<void>;
  /** Ids of all conversations in the index: to find those that the log no longer has. */
  conversationIds(): Promise<Set<ConversationId>>;
  /** Ids of the messages the index has for a conversation. */
  messageIds(conversation: ConversationId): Promise<Set<MessageId>>;
  /** Sets what was made of a whole conversation. Unknown conversation: nothing happens. */
  describe(
    conversation: ConversationId,
    made: Pick<ConversationRow, 'summary' | 'keywords' | 'described'>,
  ): Promise<void>;
  /** Chunks without a vector of `model`, smallest priority first. A chunk whose hash already has one gets it for free. `conversations`: only these. */
  stale(model: string, limit: number, conversations?: readonly ConversationId[]): Promise<StaleChunk[]>;
  /** Conversations with chunks that wait for a vector of `model`, with how many messages wait in each. */
  waiting(model: string): Promise<{ conversationId: ConversationId; messages: number }[]>;
  /** Keeps vectors of `model`. Replaces earlier ones; unknown chunk ids are ignored. */
  put(model: string, vectors: readonly NewVector[]): Promise<void>;
  /** Candidates by words or by vector, in no order, and word statistics for the ranking. */
  look(query: IndexQuery): Promise<Found>;
  /** Late interaction of a question with these chunks, by the signs of their pieces (`lateInteraction`); missing where there are none of `model`. */
  maxSim(model: string, question: QueryPieces, chunks: readonly number[]): Promise<Map<number, number>>;
  /**
   * Vectors of messages by `model`, of length 1 (the mean of their chunks'); missing if there is none, or it has no direction.
   */
  meanings(model: string, messages: readonly MessageId[]): Promise<Map<MessageId, Float32Array>>;
  /** For each message up to `before` ancestors and `after` descendants (newest child first), oldest first, notes left out. Text cut at 600 characters. */
  neighbours(
    messages: readonly MessageId[],
    before: number,
    after: number,
  ): Promise<Map<MessageId, { before: NeighbourRow[]; after: NeighbourRow[] }>>;
  /** Empties everything and sets the bookmark to 0: the projector makes it again. */
  clear(): Promise<void>;
  /** Writes its files anew, so that what was removed is nowhere in them. Takes room for a second copy; throws `storage-full`. */
  purge(): Promise<void>;
  stats(model: string): Promise<IndexStats>;
  /** Everything from above, with vectors of `model`. Conversations newest first. */
  overview(model: string): Promise<Overview>;
  close(): Promise<void>;
}
