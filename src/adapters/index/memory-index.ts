// The memory index: rows, chunks, vectors and keywords made from the log. All of it can be dropped and made again.
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Role } from '../../domain/chat/message.ts';
import type { QueryTokenVectors } from '../../domain/memory/late.ts';
import type { WordStatistics } from '../../domain/text/bm25.ts';

export interface ConversationRow {
  readonly id: ConversationId;
  readonly title: string;
  readonly summary: string;
  readonly keywords: readonly string[];
  /** Search words of its description and keywords, each once, separated by spaces. */
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
  /**
   * Nearest message above it that can be found, if this one can be found too: what was said right before. Default:
   * null.
   */
  readonly before?: MessageId | null;
  readonly role: Role;
  /** Parts as JSON, needed for the list of recalls; search only uses the chunks. */
  readonly content: unknown;
  readonly tokenCount: number;
  /** ms since 1970 */
  readonly createdAt: number;
  readonly hasCode: boolean;
  readonly codeLanguage: string | null;
  /** Chunks that can be found: none for notes, recalls and messages that the privacy filter holds back. */
  readonly chunks: readonly ChunkRow[];
}

/** A stretch of one message, the unit of recall. */
export interface ChunkRow {
  /** Position in its message, from 0. */
  readonly ordinal: number;
  /** Text for people (redacted). */
  readonly text: string;
  /** Space-separated search words of the text, for BM25: `domain/text/words.ts`. */
  readonly words: string;
  /** Text that is embedded (may carry context in front of the chunk's own). */
  readonly embedded: string;
  /** Hash of `embedded`, hex: equal texts share a vector. */
  readonly hash: string;
  /** Chunks with smaller numbers are embedded first. */
  readonly priority: number;
}

/**
 * Changes of one step of the projector. Applied as one transaction together with the bookmark. Removal
 * wins over arrival in the same change.
 */
export interface IndexChange {
  /** An empty title, summary, keyword list or description keeps the value set by `describe`. */
  readonly conversations: readonly ConversationRow[];
  /** New messages. A row with a known id replaces the message; an unknown conversation gets a row without a title. */
  readonly messages: readonly MessageRow[];
  readonly removedMessages: readonly MessageId[];
  readonly removedConversations: readonly ConversationId[];
}

/** A chunk that has no vector of the wanted model yet. */
export interface PendingChunk {
  readonly id: number;
  readonly embedded: string;
  /** Number of first characters that are only context: the lead up to its last line break. */
  readonly context: number;
  readonly conversationId: ConversationId;
}

/** Narrows a search; absent keys do not. Times in ms since 1970. */
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
  /** Space-separated search words, at most MAX_QUERY_TERMS; empty: no keyword half. */
  readonly words: string;
  /** Query vector and the model it came from; absent: no vector half. */
  readonly vector?: { readonly model: string; readonly values: Float32Array };
  readonly filter: IndexFilter;
  /** Candidates wanted from each half. */
  readonly limit: number;
  /** Also brings what was said right before and after each candidate, with both numbers. Default: false. */
  readonly withNeighbours?: boolean;
  /** Chunk ids found without the query vector: the search returns only additions by the vector, and measures these. */
  readonly after?: { readonly found: readonly number[]; readonly neighbours: readonly number[] };
  /**
   * Result of an earlier search for these words with the same filter and limit, so that they are not looked up again.
   * Ignored if it comes from another index.
   */
  readonly knownWords?: KnownWords;
  /** If set, nothing is searched: returns the chunks of these messages that pass the filter, with both numbers. */
  readonly messages?: readonly MessageId[];
  /**
   * If set, nothing is ranked: returns the newest messages that contain this text literally (empty: all; one Chinese
   * character: in either script), newest first, each by its first chunk that does.
   */
  readonly newest?: string;
}

/** The best chunks by words with their statistics; opaque to callers. */
export interface KnownWords {
  /** Id of the opened index, to which the chunk numbers belong. */
  readonly index: string;
  readonly best: readonly number[];
  readonly statistics: WordStatistics;
}

/** A chunk found by either half, or next to one; both numbers are computed for it. */
export interface Candidate {
  readonly chunkId: number;
  readonly messageId: MessageId;
  readonly conversationId: ConversationId;
  readonly title: string;
  readonly role: Role;
  /** The message before it by its row: for an answer, the question. */
  readonly before: MessageId | null;
  /** Messages that recall gave to its answer; absent if none. */
  readonly recalled?: readonly MessageId[];
  readonly createdAt: number;
  readonly text: string;
  /** Cosine, -1–1; null without a vector of the model. */
  readonly cosine: number | null;
  /** BM25, > 0; 0 if no word matched. */
  readonly bm25: number;
  /** BM25 of each of the query's words, in their order. */
  readonly terms: readonly number[];
  /**
   * Neighbouring chunks in its branch (newest answer first), within the message or in the messages next to it. Known
   * with `withNeighbours`.
   */
  readonly previous: number | null;
  readonly next: number | null;
  /** True if it was not found itself, only next to one that was: it need not pass the filter. */
  readonly isNeighbour: boolean;
  readonly archived: boolean;
  readonly pinned: boolean;
}

