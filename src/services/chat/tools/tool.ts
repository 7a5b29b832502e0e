// What a tool is that a model may call. One file each on the shelf `index.ts`; the turn runs them and writes down every call.
import type { ToolDescription } from '../../../adapters/models/chat-model.ts';
import type { ConversationId, MessageId } from '../../../domain/base/ids.ts';
import type { Message } from '../../../domain/chat/message.ts';
import type { Config } from '../../../domain/settings/config.ts';
import type { Documents } from '../../documents/documents.ts';
import type { Memory } from '../../memory/memory.ts';

/** Where `remember` keeps its notes; the service of the same name has more. */
export interface NotesLike {
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
  readonly documents: Documents;
  readonly memory: Pick<Memory, 'recall'>;
  /** Absent: notes cannot be kept, and `remember` is not offered. */
  readonly notes: NotesLike | undefined;
  readonly config: Config;
  readonly signal: AbortSignal;
}

/** What a tool answers. `text` is what the model reads, and what the person can open. */
export interface ToolOutcome {
  readonly text: string;
  readonly isError?: boolean;
  /** Something outside the conversation is different now. */
  readonly changed?: boolean;
  /** This call is a checkpoint. */
  readonly checkpoint?: boolean;
  /** A letter to be delivered when the step is over. */
  readonly mail?: { readonly message: string; readonly to: MessageId };
}

export interface Tool {
  /** As the model calls it; also its key under `tools` in the configuration, in snake case. */
  readonly name: string;
  readonly switch: Exclude<keyof Config['tools'], 'enabled' | 'max_steps'>;
  readonly description: ToolDescription;
  /** False where what it needs is not there. */
  available?(context: Pick<ToolContext, 'notes'>): boolean;
  /** `input` is what the model sent, parsed but not checked. Throws what the turn makes an error result of. */
  run(input: unknown, context: ToolContext): Promise<ToolOutcome>;
}
