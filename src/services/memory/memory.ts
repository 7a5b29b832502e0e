// Memory as the tab uses it: recall, search, and how far the index is.

import type { EmbeddingState } from '../../adapters/embedding/embedding-provider.ts';
import type { IndexFilter, IndexStats, Overview } from '../../adapters/index/memory-index.ts';
import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { PassageSource } from '../../domain/chat/files.ts';
import type { RecalledPassage, RecallScope } from '../../domain/chat/message.ts';
import type { PersonaReach } from '../../domain/prompts/persona.ts';

/** Filter of a search. */
export interface MemoryFilter extends IndexFilter {
  /** Part of the name of a project: what is in it, in projects in it, and in their files. */
  readonly project?: string;
}

export interface RecallRequest {
  readonly text: string;
  /** Default: settings (5). */
  readonly limit?: number;
  /** `inject`: the passages go into a prompt unasked, so they must be surer. Default: `show`. */
  readonly purpose?: 'inject' | 'show';
  /** On whose behalf: a conversation, or the project where one is about to begin. Its project says where memory looks. */
  readonly from?: ConversationId;
  /** Whose memory it is in that conversation: it may look in one project only, or there first. */
  readonly persona?: PersonaReach | null;
  /** Left out of the search. */
  readonly currentConversation?: ConversationId;
  /** Neighbours of each hit; default true. */
  readonly withContext?: boolean;
  /** `workDir`: this folder and those in it. */
  readonly filter?: IndexFilter;
  /** The words are still being written: they go to no model that is not on this device. */
  readonly draft?: true;
  readonly signal: AbortSignal;
}

export interface RecallResult {
  readonly query: string;
  /** At or above the threshold, best first. */
  readonly passages: readonly RecalledPassage[];
  /** Below it, best first, at most as many as `limit`. */
  readonly nearMisses: readonly RecalledPassage[];
  readonly threshold: number;
  /** Price of `passages` in the prompt. */
  readonly tokens: number;
  /** `keyword`: no vectors were used, `degraded` says why. */
  readonly mode: 'hybrid' | 'keyword';
  readonly degraded: Problem | null;
  /** Nothing was searched at all: the index could not be asked. `degraded` says why. */
  readonly unavailable?: true;
  /**
   * Scope that memory looked in, or first in, for a project or persona; its name is empty if it is gone. Absent: everywhere.
   */
  readonly scope?: RecallScope;
  readonly tookMs: number;
}

/** A line in the palette: a message found by words, meaning or both. */
export interface SearchHit {
  readonly conversationId: ConversationId;
  readonly messageId: MessageId;
  readonly title: string;
  readonly role: string;
  readonly createdAt: number;
  /** Up to 240 characters around the first match. */
  readonly snippet: string;
  /** The file and the place in it that these are from; null where they were said. */
  readonly source: PassageSource | null;
  /** Null where nothing was ranked: the newest of those that pass. */
  readonly scores: RecalledPassage['scores'] | null;
  readonly archived: boolean;
}

/** How far the index is behind the log. Figures are of messages. */
export interface MemoryStatus {
  readonly state: 'starting' | 'ready' | 'indexing' | 'paused' | 'failed';
  /** Messages in the log that cannot be found by words yet. */
  readonly unread: number;
  /** Messages that wait for their vectors. */
  readonly waiting: number;
  /** Messages embedded per second in the current run, 0 when idle. */
  readonly rate: number;
  readonly embedding: EmbeddingState;
  /** File system that PGlite runs on. */
  readonly engine: 'opfs' | 'indexeddb' | 'memory' | null;
  readonly problem: Problem | null;
}

/** Status of an index that nobody has heard of yet. */
export const STARTING: MemoryStatus = {
  state: 'starting',
  unread: 0,
  waiting: 0,
  rate: 0,
  embedding: { status: 'idle' },
  engine: null,
  problem: null,
};

export interface Memory {
  readonly status: Readable<MemoryStatus>;
  recall(request: RecallRequest): Promise<RecallResult>;
  /**
   * True if a text differs in topic from an earlier one, by meaning; false if no model can tell now, or the text says too
   * little. `draft`: as in a recall.
   */
  topicMoved(
    text: string,
    before: string,
    options: Pick<RecallRequest, 'draft' | 'signal'>,
  ): Promise<boolean>;
  /**
   * Gives exact words at once through `onHits`, then merges in meaning; later calls keep the order of repeated hits if
   * possible. Finds also what is never recalled. Without a text: the newest messages that pass; without search words (one
   * Han character, an emoji): the newest that hold it.
   * @param request.filter its `workDir` is any part of a folder's path
   * @returns `total`: how many match
   * @throws the problem of an index that cannot be asked
   */
  search(request: {
    text: string;
    filter: MemoryFilter;
    limit: number;
    signal: AbortSignal;
    onHits: (hits: readonly SearchHit[], final: boolean, total?: number) => void;
  }): Promise<void>;
  /** The person may ask soon: a model that came with the app comes into memory, if there is something to be recalled. */
  prepare(): void;
  stats(): Promise<IndexStats>;
  /** The library from above, for the pictures; empty while there is no index. */
  overview(): Promise<Overview>;
  /** Says "look again": `now` also starts what would wait for its trigger. */
  wake(reason: 'changed' | 'ended' | 'now'): void;
  setPaused(paused: boolean): void;
  /** Drops the index and makes it again from the log. Recall by words comes back as it is rebuilt. */
  rebuild(): Promise<void>;
  close(): Promise<void>;
}
