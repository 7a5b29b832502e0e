// Contract of the context service: compaction, its preview and undoing, the context meter, manifests, checkpoints.
// Nothing here destroys anything: a compaction moves the window, a checkpoint moves the head.
import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { CheckpointDiff, ListedCheckpoint } from '../../domain/chat/checkpoint.ts';
import type { MemoryLine } from '../../domain/chat/memory-file.ts';
import type { Part, RecalledPassage, Usage } from '../../domain/chat/message.ts';
import type { Compaction, CompactionReason } from '../../domain/chat/records.ts';
import type { ContextMeter } from '../../domain/context/budget.ts';
import type { CompactionPlan } from '../../domain/context/compaction/plan.ts';
import type { Loss } from '../../domain/context/loss.ts';
import type { RequestManifest } from '../../domain/context/manifest.ts';

/** Event around every attempt to compact. Each begin has exactly one end with its `id`, also after a failure. */
export type CompactionEvent =
  | {
      readonly type: 'compaction-begin';
      readonly id: string;
      readonly conversationId: ConversationId;
      readonly reason: CompactionReason;
      readonly strategy: string;
      /** The whole prompt, tokens. */
      readonly tokensBefore: number;
      /** ms since 1970 */
      readonly at: number;
    }
  | {
      readonly type: 'compaction-end';
      readonly id: string;
      readonly conversationId: ConversationId;
      readonly reason: CompactionReason;
      /** Strategy of the plan: not the one of the begin, if that one failed. */
      readonly strategy: string;
      /**
       * `applied`: in force now. `nothing`: there was nothing to compact. `failed`: nothing changed. `cancelled`: by
       * the person, or with the turn. `preview`: the plan is shown (`ContextState.pending`), nothing was applied.
       */
      readonly outcome: 'applied' | 'nothing' | 'failed' | 'cancelled' | 'preview';
      readonly tokensBefore: number;
      /** For a `preview` the size its plan would reach; as before if nothing was compacted. */
      readonly tokensAfter: number;
      /** tokensAfter / tokensBefore, 0–1 and above. */
      readonly ratio: number;
      readonly durationMs: number;
      /**
       * Text in place of the compacted messages: the person's wording, a model's, or the memory. Null if nothing was
       * applied.
       */
      readonly summary: string | null;
      /**
       * Usage of the summary calls; null if no model was asked, or it reported none. Applying or dismissing a shown
       * plan reports the sum of all its calls, those of its preview among them.
       */
      readonly usage: Usage | null;
      /** US dollars (or the price list's currency); null if unknown. */
      readonly cost: number | null;
      /**
       * Problem because of which it failed, or differs from what was asked for
       * (fallback): with a sentence in the catalogue.
       */
      readonly problem: Problem | null;
      /** ms since 1970 */
      readonly at: number;
    };

/** A stretch of the conversation in a plan that waits for the person, oldest first. */
export interface PlanBlock {
  /** First message of the block; what `adjust` takes. */
  readonly id: MessageId;
  readonly ids: readonly MessageId[];
  readonly role: string;
  readonly firstLine: string;
  readonly tokens: number;
  readonly state: 'keep' | 'fold' | 'trim';
  /** Code of the plan: `context.why.<why>`. */
  readonly why: string;
}

/** A plan that is shown and waits. */
export interface PendingPlan {
  readonly id: string;
  readonly reason: CompactionReason;
  readonly strategy: string;
  readonly guidance: string;
  /** A turn waits for the answer: cancelling lets it continue without compaction. */
  readonly blocking: boolean;
  readonly plan: CompactionPlan;
  readonly blocks: readonly PlanBlock[];
  /** Text that the model would read in place of the compacted messages; empty if there is none. */
  readonly summary: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** True while it is being remade after `adjust`. */
  readonly busy: boolean;
  readonly problem: Problem | null;
}

/** Cost so far of a model's notes on a conversation. */
export interface SessionMemoryState {
  readonly running: boolean;
  /** Newest message that they cover; null before the first. */
  readonly upTo: MessageId | null;
  readonly calls: number;
  /** Spent on this conversation, and what may be spent (`context.session_memory.model_budget_tokens`). */
  readonly tokens: number;
  readonly budget: number;
  readonly problem: Problem | null;
}

/** The session memory as a Markdown file of the conversation, on the branch that is shown. */
export interface SessionMemoryFile {
  readonly lines: readonly MemoryLine[];
  /** Time of the person's last save, ms since 1970; null: it is derived from the conversation, and grows with it. */
  readonly savedAt: number | null;
  /** Newest message that it covers; null: none. */
  readonly upTo: MessageId | null;
  /** The compaction through which requests contain it; null: everything is still sent whole. */
  readonly compaction: string | null;
  /** Count of its lines that have no space in requests. */
  readonly left: number;
  /** Files that other devices saved at the same time, newest first. `at`: ms since 1970. */
  readonly others: readonly {
    readonly device: string;
    readonly at: number;
    readonly lines: readonly MemoryLine[];
  }[];
}

/** Work on one conversation. Session state. */
export interface ContextState {
  readonly running: {
    readonly id: string;
    readonly reason: CompactionReason;
    readonly strategy: string;
    /** ms since 1970 */
    readonly startedAt: number;
  } | null;
  readonly pending: PendingPlan | null;
  /** The session memory that a model writes in the background, if it may; null if not. */
  readonly sessionMemory: SessionMemoryState | null;
  /** Compacted messages that the newest answer seems to have missed; brought back with the next question. */
  readonly loss: { readonly answer: MessageId; readonly losses: readonly Loss[] } | null;
  /** The last 50 events of this session, oldest first. */
  readonly events: readonly CompactionEvent[];
  /** The last problem of an attempt; null once one succeeded. */
  readonly problem: Problem | null;
}

