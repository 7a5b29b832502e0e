// Slash commands: one registry that composer, palette and /help share.

import type { IndexStats } from '../../adapters/index/memory-index.ts';
import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { CheckpointDiff, ListedCheckpoint } from '../../domain/chat/checkpoint.ts';
import type { Persona } from '../../domain/prompts/persona.ts';
import type { Chat } from '../chat/chat.ts';
import type { CompactResult, ContextControl } from '../context/context.ts';
import type { Documents, LibraryEntry } from '../documents/documents.ts';
import type { ExportedFile, Library } from '../library/library.ts';
import type { Memory, MemoryStatus, RecallResult } from '../memory/memory.ts';
import type { Prompts } from '../prompts/prompts.ts';
import type { Settings } from '../settings/settings.ts';
import type { Sync } from '../sync/sync.ts';

/**
 * One word or flag of a command. Help text is in the catalogue: `commands.<command>.<name>`, of
 * a flag `commands.<command>.--<name>`.
 */
export interface ArgumentDescription {
  readonly name: string;
  /** `flag`: --name [VALUE]; `choice`: one of `choices`; `rest`: all remaining words. */
  readonly kind: 'flag' | 'choice' | 'rest';
  readonly value?: 'none' | 'number' | 'text';
  /** For `choice`, and for flags with a `text` value that allow only some texts. */
  readonly choices?: readonly string[];
  /** Usual values of a `text` flag that takes several, separated by commas or repeated; others are allowed as well. */
  readonly many?: readonly string[];
  /** Values of `many` that exclude one another: a second one is not offered. */
  readonly oneOf?: readonly string[];
  /** Bounds of a `number`, both included. */
  readonly range?: readonly [number, number];
  /** Choices of the command that this flag belongs to; absent: all. */
  readonly of?: readonly string[];
  /** Names that exist in the conversation on the screen; other words are allowed as well. */
  readonly offers?: 'checkpoints';
  readonly optional: boolean;
}

/** Checked arguments by name. */
export type CommandArguments = Readonly<Record<string, string | number | boolean | undefined>>;

export interface CommandContext {
  readonly documents: Documents;
  readonly library: Library;
  readonly chat: Chat;
  readonly memory: Memory;
  readonly settings: Settings;
  /** Absent: there are no personas. */
  readonly prompts?: Pick<Prompts, 'personaOf'> | undefined;
  /** Absent if there is no context service (its commands then say so). */
  readonly context?: ContextControl | undefined;
  /** Absent if this browser cannot sync. */
  readonly sync?: Sync | undefined;
  /** Conversation on the screen, null on an empty page. */
  readonly conversationId: ConversationId | null;
  /** Project and persona that a conversation begun on an empty page gets. */
  readonly begins?: { readonly project: ConversationId | null; readonly persona: Persona | null } | undefined;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Result of a command for the interface to show. Nothing here is prose: words come from the catalogue. */
export type CommandOutcome =
  | { readonly type: 'recall'; readonly result: RecallResult; readonly withContext: boolean }
  | {
      readonly type: 'conversations';
      readonly title: 'list' | 'search';
      readonly entries: readonly LibraryEntry[];
      readonly query?: string;
    }
  | { readonly type: 'open'; readonly conversationId: ConversationId | null; readonly messageId?: MessageId }
  | { readonly type: 'screen'; readonly screen: 'settings'; readonly section: string }
  /** Opens the window for forgetting, with these words. */
  | { readonly type: 'forget'; readonly words: string }
  /** Opens the session memory of a conversation. */
  | { readonly type: 'memory-file'; readonly conversationId: ConversationId }
  | { readonly type: 'status'; readonly status: MemoryStatus; readonly stats: IndexStats }
  | { readonly type: 'download'; readonly file: ExportedFile }
  /** A compaction was made (`undo`), or there was nothing to compact. */
  | {
      readonly type: 'compaction';
      readonly result: CompactResult;
      readonly undo?: () => Promise<void>;
    }
  | { readonly type: 'checkpoints'; readonly checkpoints: readonly ListedCheckpoint[] }
  | {
      readonly type: 'diff';
      readonly left: string;
      readonly right: string;
      readonly diff: CheckpointDiff;
    }
  /** A dry run before sending: the passages for `draft`, each with a checkbox. */
  | { readonly type: 'explain'; readonly result: RecallResult; readonly draft: string }
  /** `command`: help for this one only. */
  | { readonly type: 'help'; readonly command?: string }
  /** `commands.done.<what>` with `params`; `undo` if it can be undone. */
  | {
      readonly type: 'done';
      readonly what: string;
      readonly params?: Readonly<Record<string, string | number>>;
      readonly undo?: () => Promise<void>;
    }
  | { readonly type: 'problem'; readonly problem: Problem };

export interface Command {
  /** Name without the slash. */
  readonly name: string;
  readonly arguments: readonly ArgumentDescription[];
  run(context: CommandContext, args: CommandArguments): Promise<CommandOutcome>;
}
