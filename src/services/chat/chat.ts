// Conducts the turns of a conversation: remember, ask, stream, append.

import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Part, PartOf } from '../../domain/chat/message.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Eraser } from '../forget/eraser.ts';
import type { RecallResult } from '../memory/memory.ts';
import type { ModelChoice } from '../settings/settings.ts';
import type { ComposerDrafts } from './composer-drafts.ts';

/** Current turn of a conversation. Session state: the log gets the finished message only. */
export interface TurnState {
  /**
   * `compacting`: the window is being made smaller; `confirming`: a plan for that waits for the person (`ContextState.pending`);
   * `calling`: tools run, `calls` says which.
   */
  readonly status: 'idle' | 'recalling' | 'compacting' | 'confirming' | 'waiting' | 'streaming' | 'calling';
  /** The answer so far, in the order in which it came. Empty when idle. */
  readonly parts: readonly Part[];
  /** The message that is being answered. */
  readonly parentId: MessageId | null;
  /** An answer can take several steps, each a message of its own; 0 for the first. */
  readonly step: number;
  /** Tools that run now. */
  readonly calls: readonly { readonly callId: string; readonly name: string }[];
  /** Set while a branch is gone through again after something on it was sent back. */
  readonly replay: Replay | null;
  /** The id the answer will have. Once the conversation has a message with it, the turn has nothing more to show. */
  readonly answerId: MessageId | null;
  readonly model: string | null;
  /** ms since 1970 */
  readonly startedAt: number;
  /** Messages written while an answer streams; sent one by one when it ends. After one that failed they wait until the person goes on. */
  readonly queue: readonly { readonly id: string; readonly parts: readonly Part[] }[];
  /** Why the last turn could not even start; cleared by the next. */
  readonly problem: Problem | null;
  /** It runs in another tab. What is sent here waits for its end. */
  readonly inAnotherTab: boolean;
}

/** How far going through a branch again has come. Kept after the turn until the next one begins. */
export interface Replay {
  /** Answers of the old branch that are behind it, and all there are. */
  readonly done: number;
  readonly total: number;
  /** Answers taken over because nothing they depend on had changed: model calls saved. */
  readonly saved: number;
  /** Answers the model was asked for. */
  readonly asked: number;
}

/** Nothing goes on. */
export const IDLE_TURN: TurnState = {
  status: 'idle',
  parts: [],
  parentId: null,
  step: 0,
  calls: [],
  replay: null,
  answerId: null,
  model: null,
  startedAt: 0,
  queue: [],
  problem: null,
  inAnotherTab: false,
};

export interface SendOptions {
  /** Absent: a new conversation is made. */
  readonly conversationId?: ConversationId;
  readonly parts: readonly Part[];
  /** Message ids of passages the person ticked off beforehand: not injected, and kept with the answer as left out. */
  readonly withoutPassages?: readonly MessageId[];
  /** Passages that memory found for exactly these words while they were written; used if memory does not answer now. */
  readonly announced?: RecallResult;
  /** Exactly this goes in from memory (`/recall --explain`), wherever in the conversation; nothing else is looked for. */
  readonly recall?: PartOf<'recall'>;
}

/** Action that follows something sent back. */
export type AfterSendBack = Config['context']['after_send_back'];

/** Something sent back to an earlier message of a conversation. */
export interface SendBack {
  /**
   * `edit`: another wording of a message (of the person, or a tool's result), in its place. `note`: a message to whoever stood at that
   * message then.
   */
  readonly type: 'edit' | 'note';
  readonly message: MessageId;
  /** For a tool message: the text of the result of `callId` (default: its first). */
  readonly parts: readonly Part[];
  readonly callId?: string;
  /**
   * `answer`: asks again; `branch`: the later questions as well. Both reuse answers with unchanged inputs. `patch`: a model
   * edits the old answer, else as `answer`. `none`: only moves there. Absent: as the settings say.
   */
  readonly replay?: AfterSendBack;
}

/** Parts that a request can leave out to be accepted. `thoughts`: those of earlier steps, and asking for new ones. */
export type Omission = 'tools' | 'thoughts' | 'images';

export interface RegenerateOptions {
  /** Part that the endpoint refused; left out from then on once a request without it is accepted. */
  readonly without?: Omission;
  /** Model that answers this once, instead of the one in use. */
  readonly by?: ModelChoice;
}

/** A model that would not take something in a request. It is left out from then on. */
export interface ModelRefusal {
  readonly endpoint: string;
  readonly model: string;
  /** The endpoint's words. */
  readonly detail: string;
  /** ms since 1970 */
  readonly at: number;
  /** `tools`, `thoughts`, and changes by the names of `adapters/models/repairs.ts`. */
  readonly leftOut: readonly string[];
}