export const IDLE_CONTEXT: ContextState = {
  running: null,
  pending: null,
  sessionMemory: null,
  loss: null,
  events: [],
  problem: null,
};

export interface CompactOptions {
  /** Default: `context.strategy`. */
  readonly strategy?: string;
  /** `/compact keep the API decisions` */
  readonly guidance?: string;
  /** Show the plan and wait for `apply` or `cancel`. Default: `context.confirm`. */
  readonly preview?: boolean;
}

/** Result of an attempt. */
export type CompactResult =
  /** `unsaved`: it is in force but waits for the disk, for this reason. */
  | { readonly outcome: 'applied'; readonly compaction: Compaction; readonly unsaved?: Problem }
  | { readonly outcome: 'preview'; readonly pending: PendingPlan }
  | { readonly outcome: 'nothing' | 'cancelled' }
  | { readonly outcome: 'failed'; readonly problem: Problem };

/** The request that the composer would send now. */
export interface NextRequest {
  readonly contextMeter: ContextMeter;
  readonly manifest: RequestManifest;
  readonly model: string | null;
}

export interface ContextControl {
  state(id: ConversationId): Readable<ContextState>;
  /** Every event of this tab, as it happens; returns how to stop. */
  onEvent(listener: (event: CompactionEvent) => void): () => void;

  /**
   * Compacts the branch that is shown. Waits for a turn that is just using the window.
   * Throws only `conversation-missing`.
   */
  compact(id: ConversationId, options?: CompactOptions): Promise<CompactResult>;
  /**
   * Remakes the pending plan with other guidance, another strategy, or more blocks kept or compacted by hand. Choices
   * add up, and stay through later changes; the last one for a message counts.
   */
  adjust(
    id: ConversationId,
    change: {
      readonly keep?: readonly MessageId[];
      readonly compact?: readonly MessageId[];
      readonly guidance?: string;
      readonly strategy?: string;
    },
  ): Promise<void>;
  /** Carries the pending plan out; `summary`: the person's wording of it. */
  apply(id: ConversationId, summary?: string): Promise<CompactResult>;
  cancel(id: ConversationId): void;

  /** Undoes a compaction by one flag, at any later time. The compaction before it, if any, is in force again. */
  undo(id: ConversationId, compaction: string): Promise<void>;
  redo(id: ConversationId, compaction: string): Promise<void>;
  /** Replaces the summary by the person's wording; null: by the strategy's own again. */
  rewrite(id: ConversationId, compaction: string, summary: string | null): Promise<void>;
  /** Remakes the summary, with guidance: a new compaction in place of this one, which is undone. */
  again(id: ConversationId, compaction: string, guidance: string): Promise<CompactResult>;

  /** The session memory as it is, or would be, sent in place of older messages. Throws only `conversation-missing`. */
  memoryFile(id: ConversationId): Promise<SessionMemoryFile>;
  /** Saves lines in place of those that were read; files that other devices saved are settled with it. */
  saveMemoryFile(
    id: ConversationId,
    from: SessionMemoryFile,
    lines: readonly MemoryLine[],
  ): Promise<{ readonly undo: () => Promise<void> }>;
  /** Deletes the saved file: it is derived from the conversation again. */
  remakeMemoryFile(id: ConversationId): Promise<{ readonly undo: () => Promise<void> }>;

  /**
   * Parts of the next request, including compacted messages that it brings back. `draft`: text in the composer;
   * `announced`: passages of memory that would go along. Null for an unknown conversation.
   */
  next(
    id: ConversationId | null,
    draft: readonly Part[],
    announced?: readonly RecalledPassage[],
  ): Promise<NextRequest | null>;
  /** The manifest stored with an answer; null if it has none. */
  manifest(id: ConversationId, answer: MessageId): Promise<RequestManifest | null>;

  /** All checkpoints, newest first. */
  checkpoints(id: ConversationId): Promise<readonly ListedCheckpoint[]>;
  /**
   * Finds a checkpoint by name or message id. Throws `checkpoint-unknown` (name, nearest);
   * `checkpoint-none` if there is none at all.
   */
  find(
    id: ConversationId,
    nameOrId: string,
  ): Promise<{ readonly name: string; readonly messageId: MessageId }>;
  /**
   * Names a message (default: the head). Without a name: the first free of `checkpoint-1` …. An existing name moves.
   */
  checkpoint(
    id: ConversationId,
    name?: string,
    at?: MessageId,
  ): Promise<{
    readonly name: string;
    readonly messageId: MessageId;
    /** True if the name was on another message before; undoing returns it there. */
    readonly moved: boolean;
    readonly undo: () => Promise<void>;
  }>;
  removeCheckpoint(id: ConversationId, name: string): Promise<{ readonly undo: () => Promise<void> }>;
  /**
   * Renames a named checkpoint; another one with that name is replaced. A blank name changes nothing, and
   * automatic ones keep theirs. Throws `checkpoint-unknown` (name, nearest).
   */
  renameCheckpoint(
    id: ConversationId,
    name: string,
    to: string,
  ): Promise<{ readonly name: string; readonly undo: () => Promise<void> }>;
  /**
   * Moves the head to a checkpoint, a name or a message id (at least 8 characters of it). Copies nothing, whatever the
   * size. Throws `checkpoint-unknown` (name, nearest).
   */
  restore(
    id: ConversationId,
    nameOrId: string,
  ): Promise<{ readonly name: string; readonly messageId: MessageId; readonly undo: () => Promise<void> }>;
  /** Differences between two checkpoints. Throws `checkpoint-unknown`. */
  diff(id: ConversationId, left: string, right: string): Promise<CheckpointDiff>;
  close(): Promise<void>;
}