/** A conversation whose description has some of a query's words. */
export interface Described {
  readonly conversationId: ConversationId;
  /** For each of the query's words, true if the description has it. */
  readonly has: readonly boolean[];
}

/** Result of a search: candidates, and the IDF weight of each of the query's words (the most it adds, in BM25). */
export interface IndexHits {
  readonly candidates: readonly Candidate[];
  readonly idf: readonly number[];
  /** Chunks of `after` that still exist, with their cosine; null without a vector of the model. */
  readonly measured?: readonly (readonly [chunkId: number, cosine: number | null])[];
  /**
   * With `withNeighbours`: the conversations that pass whose descriptions have most of the query's
   * words by idf, best first; eight at most.
   */
  readonly described?: readonly Described[];
  /** For the next search for these words, if it saves work. */
  readonly knownWords?: KnownWords;
  /** For `newest`: number of messages that pass, including those not returned. */
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

/** Statistics of the library for the Memory screen. */
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
    /**
     * Quarters of an hour in which something was said, by their beginning, ascending and each once. Days of every
     * time zone begin with one.
     */
    readonly said: readonly number[];
    /** Mean of the vectors of at most 24 of its chunks, not normalised; null if none has one. */
    readonly vector: Float32Array | null;
  }[];
  /** Recalls: one for each passage used in an answer, with the time of the answer. */
  readonly recalled: readonly { readonly at: number; readonly conversationId: ConversationId }[];
}

/** A chunk's vector and, if its model makes token vectors, their signs. */
export interface NewVector {
  readonly chunkId: number;
  readonly values: Float32Array;
  readonly bits?: Uint8Array;
}

export interface MemoryIndex {
  /** Log position up to which changes are in the index; 0 for an empty index. */
  bookmark(): Promise<number>;
  /** Applies the change and moves the bookmark in one transaction. Idempotent. */
  apply(change: IndexChange, bookmark: number): Promise<void>;
  /** Returns ids of all conversations in the index, to find those missing from the log. */
  conversationIds(): Promise<Set<ConversationId>>;
  /** Ids of the messages the index has for a conversation. */
  messageIds(conversation: ConversationId): Promise<Set<MessageId>>;
  /** Sets title, summary and keywords of a whole conversation. Does nothing if it is unknown. */
  describe(
    conversation: ConversationId,
    made: Pick<ConversationRow, 'summary' | 'keywords' | 'described'>,
  ): Promise<void>;
  /**
   * Chunks without a vector of `model`, smallest priority first. A chunk whose hash already has one gets it
   * for free. `conversations`: only these.
   */
  pendingChunks(
    model: string,
    limit: number,
    conversations?: readonly ConversationId[],
  ): Promise<PendingChunk[]>;
  /**
   * Returns conversations with chunks that wait for a vector of `model`, and the number of waiting messages in each.
   */
  pendingCounts(model: string): Promise<{ conversationId: ConversationId; messages: number }[]>;
  /** Stores vectors of `model`, replacing earlier ones; ignores unknown chunk ids. */
  put(model: string, vectors: readonly NewVector[]): Promise<void>;
  /** Returns candidates by words or by vector, unordered, and word statistics for the ranking. */
  search(query: IndexQuery): Promise<IndexHits>;
  /**
   * Compares a question with these chunks by late interaction on the signs of their pieces (`lateInteraction`);
   * chunks without any of `model` are missing.
   */
  maxSim(model: string, question: QueryTokenVectors, chunks: readonly number[]): Promise<Map<number, number>>;
  /**
   * Returns vectors of messages by `model`, of length 1 (the mean of their chunks); missing if there is none or it
   * has no direction.
   */
  meanings(model: string, messages: readonly MessageId[]): Promise<Map<MessageId, Float32Array>>;
  /**
   * Returns up to `before` ancestors and `after` descendants of each message (newest child first), oldest first,
   * without notes. Text is cut at 600 characters.
   */
  neighbours(
    messages: readonly MessageId[],
    before: number,
    after: number,
  ): Promise<Map<MessageId, { before: NeighbourRow[]; after: NeighbourRow[] }>>;
  /** Empties the index and sets the bookmark to 0, so that the projector fills it again. */
  clear(): Promise<void>;
  /**
   * Rewrites the files so that nothing removed remains in them. Needs room for a second copy; throws `storage-full`.
   */
  purge(): Promise<void>;
  stats(model: string): Promise<IndexStats>;
  /** Returns the statistics with vectors of `model`; conversations newest first. */
  overview(model: string): Promise<Overview>;
  close(): Promise<void>;
}
