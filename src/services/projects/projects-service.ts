// Projects as documents; a conversation's own document says where it is filed.
import { RecollectError } from '../../domain/base/errors.ts';
import { type ConversationId, newConversationId, newMessageId } from '../../domain/base/ids.ts';
import type { ConversationMeta } from '../../domain/chat/conversation.ts';
import type { Message, Part } from '../../domain/chat/message.ts';
import { nameOfFolder, withInner } from '../../domain/projects/filing.ts';
import {
  MAX_PROJECT_INSTRUCTIONS,
  MAX_PROJECT_NAME,
  MAX_PROJECT_NOTE,
  MAX_PROJECT_NOTES,
  type ProjectId,
} from '../../domain/projects/project.ts';
import { shownName } from '../../domain/text/shown.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import {
  type ConversationChange,
  type Documents,
  type LibraryListing,
  type ProjectEntry,
  readLibrary,
} from '../documents/documents.ts';
import type { ProjectRequest, Projects } from './projects.ts';

interface ProjectsDeps {
  readonly documents: Pick<Documents, 'library' | 'read' | 'change' | 'changeMany' | 'erase'>;
  /** ms since 1970 */
  readonly now: () => number;
}

/** Makes the projects service. Its methods reject with `project-missing` for a project that is not in the library. */
export function createProjects(deps: ProjectsDeps): Projects {
  return new DocumentProjects(deps);
}

/** Filed in no project, whatever its folder is. */
const OUTSIDE = '';

class DocumentProjects implements Projects {
  readonly #deps: ProjectsDeps;

  constructor(deps: ProjectsDeps) {
    this.#deps = deps;
  }

  readonly create: Projects['create'] = async (request) => {
    const listing = await this.#listing();
    const id = newConversationId();
    const meta = metaOf(request, listing, id);
    await this.#deps.documents.change(id, { meta: { ...meta, project: true, createdAt: this.#deps.now() } });
    return id;
  };

  readonly change: Projects['change'] = async (id, request) => {
    const listing = await this.#listing();
    known(listing, id);
    const meta = metaOf(request, listing, id);
    await this.#deps.documents.change(id, { meta });
  };

