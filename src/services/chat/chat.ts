// Contract of the chat service: sends messages, runs turns, compares models, keeps drafts.

import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Part, PartOf } from '../../domain/chat/message.ts';
import type { Config } from '../../domain/settings/config.ts';
import type { Eraser } from '../forget/eraser.ts';
import type { RecallResult } from '../memory/memory.ts';
import type { ModelChoice } from '../settings/settings.ts';
import type { ComposerDrafts } from './composer-drafts.ts';
import type { DeletedMessages } from './deleted-messages.ts';

/** Current turn of a conversation. Session state: the log gets the finished message only. */
export interface TurnState {
  /**
   * `compacting`: the window is being reduced; `confirming`: a plan for that waits for the person
   * (`ContextState.pending`); `calling`: tools run, `calls` names them.
   */
  readonly status: 'idle' | 'recalling' | 'compacting' | 'confirming' | 'waiting' | 'streaming' | 'calling';
  /** The answer so far, in order of arrival. Empty when idle. */
  readonly parts: readonly Part[];
  /** The message that is being answered. */
  readonly parentId: MessageId | null;
  /** An answer can take several steps, each a message of its own; 0 for the first. */
  readonly step: number;
  /** Tools that run now. */
  readonly calls: readonly { readonly callId: string; readonly name: string }[];
  /** Set during a replay of a branch after something on it was sent back. */
  readonly replay: Replay | null;
  /** The id that the answer will have. Once the conversation has that message, the turn shows nothing more. */
  readonly answerId: MessageId | null;
  readonly model: string | null;
  /** ms since 1970 */
  readonly startedAt: number;
  /**
   * Messages written during an answer; sent one by one when it ends. After a failed answer they wait for the person.
   */
  readonly queue: readonly { readonly id: string; readonly parts: readonly Part[] }[];
  /** Problem that kept the last turn from starting; the next turn clears it. */
  readonly problem: Problem | null;
  /** True if it runs in another tab. Messages sent here wait for its end. */
  readonly inAnotherTab: boolean;
}

/** Progress of a replay. Kept after the turn until the next one begins. */
export interface Replay {
  /** Finished answers of the old branch, and all of them. */
  readonly done: number;
  readonly total: number;
  /** Answers reused because nothing they depend on had changed: model calls saved. */
  readonly saved: number;
  /** Answers for which the model was asked. */
  readonly asked: number;
}

/** State of a conversation without a running turn. */
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
  /** Messages of passages that the person unticked: not injected, and listed with the answer as left out. */
  readonly withoutPassages?: readonly MessageId[];
  /** Passages found for exactly these words while they were typed; used if memory does not answer now. */
  readonly announced?: RecallResult;
  /** Exact memory to inject (`/recall --explain`), from anywhere in the conversation; nothing is searched for. */
  readonly recall?: PartOf<'recall'>;
}

/** Action that follows something sent back. */
export type AfterSendBack = Config['context']['after_send_back'];

/** Something sent back to an earlier message of a conversation. */
export interface SendBack {
  /**
   * `edit`: another wording of a message (of the person, or a tool's result) in its place. `note`: a message to the
   * model at that point of the conversation.
   */
  readonly type: 'edit' | 'note';
  readonly message: MessageId;
  /** For a tool message: the text of the result of `callId` (default: its first). */
  readonly parts: readonly Part[];
  readonly callId?: string;
  /**
   * `answer`: asks again; `branch`: the later questions as well. Both reuse answers with unchanged inputs. `patch`: a
   * model edits the old answer, else as `answer`. `none`: only moves there. Absent: as the settings say.
   */
  readonly replay?: AfterSendBack;
}

/** Parts that a request can leave out to be accepted. `thoughts`: those of earlier steps, and asking for new ones. */
export type Omission = 'tools' | 'thoughts' | 'images';

export interface RegenerateOptions {
  /** Part that the endpoint refused; always left out once a request without it is accepted. */
  readonly without?: Omission;
  /** Model for this one answer, instead of the one in use. */
  readonly by?: ModelChoice;
}

/** A model that refused something in a request, which is left out from then on. */
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

/** Most models asked in one comparison, beside the existing answer. */
export const MAX_COMPARED = 2;

