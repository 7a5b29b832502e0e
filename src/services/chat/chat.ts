// Conducts the turns of a conversation: remember, ask, stream, append.

import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Part } from '../../domain/chat/message.ts';

/** What happens in a conversation right now. Session state: the log gets the finished message only. */
export interface TurnState {
  readonly status: 'idle' | 'recalling' | 'waiting' | 'streaming';
  /** The answer so far, in the order in which it came. Empty when idle. */
  readonly parts: readonly Part[];
  /** The message that is being answered. */
  readonly parentId: MessageId | null;
  /** The id the answer will have. Once the conversation has a message with it, the turn has nothing more to show. */
  readonly answerId: MessageId | null;
  readonly model: string | null;
  /** ms since 1970 */
  readonly startedAt: number;
  /** Messages written while an answer streams; sent one by one when it ends. */
  readonly queue: readonly { readonly id: string; readonly parts: readonly Part[] }[];
  /** Why the last turn could not even start; cleared by the next. */
  readonly problem: Problem | null;
}

/** Nothing goes on. */
export const IDLE_TURN: TurnState = {
  status: 'idle',
  parts: [],
  parentId: null,
  answerId: null,
  model: null,
  startedAt: 0,
  queue: [],
  problem: null,
};

export interface SendOptions {
  /** Absent: a new conversation is made. */
  readonly conversationId?: ConversationId;
  readonly parts: readonly Part[];
  /** Message ids of passages the person ticked off beforehand: not injected. */
  readonly withoutPassages?: readonly MessageId[];
}

export interface Chat {
  turn(id: ConversationId): Readable<TurnState>;
  /**
   * Appends the user message (saved before anything is asked) and starts the answer; queues while one is streaming.
   * Resolves as soon as the user message is saved. Without a model the answer is recall, and says so.
   */
  send(options: SendOptions): Promise<{ conversationId: ConversationId }>;
  /** A new sibling of an answer, from the same user message. */
  regenerate(id: ConversationId, answer: MessageId): Promise<void>;
  /** A new sibling of a user message; `rerun` asks the model again. */
  edit(id: ConversationId, message: MessageId, parts: readonly Part[], rerun: boolean): Promise<void>;
  /** Ends the stream; what arrived is kept. */
  stop(id: ConversationId): void;
  editQueued(id: ConversationId, queued: string, parts: readonly Part[] | null): void;
  /** Answers that were cut by a crash: appended from their draft rows at start. Returns how many. */
  rescueDrafts(): Promise<number>;
  close(): Promise<void>;
}
