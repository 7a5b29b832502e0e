// Contract of a tool that a model may call. One file each in the registry `index.ts`; the
// turn runs them and records every call.
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
  /** From the root to the calling message. */
  readonly path: readonly Message[];
  /** Messages that a D-Mail can go to, by their number: those before this step (`domain/chat/checkpoint.ts`). */
  readonly checkpoints: readonly MessageId[];
  /** Count of checkpoints set in this step already. */
  readonly newCheckpoints: number;
  /** True if a D-Mail waits for the end of this step. */
  readonly mailPending: boolean;
  readonly documents: Pick<Documents, 'library' | 'read'>;
  readonly memory: Pick<Memory, 'recall'>;
  /** Absent: notes cannot be kept, and `remember` is not offered. */
  readonly notes: NotesLike | undefined;
  readonly config: Config;
  /** Scope of memory with the conversation's persona; null: it has none. */
  readonly persona: PersonaReach | null;
  /** Hides from every tool whatever memory must not hold. */
  readonly filter: Pick<PrivacyFilter, 'hidden'>;
  readonly signal: AbortSignal;
}

/** Facts that decide whether a tool is offered. */
export interface Offering extends Pick<ToolContext, 'notes'> {
  /** Null: a conversation that has not begun. */
  readonly conversationId: ConversationId | null;
}

/** False in a temporary conversation, which memory must not touch. */
export const mayRemember = ({ conversationId }: Offering): boolean =>
  conversationId === null || !isTemporary(conversationId);

/** Longest result of a tool, characters: a model must not drown in it. */
export const MAX_RESULT = 60_000;

/** Result of a tool. `text` is what the model reads, and what the person can open. */
export interface ToolOutcome {
  readonly text: string;
  readonly isError?: boolean;
  /** True if something outside the conversation has changed. */
  readonly changed?: boolean;
  /** True if this call set a checkpoint. */
  readonly checkpoint?: boolean;
  /** Passages behind the text, each at the price of its own share: stored with the result, shown as a card. */
  readonly recalled?: ToolRecall;
  /** A D-Mail to be delivered at the end of the step. */
  readonly mail?: { readonly message: string; readonly to: MessageId };
}

export interface Tool<Input extends z.ZodType = z.ZodType> {
  /** Name under which the model calls it. */
  readonly name: string;
  /** Its key under `tools` in the configuration. */
  readonly switch: Exclude<keyof Config['tools'], 'enabled' | 'max_steps'>;
  /** Text for the model. */
  readonly description: string;
  /** Schema of the arguments; the model reads its error messages. */
  readonly input: Input;
  /** False if a dependency of the tool is missing. */
  available?(context: Offering): boolean;
  /** Runs the tool; anything it throws becomes an error result. */
  run(input: z.infer<Input>, context: ToolContext): Promise<ToolOutcome>;
}

/** Keeps the type of the input while the registry forgets it. */
export const defineTool = <Input extends z.ZodType>(tool: Tool<Input>): Tool => tool as unknown as Tool;
