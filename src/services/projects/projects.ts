// Contract of projects: folders of conversations with settings of their own.
import type { ConversationId, MessageId } from '../../domain/base/ids.ts';
import type { PartOf } from '../../domain/chat/message.ts';
import type { MemoryScope, ProjectFace, ProjectId } from '../../domain/projects/project.ts';
import type { ModelChoice } from '../settings/settings.ts';

/** Settings of a project; absent keys stay as they are. */
export interface ProjectRequest {
  readonly name?: string;
  readonly instructions?: string;
  readonly face?: ProjectFace;
  readonly scope?: MemoryScope;
  /** Model of conversations that begin in it; null: the model chosen last. */
  readonly model?: ModelChoice | null;
  /** Folders whose conversations are in it. */
  readonly workDirs?: readonly string[];
  /** The enclosing project; null: none. */
  readonly within?: ProjectId | null;
}

/** Undoes a change, unless a later one contradicts it. */
export type Undo = () => Promise<void>;

/**
 * Each change resolves when it is durable, and throws `storage-full`, `storage-failed` as
 * `Documents.change` does, with nothing changed.
 */
export interface Projects {
  /**
   * Throws `project-name` for a name that is invisible or too long, `project-text` for too
   * long instructions, `project-nested`.
   */
  create(request: ProjectRequest & { readonly name: string }): Promise<ProjectId>;
  /** Throws as `create` does, and `project-missing`. */
  change(id: ProjectId, request: ProjectRequest): Promise<void>;
  /** Files conversations in a project; null: in none. Those in it already stay. Throws `project-missing`. */
  move(conversations: readonly ConversationId[], project: ProjectId | null): Promise<Undo>;
  /** Makes a project for each folder, named after it, which contains its conversations. */
  adopt(folders: readonly string[]): Promise<Undo>;
  /** Moves a project into the archive or out of it, with its conversations, the projects in it and theirs. */
  archive(id: ProjectId, archived: boolean): Promise<Undo>;
  addFiles(id: ProjectId, files: readonly PartOf<'file'>[]): Promise<void>;
  /** Throws `project-text` for a note that is empty or too long, and for one too many. */
  pinNote(id: ProjectId, text: string, over?: MessageId): Promise<void>;
  /** Deletes files or notes for good: words, index and other devices. */
  takeOut(id: ProjectId, items: readonly MessageId[]): Promise<Undo>;
  /**
   * Moves the project to the trash: with everything in it, projects too (`trash`), or alone: its conversations are then
   * in no project, and the projects in it stand by themselves.
   */
  remove(id: ProjectId, conversations: 'outside' | 'trash'): Promise<Undo>;
}
