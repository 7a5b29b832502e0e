// Actions of messages, handed down from the screen: messages never know the conversation they stand in.
import { createContext, useContext } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import { type Writable, writable } from '../../domain/base/readable.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { RegenerateOptions } from '../../services/chat/chat.ts';
import type { RecallResult } from '../../services/memory/memory.ts';
import type { Edits } from './edits.ts';

/** Requests that a message can make. One object for the whole list: messages are not drawn again for it. */
export interface MessageActions {
  open(conversationId: string, messageId: string): void;
  show(sibling: MessageId): void;
  regenerate(answer: MessageId, options?: RegenerateOptions): void;
  /** Asks memory what it was asked for an answer. `injected`: as for one that goes to a model. */
  lookAgain(query: string, injected: boolean, signal: AbortSignal): Promise<RecallResult>;
  /** Asks the model to go on with an answer that was cut off. */
  goOn(answer: MessageId): void;
  edit(message: Message, text: string, rerun: boolean): void;
  /** To a message of another branch, or of this. */
  jump(message: MessageId): void;
  /** Names the message, so that one can come back to it. */
  checkpoint(message: MessageId): void;
  /** Marks a message of the person, so that it is sent word for word whatever is compacted; or takes the mark away. */
  keep(message: MessageId, kept: boolean): void;
  /** Opens what is to be sent back to this message: other words for it or for a tool's result (`callId`), or a note. */
  sendBack(message: Message, callId?: string): void;
  /** Shows the manifest of the request that an answer came from. */
  showManifest(answer: Message): void;
  /** Opens other models' answers beside this one. */
  compare(answer: Message): void;
  /** Deletes a message, or the answer that ends with it; the notice takes it back. */
  remove(message: Message): void;
  /** Opens the window of forgetting for the message, or the answer that ends with it; null in a temporary conversation, which is kept nowhere. */
  readonly forget: ((message: Message) => void) | null;
  connectModel(): void;
  /** False while an answer is being written: nothing else can be asked then. */
  readonly canAsk: boolean;
  /** False in the trash. */
  readonly canWrite: boolean;
  readonly hasModel: boolean;
}
export const MessageActionsContext = createContext<MessageActions | null>(null);

/** The message that is being edited, if any: it outlives the row, which goes when it is scrolled away. */
export const EditingContext = createContext<Writable<MessageId | null>>(writable<MessageId | null>(null));

/** The message that a place found is in: what it folds away for its length is opened. */
export const FoundContext = createContext<Writable<MessageId | null>>(writable<MessageId | null>(null));

/** Edits of the conversation that were begun and neither saved nor dropped. */
export const EditsContext = createContext<Edits | null>(null);

/** The row of arrows that a step between branches leads to, and which of them it was: there the focus goes on. */
export interface BranchStep {
  readonly to: MessageId;
  readonly arrow: 'previous' | 'next';
}
export const BranchStepContext = createContext<Writable<BranchStep | null>>(
  writable<BranchStep | null>(null),
);

/** Throws outside of `MessageActionsContext`. */
export function useActions(): MessageActions {
  const actions = useContext(MessageActionsContext);
  if (!actions) throw new Error('A message needs <MessageActionsContext> above it');
  return actions;
}
