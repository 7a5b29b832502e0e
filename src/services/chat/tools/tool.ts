// Contract of a tool that a model may call. One file each in the registry `index.ts`; the turn runs them and records every
// call.
import type { z } from 'zod';
import { type ConversationId, isTemporary, type MessageId } from '../../../domain/base/ids.ts';
import type { Message, ToolRecall } from '../../../domain/chat/message.ts';
import type { PersonaReach } from '../../../domain/prompts/persona.ts';
import type { Config } from '../../../domain/settings/config.ts';
import type { Documents } from '../../documents/documents.ts';
import type { Notes } from '../../documents/notes.ts';
import type { Memory } from '../../memory/memory.ts';
import type { PrivacyFilter } from '../../privacy/privacy-filter.ts';

/** Memory notes as tools see them, known and writable; the service of the same name has more. */
export interface NotesLike extends Pick<Notes, 'state' | 'known'> {
  write(note: {
    readonly text: string;
    readonly by?: 'person' | 'model';
    readonly source?: { readonly conversationId: string; readonly messageId: string } | null;
  }): Promise<{ readonly id: string }>;
}

export interface ToolContext {
  readonly conversationId: ConversationId;
  /** Root to the message that calls. */
  readonly path: readonly Message[];
  /** Places a letter can go to, by their number: those before this step (`domain/chat/checkpoint.ts`). */
  readonly checkpoints: readonly MessageId[];
  /** Checkpoints set in this step already. */
  readonly newCheckpoints: number;
  /** A letter waits for the end of this step. */
  readonly mailPending: boolean;
  readonly documents: Pick<Documents, 'library' | 'read'>;
  readonly memory: Pick<Memory, 'recall'>;
  /** Absent: notes cannot be kept, and `remember` is not offered. */
  readonly notes: NotesLike | undefined;
  readonly config: Config;
  /** How far memory looks with the conversation's persona; null: it has none. */
  readonly persona: PersonaReach | null;
  /** Hides from every tool what memory must not hold. */
  readonly filter: Pick<PrivacyFilter, 'hidden'>;
  readonly signal: AbortSignal;
}

/** Things that decide whether a tool is offered. */
export interface Offering extends Pick<ToolContext, 'notes'> {
  /** Null: a conversation that has not begun. */
  readonly conversationId: ConversationId | null;
}

/** Tools of memory have no business in a temporary conversation. */
export const mayRemember = ({ conversationId }: Offering): boolean =>
  conversationId === null || !isTemporary(conversationId);

/** A tool's answer is cut at this many characters: a model must not drown in it. */
export const MAX_RESULT = 60_000;

/** Result of a tool. `text` is what the model reads, and what the person can open. */
export interface ToolOutcome {
  readonly text: string;
  readonly isError?: boolean;
  /** Something outside the conversation is different now. */
  readonly changed?: boolean;
  /** This call is a checkpoint. */
  readonly checkpoint?: boolean;
  /** The passages behind the text, each at the price at which it stands there: kept with the result, shown as a card. */
  readonly recalled?: ToolRecall;
  /** A letter to be delivered when the step is over. */
  readonly mail?: { readonly message: string; readonly to: MessageId };
}

export interface Tool<Input extends z.ZodType = z.ZodType> {
  /** As the model calls it. */
  readonly name: string;
  /** Its key under `tools` in the configuration. */
  readonly switch: Exclude<keyof Config['tools'], 'enabled' | 'max_steps'>;
  /** Text for the model. */
  readonly description: string;
  /** Schema of the arguments; a model reads of mistakes in its words. */
  readonly input: Input;
  /** False where what it needs is not there. */
  available?(context: Offering): boolean;
  /** Anything thrown becomes an error result. */
  run(input: z.infer<Input>, context: ToolContext): Promise<ToolOutcome>;
}

/** Keeps the type of the input while the registry forgets it. */
export const defineTool = <Input extends z.ZodType>(tool: Tool<Input>): Tool => tool as unknown as Tool;
