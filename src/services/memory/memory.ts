// Memory as the tab uses it: recall, search, and the state of the index.

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
  /** `inject`: the passages go into a prompt unasked, so they need a higher score. Default: `show`. */
  readonly purpose?: 'inject' | 'show';
  /** The asking conversation, or the project in which one is about to begin: it sets the scope. */
  readonly from?: ConversationId;
  /** Persona of that conversation: it may restrict recall to one project, or search it first. */
  readonly persona?: PersonaReach | null;
  /** Left out of the search. */
  readonly currentConversation?: ConversationId;
  /** Adds neighbours to each hit; default true. */
  readonly withContext?: boolean;
  /** `workDir`: this folder and those in it. */
  readonly filter?: IndexFilter;
  /** The text is still being typed: no model outside this device receives it. */
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
  /** Cost of `passages` in the prompt, tokens. */
  readonly tokens: number;
  /** `keyword`: no vectors were used, `degraded` says why. */
  readonly mode: 'hybrid' | 'keyword';
  readonly degraded: Problem | null;
  /** The index could not be asked, so nothing was searched. `degraded` says why. */
  readonly unavailable?: true;
  /**
   * Scope that was searched, or searched first, for a project or persona; its name is
   * empty if it is gone. Absent: everywhere.
   */
  readonly scope?: RecallScope;
  /** The question asks for an overview: the passages are best read by date. */
  readonly overview?: true;
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
  /** File and place in it that the text is from; null if it was said. */
  readonly source: PassageSource | null;
  /** Null if nothing was ranked: the newest that pass. */
  readonly scores: RecalledPassage['scores'] | null;
  readonly archived: boolean;
}

/** Distance of the index from the log. Figures count messages. */
export interface MemoryStatus {
  readonly state: 'starting' | 'ready' | 'indexing' | 'paused' | 'failed';
  /** Messages in the log that cannot be found by words yet. */
  readonly unread: number;
  /** Messages that wait for their vectors. */
  readonly waiting: number;
  /** Messages embedded per second in the current run, 0 when idle. */
  readonly rate: number;
  readonly embedding: EmbeddingState;
  /** Storage engine of PGlite. */
  readonly engine: 'opfs' | 'indexeddb' | 'memory' | null;
  readonly problem: Problem | null;
}

/** Status before any news of an index. */
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
   * True if a text differs in topic from an earlier one, by meaning; false if no model can decide now, or the text says
   * too little. `draft`: as in a recall.
   */
  topicMoved(
    text: string,
    before: string,
    options: Pick<RecallRequest, 'draft' | 'signal'>,
  ): Promise<boolean>;
  /**
   * True if a text calls on earlier talks in so many words ("as we agreed"): by its form, and by
   * meaning if the model is ready; it never waits for one that loads.
   */
  refersToEarlierTalk(text: string, options: Pick<RecallRequest, 'signal'>): Promise<boolean>;
  /**
   * Reports exact words at once through `onHits`, then adds hits by meaning; later calls keep the order of repeated
   * hits if possible. Also finds messages that are never recalled. Without a text: the newest messages that pass;
   * without search words (one Han character, an emoji): the newest that contain it.
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
  /** A question may follow soon: loads a bundled model, if there is something to recall. */
  prepare(): void;
  stats(): Promise<IndexStats>;
  /** Data for the pictures of the whole library; empty while there is no index. */
  overview(): Promise<Overview>;
  /** Makes the engine look again; `now` also starts work that waits for its trigger. */
  wake(reason: 'changed' | 'ended' | 'now'): void;
  setPaused(paused: boolean): void;
  /** Drops the index and rebuilds it from the log. Recall by words returns as that proceeds. */
  rebuild(): Promise<void>;
  close(): Promise<void>;
}
