// The library as a whole: bringing history in, taking it out, trash, samples.

import type { Skipped, SourceFile } from '../../adapters/importers/importer.ts';
import type { Activity } from '../../domain/base/activity.ts';
import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import type { Readable } from '../../domain/base/readable.ts';
import type { ConversationMeta } from '../../domain/chat/conversation.ts';
import type { Role } from '../../domain/chat/message.ts';
import type { StorageSpace } from './storage-space.ts';

/** What came in of messages and conversations that were here already. */
export interface Later {
  /** Pictures and other files whose bytes had been missing. */
  readonly attachments: number;
  /** Answers that had been half. */
  readonly answers: number;
  /** Conversations whose title, flags or instructions were said anew elsewhere. */
  readonly titles: number;
}

export interface ImportReport {
  readonly source: string;
  readonly importer: string | null;
  readonly conversations: { readonly added: number; readonly changed: number; readonly unchanged: number };
  readonly messages: Readonly<Record<Role, number>>;
  /** Ways beside the first: of two answers to one question one. */
  readonly branches: number;
  readonly attachments: number;
  readonly later: Later;
  /** Memory notes and feedback that came in with our own export. */
  readonly notesAndFeedback: number;
  readonly skipped: readonly Skipped[];
  readonly tookMs: number;
  /**
   * Set where something went wrong. Where the source could not be read nothing of it was kept, and no figure says otherwise; where only the
   * notes in it could not be kept the figures tell what came in all the same.
   */
  readonly problem: Problem | null;
  readonly cancelled: boolean;
  /** Those of the conversations that lie in the trash. */
  readonly trashed: readonly ConversationId[];
  /** First conversation that came in, to go and look. */
  readonly first: ConversationId | null;
  /** Where it failed: the activity that did, to be acknowledged when the report was read. */
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
  /** The person knows how it ended: it stays in the list, and calls for nobody any more. */
  acknowledge(activity: string): void;
  /** Each dropped file, ZIP or folder is one source with a report of its own. Never rejects for what is in the files. */
  importFiles(files: readonly SourceFile[], signal?: AbortSignal): Promise<readonly ImportReport[]>;
  exportConversations(
    ids: readonly ConversationId[] | 'all',
    format: 'json' | 'markdown',
    signal?: AbortSignal,
  ): Promise<ExportedFile>;
  /** The made-up library to look around in; returns how many conversations were added. */
  addSamples(): Promise<number>;
  removeSamples(): Promise<number>;
  /** How much of the allowed size is taken, measured now; null where nobody measures. */
  room(): Promise<StorageSpace | null>;
  /** When everything was last exported as JSON on this device, ms since 1970; null: never; undefined until it was read. */
  readonly lastBackup: Readable<number | null | undefined>;
  setMeta(
    ids: readonly ConversationId[],
    meta: Partial<Pick<ConversationMeta, 'title' | 'pinned' | 'archived' | 'workDir'>>,
  ): Promise<void>;
  /** Into the trash; `restore` is the undo. */
  remove(ids: readonly ConversationId[]): Promise<void>;
  restore(ids: readonly ConversationId[]): Promise<void>;
  /** Out of the trash for good: log and index. */
  erase(ids: readonly ConversationId[]): Promise<void>;
}
