// The context service as a turn uses it: makes a request that fits before every step.
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { PartOf, Usage } from '../../domain/chat/message.ts';
import type { RequestManifest } from '../../domain/context/manifest.ts';
import type { BuiltPrompt } from '../../domain/context/prompt.ts';

export interface StepRequest {
  readonly id: ConversationId;
  /** As it is now: asked again after a compaction. */
  readonly conversation: () => Conversation;
  /** The message the next one hangs on. */
  readonly leaf: MessageId;
  readonly model: ChatModel;
  readonly recall: PartOf<'recall'> | null;
  readonly tools: readonly ToolDescription[];
  readonly signal: AbortSignal;
  /** Hears what holds the step up. */
  readonly onStatus: (status: 'compacting' | 'confirming' | 'waiting') => void;
}

export interface PreparedStep {
  readonly prompt: BuiltPrompt;
  readonly manifest: RequestManifest;
}

export interface TurnContext {
  /** How full the window would be, 0–1 and above, before anything is done about it. */
  pressure(request: Omit<StepRequest, 'signal' | 'onStatus'>): number;
  /**
   * Makes the request for a step. Where it would be too large, the branch is compacted first (asked about first, with `context.confirm`).
   * What goes wrong with that never stops the step. Throws AbortError only.
   */
  prepare(request: StepRequest): Promise<PreparedStep>;
  /** An answer ended for want of room: compacts once, below what the window is said to hold. True where the request is smaller now. */
  compactAfterCutOff(request: StepRequest): Promise<boolean>;
  /** Learns from an answer how the model counts. */
  learn(model: ChatModel, manifest: RequestManifest, usage: Usage | undefined): void;
  /** An answer was saved: the session memory is brought up to date in the background. */
  settled(id: ConversationId): void;
}
