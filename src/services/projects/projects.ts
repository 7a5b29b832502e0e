// Folders of conversations, and what is said of them as a whole.
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
  /** The project it is in; null: none. */
  readonly within?: ProjectId | null;
}

/** Takes a change back, as far as nothing later stands against it. */
export type Undo = () => Promise<void>;

/** Each change resolves when it is durable, and throws `storage-full`, `storage-failed` as `Documents.change` does: then nothing was changed. */
export interface Projects {
  /** Throws `project-name` for a name that shows nothing or is too long, `project-text` for too long instructions, `project-nested`. */
  create(request: ProjectRequest & { readonly name: string }): Promise<ProjectId>;
  /** Throws as `create` does, and `project-missing`. */
  change(id: ProjectId, request: ProjectRequest): Promise<void>;
  /** Files conversations in a project; null: outside of all. What is there already stays. Throws `project-missing`. */
  move(conversations: readonly ConversationId[], project: ProjectId | null): Promise<Undo>;
  /** A project of its own for each folder, named after it; its conversations are in it with that. */
  adopt(folders: readonly string[]): Promise<Undo>;
  /** Into the archive or out of it, with its conversations, the projects in it and theirs. */
  archive(id: ProjectId, archived: boolean): Promise<Undo>;
  addFiles(id: ProjectId, files: readonly PartOf<'file'>[]): Promise<void>;
  /** Throws `project-text` for a note that says nothing or too much, and for one too many. */
  pinNote(id: ProjectId, text: string, over?: MessageId): Promise<void>;
  /** Takes files or notes out for good: words, index and other devices. */
  takeOut(id: ProjectId, items: readonly MessageId[]): Promise<Undo>;
  /**
   * Into the trash with the project: with all that is in it, projects too (`trash`), or alone: then its conversations stand outside and the
   * projects in it by themselves.
   */
  remove(id: ProjectId, conversations: 'outside' | 'trash'): Promise<Undo>;
}
