// Conversations as Yjs documents. Everything that changes one goes through here into the log; nothing else knows Yjs.
import type { KeyValueWrite, Origin } from '../../adapters/log/conversation-log.ts';
import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId, DocumentId, MessageId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { Conversation, ConversationMeta } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { Checkpoint, Compaction } from '../../domain/chat/records.ts';
import type { ProjectId, ProjectLine } from '../../domain/projects/project.ts';
import type { Hlc } from '../../domain/sync/hlc.ts';
import type { Said } from './cleaning.ts';

/** A line of the sidebar. Lives in the library document. */
export interface LibraryEntry {
  readonly id: ConversationId;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messageCount: number;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly workDir: string | null;
  readonly deletedAt: number | null;
  /** When it was last put into or taken out of archive or trash; 0: never. */
  readonly movedAt: number;
  readonly source: { readonly tool: string; readonly id: string } | null;
  /** Started by another conversation (a subagent): not at the top level. */
  readonly child: boolean;
  readonly sample: boolean;
  /** The project it is in, by where it was filed or by its folder; null: outside of all. Of a project: the one it is in. */
  readonly projectId: ProjectId | null;
  /** Folder it was filed in, as stored: `''` for outside of all, null if its work dir decides. */
  readonly filed: string | null;
  /** Set where this is a project and no conversation. */
  readonly project: ProjectLine | null;
}

/** A project as the library lists it: `title` is its name. */
export interface ProjectEntry extends LibraryEntry {
  readonly project: ProjectLine;
}

/** Everything that the library lists, trash included, newest first. `ready` false until the log was read once. */
export interface LibraryListing {
  readonly ready: boolean;
  readonly entries: readonly LibraryEntry[];
  readonly projects: readonly ProjectEntry[];
}

export type SaveStatus =
  | { readonly state: 'saved' }
  | { readonly state: 'saving' }
  /** The screen shows more than the disk has; the write is tried again. */
  | { readonly state: 'failed'; readonly problem: Problem };

/** A conversation that is open here and follows every change, whoever makes it. */
export interface OpenConversation extends Readable<Conversation> {
  readonly id: ConversationId;
  /** Origin of a question that came since opening: this browser or another device. Null: it was there before. */
  originOf(question: MessageId): 'here' | 'elsewhere' | null;
  /** Lets go; the document is dropped when nobody holds it. */
  close(): void;
}

/** Changes made together: one update in the log, saved or not saved as one. */
export interface ConversationChange {
  /** New ones. One that is here, or was forgotten, stays so. */
  readonly messages?: readonly Message[];
  /** More of messages that are here (`completed` in `domain/chat`). It is joined to what is here, and takes nothing away. */
  readonly completed?: readonly Message[];
  readonly meta?: Partial<ConversationMeta>;
  /** When titles and flags in `meta` were said, where that was elsewhere: they give way to what is here and later. Else: now. */
  readonly said?: Readonly<Record<string, Hlc>>;
  /** Name → checkpoint, or the bare message id; null removes the name. */
  readonly checkpoints?: Readonly<Record<string, Checkpoint | MessageId | null>>;
  /** Id → a new compaction as a whole, or what changes in one that is there (`undone`, `summary`); null removes it. */
  readonly compactions?: Readonly<Record<string, Partial<Compaction> | null>>;
  /** Removes content for good (forget), and summaries that may quote it. Children hang on to the removed message's parent. */
  readonly removed?: readonly MessageId[];
  /** Takes a removal back: messages that were removed, with their content. They stand where they stood, and nothing of the change has what was forgotten since. */
  readonly restored?: readonly Message[];
  /** Takes words out of messages for good: each stands in for the one of its id. Else as `removed`, but that nothing hangs elsewhere. */
  readonly rewritten?: readonly Message[];
  /** For good: what is `removed` cannot be `restored`, and titles in `meta` take the place of those that the conversation began with, too. */
  readonly takesOut?: true;
}

/** Says what must be nowhere any more, as `Documents.purge` asks. */
export interface PurgeRules {
  /** The text without the words that were forgotten. */
  readonly hide: (text: string) => { readonly text: string; readonly redacted: number };
  /** True if this conversation or message was forgotten. */
  readonly isGone: (id: string) => boolean;
  /** True for values said too late to be meant; they stay. Absent: all are meant. */
  readonly isLater?: (said: Said) => boolean;
}

export interface Documents {
  /** All conversations, and all projects. */
  readonly library: Readable<LibraryListing>;
  readonly saving: Readable<SaveStatus>;
  /** Throws `conversation-missing`, of a temporary one `conversation-ended`. */
  open(id: ConversationId): Promise<OpenConversation>;
  /** Reads once, without following. Undefined where there is none. */
  read(id: ConversationId): Promise<Conversation | undefined>;
  /**
   * Makes the change and resolves when it is durable; the screen sees it at once. Temporary conversations change in memory
   * only.
   * @param writes go into the key-value store in the same transaction
   * @throws `storage-full` …: the change stays on the screen, `saving` says so, and it is written with the next change or
   * `retry`
   * @throws `newer-conversation`, with nothing changed, if a newer app wrote it
   */
  change(
    id: ConversationId,
    change: ConversationChange,
    options?: { origin?: Origin; writes?: readonly KeyValueWrite[] },
  ): Promise<void>;
  /**
   * Many conversations in one durable append, after all that waits to be written: imports. All or none, but what is erased meanwhile is left
   * out. Throws as `change` does.
   */
  changeMany(
    changes: readonly { id: ConversationId; change: ConversationChange }[],
    origin: Origin,
  ): Promise<void>;
  /**
   * Makes an ordinary conversation of a temporary one, in one durable change, and gives its id: the same, however often it is asked. The
   * temporary one is gone then. Throws `conversation-ended`, and as `change` does: then it is as it was.
   */
  keep(id: ConversationId): Promise<ConversationId>;
  /** Those of them that nothing but imports has written, and that nobody has open here. */
  onlyImported(ids: readonly ConversationId[]): Promise<ConversationId[]>;
  /**
   * Erases the documents from log and library for good, and what was said of their passages. What cannot be done now (a full disk) it
   * throws, and does at the next start.
   */
  erase(ids: readonly ConversationId[]): Promise<void>;
  /**
   * Replaces the log of each document that loses something, or that the rules name, by one snapshot; library and notes
   * included.
   * @param only of these documents
   * @returns documents with a damaged entry: they stay as they are, since unreadable bytes must survive
   * @throws `storage-full`, `storage-failed`
   */
  purge(rules: PurgeRules, only?: readonly DocumentId[]): Promise<readonly DocumentId[]>;
  /** Reads every entry of the log back; returns the documents that still have what the rules name, or cannot be read. */
  unpurged(rules: PurgeRules): Promise<readonly DocumentId[]>;
  /** Takes the line of a conversation that is not there (a damaged line that still decodes, say) off the list. One that is there stays. */
  unlist(id: ConversationId): Promise<void>;
  /** Writes again what could not be written. */
  retry(): Promise<void>;
  close(): Promise<void>;
}