export interface ComparedAnswer {
  readonly choice: ModelChoice;
  /** The running turn; `problem` if it could not even start. */
  readonly turn: Readable<TurnState>;
  /** Last message of the answer once it is saved; null before, and if nothing was saved. */
  readonly last: Readable<MessageId | null>;
  /** Stops this one and keeps what arrived. */
  stop(): void;
  /** Asks again; a saved answer stays as a branch. Does nothing while it runs. */
  again(): void;
}

export interface Comparison {
  /** The answer that the person compares others with. */
  readonly answer: MessageId;
  readonly question: MessageId;
  readonly answers: readonly ComparedAnswer[];
}

export interface Chat {
  readonly modelRefusals: Readable<readonly ModelRefusal[]>;
  /** Sends refused parts again: to all models, or to those of one endpoint (its host). */
  forgetModelRefusals(endpoint?: string): Promise<void>;
  /** Texts that are neither sent nor saved yet. */
  readonly composerDrafts: ComposerDrafts;
  turn(id: ConversationId): Readable<TurnState>;
  /**
   * Saves the user message, then starts or queues the answer. Without a model the answer is recall, and says so.
   * @returns once the message is saved, or shown and waiting for space on the disk: then
   *   `turn` and `Documents.saving` say
   * so, and the answer begins once it is saved
   * @throws only if the words are lost
   */
  send(options: SendOptions): Promise<{ conversationId: ConversationId }>;
  /** Asks for a new sibling of an answer, from the same user message. */
  regenerate(id: ConversationId, answer: MessageId, options?: RegenerateOptions): Promise<void>;
  /**
   * Asks the model to continue an answer that was cut off (`domain/chat/continuation.ts`), as a message below it. An
   * attempt without any words is replaced. Throws `message-missing` if there is nothing to continue.
   */
  goOn(id: ConversationId, answer: MessageId): Promise<void>;
  /** A new sibling of a user message; `rerun` asks the model again. */
  edit(id: ConversationId, message: MessageId, parts: readonly Part[], rerun: boolean): Promise<void>;
  /**
   * Sends a D-Mail: appends below an earlier message, moves the head there and regenerates. The old branch stays;
   * `dmail` links both ways (`domain/chat/dmail.ts`). Resolves once it is saved, or waits for the disk as `send` does.
   * @returns `undo` moves the head back
   * @throws `conversation-missing`, `message-missing`
   */
  sendBack(
    id: ConversationId,
    mail: SendBack,
  ): Promise<{ readonly messageId: MessageId; readonly undo: () => Promise<void> }>;
  /**
   * Counts questions and answers that `sendBack` with `replay: 'branch'` would repeat, and
   * whether `patch` would find an answer.
   */
  sendBackCost(
    id: ConversationId,
    message: MessageId,
    type: SendBack['type'],
  ): Promise<{ turns: number; answers: number; patch: boolean }>;
  /**
   * Deletes a message, or the answer that ends with it; its children move up. `deleted` keeps it.
   * Throws `conversation-missing`, `message-missing`. `undo` restores all as it was, as long as this tab lives.
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
  /** The latest comparison, of this tab or from before its reload; null: none. */
  comparison(id: ConversationId): Readable<Comparison | null>;
  /** Stops the answer and keeps what arrived. Queued messages wait until they are sent or a later answer succeeds. */
  stop(id: ConversationId): void;
  /** Sends the first queued message now; an answer that is being written is stopped first. */
  sendQueued(id: ConversationId): void;
  /** Changes a queued message; null removes it. Nothing happens to one that is being sent, which has left the queue. */
  editQueued(id: ConversationId, queued: string, parts: readonly Part[] | null): void;
  /** Removes a queued message; the result puts it back where it was. Nothing happens to one that is being sent. */
  removeQueued(id: ConversationId, queued: string): () => void;
  /**
   * Removes forgotten words from texts that are neither sent nor saved yet: drafts, queued
   * messages, passages chosen for them.
   */
  takeOut(eraser: Eraser): void;
  /** Deleted messages that this device still keeps. */
  readonly deleted: DeletedMessages;
  /** Appends answers that a crash cut off, from their draft rows, at the start. Returns how many. */
  rescueDrafts(): Promise<number>;
  close(): Promise<void>;
}
