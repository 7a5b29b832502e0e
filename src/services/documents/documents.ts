// Conversations as Yjs documents. Every change of one goes through here into the log; nothing else knows Yjs.
import type { KeyValueWrite, Origin } from '../../adapters/log/conversation-log.ts';
import { type Problem, toError } from '../../domain/base/errors.ts';
import type { ConversationId, DocumentId, MessageId } from '../../domain/base/ids.ts';
import { type Readable, until } from '../../domain/base/readable.ts';
import type { Conversation, ConversationMeta } from '../../domain/chat/conversation.ts';
import type { Message } from '../../domain/chat/message.ts';
import type { Checkpoint, Compaction } from '../../domain/chat/records.ts';
import type { ProjectId, ProjectLine } from '../../domain/projects/project.ts';
import type { Hlc } from '../../domain/sync/hlc.ts';
import type { Occurrence } from './cleaning.ts';

/** One conversation in the sidebar, stored in the library document. */
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
  /** Time of the last move into or out of archive or trash; 0: never. */
  readonly movedAt: number;
  readonly source: { readonly tool: string; readonly id: string } | null;
  /** True if another conversation started it (a subagent): not listed at the top level. */
  readonly child: boolean;
  readonly sample: boolean;
  /** Its project, by its filing or by its folder; null: none. Of a project: the enclosing one. */
  readonly projectId: ProjectId | null;
  /** Folder it was filed in, as stored: `''` for none, null if its work dir decides. */
  readonly filed: string | null;
  /** Set for a project, null for a conversation. */
  readonly project: ProjectLine | null;
}

/** A project as the library lists it: `title` is its name. */
export interface ProjectEntry extends LibraryEntry {
  readonly project: ProjectLine;
}

/** All entries, trash included, newest first. `ready`: the log was read once, or could not be. */
export interface LibraryListing {
  readonly ready: boolean;
  /** Why the list could not be read: it is empty then, whatever is in the log. */
  readonly problem?: Problem;
  readonly entries: readonly LibraryEntry[];
  readonly projects: readonly ProjectEntry[];
}

/**
 * Resolves with the library once it was read. Rejects with the problem where it could not
 * be: an empty list says nothing then.
 */
export async function readLibrary(
  library: Readable<LibraryListing>,
  signal?: Parameters<typeof until>[2],
): Promise<LibraryListing> {
  const listing = await until(library, ({ ready }) => ready, signal);
  if (listing.problem) throw toError(listing.problem);
  return listing;
}

export type SaveStatus =
  | { readonly state: 'saved' }
  | { readonly state: 'saving' }
  /** The screen is ahead of the disk; the write is repeated. */
  | { readonly state: 'failed'; readonly problem: Problem };

/** An open conversation, which follows every change from any device or tab. */
export interface OpenConversation extends Readable<Conversation> {
  readonly id: ConversationId;
  /** Origin of a question that came since opening: this browser or another device. Null: it was there before. */
  originOf(question: MessageId): 'here' | 'elsewhere' | null;
  /** Releases it; the document is dropped when no caller holds it. */
  close(): void;
}

/** Changes made together: one update in the log, saved as one. */
export interface ConversationChange {
  /** New messages. One that exists, or was forgotten, stays as it is. */
  readonly messages?: readonly Message[];
  /** Additions to existing messages (`completeMessage` in `domain/chat`), which remove nothing. */
  readonly completed?: readonly Message[];
  readonly meta?: Partial<ConversationMeta>;
  /** Times of titles and flags in `meta` that were set elsewhere: later ones here win. Absent: now. */
  readonly said?: Readonly<Record<string, Hlc>>;
  /** Name → checkpoint, or the bare message id; null removes the name. */
  readonly checkpoints?: Readonly<Record<string, Checkpoint | MessageId | null>>;
  /** Id → a whole new compaction, or changed fields of an existing one (`undone`, `summary`); null removes it. */
  readonly compactions?: Readonly<Record<string, Partial<Compaction> | null>>;
  /**
   * Removes content for good (forget), and summaries that may quote it. Children move to the removed message's parent.
   */
  readonly removed?: readonly MessageId[];
  /** Restores removed messages with their content, in their old place, without anything that was forgotten since. */
  readonly restored?: readonly Message[];
  /**
   * Removes words from messages for good: each replaces the one with its id.
   * Otherwise as `removed`, but no child moves.
   */
  readonly rewritten?: readonly Message[];
  /**
   * For good: `removed` messages cannot be `restored`, and titles in `meta` also replace the conversation's first one.
   */
  readonly takesOut?: true;
}

