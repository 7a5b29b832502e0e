// Actions of messages, passed down from the screen: a message does not know its conversation.
import { createContext, useContext } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import { type Writable, writable } from '../../domain/base/readable.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { RegenerateOptions } from '../../services/chat/chat.ts';
import type { RecallResult } from '../../services/memory/memory.ts';
import type { Edits } from './edits.ts';

/** Requests that a message can make. One object serves the whole list so that messages are not drawn again for it. */
export interface MessageActions {
  open(conversationId: string, messageId: string): void;
  show(sibling: MessageId): void;
  regenerate(answer: MessageId, options?: RegenerateOptions): void;
  /** Asks memory again for an answer's question. `injected`: as for a question that goes to a model. */
  searchAgain(query: string, injected: boolean, signal: AbortSignal): Promise<RecallResult>;
  /** Asks the model to continue an answer that was cut off. */
  goOn(answer: MessageId): void;
  edit(message: Message, text: string, rerun: boolean): void;
  /** Jumps to a message of this or another branch. */
  jump(message: MessageId): void;
  /** Names the message so that the person can come back to it. */
  checkpoint(message: MessageId): void;
  /** Marks a person's message so that compaction never touches it, or removes the mark. */
  keep(message: MessageId, kept: boolean): void;
  /**
   * Opens the dialog that sends back to this message: a rewording of it or of a tool's result (`callId`), or a note.
   */
  sendBack(message: Message, callId?: string): void;
  /** Shows the manifest of the request behind an answer. */
  showManifest(answer: Message): void;
  /** Asks which of many models answers anew. */
  askAnother(answer: Message): void;
  /** Opens other models' answers beside this one. */
  compare(answer: Message): void;
  /** Deletes a message, or the answer that ends with it; a notice offers to undo. */
  remove(message: Message): void;
  /**
   * Opens the forget dialog for the message or the answer that ends with it; null in a
   * temporary conversation, which is never kept.
   */
  readonly forget: ((message: Message) => void) | null;
  connectModel(): void;
  /** False while an answer is being written: nothing else can be asked then. */
  readonly canAsk: boolean;
  /** False in the trash. */
  readonly canWrite: boolean;
  readonly hasModel: boolean;
}
export const MessageActionsContext = createContext<MessageActions | null>(null);

/** Message being edited, if any; outlives its row, which unmounts when scrolled away. */
export const EditingContext = createContext<Writable<MessageId | null>>(writable<MessageId | null>(null));

/** Message with the current hit of the find bar: it opens even if it is collapsed for its length. */
export const FoundContext = createContext<Writable<MessageId | null>>(writable<MessageId | null>(null));

/** Unsaved edits of the conversation. */
export const EditsContext = createContext<Edits | null>(null);

/** Arrows that a step between branches leads to, and which of the two was pressed: it gets the focus. */
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
