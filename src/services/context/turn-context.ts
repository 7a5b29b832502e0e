// The context service as a turn uses it: makes a request that fits before every step.
import type { ChatModel, ToolDescription } from '../../adapters/models/chat-model.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { PartOf, Usage } from '../../domain/chat/message.ts';
import type { RequestManifest } from '../../domain/context/manifest.ts';
import type { BuiltPrompt } from '../../domain/context/prompt.ts';

export interface StepRequest {
  readonly id: ConversationId;
  /** The present conversation: read again after a compaction. */
  readonly conversation: () => Conversation;
  /** Parent of the next message. */
  readonly leaf: MessageId;
  readonly model: ChatModel;
  readonly recall: PartOf<'recall'> | null;
  readonly tools: readonly ToolDescription[];
  readonly signal: AbortSignal;
  /** Called with the reason for a delay of the step. */
  readonly onStatus: (status: 'compacting' | 'confirming' | 'waiting') => void;
}

export interface PreparedStep {
  readonly prompt: BuiltPrompt;
  readonly manifest: RequestManifest;
}

export interface TurnContext {
  /** Fill of the window, 0–1 and above, before any compaction. */
  pressure(request: Omit<StepRequest, 'signal' | 'onStatus'>): Promise<number>;
  /**
   * Makes the request for a step. If it would be too large, compacts the branch first (after a question, with
   * `context.confirm`). A failure of that never stops the step. Throws only AbortError.
   */
  prepare(request: StepRequest): Promise<PreparedStep>;
  /**
   * An answer ended for want of space: compacts once, below the window's stated size.
   * True if the request is smaller now.
   */
  compactAfterCutOff(request: StepRequest): Promise<boolean>;
  /** Learns from an answer how the model counts tokens. */
  learn(model: ChatModel, manifest: RequestManifest, usage: Usage | undefined): void;
  /** An answer was saved: updates the session memory in the background. */
  settled(id: ConversationId): void;
}