/** The change that makes a conversation elsewhere out of this one. */
export const wholeOf = ({ messages, meta, checkpoints, compactions }: Conversation): ConversationChange => ({
  messages: [...messages.values()],
  meta,
  checkpoints: Object.fromEntries(checkpoints),
  compactions: Object.fromEntries(compactions),
});

/** Rules that name what must be nowhere any more, for `Documents.purge`. */
export interface PurgeRules {
  /** Returns the text without forgotten words. */
  readonly hide: (text: string) => { readonly text: string; readonly redacted: number };
  /** True if this conversation or message was forgotten. */
  readonly isGone: (id: string) => boolean;
  /** True for values said too late to be meant; they stay. Absent: all are meant. */
  readonly isLater?: (said: Occurrence) => boolean;
}

export interface Documents {
  /** All conversations, and all projects. */
  readonly library: Readable<LibraryListing>;
  readonly saving: Readable<SaveStatus>;
  /** Throws `conversation-missing`, or `conversation-ended` for a temporary one. */
  open(id: ConversationId): Promise<OpenConversation>;
  /** Reads once, without following changes. Undefined if there is none. */
  read(id: ConversationId): Promise<Conversation | undefined>;
  /**
   * Makes the change and resolves when it is durable; the screen sees it at once. Temporary
   * conversations change in memory only.
   * @param writes go into the key-value store in the same transaction
   * @throws `storage-full` …: the change stays on the screen, `saving` says so, and it
   *   is written with the next change or
   * `retry`
   * @throws `newer-conversation`, with nothing changed, if a newer app wrote it
   */
  change(
    id: ConversationId,
    change: ConversationChange,
    options?: { origin?: Origin; writes?: readonly KeyValueWrite[] },
  ): Promise<void>;
  /**
   * Changes many conversations in one durable append, after all waiting writes, for imports. All or none, except that
   * conversations erased meanwhile are left out. Throws as `change` does.
   * @param changes read once, each when it is due: a generator need not hold them all
   */
  changeMany(
    changes: Iterable<{ id: ConversationId; change: ConversationChange }>,
    origin: Origin,
  ): Promise<void>;
  /**
   * Turns a temporary conversation into an ordinary one, in one durable change, and returns its id, the same for every
   * call. The temporary one then ends. Throws `conversation-ended`, and as `change` does, with nothing changed.
   */
  keep(id: ConversationId): Promise<ConversationId>;
  /** Picks those that only imports have written and that are not open here. */
  onlyImported(ids: readonly ConversationId[]): Promise<ConversationId[]>;
  /**
   * Erases the documents from log and library for good, with feedback on their passages. Throws if a part fails (a full
   * disk), and finishes it at the next start.
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
  /**
   * Reads every entry of the log; returns the documents that still contain what the rules name, or that cannot be read.
   * @param only of these documents
   */
  unpurged(rules: PurgeRules, only?: readonly DocumentId[]): Promise<readonly DocumentId[]>;
  /**
   * Removes the list entry of a conversation that does not exist (e.g. a damaged entry that
   * still decodes). An existing one stays.
   */
  unlist(id: ConversationId): Promise<void>;
  /** Repeats failed writes. */
  retry(): Promise<void>;
  close(): Promise<void>;
}
