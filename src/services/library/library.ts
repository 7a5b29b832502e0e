// Contract of the library as a whole: import, export, trash, samples.

import type { Skipped, SourceFile } from '../../adapters/importers/importer.ts';
import type { Activity } from '../../domain/base/activity.ts';
import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { ConversationMeta } from '../../domain/chat/conversation.ts';
import type { Role } from '../../domain/chat/message.ts';
import type { StorageSpace } from './storage-space.ts';

/** Additions to messages and conversations that existed already. */
export interface Later {
  /** Pictures and other files whose bytes had been missing. */
  readonly attachments: number;
  /** Answers that had been incomplete. */
  readonly answers: number;
  /** Conversations with a newer title, flag or instruction. */
  readonly titles: number;
}

export interface ImportReport {
  readonly source: string;
  readonly importer: string | null;
  readonly conversations: { readonly added: number; readonly changed: number; readonly unchanged: number };
  readonly messages: Readonly<Record<Role, number>>;
  /** New branches: of two answers to one question, one. */
  readonly branches: number;
  readonly attachments: number;
  readonly later: Later;
  /** Memory notes and feedback from our own export. */
  readonly notesAndFeedback: number;
  readonly skipped: readonly Skipped[];
  readonly tookMs: number;
  /**
   * The error, if any. A source that could not be read imported nothing, and all figures are zero; if only its notes
   * failed, the figures count what was imported.
   */
  readonly problem: Problem | null;
  readonly cancelled: boolean;
  /** Those of the conversations that are in the trash. */
  readonly trashed: readonly ConversationId[];
  /** First new conversation, to be opened. */
  readonly first: ConversationId | null;
  /** Id of the failed activity, to be acknowledged once the person has read the report. */
  readonly activity?: string;
}

export interface ExportedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly blob: Blob;
}

export interface Library {
  /** Running and just finished long work of every kind, newest first. */
  readonly activities: Readable<readonly Activity[]>;
  cancel(activity: string): void;
  dismiss(activity: string): void;
  /** The person has seen how it ended: it stays in the list without asking for attention. */
  acknowledge(activity: string): void;
  /**
   * Each dropped file, ZIP or folder is one source with a report of its own. Never
   * rejects because of the files' content.
   */
  importFiles(files: readonly SourceFile[], signal?: AbortSignal): Promise<readonly ImportReport[]>;
  exportConversations(
    ids: readonly ConversationId[] | 'all',
    format: 'json' | 'markdown',
    signal?: AbortSignal,
  ): Promise<ExportedFile>;
  /** Adds the made-up library to look around in; returns how many conversations were added. */
  addSamples(): Promise<number>;
  removeSamples(): Promise<number>;
  /** Measures how much of the allowed size is used; null if nothing measures it. */
  storageSpace(): Promise<StorageSpace | null>;
  /** Time of the last whole export as JSON on this device, ms since 1970; null: never; undefined: not read yet. */
  readonly lastBackup: Readable<number | null | undefined>;
  setMeta(
    ids: readonly ConversationId[],
    meta: Partial<Pick<ConversationMeta, 'title' | 'pinned' | 'archived' | 'workDir'>>,
  ): Promise<void>;
  /** Moves them to the trash; `restore` undoes that. */
  remove(ids: readonly ConversationId[]): Promise<void>;
  restore(ids: readonly ConversationId[]): Promise<void>;
  /** Deletes them from the trash for good, from log and index. */
  erase(ids: readonly ConversationId[]): Promise<void>;
}