/** At most so many models are asked in one comparison, beside the answer that is there. */
export const MAX_COMPARED = 2;

export interface ComparedAnswer {
  readonly choice: ModelChoice;
  /** The running turn; `problem` if it could not even start. */
  readonly turn: Readable<TurnState>;
  /** Last message of the answer once it is saved; null before, and where nothing was. */
  readonly last: Readable<MessageId | null>;
  /** Stops this one and keeps what arrived. */
  stop(): void;
  /** Asks again; a saved answer stays as a branch. Does nothing while it runs. */
  again(): void;
}

export interface Comparison {
  /** The answer it was begun from. */
  readonly answer: MessageId;
  readonly question: MessageId;
  readonly answers: readonly ComparedAnswer[];
}

export interface Chat {
  readonly modelRefusals: Readable<readonly ModelRefusal[]>;
  /** Sends everything again: to all models, or to those of one endpoint (its host). */
  forgetModelRefusals(endpoint?: string): Promise<void>;
  /** Texts that are neither sent nor saved yet. */
  readonly composerDrafts: ComposerDrafts;
  turn(id: ConversationId): Readable<TurnState>;
  /**
   * Saves the user message, then starts or queues the answer. Without a model the answer is recall, and says so.
   * @returns once the message is saved, or shown and waiting for room on the disk: then `turn` and `Documents.saving` say
   * so, and the answer begins once it is saved
   * @throws only if the words are lost
   */
  send(options: SendOptions): Promise<{ conversationId: ConversationId }>;
  /** A new sibling of an answer, from the same user message. */
  regenerate(id: ConversationId, answer: MessageId, options?: RegenerateOptions): Promise<void>;
  /**
   * Asks the model to go on with an answer that was cut off (`domain/chat/continuation.ts`): what comes is a message below it. An attempt
   * that brought nothing gives way. Throws `message-missing` where there is nothing to go on with.
   */
  goOn(id: ConversationId, answer: MessageId): Promise<void>;
  /** A new sibling of a user message; `rerun` asks the model again. */
  edit(id: ConversationId, message: MessageId, parts: readonly Part[], rerun: boolean): Promise<void>;
  /**
   * A D-Mail: appends below an earlier place, moves the head there and regenerates. The old branch stays; `dmail` links both ways
   * (`domain/chat/dmail.ts`). Resolves as soon as it is saved, or waits in line as with `send`; `undo` moves the head back. Throws `conversation-missing`, `message-missing`.
   */
  sendBack(
    id: ConversationId,
    mail: SendBack,
  ): Promise<{ readonly messageId: MessageId; readonly undo: () => Promise<void> }>;
  /**
   * Questions and answers that `sendBack` with `replay: 'branch'` would go through, and whether `patch` would find an
   * answer.
   */
  sendBackCost(
    id: ConversationId,
    message: MessageId,
    type: SendBack['type'],
  ): Promise<{ turns: number; answers: number; patch: boolean }>;
  /**
   * Deletes a message for good, or the answer that ends with it; what follows moves up.
   * Throws `conversation-missing`, `message-missing`. `undo` puts it back, as long as this tab lives.
   */
  deleteMessage(
    id: ConversationId,
    message: MessageId,
  ): Promise<{ readonly count: number; readonly undo: () => Promise<void> }>;
  /**
   * Asks other models the question of an answer, at the same time; each answer is a sibling, and the head stays. Throws
   * `conversation-busy` while an answer is being written, `conversation-missing`, `message-missing`.
   */
  compare(id: ConversationId, answer: MessageId, choices: readonly ModelChoice[]): Promise<void>;
  /** The comparison that was begun last, in this tab or before it was loaded; null: none. */
  comparison(id: ConversationId): Readable<Comparison | null>;
  /** Stops the answer and keeps what arrived. Queued messages wait until they are sent or a later answer succeeds. */
  stop(id: ConversationId): void;
  /** Sends the first queued message now; an answer that is being written is stopped first. */
  sendQueued(id: ConversationId): void;
  /** Null takes it out. What is being sent has left the queue: with that nothing happens. */
  editQueued(id: ConversationId, queued: string, parts: readonly Part[] | null): void;
  /** Takes forgotten words out of whatever is neither sent nor saved yet: drafts, messages that wait, passages chosen for them. */
  takeOut(eraser: Eraser): void;
  /** Answers that were cut by a crash: appended from their draft rows at start. Returns how many. */
  rescueDrafts(): Promise<number>;
  close(): Promise<void>;
}