  readonly move: Projects['move'] = async (conversations, project) => {
    const listing = await this.#listing();
    if (project !== null) known(listing, project);
    const wanted = new Set<string>(conversations);
    const moving = listing.entries.filter(({ id, projectId }) => wanted.has(id) && projectId !== project);
    await this.#changeAll(
      moving.map(({ id }) => ({ id, change: { meta: { projectId: project ?? OUTSIDE } } })),
    );
    return () =>
      this.#changeAll(moving.map(({ id, filed }) => ({ id, change: { meta: { projectId: filed } } })));
  };

  readonly adopt: Projects['adopt'] = async (folders) => {
    const at = this.#deps.now();
    const made = folders.map((folder) => ({
      id: newConversationId(),
      change: {
        meta: {
          project: true,
          createdAt: at,
          title: startOf(nameOfFolder(folder), MAX_PROJECT_NAME),
          titleBy: 'person' as const,
          workDirs: [folder],
        },
      },
    }));
    await this.#changeAll(made);
    return () => this.#deps.documents.erase(made.map(({ id }) => id));
  };

  readonly archive: Projects['archive'] = async (id, archived) => {
    const listing = await this.#listing();
    known(listing, id);
    const moved = [
      id,
      ...insideOf(listing, id)
        .filter((one) => one.archived !== archived)
        .map((one) => one.id),
    ];
    const all = (to: boolean) =>
      moved.map((one) => ({ id: one, change: { meta: { archived: to, movedAt: this.#deps.now() } } }));
    await this.#changeAll(all(archived));
    return () => this.#changeAll(all(!archived));
  };

  readonly addFiles: Projects['addFiles'] = async (id, files) => {
    known(await this.#listing(), id);
    // One after the other, in the given order.
    const at = this.#deps.now();
    const messages = files.map((file, place) => item([file], at + place));
    if (messages.length > 0) await this.#deps.documents.change(id, { messages });
  };

  readonly pinNote: Projects['pinNote'] = async (id, text, over) => {
    const { project } = known(await this.#listing(), id);
    const words = text.trim();
    const count = project.notes.filter((note) => note.id !== over).length;
    if (words === '' || words.length > MAX_PROJECT_NOTE || count >= MAX_PROJECT_NOTES)
      throw new RecollectError(
        'project-text',
        `A project takes ${MAX_PROJECT_NOTES} notes of up to ${MAX_PROJECT_NOTE} characters.`,
        { params: { length: words.length, limit: MAX_PROJECT_NOTE } },
      );
    await this.#deps.documents.change(id, {
      messages: [item([{ type: 'text', text: words }], this.#deps.now())],
      ...(over === undefined ? {} : { removed: [over] }),
    });
  };

  readonly takeOut: Projects['takeOut'] = async (id, items) => {
    known(await this.#listing(), id);
    const before = await this.#deps.documents.read(id);
    const gone = items.flatMap((one) => before?.messages.get(one) ?? []);
    await this.#deps.documents.change(id, { removed: items });
    return () => this.#deps.documents.change(id, { restored: gone });
  };

  readonly remove: Projects['remove'] = async (id, conversations) => {
    const listing = await this.#listing();
    known(listing, id);
    const at = this.#deps.now();
    const gone: ConversationId[] =
      conversations === 'outside' ? [id] : [id, ...insideOf(listing, id).map((one) => one.id)];
    const all = (deletedAt: number | null) =>
      gone.map((one) => ({ id: one, change: { meta: { deletedAt, movedAt: this.#deps.now() } } }));
    await this.#changeAll(all(at));
    return () => this.#changeAll(all(null));
  };

  #listing(): Promise<LibraryListing> {
    return readLibrary(this.#deps.documents.library);
  }

  async #changeAll(
    changes: readonly { readonly id: ConversationId; readonly change: ConversationChange }[],
  ): Promise<void> {
    if (changes.length > 0) await this.#deps.documents.changeMany(changes, 'user');
  }
}

/** A stored file or note. */
const item = (parts: readonly Part[], createdAt: number): Message => ({
  id: newMessageId(),
  parentId: null,
  role: 'user',
  kind: 'message',
  createdAt,
  parts,
});

/** Lists the projects in a project, with the conversations in all of them. */
function insideOf(
  { projects, entries }: LibraryListing,
  id: ProjectId,
): readonly { readonly id: ConversationId; readonly archived: boolean }[] {
  const inside = withInner(id, projects);
  return [
    ...projects.filter((one) => one.id !== id && inside.has(one.id)),
    ...entries.filter(
      ({ projectId, deletedAt }) => projectId !== null && inside.has(projectId) && deletedAt === null,
    ),
  ];
}

function known({ projects }: LibraryListing, id: ProjectId): ProjectEntry {
  const found = projects.find((one) => one.id === id && one.deletedAt === null);
  if (!found) throw new RecollectError('project-missing', 'There is no such project (any more).');
  return found;
}

/** Makes the metadata of a request, checked as a whole. */
function metaOf(request: ProjectRequest, listing: LibraryListing, id: ProjectId): Partial<ConversationMeta> {
  const { name, instructions, face, scope, model, workDirs, within } = request;
  const title = name?.trim();
  if (title !== undefined && (shownName(title) === '' || title.length > MAX_PROJECT_NAME))
    throw new RecollectError(
      'project-name',
      `A project needs a name of up to ${MAX_PROJECT_NAME} characters.`,
      {
        params: { limit: MAX_PROJECT_NAME },
      },
    );
  if (instructions !== undefined && instructions.length > MAX_PROJECT_INSTRUCTIONS)
    throw new RecollectError(
      'project-text',
      `Instructions have at most ${MAX_PROJECT_INSTRUCTIONS} characters.`,
      { params: { length: instructions.length, limit: MAX_PROJECT_INSTRUCTIONS } },
    );
  if (within) {
    const outer = known(listing, within);
    const holds = listing.projects.some((one) => one.projectId === id && one.deletedAt === null);
    if (outer.projectId !== null || outer.id === id || holds)
      throw new RecollectError('project-nested', 'A project in a project holds no other projects.');
  }
  return {
    ...(title === undefined ? {} : { title, titleBy: 'person' as const }),
    ...(instructions === undefined ? {} : { systemPrompt: instructions.trim() || null }),
    ...(face === undefined ? {} : { face: { ...face } }),
    ...(scope === undefined ? {} : { memoryScope: scope }),
    ...(model === undefined ? {} : { preferredModel: model && { ...model } }),
    ...(workDirs === undefined ? {} : { workDirs: [...workDirs] }),
    ...(within === undefined ? {} : { projectId: within }),
  };
}
